package folder

import (
	"fmt"
	"image/color"
	"os"
	"path/filepath"
	"testing"
	"testing/fstest"

	"github.com/puclab/puclab/internal/expect"
)

// Classes are numbered as in tables, and each keeps the name of its folder.
func TestOrderOfClasses(t *testing.T) {
	for _, want := range [][]string{
		{"0", "1", "2", "10"}, {"-1", "1"}, {"00", "2", "010"}, {"0.5", "3", "?"}, {"2", "10", "unlabeled"},
		{"train", "tram"},
		{"n01", "n02", "n10"}, {"a10", "a2"},
	} {
		fsys := fstest.MapFS{}
		for _, name := range want {
			fsys[name+"/x.png"] = &fstest.MapFile{}
		}
		set := expect.Must(Open(fsys, Config{}))(t)
		expect.Equal(t, set.Classes, want)
		expect.Equal(t, set.Path(len(want)-1), want[len(want)-1]+"/x.png")
	}
	fsys := fstest.MapFS{"test/x.png": {}, "train/x.png": {}}
	expect.Equal(t, expect.Must(Open(fsys, Config{Names: map[string]string{"train": "train"}}))(t).Classes,
		[]string{"test", "train"})
}

// Package io/fs does not open files whose names are not UTF-8.
func TestNamesThatAreNotUTF8(t *testing.T) {
	dir, good := t.TempDir(), pngOf(t, uniform(2, 2, color.Black))
	for _, name := range []string{"a/\xfc.png", "a/b/\xfc.png", "a/b/c.png", "a/z.webp", "a/\xfc.txt"} {
		expect.NoError(t, os.MkdirAll(filepath.Join(dir, filepath.Dir(name)), 0o777))
		if err := os.WriteFile(filepath.Join(dir, name), good, 0o666); err != nil {
			t.Skipf("this file system has names in UTF-8 alone: %v", err)
		}
	}
	expect.File(t, filepath.Join(dir, "a/z.webp"), []byte("RIFF....WEBP"))
	set := expect.Must(Open(os.DirFS(dir), Config{Height: 2}))(t)
	expect.Error(t, expect.Err(set.Load(t.Context())), "3 of 4", `"a/\xfc.png" is not UTF-8: rename`,
		`a/b/\xfc.png"`, "z.webp",
		"neither a JPEG nor a PNG")
	_, readable, broken, err := set.LoadReadable(t.Context())
	expect.That(t, err == nil && readable.Len() == 1 && len(broken) == 3, "%v, %v, error %v", readable, broken, err)
	for _, name := range []string{"a/M\xfcnster/x.png", "\xdcbungen/x.png"} {
		expect.File(t, filepath.Join(dir, name), good)
		expect.Error(t, expect.Err(Open(os.DirFS(dir), Config{})), fmt.Sprintf("%q is not UTF-8: rename",
			filepath.Dir(name)))
	}
}
