package datasets_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"encoding/binary"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/internal/damagetest"
)

// zipped returns data as a gzip file.
func zipped(t *testing.T, data []byte) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	if _, err := zip.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := zip.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// tarred returns a .tar.gz of a folder with two files.
func tarred(t *testing.T) []byte {
	t.Helper()
	var b bytes.Buffer
	w := tar.NewWriter(&b)
	for _, file := range [][2]string{{"set/a", "one"}, {"set/sub/b", strings.Repeat("two", 300)}} {
		if err := w.WriteHeader(&tar.Header{Name: file[0], Mode: 0o644, Size: int64(len(file[1]))}); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(file[1])); err != nil {
			t.Fatal(err)
		}
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return zipped(t, b.Bytes())
}

// Damaged files of data sets never crash their readers, and are never taken for other data where the format has a checksum:
// gzip has one. IDX files that somebody unpacked, .npy and CSV files have none; there, only what breaks the form is seen.
func TestFaultDamagedFiles(t *testing.T) {
	idx := append(binary.BigEndian.AppendUint32(nil, 0x801), binary.BigEndian.AppendUint32(nil, 300)...)
	for i := range 300 {
		idx = append(idx, byte(i*i))
	}
	readIDX := func(data []byte) (string, error) {
		dims, data, err := datasets.ReadIDX(bytes.NewReader(data))
		return fmt.Sprint(dims, data), err
	}
	var csv strings.Builder
	csv.WriteString("width,height,kind\n")
	for i := range 40 {
		fmt.Fprintf(&csv, "%g,%d,%s\n", float64(i)/7, i*i, []string{"round", "long"}[i%2])
	}
	npy := "\x93NUMPY\x01\x00\x76\x00{'descr': '<f4', 'fortran_order': False, 'shape': (10, 8), }"
	npy += strings.Repeat(" ", 127-len(npy)) + "\n" + strings.Repeat("\x00\x00\x80\x3f\xdb\x0f\x49\x40", 40)
	for _, tt := range []struct {
		name    string
		data    []byte
		checked bool
		read    func(data []byte) (string, error)
	}{
		{"archive .tar.gz", tarred(t), true, func(data []byte) (string, error) { return unpacked(t, data) }},
		{"IDX, compressed", zipped(t, idx), true, readIDX},
		{"IDX, unpacked by hand", idx, false, readIDX},
		{".npy", []byte(npy), false, func(data []byte) (string, error) {
			a, err := tabular.ReadNPY(fstest.MapFS{"a.npy": {Data: data}}, "a.npy")
			return fmt.Sprint(a), err
		}},
		{"CSV", []byte(csv.String()), false, func(data []byte) (string, error) {
			table, err := tabular.ReadCSV(bytes.NewReader(data), tabular.CSV{Label: "kind"})
			return fmt.Sprint(table), err
		}},
	} {
		result, err := damagetest.Try(tt.data, 500, tt.read)
		if err != nil || result.Panicked > 0 || result.Refused == 0 || tt.checked && result.Other > 0 || !tt.checked && result.Other == 0 {
			t.Errorf("%s: %v, %v", tt.name, result, err)
		}
		t.Logf("| damaged %s of %d bytes | %v |", tt.name, len(tt.data), result)
	}
}

// unpacked returns names and contents of what an archive unpacks to.
func unpacked(t *testing.T, archive []byte) (all string, err error) {
	t.Helper()
	dir := t.TempDir()
	defer os.RemoveAll(dir)
	path := filepath.Join(dir, "set.tgz")
	if err := os.WriteFile(path, archive, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := datasets.Unpack(context.Background(), path, dir, "set", datasets.UnpackOptions{Bytes: 1 << 20}); err != nil {
		if _, there := os.Stat(filepath.Join(dir, "set")); there == nil {
			t.Errorf("refused with %v, but there is a folder", err)
		}
		return "", err
	}
	set := os.DirFS(filepath.Join(dir, "set"))
	err = fs.WalkDir(set, ".", func(path string, d fs.DirEntry, err error) error {
		if err == nil && !d.IsDir() {
			var data []byte
			data, err = fs.ReadFile(set, path)
			all += fmt.Sprintf("%s=%s\n", path, data)
		}
		return err
	})
	return all, err
}
