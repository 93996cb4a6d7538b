package datasets

import (
	"bytes"
	"context"
	"errors"
	"io"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/expect"
)

// content is the file that the test servers offer: larger than one read buffer, without repetition.
var content = func() []byte {
	b := make([]byte, 200_000)
	for i := range b {
		b[i] = uint8(i ^ i>>8)
	}
	return b
}()

// remote describes content at the given addresses.
func remote(urls ...string) RemoteFile {
	return RemoteFile{Name: "data.gz", Size: int64(len(content)), SHA256: packtest.SHA256(content), URLs: urls}
}

// host is a server that records the Range header of every request.
type host struct {
	*httptest.Server
	mu     sync.Mutex
	ranges []string
}

// serve starts a server that answers request number i, counted from 0, with answer(i).
func serve(t *testing.T, answer func(i int, w http.ResponseWriter, r *http.Request)) *host {
	t.Helper()
	h := &host{}
	h.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		h.mu.Lock()
		i := len(h.ranges)
		h.ranges = append(h.ranges, r.Header.Get("Range"))
		h.mu.Unlock()
		answer(i, w, r)
	}))
	t.Cleanup(h.Close)
	return h
}

// asked returns the Range headers so far, joined by "|".
func (h *host) asked() string {
	h.mu.Lock()
	defer h.mu.Unlock()
	return strings.Join(h.ranges, "|")
}

// good serves content like a full web server, ranges included.
func good(_ int, w http.ResponseWriter, r *http.Request) {
	http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(content))
}

// whole serves content from its start and ignores ranges.
func whole(_ int, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Write(content)
}

// half announces the whole content, sends its first half and closes the connection.
func half(_ int, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Write(content[:len(content)/2])
	panic(http.ErrAbortHandler)
}

// halfAndHang sends the first half and then nothing, until the client disconnects.
func halfAndHang(_ int, w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Length", strconv.Itoa(len(content)))
	w.Write(content[:len(content)/2])
	w.(http.Flusher).Flush()
	<-r.Context().Done()
}

// wantFile fails unless the folder holds only the correct content under its final name.
func wantFile(t *testing.T, dir string) {
	t.Helper()
	got := expect.Must(os.ReadFile(filepath.Join(dir, "data.gz")))(t)
	expect.That(t, bytes.Equal(got, content), "the file has other content")
	wantNames(t, dir, "data.gz")
}

// fetch downloads the content into dir, where it must arrive.
func fetch(t *testing.T, dir string, opts FetchOptions, urls ...string) {
	t.Helper()
	expect.NoError(t, Fetch(context.Background(), dir, remote(urls...), opts))
	wantFile(t, dir)
}

// wantNames fails unless the folder holds exactly these file names.
func wantNames(t *testing.T, dir string, want ...string) {
	t.Helper()
	entries := expect.Must(os.ReadDir(dir))(t)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	expect.That(t, strings.Join(names, "|") == strings.Join(want, "|"), "the folder holds %q, want %q", names, want)
}

// The developer's environment must not affect the tests.
func TestMain(m *testing.M) {
	os.Unsetenv(EnvOffline)
	os.Exit(m.Run())
}

func TestFetch(t *testing.T) {
	h := serve(t, good)
	dir := filepath.Join(t.TempDir(), "made", "on the way")
	var last FetchProgress
	opts := FetchOptions{Progress: func(p FetchProgress) {
		expect.That(t, p.Name == "data.gz" && p.Total == int64(len(content)) && p.Done > last.Done,
			"progress %+v after %+v", p, last)
		last = p
	}}
	for range 2 { // the second time the file exists
		fetch(t, dir, opts, h.URL)
	}
	expect.That(t, last.Done == int64(len(content)), "last progress %+v", last)
	expect.Equal(t, len(h.ranges), 1, "requests")
}

