// Grid does the runs that the tables of the papers stand on, as many at a time as this machine has processors, and keeps what
// came of each in notebooks/results, a file for each setting. Without a table it names those that there are; -h lists the flags.
//
//	go run ./notebooks grid table-1                        small runs on built-in images: minutes, to see that all works
//	go run ./notebooks grid -size laptop table-1 table-2   the committed results: hours on two cores
//	go run ./notebooks grid -size laptop -list table-1     how each run stands: done, missing, failed or stale
//	go run ./notebooks grid -on slurm -size paper table-1  on a cluster
//	go run ./notebooks grid -size laptop -export csv       a row for each point of each run, as columns says
//	go run ./notebooks grid -size laptop -pack             what a killed grid left loose; -from FOLDER merges another folder of results
//
// It may be stopped or killed at any moment, and goes on from there when it is started again. Two of them share the work.
// When its runs end, also by an interrupt, their results are packed.
//
// The launcher compiles and starts it. Each run is a process of its own, which is this program again with -worker.
package main
