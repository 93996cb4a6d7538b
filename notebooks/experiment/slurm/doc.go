// Package slurm runs one command many times on a Slurm cluster, as array jobs, and waits for them.
//
//	c := slurm.Config{
//		Folder:  "notebooks/out/grid/laptop/slurm",
//		Command: []string{"grid", "-worker", list, "-index"}, // a task adds its index: 0, 1, …
//		Options: []string{"--partition=gpu", "--time=4:00:00"},
//	}
//	err := c.Do(ctx, missing) // missing writes the list and returns a name for each line of it
//
// It uses only Slurm's own programs. sbatch submits tasks and squeue reports their states. sacct reports how tasks
// ended that squeue has forgotten, if the cluster keeps accounts. scontrol reports the largest array size. No program
// stays in the background, and there is no other queue.
//
// # Retries of tasks
//
// Only the caller can decide whether a task is done: when all tasks have ended, Do calls missing again. A task that was
// killed or lost its node is submitted again, up to three losses. A task that ran out of time resumes from its saved
// state and is submitted again up to a large limit. A task that ended by itself with an error, or that a user
// cancelled, is not retried. When a task is given up, Do returns [Failed], with the last lines of its log.
//
// # Life of the jobs
//
// Jobs belong to the cluster: when ctx is done they continue, and Do returns [Left]. The same Do in the same folder
// finds them by its record, waits, and submits nothing twice. `scancel JOB` ends them. The folder must be on a file
// system that the nodes share. The program is copied there, since jobs outlive the process that submitted them.
package slurm
