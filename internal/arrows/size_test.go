package arrows

import (
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	modulepath "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/puclab/puclab/internal/expect"
)

// The most bytes of the zip in which the module is downloaded, and of the files of a checkout.
const (
	mostZip      = 14_000_000
	mostCheckout = 40_000_000
)

// tracked is a file that git tracks, as package zip takes it.
type tracked struct{ root, name string }

func (f tracked) Path() string                 { return f.name }
func (f tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(f.root, f.name)) }
func (f tracked) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.name)) }

// counter counts the bytes that are written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// A download of the module is small, since its zip leaves out the results, which are a module of their own, and so is a
// checkout.
func TestSizes(t *testing.T) {
	root := filepath.Join("..", "..")
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skipf("the files of the module are those that git tracks, and `git ls-files` answers with %v", err)
	}
	var files []zip.File
	checkout := int64(0)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		f := tracked{root, name}
		info, err := f.Lstat()
		if os.IsNotExist(err) { // removed, and git does not know yet
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		checkout += info.Size()
		files = append(files, f)
	}
	checked := expect.Must(zip.CheckFiles(files))(t)
	for _, name := range checked.Valid {
		expect.Require(t, !strings.HasPrefix(name, "notebooks/results/"),
			"the zip holds %s; notebooks/results needs a go.mod, which makes it a module of its own", name)
	}
	var zipped counter
	version := modulepath.Version{Path: strings.TrimSuffix(module, "/"), Version: "v0.0.0"}
	expect.NoError(t, zip.Create(&zipped, version, files))
	t.Logf("the zip of the module has %d bytes, the %d files of a checkout have %d", zipped, len(files), checkout)
	expect.That(t, zipped <= mostZip && checkout <= mostCheckout,
		"the zip of the module has %d bytes and a checkout %d; they may have %d and %d", zipped, checkout, mostZip,
		mostCheckout)
}
