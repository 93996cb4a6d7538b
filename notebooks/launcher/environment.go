package launcher

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/liveline"
)

// session is one run of the launcher: the place it works on and what it has found out so far.
type session struct {
	place     place
	console   *liveline.Line
	stdout    io.Writer // of the launcher, for what is not said on the console
	stderr    io.Writer
	goTool    toolchain
	stamp     stamp
	log       io.Writer // of the setup
	exclusive *os.File  // while the setup changes the environment
}

// cgo reports whether cells may use cgo, and so XLA.
func (s *session) cgo() bool { return s.stamp.Compiler.Works }

// talkOnStderr has the console on the standard error and so keeps the standard output for what the command prints.
func (s *session) talkOnStderr() { s.console = liveline.New(s.stderr) }

// step is one part of the setup: its name, why it has to be done, "" where it need not, and what does it.
type step struct {
	name string
	due  func() (why string, err error)
	do   func(context.Context) error
}

// prepared does work in an environment that stays as it should be until the work is done.
func (s *session) prepared(ctx context.Context, gpu bool, work func() error) error {
	use, err := s.prepare(ctx, gpu)
	if err != nil {
		return err
	}
	return errors.Join(work(), use.Close())
}

// prepare brings the environment up to what this checkout asks for, and returns a lock that keeps it so until released.
// A start at which nothing is due takes some tens of milliseconds.
func (s *session) prepare(ctx context.Context, gpu bool) (*os.File, error) {
	for {
		use, err := waitLock(ctx, s.console, environmentLock(s.place), true)
		if err != nil {
			return nil, err
		}
		steps, why, err := s.due(ctx, gpu)
		if err == nil && len(steps) == 0 {
			if err = writeKernelSpecs(s.place, s.goTool, s.cgo()); err == nil {
				return use, nil
			}
		}
		if err = errors.Join(err, use.Close()); err != nil {
			return nil, err
		}
		if err := s.setUp(ctx, gpu, why); err != nil {
			return nil, err
		}
		// The steps that were due are done; the next look tells, and takes the shared lock.
	}
}

// setUp does what is due, alone.
func (s *session) setUp(ctx context.Context, gpu bool, why string) (err error) {
	exclusive, err := waitLock(ctx, s.console, environmentLock(s.place), false)
	if err != nil {
		return err
	}
	s.exclusive = exclusive
	defer func() { s.exclusive, err = nil, errors.Join(err, exclusive.Close()) }()
	logPath := filepath.Join(s.place.out(), "setup.log")
	log, err := openLog(logPath)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	s.log = log
	start := time.Now()
	for announced, done := false, 0; ; done++ {
		// Looked at anew after each step: another launcher may have been at work, and a step may make others due.
		steps, _, err := s.due(ctx, gpu)
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			if announced {
				s.console.Linef("Prepared in %s.", seconds(time.Since(start)))
			}
			return nil
		}
		if done > 10 {
			return fmt.Errorf("the step %q is due again and again; please report this with %s", steps[0].name, s.place.relative(logPath))
		}
		if !announced {
			s.console.Linef("Preparing the notebooks (%s). The log is %s.", why, s.place.relative(logPath))
			announced = true
		}
		if err := s.perform(ctx, steps[0], done+1, done+len(steps)); err != nil {
			var p *problem
			if errors.As(err, &p) && p.Tail != "" {
				p.Tail += "\nAll of it is in " + s.place.relative(logPath)
			}
			return err
		}
	}
}

// perform does one step under a line that shows its progress.
func (s *session) perform(ctx context.Context, st step, n, of int) error {
	start, took := time.Now(), ""
	s.console.Begin(fmt.Sprintf("[%d/%d] %s", n, of, st.name))
	err := st.do(ctx)
	if err == nil {
		took = seconds(time.Since(start))
	}
	s.console.End(took)
	return err
}

// due looks at what there is and returns the steps that are to be done, in order, with the reason for the first.
func (s *session) due(ctx context.Context, gpu bool) (steps []step, why string, err error) {
	if s.stamp, err = readStamp(s.place); err != nil {
		return nil, "", err
	}
	if s.goTool.root == "" {
		if s.goTool, err = findGo(ctx, s.place); err != nil {
			return nil, "", err
		}
	}
	fresh := false // the Python environment, after which the others are due too
	for _, st := range []step{
		{"Python environment and packages", func() (string, error) {
			why, err := s.pythonDue(ctx)
			fresh = why != ""
			return why, err
		}, s.pythonStep},
		{"CUDA plugin and libraries", func() (string, error) { return s.gpuDue(gpu) }, s.gpuStep},
		{"Go kernel and tools", func() (string, error) { return s.toolsDue(fresh) }, s.toolsStep},
		{"Packages of this module", func() (string, error) { return s.warmDue(ctx, fresh) }, s.warmStep},
	} {
		reason, err := st.due()
		if err != nil {
			return nil, "", err
		}
		if reason != "" {
			why, steps = cmp.Or(why, reason), append(steps, st)
		}
	}
	return steps, why, nil
}

