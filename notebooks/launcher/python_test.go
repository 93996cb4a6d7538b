package launcher

import (
	"context"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestPythonVersion(t *testing.T) {
	for _, tt := range []struct {
		text         string
		major, minor int
		ok           bool
	}{
		{"3.12.1", 3, 12, true}, {"3.10.0\n", 3, 10, true}, {"3.14.0rc2", 3, 14, true}, {"3.9", 3, 9, true}, {"2.7.18", 2, 7, true},
		{"3.13.0+", 3, 13, true}, {"", 0, 0, false}, {"3", 0, 0, false}, {"Python 3.12", 0, 0, false}, {"3.x.1", 0, 0, false},
	} {
		major, minor, ok := pythonVersion(tt.text)
		expect.That(t, ok == tt.ok && (!ok || major == tt.major && minor == tt.minor),
			"%q: %d %d %v", tt.text, major, minor, ok)
	}
}

// TestFindPython puts interpreters of several kinds on the search path. Each is a script that prints what the probe would.
func TestFindPython(t *testing.T) {
	const good, old, bare = `3.11.2\n/usr/bin/python3.11\nyes\nyes`, `3.8.1\n/x\nyes\nyes`, `3.12.3\n/x\nyes\nno`
	for _, tt := range []struct {
		name    string
		pythons map[string]string // name to answer; "!" does not run
		chosen  string            // PUCL_PYTHON
		want    string            // name of the one found
		problem []string
	}{
		{"newest name first", map[string]string{"python3.12": good, "python3": good}, "", "python3.12", nil},
		{"a version manager's empty command", map[string]string{"python3.13": "!", "python3": good}, "", "python3", nil},
		{"old ones are passed by", map[string]string{"python3": old, "python": good}, "", "python", nil},
		{"without venv only as the last", map[string]string{"python3.12": bare, "python3": good}, "", "python3", nil},
		{"none", nil, "", "", []string{"no Python", "PUCL_PYTHON"}},
		{"only old", map[string]string{"python3": old}, "", "", []string{"3.8.1, too old"}},
		{"only without venv", map[string]string{"python3": bare}, "", "", []string{"new enough (3.12.3)", "python3.12-venv"}},
		{"chosen", map[string]string{"mine": good, "python3.14": good}, "mine", "mine", nil},
		{"chosen is old", map[string]string{"mine": old, "python3": good}, "mine", "", []string{"PUCL_PYTHON=", "too old"}},
		{"chosen is not there", map[string]string{"python3": good}, "mine", "", []string{"PUCL_PYTHON=", "does not run", "unset it"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			dir := t.TempDir()
			for name, answer := range tt.pythons {
				script := "#!/bin/sh\nprintf '" + answer + "'\n"
				if answer == "!" {
					script = "#!/bin/sh\necho not installed >&2\nexit 127\n"
				}
				expect.NoError(t, os.WriteFile(filepath.Join(dir, name), []byte(script), 0o755))
			}
			t.Setenv("PATH", dir)
			t.Setenv("PUCL_PYTHON", "")
			if tt.chosen != "" {
				t.Setenv("PUCL_PYTHON", filepath.Join(dir, tt.chosen))
			}
			p, err := findPython(context.Background())
			if tt.problem != nil {
				expect.Require(t, err != nil, "found %+v", p)
				contains(t, err.Error(), tt.problem...)
				return
			}
			expect.NoError(t, err)
			expect.That(t, p.command == filepath.Join(dir, tt.want) && p.version == "3.11.2",
				"found %+v, want %s", p, tt.want)
		})
	}
}

func TestPythonEnvKeepsOthersOut(t *testing.T) {
	for name, value := range map[string]string{"PYTHONPATH": "/evil", "PYTHONHOME": "/evil", "PIP_TARGET": "/evil", "PIP_USER": "1",
		"PIP_INDEX_URL": "https://mirror.example/simple"} {
		t.Setenv(name, value)
	}
	env := "\n" + strings.Join(pythonEnv(place{"/lab"}), "\n") + "\n"
	for _, gone := range []string{"\nPYTHONPATH=", "\nPYTHONHOME=", "\nPIP_TARGET=", "\nPIP_USER=1"} {
		expect.That(t, !strings.Contains(env, gone), "%q is still there", strings.TrimSpace(gone))
	}
	contains(t, env, "\nPIP_INDEX_URL=https://mirror.example/simple\n", "\nPATH=/lab/notebooks/.venv/bin", "\nPIP_USER=0\n")
}

// TestRequirementsArePinned: every package has one version and hashes, and no file says where to download from, which is the
// user's choice.
func TestRequirementsArePinned(t *testing.T) {
	pin := regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*==\S+( ; .+)? \\$`)
	hash := regexp.MustCompile(`^    --hash=sha256:[0-9a-f]{64}( \\)?$`)
	for file, packages := range map[string]int{ // at least so many
		"requirements.txt": 10, "requirements-gpu.txt": 10, "tools/browser/requirements.txt": 2, "tools/pip-audit/requirements.txt": 10,
	} {
		data := expect.Must(os.ReadFile(filepath.Join("..", file)))(t)
		pins, hashes := 0, 0
		for i, line := range strings.Split(strings.TrimSpace(string(data)), "\n") {
			switch {
			case strings.HasPrefix(strings.TrimSpace(line), "#"):
			case pin.MatchString(line):
				pins++
			case hash.MatchString(line):
				hashes++
			default:
				t.Errorf("%s:%d: %q is neither a pinned package nor a hash", file, i+1, line)
			}
			expect.That(t, !strings.Contains(line, "://"), "%s:%d: holds an address", file, i+1)
		}
		expect.That(t, pins >= packages && hashes >= pins, "%s: %d packages with %d hashes", file, pins, hashes)
	}
}

// TestXLAWheels: who made these two wheels rests on their metadata alone, so their hashes are written down here once more.
func TestXLAWheels(t *testing.T) {
	data := expect.Must(os.ReadFile(filepath.Join("..", "requirements.txt")))(t)
	_, rest, _ := strings.Cut(string(data), "xla-cpu-pjrt==0.0.1 ; ")
	entry, _, _ := strings.Cut(rest, "# via")
	contains(t, entry, "sys_platform == 'linux'", "platform_machine == 'aarch64'", "platform_machine == 'x86_64'",
		"55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc", "8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9")
	expect.Equal(t, strings.Count(entry, "--hash="), 2, "hashes")
}
