package launcher

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/filelock"
	"github.com/puclab/puclab/internal/liveline"
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
		n, err := w.Write([]byte(part))
		expect.Require(t, n == len(part) && err == nil, "%v %v", n, err)
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

// A failed cell is reported by its sentence and its positions in cells, without frames of packages.
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

func TestLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), "out", ".lock")
	take := func(shared bool) *os.File { return expect.Must(lock(path, shared))(t) }
	busy := func(shared bool) {
		t.Helper()
		expect.Is(t, expect.Err(lock(path, shared)), filelock.ErrBusy, "lock(shared: %v)", shared)
	}
	free := func(l *os.File) { expect.NoError(t, l.Close()) }
	alone := take(false)
	busy(false)
	busy(true)
	h := holder(path)
	expect.That(t, strings.Contains(h, "process "), "holder is %q", h)
	free(alone)
	a, b := take(true), take(true)
	busy(false)
	free(a)
	busy(false)
	free(b)
	free(take(false))
}

func TestStaleLockIsNone(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	expect.NoError(t, os.WriteFile(path, []byte("1\n"), 0o644)) // process 1 lives, but holds no lock
	l := expect.Must(lock(path, false))(t)
	expect.NoError(t, os.Remove(path)) // as clean does
	l2 := expect.Must(lock(path, false))(t)
	expect.NoError(t, errors.Join(l.Close(), l2.Close()))
}

func TestWaitLock(t *testing.T) {
	path := filepath.Join(t.TempDir(), ".lock")
	held := expect.Must(lock(path, false))(t)
	var said bytes.Buffer
	c := liveline.New(&said)
	ctx, cancel := context.WithTimeout(context.Background(), 50*time.Millisecond)
	defer cancel()
	expect.Is(t, expect.Err(waitLock(ctx, c, path, true)), context.DeadlineExceeded, "gave up with")
	contains(t, said.String(), "Another launcher (process ", "waiting")
	go func() {
		time.Sleep(50 * time.Millisecond)
		held.Close()
	}()
	l := expect.Must(waitLock(context.Background(), c, path, true))(t)
	expect.NoError(t, l.Close())
}

// The values of -data: none, one name, several.
func TestDataNames(t *testing.T) {
	for _, tt := range []struct {
		names []string
		want  []string
	}{
		{nil, nil},
		{[]string{"true"}, []string{"fashion-mnist"}},
		{[]string{"CIFAR-10"}, []string{"cifar-10"}},
		{[]string{"fashion-mnist", "cifar-10", "stl10"}, []string{"fashion-mnist", "cifar-10", "stl10"}},
	} {
		found, err := findData(dataSets(), tt.names)
		var got []string
		for _, set := range found {
			got = append(got, set.name)
		}
		expect.That(t, err == nil && slices.Equal(got, tt.want), "%q: %q, %v", tt.names, got, err)
	}
	_, err := findData(dataSets(), []string{"mnist"})
	expect.Require(t, errors.Is(err, errUsage), "an unknown name gave %v", err)
	contains(t, err.Error(), `no data set "mnist"`, "fashion-mnist, cifar-10, cifar-100, stl10")
}

// tinyArchive returns a data set of one file, served by a server in this process.
func tinyArchive(t *testing.T, handle func(w http.ResponseWriter, content []byte)) dataSet {
	t.Helper()
	var content bytes.Buffer
	zipped := gzip.NewWriter(&content)
	packed := tar.NewWriter(zipped)
	err := packed.WriteHeader(&tar.Header{Name: "tiny-bin/data.bin", Mode: 0o644, Size: 3, Typeflag: tar.TypeReg})
	if err == nil {
		_, err = packed.Write([]byte{1, 2, 3})
	}
	expect.NoError(t, errors.Join(err, packed.Close(), zipped.Close()))
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { handle(w, content.Bytes()) }))
	t.Cleanup(server.Close)
	sum := sha256.Sum256(content.Bytes())
	a := datasets.Archive{Name: "tiny", Folder: "tiny-bin", Terms: "Somebody, who asks for nothing.", File: datasets.RemoteFile{
		Name: "tiny.tar.gz", Size: int64(content.Len()), SHA256: hex.EncodeToString(sum[:]), URLs: []string{server.URL + "/tiny.tar.gz"},
	}}
	return dataSet{a.Name, a.Get, "and leave out what takes it", a.Terms}
}

func TestFetchData(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(datasets.EnvDataDir, dir)
	t.Setenv(datasets.EnvOffline, "")
	asked := 0
	set := tinyArchive(t, func(w http.ResponseWriter, content []byte) {
		asked++
		_, err := w.Write(content)
		expect.That(t, err == nil, "%v", err)
	})
	w := newWorkshop(t)
	for range 2 { // the second time it exists
		w.out.Reset()
		expect.NoError(t, w.session().fetchData(context.Background(), set))
		folder := filepath.Join(dir, "tiny", "tiny-bin")
		contains(t, w.out.String(), "tiny is in "+folder+".\n", "Somebody, who asks for nothing.\n")
		expect.Equal(t, expect.Must(os.ReadFile(filepath.Join(folder, "data.bin")))(t), []byte{1, 2, 3}, "unpacked")
	}
	expect.That(t, asked == 1, "the server was asked %d times", asked)
}

func TestFetchDataFails(t *testing.T) {
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	t.Setenv(datasets.EnvOffline, "")
	set := tinyArchive(t, func(w http.ResponseWriter, content []byte) {
		if _, err := w.Write(bytes.Repeat([]byte{7}, len(content))); err != nil { // another file of the same size
			t.Error(err)
		}
	})
	err := newWorkshop(t).session().fetchData(context.Background(), set)
	var p *problem
	expect.Require(t, errors.As(err, &p), "a wrong file gave %v", err)
	contains(t, err.Error(), "could not download tiny.tar.gz", "SHA-256", "Start again", "The notebooks run without it, and leave out what takes it.")
	t.Setenv(datasets.EnvOffline, "1")
	if err := newWorkshop(t).session().fetchData(context.Background(), set); !errors.Is(err, datasets.ErrOffline) || errors.As(err, &p) {
		t.Errorf("offline it said %v", err)
	}
}
