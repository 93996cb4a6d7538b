// Guidecheck runs the programs and commands of the guides in docs and compares their output with the text of the guide:
//
//	go run ./internal/guidecheck                      # all pages of docs
//	go run ./internal/guidecheck docs/my-own-data.md
//
// It runs each guide in an empty temporary folder, in a module that it makes by the commands of docs/own-module.md.
//
// # The form of a guide
//
// A guide is Markdown with fenced blocks of these languages.
//
//	go    A file. The first line names it: // main.go, or // predict/main.go. A block without a name continues the
//	      file before it. All files are written before any command runs, and must be formatted by gofmt.
//	sh    Commands for the folder of go.mod, for instance go run . Bash runs them and stops at the first command
//	      that fails. The path /path/to/puclab stands for the copy of this module.
//	text  The output of the sh block before it, standard output and standard error. Without a text block the output
//	      must be empty. A command that is meant to fail ends its output with the line "exit status 1", as go run
//	      prints it.
//
// A block of another language is not run and its language ends in "not run": ```python not run.
//
// The comparison is line by line. In a guide, 0.85…0.92 stands for a number in this range with as many decimals. A lone
// … stands for words on one line without any digit, so that it cannot hide a wrong number.
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

// check runs the named guides, all pages of docs if none is named, and prints the outcome of each.
func check(names []string) error {
	out, err := exec.Command("go", "env", "GOMOD").Output()
	if err != nil {
		return fmt.Errorf("go env GOMOD: %w", err)
	}
	copy := filepath.Dir(strings.TrimSpace(string(out)))
	page, err := os.ReadFile(filepath.Join(copy, "docs", "own-module.md"))
	if err != nil {
		return err
	}
	setup, err := ownModule(string(page))
	if err != nil {
		return err
	}
	if len(names) == 0 {
		if names, err = filepath.Glob(filepath.Join(copy, "docs", "*.md")); err != nil {
			return err
		}
	}
	var failed atomic.Int32
	var all sync.WaitGroup
	atOnce := make(chan struct{}, 2) // for half of a guide's time one linker runs and the other processors are idle
	for _, name := range names {
		all.Go(func() {
			atOnce <- struct{}{}
			defer func() { <-atOnce }()
			began := time.Now()
			if err := follow(name, setup, copy); err != nil {
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

// placeholder stands for the copy of this module in the commands of guides.
const placeholder = "/path/to/puclab"

// ownModule returns the first sh block of docs/own-module.md, which makes a module that uses the copy of this one.
func ownModule(page string) (string, error) {
	list, err := blocks(page)
	if err != nil {
		return "", fmt.Errorf("docs/own-module.md: %w", err)
	}
	if len(list) == 0 || list[0].language != "sh" || !strings.Contains(list[0].text, placeholder) {
		return "", fmt.Errorf("docs/own-module.md: the first block is not a sh block with %s; "+
			"it must hold the commands that make the module", placeholder)
	}
	return list[0].text, nil
}

// follow runs the guide in the file name in a new folder, after the commands setup, which the guide itself may show as well.
// copy replaces the placeholder.
func follow(name, setup, copy string) error {
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
	if printed, status, err := shell(folder, strings.ReplaceAll(setup, placeholder, copy)); err != nil || status != 0 {
		return fmt.Errorf("the module cannot be made (status %d, %v):\n%s", status, err, printed)
	}
	for _, c := range g.commands {
		if c.script == setup { // has run
			continue
		}
		c.script = strings.ReplaceAll(c.script, placeholder, copy)
		if err := c.try(folder); err != nil {
			return fmt.Errorf("line %d: %w", c.line, err)
		}
	}
	return nil
}

// try runs a command in a folder and compares its output and its exit status with the guide.
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

// shell runs a script by bash in a folder and returns its output and its exit status. It ends processes that the script left running.
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
