package slurm

import (
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The tests use a file-based fake of Slurm: this test program under the names of Slurm's programs, in a folder that is
// first in PATH. In that folder
//
//	queue    holds what squeue prints, except jobs that the fake has forgotten
//	calls    has a line for each call of sbatch, with its arguments
//	refuse   makes sbatch fail with that text, after the number of calls in its first line
//	say      makes sbatch print that before the number of the job
//	hold     makes sbatch queue tasks and run none
//	down     is the number of times that squeue fails
//	accounts holds what sacct prints; without the file the cluster keeps none
//	config   holds what scontrol prints
func TestMain(m *testing.M) {
	program := filepath.Base(os.Args[0])
	folder := os.Getenv("FAKE_SLURM")
	do := map[string]func(fake) error{"sbatch": fake.sbatch, "squeue": fake.squeue, "sacct": fake.sacct, "scontrol": fake.scontrol}[program]
	if do == nil {
		os.Exit(m.Run())
	}
	if err := do(fake{folder}); err != nil {
		fmt.Fprintf(os.Stderr, "%s: error: %v\n", program, err)
		os.Exit(1)
	}
}

// fake is a file-based Slurm.
type fake struct{ folder string }

// newFake puts a fake Slurm first in PATH.
func newFake(t *testing.T) fake {
	t.Helper()
	self := expect.Must(os.Executable())(t)
	f := fake{t.TempDir()}
	for _, name := range []string{"sbatch", "squeue", "sacct", "scontrol"} {
		expect.NoError(t, os.Symlink(self, filepath.Join(f.folder, name)))
	}
	t.Setenv("PATH", f.folder+string(filepath.ListSeparator)+os.Getenv("PATH"))
	t.Setenv("FAKE_SLURM", f.folder)
	return f
}

// read returns the content of a file, "" if there is none.
func (f fake) read(name string) string {
	data, err := os.ReadFile(filepath.Join(f.folder, name))
	if err != nil && !errors.Is(err, os.ErrNotExist) {
		panic(err)
	}
	return string(data)
}

// write writes a file, or appends to it.
func (f fake) write(name, text string, appending bool) {
	flags := os.O_CREATE | os.O_WRONLY | os.O_TRUNC
	if appending {
		flags = os.O_CREATE | os.O_WRONLY | os.O_APPEND
	}
	file, err := os.OpenFile(filepath.Join(f.folder, name), flags, 0o644)
	if err == nil {
		_, err = file.WriteString(text)
		err = errors.Join(err, file.Close())
	}
	if err != nil {
		panic(err)
	}
}

// calls returns the arguments of sbatch, a line for each call.
func (f fake) calls() []string { return strings.Split(strings.TrimSuffix(f.read("calls"), "\n"), "\n") }

var arrayOf = regexp.MustCompile(`--array=0-(\d+)`)

// sbatch queues the tasks of an array and runs them one after the other.
func (f fake) sbatch() error {
	args := strings.Join(os.Args[1:], " ")
	called := strings.Count(f.read("calls"), "\n")
	f.write("calls", args+"\n", true)
	if after, text, found := strings.Cut(f.read("refuse"), "\n"); found && after == strconv.Itoa(called) {
		return errors.New(text)
	}
	script, err := io.ReadAll(os.Stdin)
	if err != nil {
		return err
	}
	last, err := strconv.Atoi(arrayOf.FindStringSubmatch(args)[1])
	if err != nil {
		return err
	}
	job := 100 + called
	for i := range last + 1 {
		state := "PENDING|Resources"
		if f.read("hold") == "" {
			state = f.task(script, job, i)
		}
		f.write("queue", fmt.Sprintf("%d|%d|%s\n", job, i, state), true)
	}
	fmt.Println(f.read("say") + strconv.Itoa(job))
	return nil
}

// task runs one task and returns its state and the reason.
func (f fake) task(script []byte, job, index int) string {
	var log string
	for _, arg := range os.Args[1:] {
		if path, found := strings.CutPrefix(arg, "--output="); found {
			log = strings.NewReplacer("%%", "%", "%A", strconv.Itoa(job), "%a", strconv.Itoa(index)).Replace(path)
		}
	}
	out, err := os.OpenFile(log, os.O_CREATE|os.O_WRONLY|os.O_APPEND, 0o644)
	if err != nil {
		return "FAILED|RaisedSignal:53"
	}
	defer out.Close()
	cmd := exec.Command("sh")
	cmd.Stdin, cmd.Stdout, cmd.Stderr = strings.NewReader(string(script)), out, out
	cmd.Env = append(os.Environ(), "SLURM_ARRAY_TASK_ID="+strconv.Itoa(index))
	err = cmd.Run()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		switch exit.ExitCode() {
		case -1:
			return "FAILED|JobLaunchFailure" // as Slurm 22.05 calls an end by SIGKILL
		case 99:
			return "TIMEOUT|TimeLimit"
		case 98:
			return "CANCELLED|None"
		}
		return "FAILED|NonZeroExitCode"
	}
	return "COMPLETED|None"
}

func (f fake) squeue() error {
	if n, err := strconv.Atoi(f.read("down")); err == nil && n > 0 {
		f.write("down", strconv.Itoa(n-1), false)
		return errors.New("Unable to contact slurm controller (connect failure)")
	}
	fmt.Print("7|N/A|RUNNING|None\n8|0|RUNNING|None\n" + f.read("queue")) // jobs of other users come first
	return nil
}

func (f fake) sacct() error {
	if f.read("accounts") == "" {
		return errors.New("Slurm accounting storage is disabled")
	}
	fmt.Print(f.read("accounts"))
	return nil
}

func (f fake) scontrol() error {
	fmt.Print(f.read("config"))
	return nil
}
