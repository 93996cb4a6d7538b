// Package experiment runs grids of trainings and stores their results.
//
// A [Grid] is a list of runs: all trainings behind a table. A [Run] is identified by its setting, method and seed; its
// result is a line in a file of a [Store]. The line holds the run's [Identity], which determines its numbers. If the
// program has another configuration or a newer version of the method, the result is stale: it is never drawn, and
// replaced only on request.
//
// A [Worker] does one run; a [Coordinator] does a [Plan] with several worker processes at a time. Both may be killed at
// any moment: the same plan resumes from the checkpoints of unfinished runs, bit-identically. Programs with access to
// the same files share the work. [Store.Here] does a small grid in the current process, such as a notebook cell.
// [Store.Cells] provides the data of tables. A run that has just ended has a separate file, which [Store.Pack] moves
// into the file of its setting.
package experiment
