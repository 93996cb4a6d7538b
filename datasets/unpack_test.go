package datasets

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets/internal/packtest"
	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
)

// entry is an entry of an archive.
type entry = packtest.Entry

var packed = packtest.TarGzip

// tree returns the files of a folder, written "path=content" and joined by blanks.
func tree(t *testing.T, dir string) string {
	t.Helper()
	var found []string
	expect.NoError(t, fs.WalkDir(os.DirFS(dir), ".", func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		content, err := fs.ReadFile(os.DirFS(dir), path)
		found = append(found, path+"="+string(content))
		return err
	}))
	return strings.Join(found, " ")
}

// wantTree fails unless the folder holds exactly these files.
func wantTree(t *testing.T, dir, want string) {
	t.Helper()
	expect.Equal(t, tree(t, dir), want, "the folder")
}

// A damaged archive or compressed file never crashes its reader or is accepted: gzip has a checksum.
func TestFaultDamagedFiles(t *testing.T) {
	expect.Slow(t)
	defer func(real func(string, bool) error) { syncPath = real }(syncPath)
	syncPath = func(string, bool) error { return nil } // slow, and tested elsewhere
	archive := packed(t, entry{Name: "set/a", Content: "one"},
		entry{Name: "set/sub/b", Content: strings.Repeat("two", 300)})
	dir := t.TempDir()
	unpack := func(data []byte) (string, error) {
		path := expect.File(t, filepath.Join(dir, "set.tgz"), data)
		defer os.RemoveAll(filepath.Join(dir, "set"))
		if err := Unpack(context.Background(), path, dir, "set", UnpackOptions{Bytes: 1 << 20}); err != nil {
			wantNames(t, dir, "set.tgz")
			return "", err
		}
		return tree(t, filepath.Join(dir, "set")), nil
	}
	idx := packtest.Gzip(t, append(unhex(t, "00000801 0000012c"), content[:300]...))
	read := func(data []byte) (string, error) {
		dims, data, err := ReadIDX(bytes.NewReader(data))
		return fmt.Sprint(dims, data), err
	}
	for name, tt := range map[string]struct {
		data []byte
		read func(data []byte) (string, error)
	}{"archive .tar.gz": {archive, unpack}, "IDX, compressed": {idx, read}} {
		result := expect.Must(damagetest.Try(tt.data, 500, tt.read))(t)
		expect.That(t, result.Panicked == 0 && result.Refused > 0 && result.Other == 0, "%s: %v", name, result)
		t.Logf("| damaged %s of %d bytes | %v |", name, len(tt.data), result)
	}
}

func TestUnpack(t *testing.T) {
	for name, entries := range map[string][]entry{
		"with folders": {{Name: "set/"}, {Name: "set/a.bin", Content: "1"}, {Name: "set/sub/"},
			{Name: "set/sub/b", Content: "22"}},
		"without folders": {{Name: "set/a.bin", Content: "1"}, {Name: "set/sub/b", Content: "22"}},
		"dots": {{Name: "./"}, {Name: "./set/"}, {Name: "./set/a.bin", Content: "1"},
			{Name: "./set/sub/b", Content: "22"}},
		"a remark": {{Kind: tar.TypeXGlobalHeader}, {Name: "set/a.bin", Content: "1"},
			{Name: "set/sub/b", Content: "22"}},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			archive := expect.File(t, filepath.Join(t.TempDir(), "set.tgz"), packed(t, entries...))
			expect.NoError(t, Unpack(context.Background(), archive, dir, "set", UnpackOptions{}))
			wantTree(t, filepath.Join(dir, "set"), "a.bin=1 sub/b=22")
			wantNames(t, dir, "set")
			info, err := os.Stat(filepath.Join(dir, "set", "a.bin"))
			expect.That(t, err == nil && info.Mode().Perm()&0o111 == 0,
				"%v, %v: a data file is executable", info.Mode(), err)
			err = Unpack(context.Background(), archive, dir, "set", UnpackOptions{})
			expect.Error(t, err, "is there already")
			expect.That(t, errors.Is(err, fs.ErrExist), "error %v, want fs.ErrExist", err)
		})
	}
}

