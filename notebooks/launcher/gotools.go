package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/liveline"
)

// The sources of the Go tools: gonb and goimports are tools of this module, gopls of a separate module.
var (
	rootTools  = []string{"github.com/janpfeifer/gonb", "golang.org/x/tools/cmd/goimports"}
	goplsTools = []string{"golang.org/x/tools/gopls"}
)

func goplsModule(p place) string { return filepath.Join(p.notebooks(), "tools", "gopls") }

// goplsDir holds gopls, separate from the other programs. A headless kernel does not start it, since it would use 700
// MB of memory without any user; an interactive kernel starts it by gopls_early.py.
func goplsDir(p place) string { return filepath.Join(p.env(), "gopls") }

// toolchain is the Go toolchain of this module, after any switch that go.mod requires.
type toolchain struct {
	root     string // GOROOT; the go command is root/bin/go
	version  string // "go1.26.8"
	flags    []string
	cc       []string // the C compiler's command with arguments
	cgo      bool     // whether go would use it
	arch, os string
}

func (t toolchain) goCommand() string { return filepath.Join(t.root, "bin", "go") }

// findGo queries the go command, in the root of the module.
func findGo(ctx context.Context, p place) (toolchain, error) {
	const mend = "Install Go from https://go.dev/dl/ (any version from 1.21 on fetches the one that go.mod asks for) and start again."
	out, err := child{dir: p.root, env: setEnv(os.Environ(), "GOWORK=off")}.
		run(ctx, "go", "env", "-json", "GOROOT", "GOVERSION", "GOFLAGS", "CC", "CGO_ENABLED", "GOARCH", "GOOS")
	switch {
	case ctx.Err() != nil:
		return toolchain{}, ctx.Err()
	case errors.Is(err, exec.ErrNotFound):
		return toolchain{}, &problem{What: "There is no go command on this machine's search path.", Mend: mend, Err: err}
	case err != nil && (strings.Contains(out, "go.mod requires go") || strings.Contains(out, "invalid go version")):
		what := "The go command is too old for this module: " + liveline.Clip(lastLines(out, 1), 200) + "."
		return toolchain{}, &problem{What: what, Mend: mend, Err: err}
	case err != nil:
		return toolchain{}, classify("Asking the go command for its version", out, err)
	}
	var env map[string]string
	// A message about fetching a toolchain may precede the object.
	if err := json.NewDecoder(strings.NewReader(out[max(0, strings.Index(out, "{")):])).Decode(&env); err != nil {
		return toolchain{}, fmt.Errorf("the go command answers %q, which cannot be read: %w", liveline.Clip(out, 80), err)
	}
	return toolchain{root: env["GOROOT"], version: env["GOVERSION"], flags: keptFlags(env["GOFLAGS"]),
		cc: strings.Fields(env["CC"]), cgo: env["CGO_ENABLED"] == "1", arch: env["GOARCH"], os: env["GOOS"]}, nil
}

// keptFlags returns the harmless flags of the user's GOFLAGS. Others, like -mod=mod or -o, would break the build of the
// tools or of every cell.
func keptFlags(goflags string) []string {
	return slices.DeleteFunc(splitQuoted(goflags), func(f string) bool {
		name, _, _ := strings.Cut(strings.TrimLeft(f, "-"), "=")
		return !slices.Contains([]string{"buildvcs", "modcacherw", "p", "tags", "trimpath"}, name)
	})
}

// splitQuoted splits at spaces, as the go command does with GOFLAGS: a flag that contains spaces is quoted as a whole,
// with either kind of quotes.
func splitQuoted(s string) []string {
	var fields []string
	for _, match := range quotedField.FindAllStringSubmatch(s, -1) {
		fields = append(fields, match[1]+match[2]+match[3])
	}
	return fields
}

var quotedField = regexp.MustCompile(`'([^']*)'|"([^"]*)"|(\S+)`)

// joinQuoted undoes splitQuoted.
func joinQuoted(flags []string) string {
	quoted := make([]string, len(flags))
	for i, f := range flags {
		if quoted[i] = f; strings.ContainsAny(f, " \t") {
			quoted[i] = "'" + f + "'"
		}
	}
	return strings.Join(quoted, " ")
}

