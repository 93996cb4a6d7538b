package datasets

import (
	"bytes"
	"context"
	"crypto/md5"
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

	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/expect"
)

// Sizes and sums of the official files, copied independently from where they are pinned.
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
		a := expect.Must(FindArchive(name))(t)
		short := func(s string) string { return s[:min(8, len(s))] }
		sizes := strings.Fields(want)[0]
		expect.Equal(t, strings.Join([]string{sizes, short(a.File.SHA256), short(a.File.FirstMiB)}, " "),
			want, "%s", name)
		expect.NoError(t, a.File.validate())
		expect.That(t, a.Folder != "" && a.Terms != "" && a.Unpack.Bytes >= a.File.Size && a.Unpack.Files != 0,
			"%s: %+v", name, a)
		expect.That(t, strings.HasSuffix(a.File.URLs[0], "/"+a.File.Name),
			"%s: %s is at %s", name, a.File.Name, a.File.URLs[0])
	}
	expect.Equal(t, len(Archives()), 7, "archives")
	expect.Error(t, expect.Err(FindArchive("mnist")), `"mnist"`, "cifar-10", "imagewoof2-320")
	Archives()[0].File.URLs[0] = "x"
	expect.That(t, archives[0].File.URLs[0] != "x", "a caller can change the archives")
}

// tinySet returns an archive of one file at a URL.
func tinySet(t *testing.T, url string) (Archive, []byte) {
	t.Helper()
	content := packed(t, entry{Name: "set-bin/a.bin", Content: "1"})
	return Archive{Name: "tiny-set", Folder: "set-bin", File: RemoteFile{Name: "tiny.tar.gz", Size: int64(len(content)),
		SHA256: packtest.SHA256(content), URLs: []string{url}}}, content
}

// home makes a data folder the only place to search.
func home(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(EnvDataDir, dir)
	t.Setenv("XDG_CACHE_HOME", filepath.Join(dir, "cache"))
	return dir
}

func TestArchiveGet(t *testing.T) {
	dir := home(t)
	var content []byte
	h := serve(t, func(_ int, w http.ResponseWriter, _ *http.Request) { w.Write(content) })
	var a Archive
	a, content = tinySet(t, h.URL)

	_, err := a.Find()
	expect.Error(t, err, "tiny-set", filepath.Join(dir, "tiny-set", "set-bin"), filepath.Join(dir, "set-bin"))
	expect.That(t, errors.Is(err, fs.ErrNotExist), "error %v, want fs.ErrNotExist", err)

	// A crash has left a partial folder of an earlier unpacking.
	left := filepath.Join(dir, "tiny-set", "set-bin.123.unpacking")
	expect.NoError(t, os.MkdirAll(left, 0o755))
	// Concurrent calls: one download, one unpacking, one result.
	var wg sync.WaitGroup
	for range 6 {
		wg.Go(func() {
			got, err := a.Get(context.Background(), FetchOptions{})
			want := filepath.Join(dir, "tiny-set", "set-bin")
			expect.That(t, err == nil && got == want, "%s, %v; want %s", got, err, want)
		})
	}
	wg.Wait()
	expect.That(t, len(h.ranges) == 1, "%d downloads, want 1", len(h.ranges))
	wantTree(t, filepath.Join(dir, "tiny-set", "set-bin"), "a.bin=1")
	wantNames(t, filepath.Join(dir, "tiny-set"), "set-bin", "tiny.tar.gz")

	// From here on nothing is fetched, and the archive is not needed.
	t.Setenv(EnvOffline, "1")
	expect.NoError(t, os.Remove(filepath.Join(dir, "tiny-set", "tiny.tar.gz")))
	expect.Equal(t, expect.Must(a.Get(context.Background(), FetchOptions{}))(t),
		filepath.Join(dir, "tiny-set", "set-bin"))
}

// An archive copied by hand into the data folder itself is unpacked in place, without network.
func TestArchiveGetCopiedByHand(t *testing.T) {
	dir := home(t)
	t.Setenv(EnvOffline, "1")
	a, content := tinySet(t, "http://127.0.0.1:9")
	_, err := a.Get(context.Background(), FetchOptions{})
	expect.Error(t, err, "tiny.tar.gz", filepath.Join(dir, "tiny-set"), a.File.SHA256, "PUCL_OFFLINE")
	expect.File(t, filepath.Join(dir, "tiny.tar.gz"), content)
	got, err := a.Get(context.Background(), FetchOptions{})
	expect.Require(t, err == nil && got == filepath.Join(dir, "set-bin"), "%s, %v", got, err)
	wantTree(t, got, "a.bin=1")
}

