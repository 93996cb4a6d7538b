package launcher

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// TestRequirementsArePinned: every package has one version and hashes, and no file says where to download from, which is the
// user's choice.
func TestRequirementsArePinned(t *testing.T) {
	pin := regexp.MustCompile(`^[a-z0-9][a-z0-9.-]*==\S+( ; .+)? \\$`)
	hash := regexp.MustCompile(`^    --hash=sha256:[0-9a-f]{64}( \\)?$`)
	for file, packages := range map[string]int{ // at least so many
		"requirements.txt": 10, "requirements-gpu.txt": 10, "tools/browser/requirements.txt": 2, "tools/pip-audit/requirements.txt": 10,
	} {
		data, err := os.ReadFile(filepath.Join("..", file))
		if err != nil {
			t.Fatal(err)
		}
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
			if strings.Contains(line, "://") {
				t.Errorf("%s:%d: holds an address", file, i+1)
			}
		}
		if pins < packages || hashes < pins {
			t.Errorf("%s: %d packages with %d hashes", file, pins, hashes)
		}
	}
}

// TestXLAWheels: who made these two wheels rests on their metadata alone, so their hashes are written down here once more.
func TestXLAWheels(t *testing.T) {
	data, err := os.ReadFile(filepath.Join("..", "requirements.txt"))
	if err != nil {
		t.Fatal(err)
	}
	_, rest, _ := strings.Cut(string(data), "xla-cpu-pjrt==0.0.1 ; ")
	entry, _, _ := strings.Cut(rest, "# via")
	contains(t, entry, "sys_platform == 'linux'", "platform_machine == 'aarch64'", "platform_machine == 'x86_64'",
		"55837b6b7b47daa717f2d9a5a03563ea0ceaa338d06a81a1e2d3f060d960decc", "8f613be6e891858f40d64f9799319502fff42689661944fc18a6ffd8210b30c9")
	if n := strings.Count(entry, "--hash="); n != 2 {
		t.Errorf("%d hashes, want those of the two wheels", n)
	}
}
