// Package home finds the folder that holds the module, from wherever a program was started.
package home

import (
	"bufio"
	"os"
	"path/filepath"
	"strings"
)

// Module is the import path in the first line of go.mod.
const Module = "github.com/puclab/puclab"

// Env is the environment variable that names the module's folder outright. The notebook kernel sets it, because a
// notebook cell is compiled and run in a temporary folder of its own.
const Env = "PUCL_HOME"

// Dir returns the folder of the module: $PUCL_HOME when set, else the nearest folder at or above the working folder
// whose go.mod declares Module. ok is false where there is neither, as in a program that only imports the module.
func Dir() (dir string, ok bool) {
	if dir := os.Getenv(Env); dir != "" {
		return dir, true
	}
	dir, err := os.Getwd()
	if err != nil {
		return "", false
	}
	for {
		if declares(filepath.Join(dir, "go.mod")) {
			return dir, true
		}
		parent := filepath.Dir(dir)
		if parent == dir {
			return "", false
		}
		dir = parent
	}
}

// declares reports whether the go.mod file declares Module.
func declares(path string) bool {
	f, err := os.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if name, ok := strings.CutPrefix(strings.TrimSpace(lines.Text()), "module "); ok {
			return strings.TrimSpace(name) == Module
		}
	}
	return false
}
