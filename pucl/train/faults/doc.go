// Package faults holds only tests. They inject faults into a training that takes days: its process is killed or stopped
// at any moment, another process uses the same folder, the disk fills up or is read-only, the clock jumps, a file is
// damaged. The runs are a pretraining with a monitor, a task with a teacher and a state, and a fine-tuning. Each must
// end bit-identically to an undisturbed run or report the fault. Other packages do not repeat these tests.
//
// PUCL_FAULTS=10 injects ten times as many faults.
package faults