// Nothing of a rejected archive remains, and nothing is written outside the folder.
func TestUnpackRefuses(t *testing.T) {
	ok := entry{Name: "set/a", Content: "1"}
	good := packed(t, ok, entry{Name: "set/b", Content: strings.Repeat("x", 5000)})
	flipped := bytes.Clone(good)
	flipped[len(flipped)-6] ^= 1 // in the checksum that ends a gzip stream
	refused := func(name string, archive []byte, opts UnpackOptions, want ...string) {
		t.Run(name, func(t *testing.T) {
			root := t.TempDir()
			dir := filepath.Join(root, "data")
			expect.NoError(t, os.Mkdir(dir, 0o755))
			path := expect.File(t, filepath.Join(t.TempDir(), "set.tgz"), archive)
			expect.Error(t, Unpack(context.Background(), path, dir, "set", opts), append(want, path)...)
			wantNames(t, dir)
			wantNames(t, root, "data")
		})
	}
	for _, tt := range []struct {
		name string
		bad  entry // after a good one
		want string
	}{
		{"up", entry{Name: "../out", Content: "!"}, `"../out", which is not a plain path`},
		{"up inside", entry{Name: "set/../../out", Content: "!"}, "not a plain path"},
		{"absolute", entry{Name: "/tmp/out", Content: "!"}, "not a plain path"},
		{"two slashes", entry{Name: "set//b", Content: "!"}, "not a plain path"},
		{"a line break", entry{Name: "set/b\nc", Content: "!"}, "not a plain path"},
		{"the folder above", entry{Name: "..", Kind: tar.TypeDir}, "not a plain path"},
		{"beside", entry{Name: "other/b", Content: "!"}, `"other/b", outside of the folder set`},
		{"beginning alike", entry{Name: "settle/b", Content: "!"}, "outside"},
		{"symbolic link", entry{Name: "set/l", Kind: tar.TypeSymlink, Link: "/etc"}, "links and devices"},
		{"hard link", entry{Name: "set/l", Kind: tar.TypeLink, Link: "set/a"}, "links and devices"},
		{"device", entry{Name: "set/d", Kind: tar.TypeChar}, "links and devices"},
		{"pipe", entry{Name: "set/p", Kind: tar.TypeFifo}, "links and devices"},
		{"twice", ok, `"set/a" twice`},
		{"file for folder", entry{Name: "set/a/b", Content: "!"}, "a"},
	} {
		refused(tt.name, packed(t, ok, tt.bad), UnpackOptions{}, tt.want)
	}
	through := entry{Name: "set", Kind: tar.TypeSymlink, Link: "/tmp"}
	refused("through a link", packed(t, through, ok), UnpackOptions{}, "links and devices")
	refused("no folder", packed(t), UnpackOptions{}, "no folder set")
	refused("a file for the folder", packed(t, entry{Name: "set", Content: "1"}), UnpackOptions{}, "no folder set")
	many := packed(t, ok, entry{Name: "set/b"}, entry{Name: "set/c"})
	refused("too many", many, UnpackOptions{Files: 2}, "more than 2 files")
	large := packed(t, ok, entry{Name: "set/b", Content: strings.Repeat("0", 1<<20)})
	refused("too large", large, UnpackOptions{Bytes: 1 << 16}, "too large", "65536 bytes")
	refused("cut", good[:len(good)-20], UnpackOptions{}, "damaged", "get it again")
	refused("cut early", good[:5], UnpackOptions{}, "damaged")
	refused("wrong checksum", flipped, UnpackOptions{}, "damaged")
	refused("no gzip", []byte("PK: this is a zip file"), UnpackOptions{}, "damaged")
}

// The sums equal the output of sha256sum for the contents "1" and "", and an archive's own file is kept.
func TestUnpackSums(t *testing.T) {
	dir := t.TempDir()
	archive := expect.File(t, filepath.Join(dir, "set.tgz"),
		packed(t, entry{Name: "set/"}, entry{Name: "set/a", Content: "1"}, entry{Name: "set/sub/b"}))
	expect.NoError(t, Unpack(context.Background(), archive, dir, "set", UnpackOptions{Sums: true}))
	wantTree(t, filepath.Join(dir, "set"), "SHA256SUMS="+
		"6b86b273ff34fce19d6b804eff5a3f5747ada4eaa22f1d49c01e52ddb7875b4b  a\n"+
		"e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855  sub/b\n a=1 sub/b=")
	archive = expect.File(t, filepath.Join(dir, "own.tgz"), packed(t, entry{Name: "own/SHA256SUMS", Content: "mine"}))
	expect.NoError(t, Unpack(context.Background(), archive, dir, "own", UnpackOptions{Sums: true}))
	wantTree(t, filepath.Join(dir, "own"), "SHA256SUMS=mine")
}

