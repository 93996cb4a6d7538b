package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"
)

// session is one run of the launcher: the place it works on and what it has found out so far.
type session struct {
	place   place
	console *console
	stdout  io.Writer // of the launcher, for what is not said on the console
	stderr  io.Writer
	goTool  toolchain
	stamp   stamp
	log     io.Writer // of the setup
	alone   *lockFile // while the setup changes the environment
	running string    // the name of the step at work, for the live line
}

// cgo says whether cells may use cgo, and so XLA.
func (s *session) cgo() bool { return s.stamp.Compiler.Works }

// step is one part of the setup.
type step struct {
	name string
	do   func(context.Context) error
}

// prepare brings the environment up to what this checkout asks for, and returns a lock that keeps it so until released.
// A start at which nothing is due takes some tens of milliseconds.
func (s *session) prepare(ctx context.Context, gpu bool) (*lockFile, error) {
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
		if err = errors.Join(err, use.release()); err != nil {
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
	alone, err := waitLock(ctx, s.console, environmentLock(s.place), false)
	if err != nil {
		return err
	}
	s.alone = alone
	defer func() { s.alone, err = nil, errors.Join(err, alone.release()) }()
	logPath := filepath.Join(s.place.out(), "setup.log")
	log, err := openLog(logPath)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	s.log = log
	start := time.Now()
	for told, done := false, 0; ; done++ {
		// Looked at anew after each step: another launcher may have been at work, and a step may make others due.
		steps, _, err := s.due(ctx, gpu)
		if err != nil {
			return err
		}
		if len(steps) == 0 {
			if told {
				s.console.line("Prepared in %s.", seconds(time.Since(start)))
			}
			return nil
		}
		if done > 10 {
			return fmt.Errorf("the step %q is due again and again; please report this with %s", steps[0].name, s.place.relative(logPath))
		}
		if !told {
			s.console.line("Preparing the notebooks (%s). The log is %s.", why, s.place.relative(logPath))
			told = true
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
	start := time.Now()
	title := fmt.Sprintf("[%d/%d] %s", n, of, st.name)
	s.running = title + " …"
	if s.console.tty {
		s.console.setLive(s.running)
	} else {
		s.console.line("%s", s.running)
	}
	err := st.do(ctx)
	s.console.setLive("")
	if err != nil {
		return err
	}
	if s.console.tty {
		s.console.line("%s  %s", title, seconds(time.Since(start)))
	} else {
		s.console.line("      %s", seconds(time.Since(start)))
	}
	return nil
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
	add := func(reason, name string, do func(context.Context) error) {
		if reason != "" {
			steps = append(steps, step{name, do})
			if why == "" {
				why = reason
			}
		}
	}
	broken, err := s.pythonDue(ctx)
	if err != nil {
		return nil, "", err
	}
	add(broken, "Python environment and packages", s.pythonStep)
	reason, err := s.gpuDue(gpu)
	if err != nil {
		return nil, "", err
	}
	add(reason, "CUDA plugin and libraries", s.gpuStep)
	reason, err = s.toolsDue(broken != "")
	if err != nil {
		return nil, "", err
	}
	add(reason, "Go kernel and tools", s.toolsStep)
	reason, err = s.warmDue(ctx, broken != "")
	if err != nil {
		return nil, "", err
	}
	add(reason, "Packages of this module", s.warmStep)
	return steps, why, nil
}

// pythonDue says why the Python environment has to be made, "" when it is fine.
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

// sameMinor tells whether two versions of Python share their packages.
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
