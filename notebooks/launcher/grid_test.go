package launcher

import (
	"path/filepath"
	"strings"
	"testing"
)

// The flags, the tables and the environment reach the program, and its output comes alone on the standard output.
func TestGrid(t *testing.T) {
	w := newGPUCheckWorkshop(t)
	below := filepath.Dir(w.file("notebooks/below/file", ""))
	status, stdout, stderr := launchIn(t, below, "grid", "-size", "laptop", "table-1", "-workers", "2", "-list", "-results", "mine",
		"table-2")
	if status != 0 || stdout != "the table\n" {
		t.Errorf("status %d, %q", status, stdout)
	}
	contains(t, stderr, "Compiling the runs", "working")
	contains(t, w.called(), "build -o "+filepath.Join(w.place.out(), "grid", "bin", "grid")+" "+gridPackage+"\n",
		"gpucheck -list=true -results="+filepath.Join(below, "mine")+" -size=laptop -workers=2 table-1 table-2\n",
		"engine none, home "+w.place.root)

	if status, _, stderr := launchIn(t, below, "grid", "-pack", "-from", "theirs"); status != 0 { // of all tables
		t.Errorf("status %d, %q", status, stderr)
	}
	contains(t, w.called(), "gpucheck -from="+filepath.Join(below, "theirs")+" -pack=true\n")

	t.Setenv("CHECK_ENDS", "1")
	status, stdout, stderr = launchIn(t, w.place.root, "grid", "table-1")
	if status != 1 || stdout != "the table\n" || !strings.Contains(stderr, "Not all runs are done; why stands above.") {
		t.Errorf("status %d, %q, %q", status, stdout, stderr)
	}
	t.Setenv("BUILD_SAYS", "notebooks/grid/main.go:1:1: syntax error")
	if status, _, stderr := launchIn(t, w.place.root, "grid", "table-1"); status != 1 || !strings.Contains(stderr, "Compiling the runs failed") {
		t.Errorf("status %d, %q", status, stderr)
	}
}
