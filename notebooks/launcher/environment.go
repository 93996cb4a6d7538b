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

// session is one run of the launcher: its place and its findings so far.
type session struct {
	place     place
	console   *liveline.Line
	stdout    io.Writer // of the launcher, for output other than the console's
	stderr    io.Writer
	goTool    toolchain
	stamp     stamp
	log       io.Writer // of the setup
	exclusive *os.File  // while the setup changes the environment
}

// cgo reports whether cells may use cgo, and so XLA.
func (s *session) cgo() bool { return s.stamp.Compiler.Works }

// talkOnStderr moves the console to standard error, which reserves standard output for the command's output.
func (s *session) talkOnStderr() { s.console = liveline.New(s.stderr) }

// step is one part of the setup that is due: its function, and its entry in the stamp.
type step struct {
	name string
	size string // the size of its download, and the approximate duration of the first time
	do   func(context.Context) error
	mark *string
	hash string // of all inputs of the step
}

// prepared does work in a prepared environment that is locked until the work is done.
func (s *session) prepared(ctx context.Context, gpu bool, work func() error) error {
	use, err := s.prepare(ctx, gpu)
	if err != nil {
		return err
	}
	return errors.Join(work(), use.Close())
}

// prepare updates the environment to the state that this checkout requires, and returns a lock that keeps it until
// released. A start without due steps takes some tens of milliseconds.
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
		// The due steps are done; the next iteration verifies this and takes the shared lock.
	}
}

// setUp does the due steps under an exclusive lock.
func (s *session) setUp(ctx context.Context, gpu bool, why string) (err error) {
	exclusive, err := waitLock(ctx, s.console, environmentLock(s.place), false)
	if err != nil {
		return err
	}
	s.exclusive = exclusive
	defer func() { s.exclusive, err = nil, errors.Join(err, exclusive.Close()) }()
	log, err := openLog(s.place.out("setup.log"))
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	s.log = log
	start := time.Now()
	for done := 0; ; done++ {
		// Checked again after each step: another launcher may have changed the environment, and a step may make others
		// due.
		steps, _, err := s.due(ctx, gpu)
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			if done > 0 {
				s.console.Linef("Prepared in %s.", seconds(time.Since(start)))
			}
			return nil
		}
		if done > 10 {
			return fmt.Errorf("the step %q is due again and again; please report this with %s", steps[0].name, s.place.relative(log.Name()))
		}
		if done == 0 {
			s.console.Linef("Preparing the notebooks (%s). The log is %s.", why, s.place.relative(log.Name()))
			for _, st := range steps {
				s.console.Linef("    %s: %s", st.name, st.size)
			}
		}
		st := steps[0]
		err = s.lively(fmt.Sprintf("[%d/%d] %s", done+1, done+len(steps), st.name), func() error {
			if err := st.do(ctx); err != nil {
				return err
			}
			*st.mark = st.hash
			return s.stamp.write(s.place)
		})
		if err != nil {
			var p *problem
			if errors.As(err, &p) && p.Tail != "" {
				p.Tail += "\nAll of it is in " + s.place.relative(log.Name())
			}
			return err
		}
	}
}

// lively does work with its title and elapsed time in the live line, so that silence is not mistaken for the end.
func (s *session) lively(title string, work func() error) error {
	s.console.Begin(title)
	began, stop := time.Now(), s.console.Beating()
	err := work()
	stop()
	if err != nil {
		s.console.End("")
		return err
	}
	s.console.End(seconds(time.Since(began)))
	return nil
}