// pythonDue returns why the Python environment has to be made, "" when it is fine.
func (s *session) pythonDue(ctx context.Context) (string, error) {
	if _, err := os.Lstat(s.place.env()); errors.Is(err, fs.ErrNotExist) {
		return "first start", nil
	}
	if s.stamp.Packages == "" {
		return "an earlier setup did not finish, or another version of this program made it", nil
	}
	if s.stamp.Root != s.place.root {
		return "the checkout has moved from " + s.stamp.Root, nil
	}
	hash, err := packagesHash(requirements(s.place))
	if err != nil {
		return "", err
	}
	if hash != s.stamp.Packages {
		return "requirements.txt has changed", nil
	}
	mark, err := markFile(s.place.bin("python"))
	if errors.Is(err, fs.ErrNotExist) {
		return "the Python of the environment is gone", nil
	} else if err != nil {
		return "", err
	}
	if mark != s.stamp.Python { // replaced: an update of the same minor version may stay
		p, err := probePython(ctx, s.place.bin("python"))
		if ctx.Err() != nil {
			return "", ctx.Err()
		}
		if err != nil || !sameMinor(p.version, s.stamp.PyVer) {
			return "the Python of the environment was replaced", nil
		}
		s.stamp.Python, s.stamp.PyVer = mark, p.version
		if err := s.stamp.write(s.place); err != nil {
			return "", err
		}
	}
	if os.Getenv("PUCL_PYTHON") != "" {
		p, err := findPython(ctx)
		if err != nil {
			return "", err
		}
		if p.real != s.stamp.Python.Path {
			return "PUCL_PYTHON names another Python", nil
		}
	}
	site := sitePackages(s.place)
	if site == "" {
		return "the packages of the environment are gone", nil
	}
	missing, err := missingFile(site)
	if err != nil || missing == "" {
		return "", err
	}
	return "a file of the environment is gone or damaged: " + missing, nil
}

// sameMinor reports whether two versions of Python share their packages.
func sameMinor(a, b string) bool {
	major1, minor1, ok1 := pythonVersion(a)
	major2, minor2, ok2 := pythonVersion(b)
	return ok1 && ok2 && major1 == major2 && minor1 == minor2
}

func (s *session) gpuDue(asked bool) (string, error) {
	if !asked && s.stamp.GPU == "" {
		return "", nil
	}
	if s.goTool.os != "linux" {
		return "", &problem{What: fmt.Sprintf("The CUDA plugin exists for Linux only, and this is %s.", s.goTool.os),
			Mend: "Leave -gpu out: XLA on the CPU or the pure-Go engine is used."}
	}
	hash, err := packagesHash(requirementsGPU(s.place))
	switch {
	case err != nil:
		return "", err
	case s.stamp.GPU == hash:
		return "", nil
	case s.stamp.GPU == "" || s.stamp.GPU == gpuWanted:
		return "the CUDA plugin was asked for", nil
	}
	return "requirements-gpu.txt has changed", nil
}

func (s *session) toolsDue(fresh bool) (string, error) {
	hash, err := toolsHash(s.place, s.goTool)
	switch {
	case err != nil:
		return "", err
	case fresh:
		return "the environment is new", nil
	case s.stamp.GoTools == "":
		return "the Go tools are not built yet", nil
	case s.stamp.GoTools != hash:
		return "Go or the versions of the Go tools have changed", nil
	}
	for _, f := range toolFiles(s.place) {
		if _, err := os.Stat(f); errors.Is(err, fs.ErrNotExist) {
			return s.place.relative(f) + " is gone", nil
		} else if err != nil {
			return "", err
		}
	}
	return "", nil
}

func (s *session) warmDue(ctx context.Context, fresh bool) (reason string, err error) {
	if fresh {
		return "the environment is new", nil
	}
	if s.stamp.Compiler, err = tryCompiler(ctx, s.goTool, s.stamp.Compiler); err != nil {
		return "", err
	}
	hash, err := s.warmHash()
	if err != nil || hash == s.stamp.Warm {
		return "", err
	}
	return "how cells are compiled has changed", nil
}

// removeTree removes a folder that lies directly in notebooks/. It refuses anything else, and a link, behind which the
// folder of somebody else may be.
func removeTree(p place, dir string) error {
	if filepath.Dir(dir) != p.notebooks() || !strings.HasPrefix(dir, p.root+string(filepath.Separator)) {
		return fmt.Errorf("refused to remove %s: it is not directly in %s", dir, p.notebooks())
	}
	info, err := os.Lstat(dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case !info.IsDir():
		return &problem{What: fmt.Sprintf("Refused to remove %s: it is not a folder of its own but a link or a file.", dir),
			Mend: "Look where it leads, then remove it by hand."}
	}
	return os.RemoveAll(dir)
}
