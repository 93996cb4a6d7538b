package datasets

import (
	"context"
	"crypto/md5"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// The sizes and sums of the official files, where they are pinned elsewhere, in a second hand.
func TestArchives(t *testing.T) {
	for name, want := range map[string]string{
		"cifar-10":        "170052171 c4a38c50 ",
		"CIFAR-100":       "168513733 58a81ae1 ",
		"stl10":           "2640397119 f31fd992 ",
		"imagenette2-160": "99003388 64d0c485 c475f8f7",
		"imagenette2-320": "341663724 569b4497 1f1f74f1",
		"imagewoof2-160":  "92612825  3559b194",
		"imagewoof2-320":  "328387740  7a1fd926",
	} {
		a, err := FindArchive(name)
		if err != nil {
			t.Fatal(err)
		}
		short := func(s string) string { return s[:min(8, len(s))] }
		sizes := strings.Fields(want)[0]
		if got := strings.Join([]string{sizes, short(a.File.SHA256), short(a.File.FirstMiB)}, " "); got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
		if err := a.File.validate(); err != nil {
			t.Error(err)
		}
		if a.Folder == "" || a.Terms == "" || a.Unpack.Bytes < a.File.Size || a.Unpack.Files == 0 {
			t.Errorf("%s: %+v", name, a)
		}
		if !strings.HasSuffix(a.File.URLs[0], "/"+a.File.Name) {
			t.Errorf("%s: %s is at %s", name, a.File.Name, a.File.URLs[0])
		}
	}
	if got := len(Archives()); got != 7 {
		t.Errorf("%d archives", got)
	}
	_, err := FindArchive("mnist")
	wantError(t, err, `"mnist"`, "cifar-10", "imagewoof2-320")
	Archives()[0].File.URLs[0] = "x"
	if archives[0].File.URLs[0] == "x" {
		t.Error("a caller can change the archives")
	}
}

// tinySet returns an archive of one file at an address.
func tinySet(t *testing.T, url string) (Archive, []byte) {
	t.Helper()
	content := packed(t, entry{name: "set-bin/a.bin", content: "1"})
	sum := sha256.Sum256(content)
	return Archive{Name: "tiny-set", Folder: "set-bin", File: RemoteFile{Name: "tiny.tar.gz", Size: int64(len(content)),
		SHA256: hex.EncodeToString(sum[:]), URLs: []string{url}}}, content
}

// home makes a folder for data the only place to look.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(EnvDataDir, dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	return dir
}

func TestArchiveGet(t *testing.T) {
	online(t)
	dir := home(t)
	var content []byte
	h := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.Write(content) })
	var a Archive
	a, content = tinySet(t, h.URL)

	_, err := a.Find()
	wantError(t, err, "tiny-set", filepath.Join(dir, "tiny-set", "set-bin"), filepath.Join(dir, "set-bin"))
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}

	// A crash has left half of an earlier unpacking.
	left := filepath.Join(dir, "tiny-set", "set-bin.123.unpacking")
	if err := os.MkdirAll(left, 0o755); err != nil {
		t.Fatal(err)
	}
	// Several at once: one download, one unpacking, one result.
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			got, err := a.Get(context.Background(), FetchOptions{})
			if want := filepath.Join(dir, "tiny-set", "set-bin"); err != nil || got != want {
				t.Errorf("%s, %v; want %s", got, err, want)
			}
		})
	}
	wg.Wait()
	if len(h.ranges) != 1 {
		t.Errorf("%d downloads, want 1", len(h.ranges))
	}
	wantTree(t, filepath.Join(dir, "tiny-set", "set-bin"), "a.bin=1")
	wantNames(t, filepath.Join(dir, "tiny-set"), "set-bin", "tiny.tar.gz")

	// From now on nothing is fetched, and the archive is not needed.
	t.Setenv(EnvOffline, "1")
	if err := os.Remove(filepath.Join(dir, "tiny-set", "tiny.tar.gz")); err != nil {
		t.Fatal(err)
	}
	if got, err := a.Get(context.Background(), FetchOptions{}); err != nil || got != filepath.Join(dir, "tiny-set", "set-bin") {
		t.Errorf("%s, %v", got, err)
	}
}

