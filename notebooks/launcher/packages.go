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

// packagesHash identifies what a requirements file installs here.
func packagesHash(file string) (string, error) {
	return hashOf([]string{file}, runtime.GOOS, runtime.GOARCH)
}

// pythonEnv returns the environment for Python programs: that of the user, less what would let packages from elsewhere in or
// send packages elsewhere.
func pythonEnv(p place) []string {
	return setEnv(os.Environ(),
		"PYTHONHOME", "PYTHONPATH", "PYTHONSTARTUP", "PYTHONNOUSERSITE=1", "PYTHONUNBUFFERED=1", "PYTHONUTF8=1",
		"VIRTUAL_ENV="+p.env(), "PATH="+p.bin("")+string(os.PathListSeparator)+os.Getenv("PATH"),
		// These name another place to install to, or more to install; an index or a proxy of the user's stays.
		"PIP_TARGET", "PIP_PREFIX", "PIP_ROOT", "PIP_REQUIREMENT", "PIP_CONSTRAINT", "PIP_USER=0",
		"PIP_DISABLE_PIP_VERSION_CHECK=1", "PIP_NO_INPUT=1", "PIP_ROOT_USER_ACTION=ignore")
}

// makeVenv makes an empty environment in place of what is there.
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

// install lets pip install a requirements file, which has to pin everything by hash. Only wheels are taken: nothing is
// compiled on the user's machine, and no unpinned build tool comes in.
func (s *session) install(ctx context.Context, doing, file string) error {
	return s.setupChild(s.place.notebooks(), pythonEnv(s.place), pipLine).do(ctx, doing, s.place.bin("python"), "-m", "pip", "install",
		"--require-hashes", "--only-binary=:all:", "--progress-bar=off", "--no-color", "-r", file)
}

var pipProgress = regexp.MustCompile(`^(Collecting|Downloading|Using cached|Installing)\b`)

// pipLine picks the lines of pip that are worth showing while it works, shortened.
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

// sitePackages returns the folder of the environment's packages, "" when there is no environment.
func sitePackages(p place) string { return first(p.env(), "lib/python3*/site-packages") }

// missingFile returns the first file of what pip installed that is gone or was cut short, by the records that pip keeps, ""
// when all is well.
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
		if len(row) < 3 || row[2] == "" { // compiled files come and go
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

// xlaPlugins returns the PJRT plugins in the environment: the one for the CPU and the one for CUDA, "" for those that are
// not there.
func xlaPlugins(p place) (cpu, cuda string) {
	const packages = "lib/python3*/site-packages/"
	return first(p.env(), packages+"xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"),
		first(p.env(), packages+"jax_plugins/xla_cuda*/xla_cuda_plugin.so")
}

// gpuWanted stands in the stamp for a CUDA plugin that was asked for but is not there yet.
const gpuWanted = "wanted"

// pythonStep makes the environment and installs the packages, as one step: an environment in which pip was stopped half way
// looks complete to pip, so it is never repaired, always made anew. What pip has downloaded comes from its cache then.
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
	s.stamp.Packages, s.stamp.GPU = "", gpuWanted // if this is stopped half way, the environment has to be made anew
	if err := s.stamp.write(s.place); err != nil {
		return err
	}
	err := s.install(ctx, "Installing the CUDA plugin and its libraries", requirementsGPU(s.place))
	if ctx.Err() != nil {
		return ctx.Err()
	}
	s.stamp = done // where pip has given up by itself, that leaves the environment as it was
	return errors.Join(err, s.stamp.write(s.place))
}