func TestUnpackOther(t *testing.T) {
	dir := t.TempDir()
	archive := expect.File(t, filepath.Join(t.TempDir(), "set.tgz"), packed(t, entry{Name: "set/a", Content: "1"}))
	for _, folder := range []string{"", ".", "..", "a/b", "/a"} {
		expect.Error(t, Unpack(context.Background(), archive, dir, folder, UnpackOptions{}), "plain name")
	}
	ctx, cancel := context.WithCancelCause(context.Background())
	cause := errors.New("enough")
	cancel(cause)
	expect.Is(t, Unpack(ctx, archive, dir, "set", UnpackOptions{}), cause)
	expect.Is(t, Unpack(context.Background(), filepath.Join(dir, "none"), dir, "set", UnpackOptions{}), fs.ErrNotExist)
	wantNames(t, dir)
	// The limit is on all bytes, and the exact number passes: header, padded content, two empty blocks.
	size := int64(512 + 512 + 1024)
	expect.Error(t, Unpack(context.Background(), archive, dir, "set", UnpackOptions{Bytes: size - 1}), "too large")
	expect.NoError(t, Unpack(context.Background(), archive, dir, "set", UnpackOptions{Bytes: size, Files: 1}))
	expect.NoError(t, Unpack(context.Background(), archive, t.TempDir(), "set", UnpackOptions{Bytes: math.MaxInt64}))
}

// For all bytes, Unpack either creates the one folder or leaves nothing, and writes nowhere else.
func FuzzUnpack(f *testing.F) {
	syncPath = func(string, bool) error { return nil } // no syncs, which would take most of the time
	var plain bytes.Buffer                             // uncompressed, so that mutations reach the entries; see below
	w := tar.NewWriter(&plain)
	for name, kind := range map[string]byte{"set/": tar.TypeDir, "set/a": tar.TypeReg, "set/l": tar.TypeSymlink, "../b": tar.TypeReg} {
		expect.NoError(f, w.WriteHeader(&tar.Header{Name: name, Typeflag: kind, Linkname: "/", Mode: 0o644}))
		f.Add(bytes.Clone(plain.Bytes()), true)
	}
	f.Add([]byte("set"), false)
	f.Fuzz(func(t *testing.T, content []byte, compress bool) {
		if compress {
			content = packtest.Gzip(t, content)
		}
		root := t.TempDir()
		dir := filepath.Join(root, "data")
		expect.NoError(t, os.Mkdir(dir, 0o755))
		archive := expect.File(t, filepath.Join(root, "set.tgz"), content)
		if err := Unpack(context.Background(), archive, dir, "set", UnpackOptions{Bytes: 1 << 20, Files: 10}); err != nil {
			wantNames(t, dir)
		} else {
			wantNames(t, dir, "set")
		}
		wantNames(t, root, "data", "set.tgz")
	})
}

// sparseArchive returns a .tar.gz of a folder f with a file of size bytes that is one hole: a few hundred bytes that
// tar reads as that many zeros. The tar writer rejects such an entry, so its records are written under other keys of
// the same length.
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
		expect.NoError(t, w.WriteHeader(h))
		if h.Size > 0 {
			expect.Must(w.Write([]byte(noHoles)))(t)
		}
	}
	expect.NoError(t, w.Close())
	var packed bytes.Buffer
	zip := gzip.NewWriter(&packed)
	_, err := zip.Write(bytes.ReplaceAll(plain.Bytes(), []byte("XXX.sparse."), []byte("GNU.sparse.")))
	expect.NoError(t, errors.Join(err, zip.Close()))
	return packed.Bytes()
}

// A hole takes no space in an archive but does on the disk, so a limit on the bytes read does not bound it.
func TestUnpackRefusesHoles(t *testing.T) {
	dir := t.TempDir()
	data := sparseArchive(t, "67108864")
	expect.Require(t, len(data) <= 1000, "the archive has %d bytes", len(data))
	archive := expect.File(t, filepath.Join(dir, "a.tar.gz"), data)
	err := Unpack(context.Background(), archive, dir, "f", UnpackOptions{Bytes: 1 << 20})
	expect.That(t, err != nil && strings.Contains(err.Error(), "sparse"),
		"an archive of %d bytes that unpacks to 64 MiB gave %v", len(data), err)
	wantTree(t, dir, "a.tar.gz="+string(data))
}