func TestFetchTakesUpAPart(t *testing.T) {
	n := len(content)
	wrong := bytes.Repeat([]byte{7}, 1000)
	for _, tt := range []struct {
		name   string
		part   []byte
		answer func(int, http.ResponseWriter, *http.Request)
		asked  string
	}{
		{"by range", content[:1000], good, "bytes=1000-"},
		{"from a server without ranges", content[:1000], whole, "bytes=1000-"},
		{"complete but not renamed", content, good, ""},
		{"of wrong bytes", wrong, good, "bytes=1000-|"},
		{"of wrong bytes, without ranges", wrong, whole, "bytes=1000-"},
		{"complete but wrong", bytes.Repeat([]byte{7}, n), good, ""},
		{"longer than the file", append(bytes.Clone(content), 1), good, "bytes=200001-|"},
		{"longer than the file, without ranges", append(bytes.Clone(content), 1), whole, "bytes=200001-"},
		{"empty", nil, good, ""},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := serve(t, tt.answer)
			dir := t.TempDir()
			expect.File(t, filepath.Join(dir, "data.gz.part"), tt.part)
			fetch(t, dir, FetchOptions{}, h.URL)
			expect.Equal(t, h.asked(), tt.asked, "asked for")
		})
	}
}

func TestFetchGoesOnAfterABreak(t *testing.T) {
	expect.Slow(t)
	t.Parallel()
	t.Run("at the same address", func(t *testing.T) {
		h := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
			if i == 0 {
				half(i, w, r)
			}
			good(i, w, r)
		})
		dir := t.TempDir()
		fetch(t, dir, FetchOptions{}, h.URL)
		// The connection may break before the last bytes of the half have arrived.
		got := h.asked()
		expect.That(t, strings.HasPrefix(got, "|bytes="), "asked for %q, want all and then a range", got)
	})
	t.Run("at the next address", func(t *testing.T) {
		bad, next := serve(t, half), serve(t, good)
		dir := t.TempDir()
		fetch(t, dir, FetchOptions{}, bad.URL, next.URL)
		got := len(bad.ranges)
		expect.That(t, got <= triesPerURL, "the broken address was asked %d times", got)
		if got := next.asked(); !strings.HasPrefix(got, "bytes=") {
			t.Errorf("asked the next address for %q, want a range", got)
		}
	})
	t.Run("after silence", func(t *testing.T) {
		bad, next := serve(t, halfAndHang), serve(t, good)
		dir := t.TempDir()
		opts := FetchOptions{IdleTimeout: time.Second}
		fetch(t, dir, opts, bad.URL, next.URL)
		expect.Equal(t, next.asked(), "bytes=100000-", "asked the next address for")
	})
}

// The time-out applies to silence: a download may take longer if bytes keep arriving.
func TestFetchSlowButSteady(t *testing.T) {
	expect.Slow(t)
	t.Parallel()
	const idle = time.Second
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		for i := 0; i < len(content); i += len(content) / 8 {
			w.Write(content[i : i+len(content)/8])
			w.(http.Flusher).Flush()
			time.Sleep(idle / 6)
		}
	})
	dir := t.TempDir()
	begin := time.Now()
	expect.NoError(t, Fetch(context.Background(), dir, remote(h.URL), FetchOptions{IdleTimeout: idle}))
	took := time.Since(begin)
	expect.That(t, took >= idle, "took %v: the test is to last longer than %v", took, idle)
	wantFile(t, dir)
}

// The time-out applies to the server's silence, not to a slow progress callback.
func TestFetchWithASlowCallback(t *testing.T) {
	expect.Slow(t)
	t.Parallel()
	const idle = 500 * time.Millisecond
	h := serve(t, good)
	dir := t.TempDir()
	calls := 0
	err := Fetch(context.Background(), dir, remote(h.URL), FetchOptions{IdleTimeout: idle, Progress: func(FetchProgress) {
		if calls++; calls == 1 {
			time.Sleep(2 * idle)
		}
	}})
	expect.NoError(t, err)
	expect.That(t, calls >= 2 && h.asked() == "",
		"%d calls and the ranges %q: want more calls than one, and a single request for all", calls, h.asked())
	wantFile(t, dir)
}

