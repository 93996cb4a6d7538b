package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/puclab/puclab/internal/home"
)

// build compiles this program and the test programs of the packages into dir, to be carried to a machine without Go.
func build(ctx context.Context, dir string, packages []string, say func(format string, args ...any)) error {
	root, ok := home.Dir()
	if !ok {
		return errors.New("-build: start in the folder of the checkout, where go.mod is")
	}
	dir, err := filepath.Abs(dir)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	say("Compiling gpucheck …")
	if err := goCommand(ctx, root, "build", "-ldflags=-s -w", "-o", filepath.Join(dir, "gpucheck"), "./notebooks/gpucheck"); err != nil {
		return err
	}
	for i, pkg := range packages {
		say("Compiling the tests of %s (%d of %d) …", pkg, i+1, len(packages))
		if err := buildTests(ctx, root, pkg, testProgram(dir, pkg)); err != nil {
			return err
		}
	}
	say("All is in %s. Carry it with the files of the checkout; there, in the checkout's folder:\n    %s", dir,
		fmt.Sprintf("%s/gpucheck -tests %s", filepath.Base(dir), filepath.Base(dir)))
	return nil
}
