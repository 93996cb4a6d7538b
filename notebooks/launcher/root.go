package launcher

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// modulePath is the module line of the go.mod that marks the root.
const modulePath = "github.com/puclab/puclab"

// place knows where things lie. root is the absolute folder of go.mod, without symbolic links.
type place struct{ root string }

func (p place) notebooks() string { return filepath.Join(p.root, "notebooks") }
func (p place) env() string       { return filepath.Join(p.notebooks(), ".venv") }
func (p place) out() string       { return filepath.Join(p.notebooks(), "out") }
func (p place) bin(name string) string {
	return filepath.Join(p.env(), "bin", name)
}

// relative shortens path for messages: below the root it is told from there.
func (p place) relative(path string) string {
	if rel, err := filepath.Rel(p.root, path); err == nil && filepath.IsLocal(rel) {
		return rel
	}
	return path
}

// findRoot walks up from dir to the folder whose go.mod names this module. Modules nested below it are passed by.
func findRoot(dir string) (place, error) {
	start, err := filepath.Abs(dir)
	if err != nil {
		return place{}, err
	}
	if start, err = filepath.EvalSymlinks(start); err != nil {
		return place{}, err
	}
	for dir = start; ; dir = filepath.Dir(dir) {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && moduleOf(string(data)) == modulePath:
			return place{dir}, nil
		case err != nil && !errors.Is(err, fs.ErrNotExist):
			return place{}, err
		}
		if dir == filepath.Dir(dir) {
			return place{}, &problem{
				What: fmt.Sprintf("%s is not inside a checkout of %s.", start, modulePath),
				Mend: "Change into the checkout and start again: go run ./notebooks",
			}
		}
	}
}

// moduleOf returns the module path that the text of a go.mod declares, "" when it declares none.
func moduleOf(gomod string) string {
	for line := range strings.Lines(gomod) {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}
