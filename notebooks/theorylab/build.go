//go:build !js

package main

import (
	"bytes"
	"compress/gzip"
	"context"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"strings"

	"github.com/puclab/puclab/internal/wholefile"
	"github.com/puclab/puclab/notebooks/theorylab/answers"
)

//go:embed page
var page embed.FS

// program is the import path of this package, valid anywhere in the module.
const program = "github.com/puclab/puclab/notebooks/theorylab"

// mostBytes limits the download size of the page.
const mostBytes = 4_000_000

// build writes the page to a folder: its own files, the program, and Go's script for running it in a browser.
func build(ctx context.Context, lab *answers.Lab, dir string, out io.Writer) error {
	still, err := newStill(lab)
	if err != nil {
		return err
	}
	files, err := pageFiles(still)
	if err != nil {
		return err
	}
	if files["lab.wasm.gz"], err = compile(ctx); err != nil {
		return err
	}
	root, err := goCommand(ctx, nil, "env", "GOROOT")
	if err != nil {
		return err
	}
	script := filepath.Join(strings.TrimSpace(string(root)), "lib", "wasm", "wasm_exec.js")
	if files["wasm_exec.js"], err = os.ReadFile(script); err != nil {
		return fmt.Errorf("theorylab: Go's own script for browsers: %w", err)
	}
	total := 0
	for _, data := range files {
		total += len(data)
	}
	if total > mostBytes {
		return fmt.Errorf("theorylab: the page has %d bytes, more than the %d that it may have", total, mostBytes)
	}
	for name, data := range files {
		if err := wholefile.Keep(filepath.Join(dir, name), data, 0o644); err != nil {
			return err
		}
	}
	_, err = fmt.Fprintf(out, "%s: %d files, %.2f MB\n", dir, len(files), float64(total)/1e6)
	return err
}

// pageFiles returns the files of folder page, with index.html filled in.
func pageFiles(s *still) (map[string][]byte, error) {
	files := map[string][]byte{}
	err := fs.WalkDir(page, "page", func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		data, err := page.ReadFile(path)
		files[strings.TrimPrefix(path, "page/")] = data
		return err
	})
	if err != nil {
		return nil, err
	}
	index, err := template.New("index.html").Parse(string(files["index.html"]))
	if err != nil {
		return nil, err
	}
	var filled bytes.Buffer
	err = index.Execute(&filled, struct {
		Presets []answers.Preset
		Still   *still
	}{answers.Presets(), s})
	files["index.html"] = filled.Bytes()
	return files, err
}

// compile returns the program for browsers, compressed.
func compile(ctx context.Context) (compressed []byte, err error) {
	dir, err := os.MkdirTemp("", "theorylab")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	file := filepath.Join(dir, "lab.wasm")
	target := []string{"GOOS=js", "GOARCH=wasm", "CGO_ENABLED=0"}
	if _, err := goCommand(ctx, target, "build", "-trimpath", "-ldflags=-s -w", "-o", file, program); err != nil {
		return nil, err
	}
	plain, err := os.ReadFile(file)
	if err != nil {
		return nil, err
	}
	var out bytes.Buffer
	w, err := gzip.NewWriterLevel(&out, gzip.BestCompression)
	if err != nil {
		return nil, err
	}
	_, err = w.Write(plain)
	err = errors.Join(err, w.Close())
	return out.Bytes(), err
}

// goCommand runs the go command and returns its output.
func goCommand(ctx context.Context, env []string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Env = append(os.Environ(), env...)
	out, err := cmd.Output()
	if exit := (*exec.ExitError)(nil); errors.As(err, &exit) {
		return nil, fmt.Errorf("theorylab: go %s: %w\n%s", args[0], err, exit.Stderr)
	}
	return out, err
}