func TestArchiveGetRefuses(t *testing.T) {
	dir := home(t)
	a, content := tinySet(t, "http://127.0.0.1:9")
	a.Unpack.Bytes = 10
	expect.File(t, filepath.Join(dir, "tiny.tar.gz"), content)
	expect.Error(t, expect.Err(a.Get(context.Background(), FetchOptions{})), "too large")
	expect.Is(t, expect.Err(a.Find()), fs.ErrNotExist, "something was unpacked")
	expect.File(t, filepath.Join(dir, "tiny.tar.gz"), content[1:])
	expect.Error(t, expect.Err(a.Get(context.Background(), FetchOptions{})), "another file of that name is in the way")
}

// unpublished describes content as a file without a published SHA-256.
func unpublished(urls ...string) RemoteFile {
	first := md5.Sum(content) // it is shorter than a MiB
	file := remote(urls...)
	file.SHA256, file.FirstMiB = "", hex.EncodeToString(first[:])
	return file
}

func TestFetchRecordsTheSum(t *testing.T) {
	h := serve(t, good)
	dir := t.TempDir()
	fetch := func() error { return Fetch(context.Background(), dir, unpublished(h.URL), FetchOptions{}) }
	expect.NoError(t, fetch())
	record := filepath.Join(dir, "data.gz.sha256")
	text, err := os.ReadFile(record)
	want := remote().SHA256 + "  data.gz\n"
	expect.That(t, err == nil && string(text) == want, "record %q, %v; want %q", text, err, want)
	wantNames(t, dir, "data.gz", "data.gz.sha256")

	// A change that the sum of the first MiB misses is detected by the record; here the record differs.
	other := strings.Repeat("ab", 32)
	expect.File(t, record, []byte(other+"  data.gz\n"))
	expect.Error(t, fetch(), "in the way", other)
	// A file that is downloaded again must equal the first one.
	expect.NoError(t, os.Remove(filepath.Join(dir, "data.gz")))
	expect.Error(t, fetch(), "wrong content", other+" as recorded earlier in data.gz.sha256")
	expect.File(t, record, []byte("no sum"))
	expect.Error(t, fetch(), record, "remove it")
	expect.NoError(t, os.Remove(record))
	expect.NoError(t, fetch())
	wantNames(t, dir, "data.gz", "data.gz.sha256")
}

// A file copied by hand is recorded at its first use.
func TestFetchRecordsACopyByHand(t *testing.T) {
	t.Setenv(EnvOffline, "1")
	dir := t.TempDir()
	path := expect.File(t, filepath.Join(dir, "data.gz"), content)
	file := unpublished("http://127.0.0.1:9")
	expect.NoError(t, Fetch(context.Background(), dir, file, FetchOptions{}))
	wantNames(t, dir, "data.gz", "data.gz.sha256")
	changed := append([]byte{}, content...)
	changed[5]++
	expect.File(t, path, changed)
	expect.NoError(t, os.Remove(path+".sha256"))
	expect.Error(t, Fetch(context.Background(), dir, file, FetchOptions{}), "first MiB", file.FirstMiB)
	expect.File(t, path, changed[1:])
	expect.Error(t, Fetch(context.Background(), dir, file, FetchOptions{}), "199999 bytes, not 200000")
	expect.NoError(t, os.Remove(path))
	err := Fetch(context.Background(), dir, file, FetchOptions{})
	expect.Error(t, err, "no SHA-256 published", "MD5 of the first MiB "+file.FirstMiB, "http://127.0.0.1:9", dir)
}

// The sum of the first MiB covers exactly 2²⁰ bytes.
func TestFirstMiB(t *testing.T) {
	long := make([]byte, mebibyte+3)
	for i := range long {
		long[i] = uint8(i * 7)
	}
	first := md5.Sum(long[:mebibyte])
	file := RemoteFile{Name: "long", Size: int64(len(long)), FirstMiB: hex.EncodeToString(first[:]), URLs: []string{"x"}}
	expect.Equal(t, expect.Must(file.check(bytes.NewReader(long)))(t), packtest.SHA256(long))
	long[mebibyte]++ // after the first MiB
	expect.Must(file.check(bytes.NewReader(long)))(t)
	long[mebibyte-1]++
	expect.Is(t, expect.Err(file.check(bytes.NewReader(long))), errMismatch)
	file.FirstMiB = "abc"
	expect.Error(t, file.validate(), "32 hexadecimal")
}

