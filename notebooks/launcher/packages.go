package launcher

import (
	"bytes"
	"context"
	"encoding/csv"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"
)

func requirements(p place) string    { return filepath.Join(p.notebooks(), "requirements.txt") }
func requirementsGPU(p place) string { return filepath.Join(p.notebooks(), "requirements-gpu.txt") }

// packagesHash identifies the packages that a requirements file installs here.
func packagesHash(file string) (string, error) {
	return hashOf([]string{file}, runtime.GOOS, runtime.GOARCH)
}

// pythonEnv returns the environment for Python programs: the user's, without variables that would use or install
// packages elsewhere.
func pythonEnv(p place) []string {
	return setEnv(os.Environ(),
		"PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONNOUSERSITE=1", "PYTHONUNBUFFERED=1", "PYTHONUTF8=1",
		"VIRTUAL_ENV="+p.env(), "PATH="+p.bin("")+string(os.PathListSeparator)+os.Getenv("PATH"),
		// These name another place to install to, or more to install; the user's index or proxy stays.
		"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_USER=0",
		"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1", "PIP_ROOT_USER_ACTION=ignore")
}

// makeVenv replaces the environment by an empty one.
func (s *session) makeVenv(ctx context.Context, py python) error {
	if err := removeTree(s.place, s.place.env()); err != nil {
		return err
	}
	out, err := s.setupChild(s.place.notebooks(), setEnv(pythonEnv(s.place), "VIRTUAL_ENV"), pipLine).
		run(ctx, py.command, "-E", "-s", "-m", "venv", "--prompt", "puclab", s.place.env())
	if err == nil || ctx.Err() != nil {
		return err
	}
	if strings.Contains(out, "ensurepip") {
		py.venv = false
		return pythonProblem("", []python{py})
	}
	return classify("Making the Python environment with "+py.command, out, err)
}

// install runs pip on a requirements file, which must pin everything by hash. Only wheels are allowed: nothing is
// compiled on the user's machine, and no unpinned build tool is used.
func (s *session) install(ctx context.Context, doing, file string) error {
	return s.setupChild(s.place.notebooks(), pythonEnv(s.place), pipLine).do(ctx, doing, s.place.bin("python"), "-m", "pip", "install",
		"--require-hashes", "--only-binary=:all:", "--progress-bar=off", "--no-color", "-r", file)
}

var pipProgress = regexp.MustCompile(`^(Collecting|Downloading|Using cached|Installing)\b`)

// pipLine returns the informative lines of pip's output, shortened, "" for others.
func pipLine(line string) string {
	if !pipProgress.MatchString(line) {
		return ""
	}
	verb, rest, _ := strings.Cut(line, " ")
	if verb == "Installing" {
		return "installing"
	}
	rest, _, _ = strings.Cut(rest, " (from -r ") // which names the requirements file
	return strings.ToLower(verb) + " " + filepath.Base(strings.TrimPrefix(rest, "cached "))
}

// sitePackages returns the folder of the environment's packages, "" without an environment.
func sitePackages(p place) string { return first(p.env(), "lib/python3*/site-packages") }

// missingFile returns the first installed file that is missing or truncated, according to pip's records, "" for none.
func missingFile(site string) (string, error) {
	records, err := fs.Glob(os.DirFS(site), "*.dist-info/RECORD")
	if err != nil {
		return "", err
	}
	for _, record := range records {
		missing, err := missingOf(site, filepath.Join(site, record))
		if missing != "" || err != nil {
			return missing, err
		}
	}
	return "", nil
}

func missingOf(site, record string) (string, error) {
	data, err := os.ReadFile(record)
	if err != nil {
		return "", err
	}
	r := csv.NewReader(bytes.NewReader(data))
	r.FieldsPerRecord = -1
	files, err := r.ReadAll()
	if err != nil {
		return filepath.Base(filepath.Dir(record)) + "/RECORD", nil // damaged, which is as bad as missing
	}
	for _, row := range files {
		if len(row) < 3 || row[2] == "" { // compiled files are optional
			continue
		}
		info, err := os.Lstat(filepath.Join(site, filepath.FromSlash(row[0])))
		switch {
		case errors.Is(err, fs.ErrNotExist), err == nil && strconv.FormatInt(info.Size(), 10) != row[2]:
			return row[0], nil
		case err != nil:
			return "", err
		}
	}
	return "", nil
}

// xlaPlugins returns the PJRT plugins in the environment: for the CPU and for CUDA, "" if missing.
func xlaPlugins(p place) (cpu, cuda string) {
	const packages = "lib/python3*/site-packages/"
	return first(p.env(), packages+"xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"),
		first(p.env(), packages+"jax_plugins/xla_cuda*/xla_cuda_plugin.so")
}

// gpuWanted in the stamp means a CUDA plugin that was requested but is not installed yet.
const gpuWanted = "wanted"

// pythonStep makes the environment and installs the packages, as one step. An environment after an interrupted pip
// looks complete to pip, so it is never repaired, but always made again; pip's cache then provides the downloads.
func (s *session) pythonStep(ctx context.Context) error {
	py, err := findPython(ctx)
	if err != nil {
		return err
	}
	if s.stamp.GPU != "" {
		s.stamp.GPU = gpuWanted
	}
	s.stamp = stamp{GPU: s.stamp.GPU}
	if err := s.makeVenv(ctx, py); err != nil {
		return err
	}
	if err := s.install(ctx, "Installing the Python packages", requirements(s.place)); err != nil {
		return err
	}
	s.stamp.Root, s.stamp.PyVer = s.place.root, py.version
	s.stamp.Python, err = markFile(s.place.bin("python"))
	return err
}

// gpuStep adds the CUDA plugin and its libraries.
func (s *session) gpuStep(ctx context.Context) error {
	done := s.stamp
	s.stamp.Packages, s.stamp.GPU = "", gpuWanted // after an interruption the environment must be made again
	if err := s.stamp.write(s.place); err != nil {
		return err
	}
	err := s.install(ctx, "Installing the CUDA plugin and its libraries", requirementsGPU(s.place))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.stamp = done // if pip failed by itself, the environment is unchanged
	return errors.Join(err, s.stamp.write(s.place))
}
