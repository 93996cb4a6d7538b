// Package faults holds tests alone, of what may befall a training that takes days: its process is killed at any moment or told to stop,
// another takes the same folder, the disk fills up or nothing may be written, the clock jumps, a file is damaged. Each
// run has to end in the very bits of one that nobody disturbed, or to say what is wrong.
//
// PUCL_FAULTS=10 tries ten times as many.
package faults
