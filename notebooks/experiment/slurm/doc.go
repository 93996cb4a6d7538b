// Package slurm has a Slurm cluster do many runs of one command, as array jobs, and waits for them.
//
//	c := slurm.Config{
//		Folder:  "notebooks/out/grid/laptop/slurm",
//		Command: []string{"grid", "-worker", list, "-index"}, // a task adds its index: 0, 1, …
//		Options: []string{"--partition=gpu", "--time=4:00:00"},
//	}
//	err := c.Do(ctx, missing) // missing writes the list and returns a name for each line of it
//
// It uses what Slurm has, and nothing else: sbatch submits, squeue tells how far the tasks are, sacct how they ended where the
// cluster keeps accounts and squeue has forgotten, scontrol how long an array may be. No program stays behind, and there is no
// queue but Slurm's.
//
// # What becomes of a task
//
// Whether a task is done, only the caller knows: when all tasks have ended, Do asks again what is missing. A task that was
// killed or lost its node is submitted again, until that has happened to it three times; one that ran out of time too, as often
// as it takes within reason, since it is to go on from where it was. One that ended by itself with an error, or that somebody
// cancelled, would end so again. When one is given up, Do returns [Failed], with the last lines of its log.
//
// # What becomes of the jobs
//
// Jobs belong to the cluster, as everywhere with Slurm: when ctx is done they go on, and Do returns [Left]. The same Do in
// the same folder finds them again by the record that it keeps there, waits, and submits nothing twice. `scancel JOB` ends them.
// The folder must be on a file system that the nodes share. The program is copied there, since jobs outlive the one that
// submitted them.
package slurm
