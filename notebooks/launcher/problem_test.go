package launcher

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"
)

func TestBeingFetched(t *testing.T) {
	for _, tt := range []struct{ output, want string }{
		{"", ""},
		{"Collecting a==1 (from -r x)\nCollecting b==2 (from -r x)\n", "b==2"},
		{"Collecting a==1\n  Downloading a-1-py3-none-any.whl (3 kB)\nerror", "a-1-py3-none-any.whl"},
		{"go: downloading a.b/c v1.2.3\n", "a.b/c v1.2.3"},
		{"go: a.b/c@v1.2.3: Get \"https://x/a.b/c/@v/v1.2.3.zip\": dial tcp", "a.b/c@v1.2.3"},
	} {
		if got := beingFetched(tt.output); got != tt.want {
			t.Errorf("%q: %q, want %q", tt.output, got, tt.want)
		}
	}
}

func TestClassifySystemErrors(t *testing.T) {
	p := classify("Doing it", "", syscall.ENOSPC)
	contains(t, p.Error(), "Doing it failed: the disk is full.")
	if !errors.Is(p, syscall.ENOSPC) {
		t.Error("the cause is lost")
	}
	contains(t, classify("Doing it", "", errors.New("exit status 3")).Error(), "Doing it failed: exit status 3.")
	contains(t, ofSystem(&fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.EACCES}).Error(), "No permission: mkdir /x", "has to be writable")
	contains(t, ofSystem(&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}).Error(), "disk is full", "Make room")
	if err := errors.New("x"); ofSystem(err) != err {
		t.Error("another error was changed")
	}
}

func TestTail(t *testing.T) {
	p := classify("Doing it", "Ignoring a: markers 'x' don't match your environment\n"+strings.Repeat("y", 1000)+"\nlast\n", errors.New("x"))
	if strings.Contains(p.Tail, "Ignoring") || !strings.HasSuffix(p.Tail, "\nlast") || len(p.Tail) > 2*maxTailLine {
		t.Errorf("tail %q", p.Tail)
	}
	if got := lastLines("a\nb\nc\n", 2); got != "b\nc" {
		t.Errorf("last lines %q", got)
	}
}

func TestSetEnv(t *testing.T) {
	got := strings.Join(setEnv([]string{"A=1", "B=2", "C=3", "AB=4"}, "A=9", "B", "D="), " ")
	if want := "C=3 AB=4 A=9 D="; got != want {
		t.Errorf("%q, want %q", got, want)
	}
}

func TestLineWriter(t *testing.T) {
	var lines []string
	w := &lineWriter{onLine: func(s string) { lines = append(lines, s) }}
	for _, part := range []string{"on", "e\ntwo\r 3 %\r", "\n\nfour"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	if got := strings.Join(lines, "|"); got != "one|two|3 %" {
		t.Errorf("%q", got)
	}
	if got := w.all.String(); got != "one\ntwo\r 3 %\r\n\nfour" {
		t.Errorf("kept %q", got)
	}
}

func TestPipLine(t *testing.T) {
	for line, want := range map[string]string{
		"Collecting a==1 (from x)": "collecting a==1 (from x)", "Collecting a==1 (from -r /h/requirements.txt (line 7))": "collecting a==1", "Downloading https://h/p/a-1.whl (3 kB)": "downloading a-1.whl (3 kB)",
		"Using cached a-1.whl (3 kB)": "using a-1.whl (3 kB)", "Installing collected packages: a, b": "installing", "Ignoring x": "", "": "",
	} {
		if got := pipLine(line); got != want {
			t.Errorf("%q: %q, want %q", line, got, want)
		}
	}
}
