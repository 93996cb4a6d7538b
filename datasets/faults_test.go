//go:build unix

package datasets

import (
	"archive/tar"
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/rand/v2"
	"net/http"
	"net/http/httptest"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// Files and folders are synced before the final name exists, and the name before Unpack or Fetch returns.
func TestNamesComeAfterContents(t *testing.T) {
	h := serve(t, good)
	plain := syncPath
	t.Cleanup(func() { syncPath = plain })
	for fail := range 6 {
		root := t.TempDir()
		archive := expect.File(t, filepath.Join(t.TempDir(), "set.tgz"),
			packed(t, entry{Name: "set/a", Content: "1"}, entry{Name: "set/sub/b", Content: "2"}))
		var synced, want []string
		broken := errors.New("the disk broke")
		var lock = make(chan struct{}, 1) // several goroutines sync
		syncPath = func(path string, isFolder bool) error {
			lock <- struct{}{}
			defer func() { <-lock }()
			_, err := os.Stat(filepath.Join(root, "set"))
			name, _ := filepath.Rel(root, path)
			if i := strings.Index(name, unpacking); i >= 0 {
				name = name[i+len(unpacking)+1:]
			}
			synced = append(synced, fmt.Sprintf("%s folder=%t named=%t", name, isFolder, err == nil))
			if len(synced)-1 == fail {
				return broken
			}
			return plain(path, isFolder)
		}
		err := Unpack(context.Background(), archive, root, "set", UnpackOptions{})
		want = []string{". folder=true named=true", "set folder=true named=false", "set/a folder=false named=false",
			"set/sub folder=true named=false", "set/sub/b folder=false named=false"}
		slices.Sort(synced)
		switch {
		case fail < 5 && !errors.Is(err, broken):
			t.Errorf("failure %d: %v", fail, err)
		case fail < 4:
			wantNames(t, root)
		case fail == 4:
			wantNames(t, root, "set")
			expect.Error(t, err, "unpacked", "a crash of the system may undo that")
		case err != nil || !slices.Equal(synced, want):
			t.Errorf("%v, synced %q, want %q", err, synced, want)
		}
	}
	dir := t.TempDir()
	var folders []string
	syncPath = func(path string, isFolder bool) error {
		wantNames(t, dir, "data.gz", "data.gz.lock")
		folders = append(folders, path)
		return plain(path, isFolder)
	}
	err := Fetch(context.Background(), dir, remote(h.URL), FetchOptions{})
	expect.That(t, err == nil && slices.Equal(folders, []string{dir}), "%v, synced %q", err, folders)
}

// The bytes written from an archive are bounded, however tar expands its input.
func TestUnpackBoundsWhatIsWritten(t *testing.T) {
	dir := t.TempDir()
	root := expect.Must(os.OpenRoot(dir))(t)
	defer root.Close()
	left := int64(100)
	for i, size := range []int64{60, 40, 1} {
		header := &tar.Header{Name: fmt.Sprint("set/", i), Typeflag: tar.TypeReg}
		endless := io.LimitReader(rand.NewChaCha8([32]byte{}), 1<<20)
		if i < 2 {
			endless = io.LimitReader(endless, size)
		}
		_, _, err := unpackEntry(context.Background(), root, "set", header, endless, &left)
		expect.That(t, (err != nil) == (i == 2), "file %d: %v", i, err)
	}
	info, err := os.Stat(filepath.Join(dir, "set", "2"))
	expect.That(t, err == nil && info.Size() <= 1, "%v, %v", info.Size(), err)
}

// TestFaultChild is the child process of TestFaultFullDisk: the disk is full at every size, for archives and downloads.
func TestFaultChild(t *testing.T) {
	dir := os.Getenv("DATASETS_TEST_FULL_DISK")
	if dir == "" {
		return
	}
	signal.Ignore(syscall.SIGXFSZ)
	content := packed(t, entry{Name: "set/a", Content: strings.Repeat("1", 900)}, entry{Name: "set/b", Content: "2"})
	archive := expect.File(t, filepath.Join(dir, "set.tgz"), content)
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) { good(0, w, r) }))
	defer server.Close()
	limited := func(room int, do func() error) error {
		var old syscall.Rlimit
		expect.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &old))
		less := syscall.Rlimit{Cur: uint64(room), Max: old.Max}
		expect.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &less))
		err := do()
		expect.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &old))
		return err
	}
	failed := 0
	for i := range 25 {
		out := filepath.Join(dir, strconv.Itoa(i))
		expect.NoError(t, os.Mkdir(out, 0o755))
		check := func(err error, names ...string) {
			t.Helper()
			if err == nil {
				return
			}
			failed++
			expect.Error(t, err, out, "make room", "try again")
			expect.That(t, errors.Is(err, syscall.EFBIG), "%v", err)
			wantNames(t, out, names...)
		}
		unpack := func() error { return Unpack(context.Background(), archive, out, "set", UnpackOptions{Sums: true}) }
		fetch := func() error { return Fetch(context.Background(), out, remote(server.URL), FetchOptions{}) }
		if err := limited(40*i, unpack); err != nil {
			check(err)
			expect.NoError(t, unpack())
		}
		expect.NoError(t, os.RemoveAll(filepath.Join(out, "set")))
		room := 8300 * i
		if err := limited(room, fetch); err != nil {
			part := []string{"data.gz.part"}
			check(err, part[:min(1, room)]...)
			expect.NoError(t, fetch())
		}
		wantFile(t, out)
	}
	fmt.Println("full", failed)
}

