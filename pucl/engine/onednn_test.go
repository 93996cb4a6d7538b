package engine

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/pucl/engine/onednn"
)

// TestOneDNNIsTakenWhereItIs: the CPU plugin calls oneDNN when its library is installed, unless it is told not to, and a library that
// is none is a note.
func TestOneDNNIsTakenWhereItIs(t *testing.T) {
	t.Setenv(oneDNNEnv, "")
	t.Setenv("VIRTUAL_ENV", "")
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	root, _ := home.Dir()
	_, err = os.Stat(filepath.Join(root, "notebooks", ".venv", "lib", "libdnnl.so.3"))
	want := e.Kind == "xla-cpu" && err == nil && runtime.GOOS+runtime.GOARCH == "linuxamd64"
	if e.OneDNN != want || onednn.Attached() != want || strings.Contains(e.Name(), " with oneDNN") != want {
		t.Errorf("oneDNN: %v, attached: %v, want %v: %s", e.OneDNN, onednn.Attached(), want, e)
	}
	for setting, note := range map[string]string{"off": "", "/no/such/libdnnl.so": "/no/such/libdnnl.so"} {
		t.Setenv(oneDNNEnv, setting)
		e, err := Open()
		if err != nil {
			t.Fatal(err)
		}
		if e.OneDNN || onednn.Attached() || strings.Contains(e.String(), "with oneDNN") {
			t.Errorf("%s=%s: oneDNN is used: %s", oneDNNEnv, setting, e)
		}
		if e.Kind == "xla-cpu" && !strings.Contains(strings.Join(e.Notes, " "), note) {
			t.Errorf("%s=%s: notes %q", oneDNNEnv, setting, e.Notes)
		}
	}
}
