// Grid performs the runs behind the tables of the papers, in parallel on all processors of this machine, and stores
// their results in notebooks/results, a file for each setting. Without a table it lists the tables; -h lists the flags.
//
//	go run ./notebooks grid table-1                        small runs on built-in images: minutes, as a check
//	go run ./notebooks grid -size laptop table-1 table-2   the committed results: hours on two cores
//	go run ./notebooks grid -size laptop -list table-1     the state of each run: done, missing, failed or stale
//	go run ./notebooks grid -on slurm -size paper table-1  on a cluster
//	go run ./notebooks grid -size laptop -export csv       a row for each point of each run, see columns
//	go run ./notebooks grid -size laptop -pack             pack loose results; -from FOLDER merges another folder
//
// It may be stopped or killed at any moment, and resumes when it is started again. Two of them share the work. When its
// runs end, also by an interrupt, their results are packed.
//
// The launcher compiles and starts it. Each run is a separate process of this program, with -worker.
package main
