package launcher

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

// What -data takes: nothing, a name, several.
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

// tinyArchive returns a data set of one file, which a server in this process hands out.
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
		if _, err := w.Write(content); err != nil {
			t.Error(err)
		}
	})
	w := newWorkshop(t)
	for range 2 { // the second time it is there
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
