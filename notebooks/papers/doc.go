// Package papers holds the tables of the papers as grids of runs: what is trained on what, the published numbers and their
// sources, and the claims that they test.
package papers
