// Package packtest makes archives and checksums for tests of readers.
package packtest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// Gzip returns data as a gzip file.
func Gzip(t testing.TB, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	_, err := w.Write(data)
	expect.NoError(t, errors.Join(err, w.Close()))
	return b.Bytes()
}

// SHA256 returns the hexadecimal checksum of data.
func SHA256(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// Entry is an entry of a tar archive. A name that ends in "/" is a folder.
type Entry struct {
	Name, Content string
	Kind          byte   // tar's type flag; 0 means a file or a folder, by the name
	Link          string // the target of a link
}

// TarGzip returns a .tar.gz of the entries.
func TarGzip(t testing.TB, entries ...Entry) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, e := range entries {
		h := &tar.Header{Name: e.Name, Mode: 0o777, Size: int64(len(e.Content)), Typeflag: e.Kind, Linkname: e.Link}
		switch {
		case e.Kind == tar.TypeXGlobalHeader:
			h = &tar.Header{Typeflag: e.Kind, PAXRecords: map[string]string{"comment": "none"}}
		case e.Kind == 0 && strings.HasSuffix(e.Name, "/"):
			h.Typeflag = tar.TypeDir
		case e.Kind == 0:
			h.Typeflag = tar.TypeReg
		}
		expect.NoError(t, w.WriteHeader(h))
		_, err := w.Write([]byte(e.Content))
		expect.NoError(t, err)
	}
	expect.NoError(t, w.Close())
	return Gzip(t, b.Bytes())
}
