// Package experiment runs grids of trainings as values and keeps what came of them.
//
// A [Grid] is a list of runs: every training that a table stands on. A [Run] is known by its setting, method and seed, and its
// result is a file of a [Store], by that name. What the numbers follow from, the run's [Identity], stands in the file: where the
// program asks for another configuration or the method has a newer version, the result is stale, and never drawn or written
// over without a word.
//
// A [Worker] does a run; a [Coordinator] has workers of its own do a [Plan], a few at a time. Both may be killed at any moment:
// the same plan made again goes on from the checkpoints of the runs that were at work, with the same bits. Programs that see the
// same files share the work. [Store.Here] does a small grid in the process at hand, as a cell of a notebook. [Store.Cells] is what
// tables are drawn from.
package experiment
