package slurm

import (
	"bytes"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"github.com/puclab/puclab/internal/wholefile"
)

// submit submits a task for each name, in as many arrays as the cluster's limit requires. If the cluster rejects an
// array after accepting others, for example because of a limit on a user's jobs, the rest is left for the next time.
func (c Config) submit(names []string) error {
	program, err := c.copyProgram()
	if err != nil {
		return err
	}
	var submitted []array
	for longest := maxArraySize(); len(names) > 0; {
		n := min(longest, len(names))
		job, err := c.sbatch(program, tasks(submitted), n)
		if err != nil && len(submitted) > 0 {
			trouble := fmt.Sprintf("%d tasks must wait until these have ended: %v", len(names), err)
			c.Report(Status{Tasks: tasks(submitted), Trouble: trouble})
			return nil
		} else if err != nil {
			return err
		}
		submitted = append(submitted, array{job, names[:n]})
		names = names[n:]
		if err := c.writeRecord(submitted); err != nil {
			return fmt.Errorf("slurm: job %s was submitted, but cannot be remembered; end it with `scancel %[1]s`: %w", job, err)
		}
	}
	return nil
}

// tasks returns the number of tasks in the arrays.
func tasks(arrays []array) (n int) {
	for _, a := range arrays {
		n += len(a.Names)
	}
	return n
}

// copyProgram copies the program of the command into the folder, where it stays unchanged until all tasks have ended.
func (c Config) copyProgram() (string, error) {
	path, err := exec.LookPath(c.Command[0])
	if err != nil {
		return "", fmt.Errorf("slurm: the program of the tasks: %w", err)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		return "", err
	}
	copied := filepath.Join(c.Folder, filepath.Base(path))
	return copied, wholefile.Keep(copied, data, 0o755)
}

// sbatch submits an array of n tasks and returns its job. The first task gets the index first.
func (c Config) sbatch(program string, first, n int) (job string, err error) {
	folder, err := os.Getwd()
	if err != nil {
		return "", err
	}
	args := append([]string{
		"--job-name=" + filepath.Base(program),
		"--cpus-per-task=" + strconv.Itoa(c.Threads),
		"--export=ALL",
		"--requeue", // if the node of a task fails
	}, c.Options...)
	args = append(args,
		"--parsable",
		"--chdir="+folder,
		fmt.Sprintf("--array=0-%d", n-1),
		"--output="+filepath.Join(strings.ReplaceAll(c.Folder, "%", "%%"), "logs", "%A_%a.log"),
		"--open-mode=append", // a requeued task keeps its earlier log
	)
	// The context of Do does not end sbatch: otherwise its success would be unknown.
	cmd := exec.Command("sbatch", args...)
	cmd.Stdin = strings.NewReader(c.script(program, first))
	out, err := output(cmd)
	if err != nil {
		return "", err
	}
	job, _, _ = strings.Cut(strings.TrimSpace(out), ";")
	if _, err := strconv.ParseUint(job, 10, 64); err != nil {
		return "", fmt.Errorf("slurm: sbatch said %q, not the number of a job", out)
	}
	return job, nil
}

// script returns the shell script of a task.
func (c Config) script(program string, first int) string {
	var b strings.Builder
	b.WriteString("#!/bin/sh\n")
	b.WriteString("exec " + quote(program)) // so that Slurm's signals reach the program
	for _, arg := range c.Command[1:] {
		b.WriteString(" " + quote(arg))
	}
	fmt.Fprintf(&b, " $((%d + SLURM_ARRAY_TASK_ID))\n", first)
	return b.String()
}

// quote returns text as one word of the shell.
func quote(text string) string { return "'" + strings.ReplaceAll(text, "'", `'\''`) + "'" }

var maxArray = regexp.MustCompile(`(?m)^MaxArraySize\s*=\s*(\d+)`)

// maxArraySize returns the largest number of tasks in an array: Slurm's default if the cluster does not report it.
func maxArraySize() int {
	out, err := exec.Command("scontrol", "show", "config").Output()
	if found := maxArray.FindSubmatch(out); err == nil && found != nil {
		if n, err := strconv.Atoi(string(found[1])); err == nil {
			return max(n, 1)
		}
	}
	return 1001
}

// output returns the output of a Slurm program; its error includes the program's message.
func output(cmd *exec.Cmd) (string, error) {
	var out, said bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &said
	if err := cmd.Run(); err != nil {
		return "", fmt.Errorf("slurm: %s: %w: %s", cmd.Args[0], err, bytes.TrimSpace(said.Bytes()))
	}
	return out.String(), nil
}
