package launcher

import (
	"errors"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestBeingFetched(t *testing.T) {
	expect.Each(t, beingFetched, map[string]string{
		"": "",
		"Collecting a==1 (from -r x)\nCollecting b==2 (from -r x)\n":        "b==2",
		"Collecting a==1\n  Downloading a-1-py3-none-any.whl (3 kB)\nerror": "a-1-py3-none-any.whl",
		"go: downloading a.b/c v1.2.3\n":                                    "a.b/c v1.2.3",
		"go: a.b/c@v1.2.3: Get \"https://x/a.b/c/@v/v1.2.3.zip\": dial tcp": "a.b/c@v1.2.3",
	})
}

func TestClassifySystemErrors(t *testing.T) {
	p := classify("Doing it", "", syscall.ENOSPC)
	contains(t, p.Error(), "Doing it failed: the disk is full.")
	expect.That(t, errors.Is(p, syscall.ENOSPC), "the cause is lost")
	contains(t, classify("Doing it", "", errors.New("exit status 3")).Error(), "Doing it failed: exit status 3.")
	contains(t, ofSystem(&fs.PathError{Op: "mkdir", Path: "/x", Err: syscall.EACCES}).Error(), "No permission: mkdir /x", "has to be writable")
	contains(t, ofSystem(&fs.PathError{Op: "write", Path: "/x", Err: syscall.ENOSPC}).Error(), "disk is full", "Make room")
	err := errors.New("x")
	expect.That(t, ofSystem(err) == err, "another error was changed")
}

func TestTail(t *testing.T) {
	p := classify("Doing it", "Ignoring a: markers 'x' don't match your environment\n"+strings.Repeat("y", 1000)+"\nlast\n", errors.New("x"))
	expect.That(t, !strings.Contains(p.Tail, "Ignoring") && strings.HasSuffix(p.Tail, "\nlast") &&
		len(p.Tail) <= 2*maxTailLine, "tail %q", p.Tail)
	expect.Equal(t, lastLines("a\nb\nc\n", 2), "b\nc", "last lines")
}

func TestSetEnv(t *testing.T) {
	got := strings.Join(setEnv([]string{"A=1", "B=2", "C=3", "AB=4"}, "A=9", "B", "D="), " ")
	expect.Equal(t, got, "C=3 AB=4 A=9 D=")
}

func TestLineWriter(t *testing.T) {
	var lines []string
	w := &lineWriter{onLine: func(s string) { lines = append(lines, s) }}
	for _, part := range []string{"on", "e\ntwo\r 3 %\r", "\n\nfour"} {
		if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
			t.Fatal(n, err)
		}
	}
	expect.Equal(t, strings.Join(lines, "|"), "one|two|3 %")
	expect.Equal(t, w.all.String(), "one\ntwo\r 3 %\r\n\nfour", "kept")
}

func TestPipLine(t *testing.T) {
	expect.Each(t, pipLine, map[string]string{
		"Collecting a==1 (from x)": "collecting a==1 (from x)", "Collecting a==1 (from -r /h/requirements.txt (line 7))": "collecting a==1", "Downloading https://h/p/a-1.whl (3 kB)": "downloading a-1.whl (3 kB)",
		"Using cached a-1.whl (3 kB)": "using a-1.whl (3 kB)", "Installing collected packages: a, b": "installing", "Ignoring x": "", "": "",
	})
}

// A failed cell is told of by its sentence and its places in cells; the program that gonb makes of them, and the frames of packages,
// are nobody's business.
func TestFailuresSpeakOfCells(t *testing.T) {
	expect.Each(t, inCells, map[string]string{
		"✗ pucl: Attract of objective \"mine\", at  [[ Cell [1] Line 11 ]] /tmp/gonb_83f9bdd2/main.go:18: x's axis is out-of-range\nexit status 1"://
		"✗ pucl: Attract of objective \"mine\", at cell 1, line 11: x's axis is out-of-range\nexit status 1",

		"panic: invalid input[0]: Node is nil\n\ngoroutine 1 [running]:\ngithub.com/gomlx/gomlx/core/graph.ReduceSum(0x0, {0x2cb7, 0x1, 0x1})\n" +
			"\t/go/pkg/mod/github.com/gomlx/gomlx@v0.28.8/core/graph/ops.go:1177 +0x57\nmain.Mine(...)\n" +
			"\t [[ Cell [1] Line 11 ]] /tmp/gonb_eef7fddf/main.go:16\nmain.main()\n" +
			"\t [[ Cell [2] Line 3 ]] /tmp/gonb_eef7fddf/main.go:23 +0xb7\nexit status 2": //
		"panic: invalid input[0]: Node is nil\n\n    at cell 1, line 11\n    at cell 2, line 3\nexit status 2",

		"fatal error: all goroutines are asleep - deadlock!\n\ngoroutine 1 gp=0x1 m=0 mp=0x2 [chan receive]:\nmain.main()\n" +
			"\t [[ Cell [3] Line 2 ]] /tmp/gonb_1/main.go:9 +0x2c\n\ngoroutine 5 [sleep]:\nruntime.gopark()\n\t/go/src/runtime/proc.go:1\nsignal: aborted": //
		"fatal error: all goroutines are asleep - deadlock!\n\n    at cell 3, line 2\nsignal: aborted",

		"no trace\nat all": "no trace\nat all",
	})
}
