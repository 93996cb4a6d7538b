package fashionmnist

import (
	"bytes"
	"compress/gzip"
	"crypto/sha256"
	"encoding/hex"
	"strings"
	"testing"
	"testing/fstest"
)

// The files of a part that is as small as can be: two images of 1×2 pixels, an ankle boot and a T-shirt.
var (
	tinyImages = []byte{0, 0, 8, 3, 0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 2, 1, 2, 3, 4}
	tinyLabels = []byte{0, 0, 8, 1, 0, 0, 0, 2, 9, 0}
)

// tiny describes these files as the package describes the published ones.
func tiny(t *testing.T) part {
	t.Helper()
	describe := func(name string, content []byte) file {
		packed := zipped(t, content)
		return file{name: name, size: int64(len(content)), sum: sum(content), gzSize: int64(len(packed)), gzSum: sum(packed)}
	}
	return part{count: 2, images: describe("tiny-images", tinyImages), labels: describe("tiny-labels", tinyLabels)}
}

func sum(content []byte) string {
	s := sha256.Sum256(content)
	return hex.EncodeToString(s[:])
}

func zipped(t *testing.T, content []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	w := gzip.NewWriter(&b)
	if _, err := w.Write(content); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// folder makes a file system of names and contents in turn.
func folder(t *testing.T, namesAndContents ...any) fstest.MapFS {
	t.Helper()
	fsys := fstest.MapFS{}
	for i := 0; i < len(namesAndContents); i += 2 {
		fsys[namesAndContents[i].(string)] = &fstest.MapFile{Data: namesAndContents[i+1].([]byte)}
	}
	return fsys
}

func wantError(t *testing.T, err error, parts ...string) {
	t.Helper()
	if err == nil {
		t.Fatalf("no error, want one with %q", parts)
	}
	for _, part := range parts {
		if !strings.Contains(err.Error(), part) {
			t.Errorf("error %q lacks %q", err, part)
		}
	}
}
