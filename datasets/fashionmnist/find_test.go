package fashionmnist

import (
	"bytes"
	"context"
	"errors"
	"io/fs"
	"net/http"
	"net/http/httptest"
	"os"
	"path"
	"path/filepath"
	"testing"
	"time"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/expect"
)

// places returns the folders that Find searches; none exists yet.
func places(t *testing.T) (data, cache, system string) {
	t.Helper()
	root := t.TempDir()
	data, system = filepath.Join(root, "data"), filepath.Join(root, "system")
	t.Setenv(datasets.EnvDataDir, data)
	t.Setenv(datasets.EnvOffline, "")
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "home"} { // read by os.UserCacheDir
		t.Setenv(name, filepath.Join(root, "home"))
	}
	user := expect.Must(os.UserCacheDir())(t)
	before := systemFolders
	systemFolders = []string{system}
	t.Cleanup(func() { systemFolders = before })
	return data, filepath.Join(user, "pucl", "fashion-mnist"), system
}

func writeTiny(t *testing.T, dir string) {
	t.Helper()
	expect.File(t, filepath.Join(dir, "tiny-images.gz"), packtest.Gzip(t, tinyImages))
	expect.File(t, filepath.Join(dir, "tiny-labels"), tinyLabels)
}

// Filled from the last place to the first, each place has priority over later ones.
func TestLocateOrder(t *testing.T) {
	data, cache, system := places(t)
	p := tiny(t)
	_, err := p.locate()
	expect.Error(t, err, data, cache, system, "no such folder")
	expect.That(t, errors.Is(err, fs.ErrNotExist), "error %v, want %v", err, fs.ErrNotExist)
	for _, dir := range []string{system, cache, data, filepath.Join(data, "fashion-mnist")} {
		writeTiny(t, dir)
		got := expect.Must(p.locate())(t)
		expect.That(t, got == dir, "found in %s, want %s", got, dir)
	}
}

func TestLocateHalf(t *testing.T) {
	data, cache, _ := places(t)
	expect.File(t, filepath.Join(data, "tiny-images"), tinyImages)
	expect.Error(t, expect.Err(tiny(t).locate()), "no tiny-labels.gz and no tiny-labels")
	writeTiny(t, cache)
	expect.Equal(t, expect.Must(tiny(t).locate())(t), cache, "found in")
}

func TestFindLooksForTheTrainingPart(t *testing.T) {
	data, _, _ := places(t)
	expect.File(t, filepath.Join(data, "train-images-idx3-ubyte.gz"), nil)
	expect.Error(t, expect.Err(Find()), "60000 images", "no train-labels-idx1-ubyte.gz")
	expect.File(t, filepath.Join(data, "train-labels-idx1-ubyte.gz"), nil)
	expect.Equal(t, expect.Must(Find())(t), data, "found in")
}

// web serves the tiny files and counts the requests.
func web(t *testing.T) (host string, requests map[string]int) {
	t.Helper()
	requests = map[string]int{}
	files := map[string][]byte{"tiny-images.gz": packtest.Gzip(t, tinyImages),
		"tiny-labels.gz": packtest.Gzip(t, tinyLabels)}
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		name := path.Base(r.URL.Path)
		requests[name]++
		http.ServeContent(w, r, "", time.Time{}, bytes.NewReader(files[name]))
	}))
	t.Cleanup(server.Close)
	return server.URL + "/fashion/", requests
}

func TestDownload(t *testing.T) {
	data, cache, system := places(t)
	host, requests := web(t)
	p := tiny(t)
	fetch := func(t *testing.T, wantDir string) {
		t.Helper()
		dir := expect.Must(p.download(context.Background(), []string{host}, datasets.FetchOptions{}))(t)
		expect.That(t, dir == wantDir, "downloaded into %s, want %s", dir, wantDir)
		if _, err := p.load(os.DirFS(dir)); err != nil {
			t.Error(err)
		}
	}
	wantRequests := func(t *testing.T, images, labels int) {
		t.Helper()
		expect.That(t, requests["tiny-images.gz"] == images && requests["tiny-labels.gz"] == labels,
			"requests %v, want %d and %d", requests, images, labels)
	}

	t.Run("nothing where it is there", func(t *testing.T) {
		writeTiny(t, system)
		fetch(t, system)
		wantRequests(t, 0, 0)
		expect.NoError(t, os.RemoveAll(system))
	})
	t.Run("what is missing", func(t *testing.T) {
		dir := filepath.Join(data, "fashion-mnist")
		expect.File(t, filepath.Join(dir, "tiny-images"), tinyImages)
		fetch(t, dir)
		wantRequests(t, 0, 1)
		fetch(t, dir)
		wantRequests(t, 0, 1)
	})
	t.Run("into the cache", func(t *testing.T) {
		t.Setenv(datasets.EnvDataDir, "")
		fetch(t, cache)
		wantRequests(t, 1, 2)
	})
	t.Run("not over a wrong file", func(t *testing.T) {
		expect.File(t, filepath.Join(filepath.Join(data, "fashion-mnist"), "tiny-images"), []byte("mine"))
		_, err := p.download(context.Background(), []string{host}, datasets.FetchOptions{})
		expect.Error(t, err, "tiny-images", "something else", "remove", data)
		wantRequests(t, 1, 2)
	})
}

func TestDownloadOffline(t *testing.T) {
	data, _, _ := places(t)
	t.Setenv(datasets.EnvOffline, "1")
	dir, err := Download(context.Background(), datasets.FetchOptions{})
	expect.That(t, errors.Is(err, datasets.ErrOffline) && dir == "",
		"%q, error %v, want %v", dir, err, datasets.ErrOffline)
	expect.Error(t, err, "train-images-idx3-ubyte.gz", "26421880 bytes", filepath.Join(data, "fashion-mnist"),
		hosts[0], hosts[1])
}

// Fetch must accept the descriptions of the published files; the test covers everything except the network.
func TestDownloadDescriptions(t *testing.T) {
	t.Setenv(datasets.EnvOffline, "1")
	for which, p := range parts {
		for _, f := range []file{p.images, p.labels} {
			err := datasets.Fetch(context.Background(), t.TempDir(), f.remote(hosts), datasets.FetchOptions{})
			expect.That(t, errors.Is(err, datasets.ErrOffline), "%v, %s: %v", which, f.name, err)
		}
	}
}
