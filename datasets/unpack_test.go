package datasets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// entry is a tar entry; a name that ends in "/" is a folder.
type entry struct {
	name, content string
	kind          byte   // 0: by the name
	link          string // where a link points to
}

// packed returns a .tar.gz of the entries.
func packed(t *testing.T, entries ...entry) []byte {
	t.Helper()
	var b bytes.Buffer
	zip := gzip.NewWriter(&b)
	w := tar.NewWriter(zip)
	for _, e := range entries {
		h := &tar.Header{Name: e.name, Mode: 0o777, Size: int64(len(e.content)), Typeflag: e.kind, Linkname: e.link}
		if e.kind == 0 {
			h.Typeflag = tar.TypeReg
			if strings.HasSuffix(e.name, "/") {
				h.Typeflag = tar.TypeDir
			}
		}
		if e.kind == tar.TypeXGlobalHeader {
			h = &tar.Header{Typeflag: e.kind, PAXRecords: map[string]string{"comment": "none"}}
		}
		if err := w.WriteHeader(h); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(e.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zip.Close()); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func writeFile(t *testing.T, path string, content []byte) string {
	t.Helper()
	if err := os.WriteFile(path, content, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

// wantTree fails unless the folder holds just these files, written "path=content" and joined by blanks.
func wantTree(t *testing.T, dir, want string) {
	t.Helper()
	var found []string
	err := fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(os.DirFS(dir), path)
		found = append(found, path+"="+string(content))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if got := strings.Join(found, " "); got != want {
		t.Errorf("the folder holds %q, want %q", got, want)
	}
}

func TestUnpack(t *testing.T) {
	for name, entries := range map[string][]entry{
		"with folders":    {{name: "set/"}, {name: "set/a.bin", content: "1"}, {name: "set/sub/"}, {name: "set/sub/b", content: "22"}},
		"without folders": {{name: "set/a.bin", content: "1"}, {name: "set/sub/b", content: "22"}},
		"dots":            {{name: "./"}, {name: "./set/"}, {name: "./set/a.bin", content: "1"}, {name: "./set/sub/b", content: "22"}},
		"a remark":        {{kind: tar.TypeXGlobalHeader}, {name: "set/a.bin", content: "1"}, {name: "set/sub/b", content: "22"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			archive := writeFile(t, filepath.Join(t.TempDir(), "set.tgz"), packed(t, entries...))
			if err := Unpack(context.Background(), archive, dir, "set", UnpackOptions{}); err != nil {
				t.Fatal(err)
			}
			wantTree(t, filepath.Join(dir, "set"), "a.bin=1 sub/b=22")
			wantNames(t, dir, "set")
			info, err := os.Stat(filepath.Join(dir, "set", "a.bin"))
			if err != nil || info.Mode().Perm()&0o111 != 0 {
				t.Errorf("%v, %v: a data file is executable", info.Mode(), err)
			}
			err = Unpack(context.Background(), archive, dir, "set", UnpackOptions{})
			wantError(t, err, "is there already")
			if !errors.Is(err, fs.ErrExist) {
				t.Errorf("error %v, want fs.ErrExist", err)
			}
		})
	}
}

// Nothing of a refused archive stays, and nothing of it gets out of the folder.
func TestUnpackRefuses(t *testing.T) {
	ok := entry{name: "set/a", content: "1"}
	good := packed(t, ok, entry{name: "set/b", content: strings.Repeat("x", 5000)})
	flipped := bytes.Clone(good)
	flipped[len(flipped)-6] ^= 1 // in the checksum that ends a gzip stream
	for _, tt := range []struct {
		name    string
		archive []byte
		opts    UnpackOptions
		want    []string
	}{
		{"up", packed(t, ok, entry{name: "../out", content: "!"}), UnpackOptions{}, []string{`"../out"`, "not a plain path"}},
		{"up inside", packed(t, ok, entry{name: "set/../../out", content: "!"}), UnpackOptions{}, []string{"not a plain path"}},
		{"absolute", packed(t, ok, entry{name: "/tmp/out", content: "!"}), UnpackOptions{}, []string{"not a plain path"}},
		{"two slashes", packed(t, ok, entry{name: "set//b", content: "!"}), UnpackOptions{}, []string{"not a plain path"}},
		{"a line break", packed(t, ok, entry{name: "set/b\nc", content: "!"}), UnpackOptions{}, []string{"not a plain path"}},
		{"the folder above", packed(t, ok, entry{name: "..", kind: tar.TypeDir}), UnpackOptions{}, []string{"not a plain path"}},
		{"beside", packed(t, ok, entry{name: "other/b", content: "!"}), UnpackOptions{}, []string{`"other/b"`, "outside of the folder set"}},
		{"beginning alike", packed(t, ok, entry{name: "settle/b", content: "!"}), UnpackOptions{}, []string{"outside"}},
		{"symbolic link", packed(t, ok, entry{name: "set/l", kind: tar.TypeSymlink, link: "/etc"}), UnpackOptions{}, []string{"links and devices"}},
		{"through a link", packed(t, entry{name: "set", kind: tar.TypeSymlink, link: "/tmp"}, ok), UnpackOptions{}, []string{"links and devices"}},
		{"hard link", packed(t, ok, entry{name: "set/l", kind: tar.TypeLink, link: "set/a"}), UnpackOptions{}, []string{"links and devices"}},
		{"device", packed(t, ok, entry{name: "set/d", kind: tar.TypeChar}), UnpackOptions{}, []string{"links and devices"}},
		{"pipe", packed(t, ok, entry{name: "set/p", kind: tar.TypeFifo}), UnpackOptions{}, []string{"links and devices"}},
		{"twice", packed(t, ok, ok), UnpackOptions{}, []string{`"set/a" twice`}},
		{"file for folder", packed(t, ok, entry{name: "set/a/b", content: "!"}), UnpackOptions{}, []string{"a"}},
		{"no folder", packed(t), UnpackOptions{}, []string{"no folder set"}},
		{"a file for the folder", packed(t, entry{name: "set", content: "1"}), UnpackOptions{}, []string{"no folder set"}},
		{"too many", packed(t, ok, entry{name: "set/b"}, entry{name: "set/c"}), UnpackOptions{Files: 2}, []string{"more than 2 files"}},
		{"too large", packed(t, ok, entry{name: "set/b", content: strings.Repeat("0", 1<<20)}), UnpackOptions{Bytes: 1 << 16},
			[]string{"too large", "65536 bytes"}},
		{"cut", good[:len(good)-20], UnpackOptions{}, []string{"damaged", "get it again"}},
		{"cut early", good[:5], UnpackOptions{}, []string{"damaged"}},
		{"wrong checksum", flipped, UnpackOptions{}, []string{"damaged"}},
		{"no gzip", []byte("PK: this is a zip file"), UnpackOptions{}, []string{"damaged"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "data")
			if err := os.Mkdir(dir, 0o755); err != nil {
				t.Fatal(err)
			}
			archive := writeFile(t, filepath.Join(t.TempDir(), "set.tgz"), tt.archive)
			err := Unpack(context.Background(), archive, dir, "set", tt.opts)
			wantError(t, err, append(tt.want, archive)...)
			wantNames(t, dir)
			wantNames(t, root, "data")
		})
	}
}

// The sums are those that sha256sum would print for the contents "1" and "", and an archive's own file stays.
func TestUnpackSums(t *testing.T) {
	dir := t.TempDir()
	archive := writeFile(t, filepath.Join(dir, "set.tgz"), packed(t, entry{name: "set/"}, entry{name: "set/a", content: "1"},
		entry{name: "set/sub/b"}))
	if err := Unpack(context.Background(), archive, dir, "set", UnpackOptions{Sums: true}); err != nil {
		t.Fatal(err)
	}
	wantTree(t, filepath.Join(dir, "set"), "SHA256SUMS="+
		"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a\n"+
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  sub/b\n a=1 sub/b=")
	archive = writeFile(t, filepath.Join(dir, "own.tgz"), packed(t, entry{name: "own/SHA256SUMS", content: "mine"}))
	if err := Unpack(context.Background(), archive, dir, "own", UnpackOptions{Sums: true}); err != nil {
		t.Fatal(err)
	}
	wantTree(t, filepath.Join(dir, "own"), "SHA256SUMS=mine")
}

func TestUnpackOther(t *testing.T) {
	dir := t.TempDir()
	archive := writeFile(t, filepath.Join(t.TempDir(), "set.tgz"), packed(t, entry{name: "set/a", content: "1"}))
	for _, folder := range []string{"", ".", "..", "a/b", "/a"} {
		wantError(t, Unpack(context.Background(), archive, dir, folder, UnpackOptions{}), "plain name")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	if err := Unpack(ctx, archive, dir, "set", UnpackOptions{}); !errors.Is(err, cause) {
		t.Errorf("error %v, want the cause", err)
	}
	if err := Unpack(context.Background(), filepath.Join(dir, "none"), dir, "set", UnpackOptions{}); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v, want fs.ErrNotExist", err)
	}
	wantNames(t, dir)
	// The limit is on all bytes, and the exact number passes: header, padded content, two empty blocks.
	size := int64(512 + 512 + 1024)
	wantError(t, Unpack(context.Background(), archive, dir, "set", UnpackOptions{Bytes: size - 1}), "too large")
	if err := Unpack(context.Background(), archive, dir, "set", UnpackOptions{Bytes: size, Files: 1}); err != nil {
		t.Error(err)
	}
	if err := Unpack(context.Background(), archive, t.TempDir(), "set", UnpackOptions{Bytes: math.MaxInt64}); err != nil {
		t.Errorf("without a limit: %v", err)
	}
}

// Whatever the bytes are, Unpack either makes the one folder or leaves nothing, and writes nowhere else.
func FuzzUnpack(f *testing.F) {
	syncPath = func(string, bool) error { return nil } // the disk takes no part, and would take most of the time
	var plain bytes.Buffer                             // uncompressed, so that mutations reach the entries; see below
	w := tar.NewWriter(&plain)
	for _, e := range []struct {
		name string
		kind byte
	}{{"set/", tar.TypeDir}, {"set/a", tar.TypeReg}, {"set/l", tar.TypeSymlink}, {"../b", tar.TypeReg}} {
		if err := w.WriteHeader(&tar.Header{Name: e.name, Typeflag: e.kind, Linkname: "/", Mode: 0o644}); err != nil {
			f.Fatal(err)
		}
		f.Add(bytes.Clone(plain.Bytes()), true)
	}
	f.Add([]byte("set"), false)
	f.Fuzz(func(t *testing.T, content []byte, compress bool) {
		if compress {
			var zipped bytes.Buffer
			zip := gzip.NewWriter(&zipped)
			if _, err := zip.Write(content); err != nil {
				t.Fatal(err)
			}
			if err := zip.Close(); err != nil {
				t.Fatal(err)
			}
			content = zipped.Bytes()
		}
		root := t.TempDir()
		dir := filepath.Join(root, "data")
		if err := os.Mkdir(dir, 0o755); err != nil {
			t.Fatal(err)
		}
		archive := writeFile(t, filepath.Join(root, "set.tgz"), content)
		if err := Unpack(context.Background(), archive, dir, "set", UnpackOptions{Bytes: 1 << 20, Files: 10}); err != nil {
			wantNames(t, dir)
		} else {
			wantNames(t, dir, "set")
		}
		wantNames(t, root, "data", "set.tgz")
	})
}