func TestFetchFailures(t *testing.T) {
	t.Parallel()
	wrong := bytes.Clone(content)
	wrong[150_000]++
	for _, tt := range []struct {
		name   string
		answer func(int, http.ResponseWriter, *http.Request)
		opts   FetchOptions
		is     error // in the chain of errors
		want   string
		part   bool // whether a part is left to resume
	}{
		{name: "not found", answer: func(_ int, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) }, want: "404 Not Found"},
		{name: "server error", answer: func(_ int, w http.ResponseWriter, r *http.Request) { w.WriteHeader(503) }, want: "503"},
		{name: "wrong checksum", answer: func(_ int, w http.ResponseWriter, r *http.Request) { w.Write(wrong) }, is: errMismatch, want: "SHA-256"},
		{name: "cut short", answer: half, is: io.ErrUnexpectedEOF, want: "of 200000 bytes", part: true},
		{name: "a page instead", answer: func(_ int, w http.ResponseWriter, r *http.Request) { io.WriteString(w, "please log in") },
			is: errMismatch, want: "13 bytes, not 200000"},
		{name: "too short, length unknown", answer: func(_ int, w http.ResponseWriter, r *http.Request) {
			w.Write(content[:90_000])
			w.(http.Flusher).Flush()
		}, is: io.ErrUnexpectedEOF, want: "after 90000 of 200000 bytes", part: true},
		{name: "too long, length unknown", answer: func(_ int, w http.ResponseWriter, r *http.Request) {
			w.Write(content)
			w.(http.Flusher).Flush()
			w.Write([]byte("more"))
		}, is: errMismatch, want: "more than 200000 bytes"},
		{name: "silence", answer: func(_ int, w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
			opts: FetchOptions{IdleTimeout: 100 * time.Millisecond}, want: "nothing came for 100ms"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			h := serve(t, tt.answer)
			dir := t.TempDir()
			err := Fetch(context.Background(), dir, remote(h.URL), tt.opts)
			expect.Error(t, err, tt.want)
			expect.That(t, tt.is == nil || errors.Is(err, tt.is), "error %v does not wrap %v", err, tt.is)
			if tt.part {
				wantNames(t, dir, "data.gz.part")
			} else {
				wantNames(t, dir)
			}
		})
	}
	t.Run("nobody there", func(t *testing.T) {
		h := serve(t, good)
		h.Close()
		err := Fetch(context.Background(), t.TempDir(), remote(h.URL), FetchOptions{})
		expect.Error(t, err, h.URL+": dial", "refused") // the address once; the client's own error repeats it
	})
	t.Run("no address", func(t *testing.T) {
		expect.Error(t, Fetch(context.Background(), t.TempDir(), remote("://"), FetchOptions{}), "protocol")
	})
}

// Over HTTP/2, which most servers use, a canceled request is reported differently.
func TestFetchSilenceOverHTTP2(t *testing.T) {
	t.Parallel()
	for name, answer := range map[string]http.HandlerFunc{
		"before the answer": func(w http.ResponseWriter, r *http.Request) { <-r.Context().Done() },
		"within the file":   func(w http.ResponseWriter, r *http.Request) { halfAndHang(0, w, r) },
	} {
		t.Run(name, func(t *testing.T) {
			server := httptest.NewUnstartedServer(answer)
			server.EnableHTTP2 = true
			server.StartTLS()
			t.Cleanup(server.Close)
			opts := FetchOptions{Client: server.Client(), IdleTimeout: 300 * time.Millisecond}
			err := Fetch(context.Background(), t.TempDir(), remote(server.URL), opts)
			expect.Error(t, err, "nothing came for 300ms")
		})
	}
}

