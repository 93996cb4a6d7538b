// Package faults holds only tests. They disturb a training that takes days: its process is killed or told to stop at
// any moment, another one takes the same folder, the disk fills up, nothing may be written, the clock jumps, a file is
// damaged. The runs are a pretraining with a monitor, a task with a teacher and a state, and a fine-tuning. Each has to
// end in the bits of an undisturbed run or to report what is wrong. Other packages do not repeat these tests.
//
// PUCL_FAULTS=10 tries ten times as many faults.
package faults
