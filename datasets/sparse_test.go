package datasets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"path/filepath"
	"strings"
	"testing"
)

// sparseArchive returns a .tar.gz of a folder f and a file of size bytes in it, all of them a hole: a few hundred bytes that tar
// reads as that many zeros. The writer of tar refuses to make such an entry, so its records are written under other keys of the
// same length.
func sparseArchive(t *testing.T, size string) []byte {
	t.Helper()
	var plain bytes.Buffer
	w := tar.NewWriter(&plain)
	noHoles := "0\n" + strings.Repeat("\x00", 510) // a map of no pieces of data
	for _, h := range []*tar.Header{
		{Name: "f/", Typeflag: tar.TypeDir, Mode: 0o755},
		{Name: "f/zeros", Typeflag: tar.TypeReg, Mode: 0o644, Size: int64(len(noHoles)), PAXRecords: map[string]string{
			"XXX.sparse.major": "1", "XXX.sparse.minor": "0", "XXX.sparse.name": "f/zeros", "XXX.sparse.realsize": size}},
	} {
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if h.Size > 0 {
			if _, err := w.Write([]byte(noHoles)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(bytes.ReplaceAll(plain.Bytes(), []byte("XXX.sparse."), []byte("GNU.sparse.")))
	if err := errors.Join(err, zip.Close()); err != nil {
		t.Fatal(err)
	}
	return packed.Bytes()
}

// A hole costs nothing in an archive and everything on the disk, so that a limit on what is read does not bound it.
func TestUnpackRefusesHoles(t *testing.T) {
	dir := t.TempDir()
	data := sparseArchive(t, "67108864")
	if len(data) > 1000 {
		t.Fatalf("the archive has %d bytes", len(data))
	}
	archive := writeFile(t, filepath.Join(dir, "a.tar.gz"), data)
	err := Unpack(context.Background(), archive, dir, "f", UnpackOptions{Bytes: 1 << 20})
	if err == nil || !strings.Contains(err.Error(), "sparse") {
		t.Errorf("an archive of %d bytes that unpacks to 64 MiB gave %v", len(data), err)
	}
	wantTree(t, dir, "a.tar.gz="+string(data))
}
