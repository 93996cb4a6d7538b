// Package experiment runs grids of trainings as values and keeps what came of them.
//
// A [Grid] is a list of runs: every training that a table stands on. A [Run] is known by its setting, method and seed, and its
// result is a line in a file of a [Store], by that name. The line holds the run's [Identity], from which its numbers follow. If the
// program asks for another configuration or the method has a newer version, the result is stale: it is never drawn, and never
// replaced unless asked.
//
// A [Worker] does a run; a [Coordinator] has workers of its own do a [Plan], a few at a time. Both may be killed at any moment:
// the same plan made again goes on from the checkpoints of the runs that were at work, with the same bits. Programs that see the
// same files share the work. [Store.Here] does a small grid in the process at hand, as a cell of a notebook. [Store.Cells] is what
// tables are drawn from. A run that has just ended has a file of its own, which [Store.Pack] moves into the file of its setting.
package experiment