// An archive that was copied by hand, into the folder for data itself, is unpacked where it lies, with no network.
func TestArchiveGetCopiedByHand(t *testing.T) {
	dir := home(t)
	t.Setenv(EnvOffline, "1")
	a, content := tinySet(t, "http://127.0.0.1:9")
	_, err := a.Get(context.Background(), FetchOptions{})
	wantError(t, err, "tiny.tar.gz", filepath.Join(dir, "tiny-set"), a.File.SHA256, "PUCL_OFFLINE")
	writeFile(t, filepath.Join(dir, "tiny.tar.gz"), content)
	got, err := a.Get(context.Background(), FetchOptions{})
	if err != nil || got != filepath.Join(dir, "set-bin") {
		t.Fatalf("%s, %v", got, err)
	}
	wantTree(t, got, "a.bin=1")
}

func TestArchiveGetRefuses(t *testing.T) {
	dir := home(t)
	a, content := tinySet(t, "http://127.0.0.1:9")
	a.Unpack.Bytes = 10
	writeFile(t, filepath.Join(dir, "tiny.tar.gz"), content)
	_, err := a.Get(context.Background(), FetchOptions{})
	wantError(t, err, "too large")
	if _, err := a.Find(); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("something was unpacked: %v", err)
	}
	writeFile(t, filepath.Join(dir, "tiny.tar.gz"), content[1:])
	_, err = a.Get(context.Background(), FetchOptions{})
	wantError(t, err, "another file of that name is in the way")
}

// unpublished describes content as a file whose SHA-256 nobody published.
func unpublished(urls ...string) RemoteFile {
	first := md5.Sum(content) // it is shorter than a MiB
	file := remote(urls...)
	file.SHA256, file.FirstMiB = "", hex.EncodeToString(first[:])
	return file
}

func TestFetchRecordsTheSum(t *testing.T) {
	online(t)
	h := serve(t, good)
	dir := t.TempDir()
	fetch := func() error { return Fetch(context.Background(), dir, unpublished(h.URL), FetchOptions{}) }
	if err := fetch(); err != nil {
		t.Fatal(err)
	}
	record := filepath.Join(dir, "data.gz.sha256")
	text, err := os.ReadFile(record)
	if want := remote().SHA256 + "  data.gz\n"; err != nil || string(text) != want {
		t.Errorf("record %q, %v; want %q", text, err, want)
	}
	wantNames(t, dir, "data.gz", "data.gz.sha256")

	// A change that the first MiB does not show is seen by the record; here the record is what differs.
	other := strings.Repeat("ab", 32)
	writeFile(t, record, []byte(other+"  data.gz\n"))
	wantError(t, fetch(), "in the way", other)
	// A file that comes again must be the one of the first time.
	if err := os.Remove(filepath.Join(dir, "data.gz")); err != nil {
		t.Fatal(err)
	}
	wantError(t, fetch(), "wrong content", other+" as recorded earlier in data.gz.sha256")
	writeFile(t, record, []byte("no sum"))
	wantError(t, fetch(), record, "remove it")
	if err := os.Remove(record); err != nil {
		t.Fatal(err)
	}
	if err := fetch(); err != nil {
		t.Error(err)
	}
	wantNames(t, dir, "data.gz", "data.gz.sha256")
}

// A file that was copied by hand is recorded when it is first seen.
func TestFetchRecordsACopyByHand(t *testing.T) {
	t.Setenv(EnvOffline, "1")
	dir := t.TempDir()
	path := writeFile(t, filepath.Join(dir, "data.gz"), content)
	file := unpublished("http://127.0.0.1:9")
	if err := Fetch(context.Background(), dir, file, FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, "data.gz", "data.gz.sha256")
	changed := append([]byte{}, content...)
	changed[5]++
	writeFile(t, path, changed)
	if err := os.Remove(path + ".sha256"); err != nil {
		t.Fatal(err)
	}
	wantError(t, Fetch(context.Background(), dir, file, FetchOptions{}), "first MiB", file.FirstMiB)
	writeFile(t, path, changed[1:])
	wantError(t, Fetch(context.Background(), dir, file, FetchOptions{}), "199999 bytes, not 200000")
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	err := Fetch(context.Background(), dir, file, FetchOptions{})
	wantError(t, err, "no SHA-256 published", "MD5 of the first MiB "+file.FirstMiB, "http://127.0.0.1:9", dir)
}