// An answer with another range than requested is rejected, including its first bytes.
func TestFetchWrongRange(t *testing.T) {
	for header, anew := range map[string]bool{ // whether the part is discarded and the whole file requested
		"bytes 1000-299999/300000": false,
		"bytes 0-199999/200000":    true,
		"bytes 1000-199999":        true,
		"bytes */200000":           true,
		"bytes x-199999/200000":    true,
		"bytes 1000-199999/many":   true,
	} {
		t.Run(header, func(t *testing.T) {
			h := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
				if i > 0 {
					http.NotFound(w, r)
					return
				}
				w.Header().Set("Content-Range", header)
				w.WriteHeader(http.StatusPartialContent)
				w.Write(content[1000:])
			})
			dir := t.TempDir()
			expect.File(t, filepath.Join(dir, "data.gz.part"), content[:1000])
			progress := 0
			opts := FetchOptions{Progress: func(FetchProgress) { progress++ }}
			err := Fetch(context.Background(), dir, remote(h.URL), opts)
			expect.That(t, progress == 0, "took bytes of the wrong range")
			if !anew {
				expect.Error(t, err, "300000 bytes, not 200000")
				wantNames(t, dir, "data.gz.part")
				return
			}
			expect.Error(t, err, "404")
			expect.Equal(t, h.asked(), "bytes=1000-|", "asked for")
			wantNames(t, dir)
		})
	}
}

// A server may send less than the range: the rest is requested.
func TestFetchRangeInPieces(t *testing.T) {
	h := serve(t, func(i int, w http.ResponseWriter, r *http.Request) {
		if i == 0 {
			w.Header().Set("Content-Range", "bytes 1000-4999/*")
			w.WriteHeader(http.StatusPartialContent)
			w.Write(content[1000:5000])
			return
		}
		good(i, w, r)
	})
	dir := t.TempDir()
	expect.File(t, filepath.Join(dir, "data.gz.part"), content[:1000])
	fetch(t, dir, FetchOptions{}, h.URL)
	expect.Equal(t, h.asked(), "bytes=1000-|bytes=5000-", "asked for")
}

// The error must contain everything needed to copy the file by hand.
func TestFetchErrorTellsAll(t *testing.T) {
	first := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { http.NotFound(w, r) })
	second := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) { w.WriteHeader(500) })
	dir := t.TempDir()
	file := remote(first.URL+"/a", second.URL+"/b")
	err := Fetch(context.Background(), dir, file, FetchOptions{})
	expect.Error(t, err, "data.gz", dir, "200000 bytes", file.SHA256, first.URL+"/a: the server says 404",
		second.URL+"/b: the server says 500")
	failed := new(FetchError)
	expect.That(t, errors.As(err, &failed) && len(failed.Causes) == 2 && failed.Dir == dir &&
		failed.File.Name == "data.gz", "error %#v", err)
	expect.That(t, len(first.ranges) == 1, "an address without the file is asked %d times", len(first.ranges))
}

func TestFetchOffline(t *testing.T) {
	h := serve(t, good)
	dir := t.TempDir()
	for _, value := range []string{"1", "true", "yes"} {
		t.Setenv(EnvOffline, value)
		err := Fetch(context.Background(), dir, remote(h.URL), FetchOptions{})
		expect.Error(t, err, EnvOffline, "data.gz", dir, h.URL)
		expect.That(t, errors.Is(err, ErrOffline), "%s=%s: error %v", EnvOffline, value, err)
	}
	expect.That(t, len(h.ranges) == 0, "%d requests while offline", len(h.ranges))
	for _, value := range []string{"0", "false", ""} {
		t.Setenv(EnvOffline, value)
		expect.That(t, !Offline(), "%s=%q means offline", EnvOffline, value)
	}
	expect.File(t, filepath.Join(dir, "data.gz"), content)
	t.Setenv(EnvOffline, "1")
	expect.NoError(t, Fetch(context.Background(), dir, remote(h.URL), FetchOptions{}))
}

