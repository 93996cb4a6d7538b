// Guidecheck does what the guides of this module tell their readers to do, and compares what comes of it with what they say:
//
//	go run ./internal/guidecheck                        # all guides
//	go run ./internal/guidecheck guides/my-own-data.md
//
// Each guide is followed in an empty temporary folder, in a module of one's own that is made as README.md tells.
//
// # The form of a guide
//
// A guide is Markdown with fenced blocks of these languages.
//
//	go    A file. The first line names it: // main.go, or // predict/main.go. A block that names none goes on with the
//	      file before it. All files are written before anything is run, and are formatted by gofmt.
//	sh    What the reader types, in the folder of go.mod: go run . for instance. It is run by bash, which ends at the first
//	      command that fails.
//	text  What the sh block before it prints, standard output and standard error. Where there is none, nothing may be
//	      printed. A command that is meant to fail ends its output with the line "exit status 1", as go run prints it.
//
// Any other language stands for a block that nobody runs, and says so: ```python not run.
//
// What is printed is compared line by line. 0.85…0.92 stands for a number from the one to the other with as many decimals, and a
// lone … for words on one line, without any digit: so no wrong number passes for another.
package main

import (
	"errors"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

func main() {
	flag.Parse()
	if err := check(flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// check follows the guides in some files, all of guides/ where none is named, and tells of each how it went.
func check(names []string) error {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("go env GOMOD: %w", err)
	}
	copy := filepath.Dir(strings.TrimSpace(string(out)))
	readme, err := os.ReadFile(filepath.Join(copy, "README.md"))
	if err != nil {
		return err
	}
	setup, err := ownModule(string(readme), copy)
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = filepath.Glob(filepath.Join(copy, "guides", "*.md")); err != nil {
			return err
		}
	}
	var failed atomic.Int32
	var all sync.WaitGroup
	atOnce := make(chan struct{}, 2) // half of a guide's time one linker works, and the other processors wait
	for _, name := range names {
		all.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			began := time.Now()
			if err := follow(name, setup); err != nil {
				fmt.Printf("FAILED %s: %v\n", name, err)
				failed.Add(1)
				return
			}
			fmt.Printf("passed %s in %.0fs\n", filepath.Base(name), time.Since(began).Seconds())
		})
	}
	all.Wait()
	if failed.Load() > 0 || len(names) == 0 {
		return fmt.Errorf("%d of %d guides failed", failed.Load(), len(names))
	}
	return nil
}

// ownModule returns the commands by which the README has its reader make a module that uses the copy of this one.
func ownModule(readme, copy string) (string, error) {
	const heading, path = "\n### In your own module\n", "/path/to/puclab"
	_, section, _ := strings.Cut(readme, heading)
	list, err := blocks(section)
	if err != nil {
		return "", fmt.Errorf("README.md: %w", err)
	}
	if len(list) == 0 || list[0].language != "sh" || !strings.Contains(list[0].text, path) {
		return "", fmt.Errorf("README.md: no sh block with %s follows %q", path, strings.TrimSpace(heading))
	}
	return strings.ReplaceAll(list[0].text, path, copy), nil
}

// follow does what a guide tells, in a new folder where setup makes a module.
func follow(name, setup string) error {
	text, err := os.ReadFile(name)
	if err != nil {
		return err
	}
	g, err := parse(string(text))
	if err != nil || len(g.commands) == 0 && len(g.files) == 0 {
		return err
	}
	folder, err := os.MkdirTemp("", "guide")
	if err != nil {
		return err
	}
	defer os.RemoveAll(folder)
	for _, f := range g.files {
		path := filepath.Join(folder, filepath.FromSlash(f.path))
		if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
			return err
		}
		if err := os.WriteFile(path, []byte(f.text), 0o666); err != nil {
			return err
		}
	}
	if printed, status, err := shell(folder, setup); err != nil || status != 0 {
		return fmt.Errorf("the module cannot be made (status %d, %v):\n%s", status, err, printed)
	}
	for _, c := range g.commands {
		if err := c.try(folder); err != nil {
			return fmt.Errorf("line %d: %w", c.line, err)
		}
	}
	return nil
}

// try runs a command in a folder and compares what it prints and whether it fails with what the guide says.
func (c command) try(folder string) error {
	printed, status, err := shell(folder, c.script)
	if err != nil {
		return err
	}
	wanted := 0
	if said := exit.FindStringSubmatch(c.want); said != nil {
		if wanted, err = strconv.Atoi(said[1]); err != nil {
			return err
		}
	}
	if status != wanted {
		return fmt.Errorf("%sends with status %d, not %d, and prints\n%s", c.script, status, wanted, printed)
	}
	if err := match(c.want, printed); err != nil {
		return fmt.Errorf("%sprints something else: %w\nall of it:\n%s", c.script, err, printed)
	}
	return nil
}

// shell runs a script by bash in a folder, and returns what it printed and its exit status. What the script leaves running is ended.
func shell(folder, script string) (printed string, status int, err error) {
	const end = "trap 'kill $(jobs -p) 2>/dev/null || true' EXIT\n"
	cmd := exec.Command("bash", "-euo", "pipefail", "-c", end+script)
	cmd.Dir = folder
	out, err := cmd.CombinedOutput()
	if failed := (*exec.ExitError)(nil); errors.As(err, &failed) {
		return string(out), failed.ExitCode(), nil
	}
	return string(out), 0, err
}