// The sum of the first MiB is that of the first 2²⁰ bytes and no more.
func TestFirstMiB(t *testing.T) {
	long := make([]byte, mebibyte+3)
	for i := range long {
		long[i] = uint8(i * 7)
	}
	first := md5.Sum(long[:mebibyte])
	file := RemoteFile{Name: "long", Size: int64(len(long)), FirstMiB: hex.EncodeToString(first[:]), URLs: []string{"x"}}
	sum := sha256.Sum256(long)
	if got, err := file.check(strings.NewReader(string(long))); err != nil || got != hex.EncodeToString(sum[:]) {
		t.Errorf("%s, %v", got, err)
	}
	long[mebibyte]++ // behind it
	if _, err := file.check(strings.NewReader(string(long))); err != nil {
		t.Error(err)
	}
	long[mebibyte-1]++
	if _, err := file.check(strings.NewReader(string(long))); !errors.Is(err, errMismatch) {
		t.Errorf("error %v, want a mismatch", err)
	}
	file.FirstMiB = "abc"
	wantError(t, file.validate(), "32 hexadecimal")
}

// A file that the publisher had earlier is as good where it lies; it needs no record, and a bit more or less is refused.
func TestFetchAcceptsAnOlderFile(t *testing.T) {
	t.Setenv(EnvOffline, "1")
	dir := t.TempDir()
	older := []byte("what was there before")
	sum := sha256.Sum256(older)
	file := unpublished("http://127.0.0.1:9")
	file.Older = []OlderFile{{1, strings.Repeat("00", 32)}, {int64(len(older)), hex.EncodeToString(sum[:])}}
	path := writeFile(t, filepath.Join(dir, "data.gz"), older)
	if err := Fetch(context.Background(), dir, file, FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, "data.gz")
	older[3]++
	writeFile(t, path, older)
	wantError(t, Fetch(context.Background(), dir, file, FetchOptions{}), "in the way", "SHA-256", file.Older[1].SHA256)
	writeFile(t, path, older[1:])
	wantError(t, Fetch(context.Background(), dir, file, FetchOptions{}), "20 bytes, not 200000")
	// Today's file counts as before.
	writeFile(t, path, content)
	if err := Fetch(context.Background(), dir, file, FetchOptions{}); err != nil {
		t.Fatal(err)
	}
	wantNames(t, dir, "data.gz", "data.gz.sha256")
	for _, name := range []string{"data.gz", "data.gz.sha256"} {
		if err := os.Remove(filepath.Join(dir, name)); err != nil {
			t.Fatal(err)
		}
	}
	wantError(t, Fetch(context.Background(), dir, file, FetchOptions{}), "or an older one of 21 bytes, SHA-256 "+file.Older[1].SHA256)

	file.Older = []OlderFile{{file.Size, file.Older[1].SHA256}}
	wantError(t, file.validate(), "a size of its own")
	file.Older = []OlderFile{{5, "abc"}}
	wantError(t, file.validate(), "64 hexadecimal")
}

func TestOlderArchives(t *testing.T) {
	for name, want := range map[string]string{"imagewoof2-160": "92560471 663c22f6", "imagewoof2-320": "328288506 4e4905ed"} {
		a, err := FindArchive(name)
		if err != nil {
			t.Fatal(err)
		}
		if older := a.File.Older; len(older) != 1 || fmt.Sprintf("%d %.8s", older[0].Size, older[0].SHA256) != want {
			t.Errorf("%s: %v, want %s", name, older, want)
		}
		a.File.Older[0].Size = 1
	}
	if a, err := FindArchive("imagewoof2-160"); err != nil || a.File.Older[0].Size == 1 {
		t.Error("a caller can change the archives")
	}
}
