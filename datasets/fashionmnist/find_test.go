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
)

// places sets up the folders in which Find looks, all of them new and none of them made yet.
func places(t *testing.T) (data, cache, system string) {
	t.Helper()
	root := t.TempDir()
	data, system = filepath.Join(root, "data"), filepath.Join(root, "system")
	t.Setenv(datasets.EnvDataDir, data)
	t.Setenv(datasets.EnvOffline, "")
	for _, name := range []string{"HOME", "XDG_CACHE_HOME", "LocalAppData", "home"} { // what os.UserCacheDir goes by
		t.Setenv(name, filepath.Join(root, "home"))
	}
	user, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	before := systemFolders
	systemFolders = []string{system}
	t.Cleanup(func() { systemFolders = before })
	return data, filepath.Join(user, "pucl", "fashion-mnist"), system
}

func write(t *testing.T, dir, name string, content []byte) {
	t.Helper()
	if err := os.MkdirAll(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, name), content, 0o644); err != nil {
		t.Fatal(err)
	}
}

func writeTiny(t *testing.T, dir string) {
	t.Helper()
	write(t, dir, "tiny-images.gz", zipped(t, tinyImages))
	write(t, dir, "tiny-labels", tinyLabels)
}

// Filled from the last place to the first, each place must win over those behind it.
func TestLocateOrder(t *testing.T) {
	data, cache, system := places(t)
	p := tiny(t)
	_, err := p.locate()
	wantError(t, err, data, cache, system, "no such folder")
	if !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want %v", err, fs.ErrNotExist)
	}
	for _, dir := range []string{system, cache, data, filepath.Join(data, "fashion-mnist")} {
		writeTiny(t, dir)
		got, err := p.locate()
		if err != nil {
			t.Fatal(err)
		}
		if got != dir {
			t.Errorf("found in %s, want %s", got, dir)
		}
	}
}

func TestLocateHalf(t *testing.T) {
	data, cache, _ := places(t)
	write(t, data, "tiny-images", tinyImages)
	_, err := tiny(t).locate()
	wantError(t, err, "no tiny-labels.gz and no tiny-labels")
	writeTiny(t, cache)
	if got, err := tiny(t).locate(); err != nil || got != cache {
		t.Errorf("found in %s, %v; want %s", got, err, cache)
	}
}

func TestFindLooksForTheTrainingPart(t *testing.T) {
	data, _, _ := places(t)
	write(t, data, "train-images-idx3-ubyte.gz", nil)
	_, err := Find()
	wantError(t, err, "60000 images", "no train-labels-idx1-ubyte.gz")
	write(t, data, "train-labels-idx1-ubyte.gz", nil)
	if got, err := Find(); err != nil || got != data {
		t.Errorf("found in %s, %v; want %s", got, err, data)
	}
}

// web serves the tiny files and counts the requests.
func web(t *testing.T) (host string, requests map[string]int) {
	t.Helper()
	requests = map[string]int{}
	files := map[string][]byte{"tiny-images.gz": zipped(t, tinyImages), "tiny-labels.gz": zipped(t, tinyLabels)}
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
		dir, err := p.download(context.Background(), []string{host}, datasets.FetchOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if dir != wantDir {
			t.Errorf("downloaded into %s, want %s", dir, wantDir)
		}
		if _, err := p.load(os.DirFS(dir)); err != nil {
			t.Error(err)
		}
	}
	wantRequests := func(t *testing.T, images, labels int) {
		t.Helper()
		if requests["tiny-images.gz"] != images || requests["tiny-labels.gz"] != labels {
			t.Errorf("requests %v, want %d and %d", requests, images, labels)
		}
	}

	t.Run("nothing where it is there", func(t *testing.T) {
		writeTiny(t, system)
		fetch(t, system)
		wantRequests(t, 0, 0)
		if err := os.RemoveAll(system); err != nil {
			t.Fatal(err)
		}
	})
	t.Run("what is missing", func(t *testing.T) {
		dir := filepath.Join(data, "fashion-mnist")
		write(t, dir, "tiny-images", tinyImages)
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
		write(t, filepath.Join(data, "fashion-mnist"), "tiny-images", []byte("mine"))
		_, err := p.download(context.Background(), []string{host}, datasets.FetchOptions{})
		wantError(t, err, "tiny-images", "something else", "remove", data)
		wantRequests(t, 1, 2)
	})
}

func TestDownloadOffline(t *testing.T) {
	data, _, _ := places(t)
	t.Setenv(datasets.EnvOffline, "1")
	dir, err := Download(context.Background(), datasets.FetchOptions{})
	if !errors.Is(err, datasets.ErrOffline) || dir != "" {
		t.Errorf("%q, error %v, want %v", dir, err, datasets.ErrOffline)
	}
	wantError(t, err, "train-images-idx3-ubyte.gz", "26421880 bytes", filepath.Join(data, "fashion-mnist"), hosts[0], hosts[1])
}

// The descriptions of the published files must be ones that Fetch accepts: all but the network is tried.
func TestDownloadDescriptions(t *testing.T) {
	t.Setenv(datasets.EnvOffline, "1")
	for which, p := range parts {
		for _, f := range []file{p.images, p.labels} {
			err := datasets.Fetch(context.Background(), t.TempDir(), f.remote(hosts), datasets.FetchOptions{})
			if !errors.Is(err, datasets.ErrOffline) {
				t.Errorf("%v, %s: %v", which, f.name, err)
			}
		}
	}
}