// goEnv returns the environment in which the launcher itself uses the go command.
func (t toolchain) goEnv(entries ...string) []string {
	env := setEnv(os.Environ(), "GOFLAGS="+joinQuoted(append([]string{"-mod=readonly"}, t.flags...)), "GOWORK=off", "GOTOOLCHAIN=local",
		"PATH="+filepath.Join(t.root, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	return setEnv(env, entries...)
}

// toolsHash identifies the inputs of the Go tools.
func toolsHash(p place, t toolchain) (string, error) {
	gopls := goplsModule(p)
	return hashOf([]string{filepath.Join(p.root, "go.mod"), filepath.Join(p.root, "go.sum"),
		filepath.Join(gopls, "go.mod"), filepath.Join(gopls, "go.sum")},
		append([]string{t.version, t.os, t.arch}, append(rootTools, goplsTools...)...)...)
}

// toolFiles returns the programs that toolsStep makes.
func toolFiles(p place) []string {
	return []string{p.bin("gonb"), p.bin("goimports"), filepath.Join(goplsDir(p), "gopls")}
}

// goLine shortens a line of the go command for the live line.
func goLine(line string) string { return strings.TrimPrefix(line, "go: ") }

// toolsStep builds the Go kernel and its tools into the environment.
func (s *session) toolsStep(ctx context.Context) error {
	s.stamp.GoTools = ""
	if err := s.stamp.write(s.place); err != nil {
		return err
	}
	for _, group := range []struct {
		module, into string
		packages     []string
	}{
		{s.place.root, s.place.bin(""), rootTools},
		{goplsModule(s.place), goplsDir(s.place), goplsTools},
	} {
		// Flags such as -race or other targets would come from the environment; GOBIN rejects cross-compilation anyway.
		err := s.setupChild(group.module, s.goTool.goEnv("GOBIN="+group.into), goLine).
			do(ctx, "Building the Go kernel and its tools", s.goTool.goCommand(), append([]string{"install"}, group.packages...)...)
		if err != nil {
			return err
		}
	}
	for _, f := range toolFiles(s.place) {
		if _, err := os.Stat(f); err != nil {
			return fmt.Errorf("go install said all is well, but %w", err)
		}
	}
	return nil
}

// warmStep compiles the packages of the module as the cells will, so that the first cells start faster. The setup
// ignores a package that does not compile: the cells that import it will report it, with the line.
func (s *session) warmStep(ctx context.Context) error {
	env := s.goTool.goEnv(kernelGoEnv(s.place, s.goTool, s.cgo())...)
	out, err := s.setupChild(s.place.root, env, goLine).run(ctx, s.goTool.goCommand(), "build", "./...")
	if ctx.Err() != nil {
		return err
	}
	if err != nil {
		if pr := classify("Compiling the packages", out, err); pr.Mend != "" { // no network, no disk, …
			return pr
		}
		s.console.Linef("      not all packages of this module compile; cells that import them will say more:\n%s",
			indent(lastLines(out, 4), "        "))
	}
	return nil
}

// warmHash returns a hash of the compilation settings of the packages; Go's own cache handles their content. It
// determines whether cgo works.
func (s *session) warmHash(ctx context.Context) (hash string, err error) {
	t := s.goTool
	if s.stamp.Compiler, err = tryCompiler(ctx, t, s.stamp.Compiler); err != nil {
		return "", err
	}
	return hashOf([]string{filepath.Join(s.place.root, "go.mod")}, append([]string{t.version, t.arch}, kernelGoEnv(s.place, t, s.cgo())...)...)
}

// ccVerdict records whether the C compiler works, for a given compiler.
type ccVerdict struct {
	Command string   `json:"command"`
	File    fileMark `json:"file"`
	Works   bool     `json:"works"`
}

// tryCompiler determines whether cgo works. An installed compiler may still fail: without the C library's headers, or,
// on macOS, without the tools that it is a placeholder for. The trial takes some 50 ms; it is skipped if old is still
// valid.
func tryCompiler(ctx context.Context, t toolchain, old ccVerdict) (ccVerdict, error) {
	v := ccVerdict{Command: strings.Join(t.cc, " ")}
	if len(t.cc) == 0 || !t.cgo {
		return v, nil
	}
	path, err := exec.LookPath(t.cc[0])
	if err != nil {
		return v, nil
	}
	if v.File, err = markFile(path); err != nil {
		return v, err
	}
	if old.Works && old.Command == v.Command && old.File == v.File {
		return old, nil
	}
	dir, err := os.MkdirTemp("", "puclab-cc-")
	if err != nil {
		return v, err
	}
	defer os.RemoveAll(dir)
	source := filepath.Join(dir, "try.c")
	const program = "#include <stdlib.h>\n#include <dlfcn.h>\nint main(void) { return dlopen(0, 0) == 0; }\n"
	if err := os.WriteFile(source, []byte(program), 0o644); err != nil {
		return v, err
	}
	ctx, cancel := context.WithTimeout(ctx, 20*time.Second)
	defer cancel()
	_, err = child{dir: dir}.run(ctx, path, append(t.cc[1:], "-o", filepath.Join(dir, "try"), source, "-ldl")...)
	v.Works = err == nil // for any error cgo would fail in the same way
	return v, nil
}

// noteCompiler prints a notice if cells are built without cgo.
func (s *session) noteCompiler() {
	how := "sudo apt install gcc libc6-dev, or your system's like"
	if runtime.GOOS == "darwin" {
		how = "xcode-select --install"
	}
	switch {
	case s.cgo():
	case os.Getenv("CGO_ENABLED") == "0":
		s.console.Linef("CGO_ENABLED=0 is set, so XLA is left out: cells use the pure-Go engine, which is slower.")
	default:
		s.console.Linef("No working C compiler (%s): cells use the pure-Go engine, which is slower than XLA. "+
			"To get XLA, install one (%s) and start again.", strings.Join(s.goTool.cc, " "), how)
	}
}