// due inspects the environment and returns the due steps in order, with the reason for the first.
func (s *session) due(ctx context.Context, gpu bool) (steps []step, why string, err error) {
	if s.stamp, err = readStamp(s.place); err != nil {
		return nil, "", err
	}
	if s.goTool.root == "" {
		if s.goTool, err = findGo(ctx, s.place); err != nil {
			return nil, "", err
		}
	}
	fresh := false // the Python environment is new, so the other steps are due too
	for _, st := range []struct {
		name string
		size string
		hash func() (string, error)
		due  func(hash string) (why string, err error) // "" if not due
		do   func(context.Context) error
		mark *string
	}{
		{"Python environment and packages", "some 150 MB to download, 0.6 GB on disk, a minute or two",
			func() (string, error) { return packagesHash(requirements(s.place)) },
			func(hash string) (string, error) {
				why, err := s.pythonDue(ctx, hash)
				fresh = why != ""
				return why, err
			}, s.pythonStep, &s.stamp.Packages},
		{"CUDA plugin and libraries", "some 2 GB to download, 5 GB on disk; how long that takes, the network decides",
			func() (string, error) { return packagesHash(requirementsGPU(s.place)) },
			func(hash string) (string, error) { return s.gpuDue(hash, gpu) }, s.gpuStep, &s.stamp.GPU},
		{"Go kernel and tools", "compiled here, a minute or two the first time", func() (string, error) { return toolsHash(s.place, s.goTool) },
			func(hash string) (string, error) { return s.toolsDue(hash, fresh) }, s.toolsStep, &s.stamp.GoTools},
		{"Packages of this module", "compiled here, a minute or two the first time", func() (string, error) { return s.warmHash(ctx) },
			func(hash string) (string, error) { return s.warmDue(hash, fresh), nil }, s.warmStep, &s.stamp.Warm},
	} {
		hash, err := st.hash()
		if err != nil {
			return nil, "", err
		}
		reason, err := st.due(hash)
		if err != nil {
			return nil, "", err
		}
		if reason != "" {
			why, steps = cmp.Or(why, reason), append(steps, step{st.name, st.size, st.do, st.mark, hash})
		}
	}
	return steps, why, nil
}

// pythonDue returns why the Python environment must be made, "" if it is valid.
func (s *session) pythonDue(ctx context.Context, hash string) (string, error) {
	_, err := os.Lstat(s.place.env())
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return "first start", nil
	case s.stamp.Packages == "":
		return "an earlier setup did not finish, or another version of this program made it", nil
	case s.stamp.Root != s.place.root:
		return "the checkout has moved from " + s.stamp.Root, nil
	case s.stamp.Packages != hash:
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
		switch {
		case ctx.Err() != nil:
			return "", ctx.Err()
		case err != nil || minorOf(p.version) != minorOf(s.stamp.PyVer):
			return "the Python of the environment was replaced", nil
		}
		s.stamp.Python, s.stamp.PyVer = mark, p.version
		if err := s.stamp.write(s.place); err != nil {
			return "", err
		}
	}
	if os.Getenv("PUCL_PYTHON") != "" {
		p, err := findPython(ctx)
		switch {
		case err != nil:
			return "", err
		case p.real != s.stamp.Python.Path:
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

// minorOf returns a version without its patch number, "3.12" of "3.12.1": versions with one minor version share their
// packages.
func minorOf(version string) string { return strings.TrimSuffix(version, filepath.Ext(version)) }

func (s *session) gpuDue(hash string, asked bool) (string, error) {
	switch {
	case !asked && s.stamp.GPU == "":
		return "", nil
	case s.goTool.os != "linux":
		return "", &problem{What: fmt.Sprintf("The CUDA plugin exists for Linux only, and this is %s.", s.goTool.os),
			Mend: "Leave -gpu out: XLA on the CPU or the pure-Go engine is used."}
	case s.stamp.GPU == hash:
		return "", nil
	case s.stamp.GPU == "" || s.stamp.GPU == gpuWanted:
		return "the CUDA plugin was asked for", nil
	}
	return "requirements-gpu.txt has changed", nil
}

func (s *session) toolsDue(hash string, fresh bool) (string, error) {
	switch {
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

func (s *session) warmDue(hash string, fresh bool) string {
	switch {
	case fresh:
		return "the environment is new"
	case s.stamp.Warm != hash:
		return "how cells are compiled has changed"
	}
	return ""
}

// removeTree removes a folder that is directly in notebooks/. It rejects all other folders, and links, which may lead
// to another user's folder.
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
