package launcher

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"

	"github.com/puclab/puclab/internal/liveline"
)

// The oldest Python that the pinned packages run on.
const pythonMajor, pythonMinor = 3, 10

// pythonNames are the command names for the search of Python, newest first. Names with a version precede plain names,
// because only for these versions every package has a wheel.
var pythonNames = []string{"python3.14", "python3.13", "python3.12", "python3.11", "python3.10", "python3", "python"}

// pythonProbe runs on every Python from 2.7 on.
const pythonProbe = `import sys, os
def has(name):
    try:
        __import__(name)
        return "yes"
    except ImportError:
        return "no"
sys.stdout.write("\n".join(["%d.%d.%d" % tuple(sys.version_info[:3]), os.path.realpath(sys.executable), has("venv"), has("ensurepip")]))
`

// python is an interpreter of the machine.
type python struct {
	command string // as found
	version string // "3.12.1"
	real    string // the executable's own path
	venv    bool   // whether it can make environments with pip
}

// unusable returns why p cannot be used, "" if it can.
func (p python) unusable() string {
	switch {
	case !newEnough(p.version):
		return fmt.Sprintf("is %s, too old", p.version)
	case !p.venv:
		return fmt.Sprintf("is %s but lacks venv or ensurepip", p.version)
	}
	return ""
}

// pythonVersion parses "3.12.1", also "3.14.0rc2" and "3.12".
func pythonVersion(s string) (major, minor int, ok bool) {
	_, err := fmt.Sscanf(s, "%d.%d", &major, &minor)
	return major, minor, err == nil
}

// newEnough reports whether the pinned packages run on that version.
func newEnough(version string) bool {
	major, minor, ok := pythonVersion(version)
	return ok && major == pythonMajor && minor >= pythonMinor
}

// probePython queries an interpreter.
func probePython(ctx context.Context, command string) (python, error) {
	// -E and -s exclude the user's PYTHON… variables and packages; all versions support them.
	out, err := child{}.run(ctx, command, "-E", "-s", "-c", pythonProbe)
	if err != nil {
		return python{}, fmt.Errorf("%s does not run: %w", command, err)
	}
	fields := strings.Split(strings.TrimSpace(out), "\n")
	if len(fields) != 4 {
		return python{}, fmt.Errorf("%s answers %q, which is not what a Python says", command, liveline.Clip(out, 80))
	}
	return python{command, fields[0], fields[1], fields[2] == "yes" && fields[3] == "yes"}, nil
}

// findPython returns the first usable interpreter: only the one in PUCL_PYTHON, if set, or the first of pythonNames on
// the search path.
func findPython(ctx context.Context) (python, error) {
	if chosen := os.Getenv("PUCL_PYTHON"); chosen != "" {
		p, err := probePython(ctx, chosen)
		if err != nil {
			return python{}, &problem{What: fmt.Sprintf("PUCL_PYTHON=%s does not work: %v.", chosen, err),
				Mend: "Set it to a Python of 3.10 or newer, or unset it to let one be found.", Err: err}
		}
		if why := p.unusable(); why != "" {
			return python{}, pythonProblem(fmt.Sprintf("PUCL_PYTHON=%s %s.", chosen, why), []python{p})
		}
		return p, nil
	}
	var seen []python
	var found []string
	for _, name := range pythonNames {
		path, err := exec.LookPath(name)
		if err != nil {
			continue
		}
		p, err := probePython(ctx, path)
		if ctx.Err() != nil {
			return python{}, ctx.Err()
		}
		if err != nil { // as for version managers with a command for each installable version
			found = append(found, path+" does not run")
			continue
		}
		why := p.unusable()
		if why == "" {
			return p, nil
		}
		seen = append(seen, p)
		found = append(found, path+" "+why)
	}
	if len(found) == 0 {
		return python{}, pythonProblem("There is no Python on this machine's search path.", nil)
	}
	return python{}, pythonProblem("No Python of 3.10 or newer was found: "+strings.Join(found, "; ")+".", seen)
}

// pythonProblem returns a problem with what and the remedy for the interpreters seen.
func pythonProblem(what string, seen []python) *problem {
	for _, p := range seen {
		if newEnough(p.version) && !p.venv {
			major, minor, _ := pythonVersion(p.version)
			return &problem{What: fmt.Sprintf("%s is new enough (%s) but cannot make virtual environments: "+
				"its modules venv and ensurepip are a package of their own.", p.command, p.version),
				Mend: fmt.Sprintf("On Debian and Ubuntu: sudo apt install python%d.%d-venv (or python3-venv). Then start again.", major, minor)}
		}
	}
	mend := "Install Python 3.10 or newer (Debian and Ubuntu: sudo apt install python3 python3-venv; Fedora: sudo dnf install python3)"
	if runtime.GOOS == "darwin" {
		mend = "Install Python 3.10 or newer (brew install python, or the installer from python.org)"
	}
	return &problem{What: what, Mend: mend + " and start again; PUCL_PYTHON=/path/to/python names one that is elsewhere."}
}
