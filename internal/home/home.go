// Package home finds the folder of the module from any working folder.
package home

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
)

// Module is the import path in the first line of go.mod.
const Module = "github.com/puclab/puclab"

// Env is the environment variable that sets the module's folder directly. The notebook kernel sets it, because a
// notebook cell is compiled and run in a temporary folder of its own.
const Env = "PUCL_HOME"

// Dir returns the folder of the module: $PUCL_HOME when set, else the nearest folder at or above the working folder
// whose go.mod declares Module. ok is false if neither exists, as in a program that only imports the module.
func Dir() (dir string, ok bool) {
	if dir := os.Getenv(Env); dir != "" {
		return dir, true
	}
	return Around()
}

// Around returns the nearest folder at or above the working folder whose go.mod declares Module. It ignores $PUCL_HOME.
func Around() (dir string, ok bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	dir, err = Find(dir)
	return dir, err == nil
}

// ModuleAround returns the nearest folder at or above the working folder that holds a go.mod, of any module.
func ModuleAround() (dir string, ok bool) {
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if _, err := os.Stat(filepath.Join(dir, "go.mod")); err == nil {
			return dir, true
		}
		if dir == filepath.Dir(dir) {
			return "", false
		}
		dir = filepath.Dir(dir)
	}
}

// Source returns the folder of the copy of this module that the program was compiled from. ok is false if the program
// does not record it, as with -trimpath. The folder may no longer exist, or belong to another user.
func Source() (dir string, ok bool) {
	_, file, _, _ := runtime.Caller(0)
	dir = strings.TrimSuffix(filepath.FromSlash(file), filepath.FromSlash("/internal/home/home.go"))
	return dir, filepath.IsAbs(dir) && dir != file
}

// Find returns the nearest folder at or above dir, an absolute path, whose go.mod declares Module; it skips other
// modules. The error wraps fs.ErrNotExist if there is none.
func Find(dir string) (string, error) {
	for {
		data, err := os.ReadFile(filepath.Join(dir, "go.mod"))
		switch {
		case err == nil && declared(string(data)) == Module:
			return dir, nil
		case err != nil && (!errors.Is(err, fs.ErrNotExist) || dir == filepath.Dir(dir)):
			return "", err
		case dir == filepath.Dir(dir):
			return "", fs.ErrNotExist
		}
		dir = filepath.Dir(dir)
	}
}

// declared returns the module path that the text of a go.mod declares, "" if it declares none.
func declared(gomod string) string {
	for line := range strings.Lines(gomod) {
		line, _, _ = strings.Cut(line, "//")
		if fields := strings.Fields(line); len(fields) == 2 && fields[0] == "module" {
			return strings.Trim(fields[1], "\"`")
		}
	}
	return ""
}