// An earlier file of the publisher is accepted in place without a record; one bit or byte more or less is rejected.
func TestFetchAcceptsAnOlderFile(t *testing.T) {
	t.Setenv(EnvOffline, "1")
	dir := t.TempDir()
	older := []byte("what was there before")
	file := unpublished("http://127.0.0.1:9")
	file.Older = []OlderFile{{1, strings.Repeat("00", 32)}, {int64(len(older)), packtest.SHA256(older)}}
	path := expect.File(t, filepath.Join(dir, "data.gz"), older)
	expect.NoError(t, Fetch(context.Background(), dir, file, FetchOptions{}))
	wantNames(t, dir, "data.gz")
	older[3]++
	expect.File(t, path, older)
	expect.Error(t, Fetch(context.Background(), dir, file, FetchOptions{}), "in the way", "SHA-256",
		file.Older[1].SHA256)
	expect.File(t, path, older[1:])
	expect.Error(t, Fetch(context.Background(), dir, file, FetchOptions{}), "20 bytes, not 200000")
	// The current file is accepted as before.
	expect.File(t, path, content)
	expect.NoError(t, Fetch(context.Background(), dir, file, FetchOptions{}))
	wantNames(t, dir, "data.gz", "data.gz.sha256")
	for _, name := range []string{"data.gz", "data.gz.sha256"} {
		expect.NoError(t, os.Remove(filepath.Join(dir, name)))
	}
	expect.Error(t, Fetch(context.Background(), dir, file, FetchOptions{}),
		"or an older one of 21 bytes, SHA-256 "+file.Older[1].SHA256)

	file.Older = []OlderFile{{file.Size, file.Older[1].SHA256}}
	expect.Error(t, file.validate(), "a size of its own")
	file.Older = []OlderFile{{5, "abc"}}
	expect.Error(t, file.validate(), "64 hexadecimal")
}

func TestOlderArchives(t *testing.T) {
	for name, want := range map[string]string{"imagewoof2-160": "92560471 663c22f6", "imagewoof2-320": "328288506 4e4905ed"} {
		a := expect.Must(FindArchive(name))(t)
		if older := a.File.Older; len(older) != 1 || fmt.Sprintf("%d %.8s", older[0].Size, older[0].SHA256) != want {
			t.Errorf("%s: %v, want %s", name, older, want)
		}
		a.File.Older[0].Size = 1
	}
	a, err := FindArchive("imagewoof2-160")
	expect.That(t, err == nil && a.File.Older[0].Size != 1, "a caller can change the archives")
}

func TestReadRecord(t *testing.T) {
	path := filepath.Join(t.TempDir(), "data.gz")
	expect.Equal(t, expect.Must(readRecord(path))(t), "", "no record:")
	sum := strings.Repeat("ab", 32)
	expect.NoError(t, writeRecord(path, sum))
	expect.Equal(t, expect.Must(readRecord(path))(t), sum, "error")
	for name, text := range map[string]string{"another file": sum + "  other.gz\n", "no sum": "ab  data.gz\n", "empty": ""} {
		expect.File(t, path+recordSuffix, []byte(text))
		_, err := readRecord(path)
		expect.That(t, err != nil && strings.Contains(err.Error(), "remove it"),
			"%s: error %v, want one that says to remove the record", name, err)
	}
}

func TestFolders(t *testing.T) {
	cache := expect.Must(os.UserCacheDir())(t)
	cached := filepath.Join(cache, "pucl", "shapes")
	dir := t.TempDir()

	t.Setenv(EnvDataDir, dir)
	expect.Equal(t, Folders("shapes"), []string{filepath.Join(dir, "shapes"), dir, cached}, "with %s", EnvDataDir)
	expect.Equal(t, expect.Must(DownloadFolder("shapes"))(t), filepath.Join(dir, "shapes"), "downloads go to")

	t.Setenv(EnvDataDir, "")
	expect.Equal(t, Folders("shapes"), []string{cached}, "without %s", EnvDataDir)
	expect.Equal(t, expect.Must(DownloadFolder("shapes"))(t), cached, "downloads go to")

	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "home"} { // read by os.UserCacheDir
		t.Setenv(name, "")
	}
	expect.Error(t, expect.Err(DownloadFolder("shapes")), "shapes", EnvDataDir)
}