func TestFetchCanceled(t *testing.T) {
	first, second := serve(t, halfAndHang), serve(t, good)
	dir := t.TempDir()
	ctx, cancel := context.WithCancel(context.Background())
	defer cancel()
	opts := FetchOptions{Progress: func(p FetchProgress) {
		if p.Done == p.Total/2 {
			cancel()
		}
	}}
	err := Fetch(ctx, dir, remote(first.URL, second.URL), opts)
	expect.That(t, errors.Is(err, context.Canceled), "error %v, want %v", err, context.Canceled)
	if failed := new(FetchError); !errors.As(err, &failed) || len(failed.Causes) != 1 {
		t.Errorf("error %v, want the first address as its only cause", err)
	}
	expect.That(t, len(second.ranges) == 0, "asked the second address after the cancel")
	wantNames(t, dir, "data.gz.part")
	fetch(t, dir, FetchOptions{}, second.URL)
	expect.Equal(t, second.asked(), "bytes=100000-", "asked for after the cancel")
}

// A file named .gz is often sent with this header, at which a client may decompress it in transit.
func TestFetchLeavesGzipAlone(t *testing.T) {
	packed := packtest.Gzip(t, content)
	h := serve(t, func(_ int, w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Encoding", "gzip")
		w.Write(packed)
	})
	dir := t.TempDir()
	file := RemoteFile{Name: "data.gz", Size: int64(len(packed)), SHA256: strings.ToUpper(packtest.SHA256(packed)),
		URLs: []string{h.URL}}
	expect.NoError(t, Fetch(context.Background(), dir, file, FetchOptions{}))
	expect.Equal(t, expect.Must(os.ReadFile(filepath.Join(dir, "data.gz")))(t),
		packed, "the file is not as it was sent")
}

func TestFetchLeavesAWrongFileAlone(t *testing.T) {
	h := serve(t, good)
	for want, there := range map[string][]byte{
		"4 bytes, not 200000": []byte("mine"), "SHA-256": bytes.Repeat([]byte{7}, len(content))} {
		dir := t.TempDir()
		path := filepath.Join(dir, "data.gz")
		expect.File(t, path, there)
		err := Fetch(context.Background(), dir, remote(h.URL), FetchOptions{})
		expect.Error(t, err, "in the way", "remove", dir, want)
		expect.Equal(t, expect.Must(os.ReadFile(path))(t), there, "the file was changed")
	}
	expect.That(t, len(h.ranges) == 0, "%d requests", len(h.ranges))
}

func TestFetchFolderInTheWay(t *testing.T) {
	h := serve(t, good)
	path := filepath.Join(t.TempDir(), "file")
	expect.File(t, path, nil)
	err := Fetch(context.Background(), path, remote(h.URL), FetchOptions{})
	expect.Error(t, err, "data.gz", path)
	expect.That(t, errors.As(err, new(*FetchError)), "error %T, want a *FetchError", err)
}

func TestFetchBadDescription(t *testing.T) {
	for _, tt := range []struct {
		name  string
		spoil func(*RemoteFile)
		want  string
	}{
		{"no name", func(f *RemoteFile) { f.Name = "" }, "plain file name"},
		{"folder in the name", func(f *RemoteFile) { f.Name = "a/b" }, "plain file name"},
		{"out of the folder", func(f *RemoteFile) { f.Name = ".." }, "plain file name"},
		{"no size", func(f *RemoteFile) { f.Size = 0 }, "0 bytes"},
		{"short sum", func(f *RemoteFile) { f.SHA256 = f.SHA256[2:] }, "64 hexadecimal"},
		{"not a sum", func(f *RemoteFile) { f.SHA256 = strings.Repeat("x", 64) }, "64 hexadecimal"},
		{"no address", func(f *RemoteFile) { f.URLs = nil }, "no address"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			file := remote("http://localhost")
			tt.spoil(&file)
			expect.Error(t, Fetch(context.Background(), t.TempDir(), file, FetchOptions{}), tt.want)
		})
	}
}