// On a full disk, at every size, no partial archive or download has a final name, and the next attempt succeeds.
func TestFaultFullDisk(t *testing.T) {
	t.Parallel()
	child := exec.Command(os.Args[0], "-test.run=^TestFaultChild$")
	child.Env = append(os.Environ(), "DATASETS_TEST_FULL_DISK="+t.TempDir())
	out, err := child.CombinedOutput()
	var failed int
	if _, after, _ := strings.Cut("\n"+string(out), "\nfull "); err == nil {
		_, err = fmt.Sscan(after, &failed)
	}
	expect.That(t, err == nil && failed >= 38, "%d found no room, %v:\n%s", failed, err, out)
	t.Logf("| disk full, archive and download | nothing half done left %d |", failed)
}

// badServer gives randomly faulty answers to a number of requests, then good ones.
type badServer struct {
	rng   *rand.Rand
	bad   int // number of remaining faulty answers
	seen  map[string]int
	slice []byte // of the correct length, but wrong
}

func (s *badServer) answer(_ int, w http.ResponseWriter, r *http.Request) {
	if s.bad--; s.bad < 0 {
		good(0, w, r)
		return
	}
	from := 0
	if _, err := fmt.Sscanf(r.Header.Get("Range"), "bytes=%d-", &from); err == nil && from < len(content) && s.rng.IntN(4) > 0 {
		w.Header().Set("Content-Range", fmt.Sprintf("bytes %d-%d/%d", from, len(content)-1, len(content)))
		w.Header().Set("Content-Length", strconv.Itoa(len(content)-from))
		w.WriteHeader(http.StatusPartialContent)
	} else {
		from = 0
		if s.rng.IntN(2) == 0 {
			w.Header().Set("Content-Length", strconv.Itoa(len(content)))
		}
	}
	rest := content[from:]
	cut := s.rng.IntN(len(rest) + 1)
	what := []string{"dies", "cut", "garbage", "garbage and dies", "stalls", "too long", "a page"}[s.rng.IntN(7)]
	s.seen[what]++
	switch what {
	case "dies":
		w.Write(rest[:cut])
		panic(http.ErrAbortHandler)
	case "cut":
		w.Write(rest[:cut])
	case "garbage":
		w.Write(s.slice[from:])
	case "garbage and dies":
		w.Write(s.slice[from : from+cut])
		panic(http.ErrAbortHandler)
	case "stalls":
		w.Write(rest[:cut])
		w.(http.Flusher).Flush()
		<-r.Context().Done()
	case "too long":
		w.Write(append(bytes.Clone(rest), "more"...))
	case "a page":
		io.WriteString(w, "please log in")
	}
}

// For all faults of a server, the final name only ever holds the complete file, and a good answer completes it.
func TestFaultNetwork(t *testing.T) {
	t.Parallel()
	s := &badServer{rng: rand.New(rand.NewPCG(6, 6)), seen: map[string]int{}, slice: bytes.Repeat([]byte{7}, len(content))}
	h := serve(t, s.answer)
	tries, ended := 0, 0
	for range 25 {
		dir := t.TempDir()
		s.bad = 1 + s.rng.IntN(4)
		for { // retries like a user
			tries++
			h.CloseClientConnections()
			err := Fetch(context.Background(), dir, remote(h.URL), FetchOptions{IdleTimeout: 50 * time.Millisecond})
			_, there := os.Stat(filepath.Join(dir, "data.gz"))
			if err == nil {
				wantFile(t, dir)
				ended++
				break
			}
			expect.Require(t, errors.Is(there, fs.ErrNotExist), "after %v the file is there: %v", err, there)
			expect.Require(t, tries <= 1000, "it never ends")
		}
	}
	t.Logf("| network: %v | %d files, whole after %d tries |", s.seen, ended, tries)
}

// File times do not matter: the remains of a killed program are resumed or removed, and its locks are free.
func TestFaultClock(t *testing.T) {
	for _, when := range []time.Time{time.Unix(0, 0), time.Now(), time.Now().Add(20 * 365 * 24 * time.Hour)} {
		dir := home(t)
		var archive []byte
		h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
			http.ServeContent(w, r, "", when, bytes.NewReader(archive))
		})
		var a Archive
		a, archive = tinySet(t, h.URL)
		folder := filepath.Join(dir, "tiny-set")
		expect.NoError(t, os.MkdirAll(filepath.Join(folder, "set-bin.9.unpacking", "set-bin"), 0o755))
		expect.File(t, filepath.Join(folder, "set-bin.9.unpacking", "set-bin", "half"), []byte("1"))
		expect.File(t, filepath.Join(folder, "tiny.tar.gz.part"), archive[:50])
		expect.File(t, filepath.Join(folder, "tiny.tar.gz.lock"), nil)
		expect.File(t, filepath.Join(folder, "set-bin.lock"), nil)
		expect.NoError(t, filepath.WalkDir(folder, func(path string, _ fs.DirEntry, err error) error {
			return errors.Join(err, os.Chtimes(path, when, when))
		}))
		got := expect.Must(a.Get(context.Background(), FetchOptions{}))(t)
		wantTree(t, got, "a.bin=1")
		wantNames(t, folder, "set-bin", "tiny.tar.gz")
		expect.Equal(t, h.asked(), "bytes=50-", "%v: asked for", when)
	}
}
