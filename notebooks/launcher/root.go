package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/home"
)

// place provides the paths of the checkout. root is the absolute folder of go.mod, without symbolic links.
type place struct{ root string }

func (p place) notebooks() string      { return filepath.Join(p.root, "notebooks") }
func (p place) env() string            { return filepath.Join(p.notebooks(), ".venv") }
func (p place) bin(name string) string { return filepath.Join(p.env(), "bin", name) }

// out returns the folder of results, or the path of names in it.
func (p place) out(names ...string) string {
	return filepath.Join(append([]string{p.notebooks(), "out"}, names...)...)
}

// relative shortens path for messages: paths below the root become relative to it.
func (p place) relative(path string) string {
	if rel, err := filepath.Rel(p.root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// first returns the first file or folder below dir whose path matches pattern, "" if there is none.
func first(dir, pattern string) string {
	found, err := fs.Glob(os.DirFS(dir), pattern)
	if err != nil || len(found) == 0 { // the patterns are constants, so there is no error
		return ""
	}
	return filepath.Join(dir, filepath.FromSlash(found[0]))
}

// findRoot searches upwards from dir for the folder whose go.mod names this module. It skips nested modules.
func findRoot(dir string) (place, error) {
	start, err := filepath.Abs(dir)
	if err == nil {
		start, err = filepath.EvalSymlinks(start)
	}
	if err != nil {
		return place{}, err
	}
	root, err := home.Find(start)
	if errors.Is(err, fs.ErrNotExist) {
		return place{}, &problem{What: fmt.Sprintf("%s is not inside a checkout of %s.", start, home.Module),
			Mend: "Change into the checkout and start again: go run ./notebooks"}
	}
	return place{root}, err
}
