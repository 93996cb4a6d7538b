// Package experiment runs grids of trainings as values and keeps what came of them.
package experiment
