package main

import (
	"bytes"
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
)

// maxDependents limits the dependents whose tests run for one mutant. If more packages depend on the mutated package,
// only those that import it directly remain. notebooks/launcher and others that link it transitively are skipped:
// their tests take the most time and rarely exercise the mutated code. The rule depends on the import graph alone. It
// therefore selects the same packages before and after a change of the tests that adds no import.
const maxDependents = 12

// goPackage is a package of the module, as go list prints it.
type goPackage struct {
	ImportPath, Dir, Name              string
	GoFiles, CgoFiles                  []string
	TestGoFiles, XTestGoFiles          []string
	Imports, TestImports, XTestImports []string
	path                               string // below the module
	imports, testImports               []*goPackage
}

// module is the module at root with its packages, by path below it.
type module struct {
	root, name string
	flags      string // GOFLAGS
	packages   map[string]*goPackage
}

// loadModule lists the packages of the module whose root is dir, for this platform.
func loadModule(ctx context.Context, dir string) (*module, error) {
	name, err := goOutput(ctx, dir, "list", "-m", "-f", "{{.Path}}\n{{.Dir}}")
	if err != nil {
		return nil, err
	}
	path, root, _ := strings.Cut(strings.TrimSpace(string(name)), "\n")
	asked, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	if asked, err = filepath.EvalSymlinks(asked); err != nil {
		return nil, err
	}
	if real, err := filepath.EvalSymlinks(root); err != nil || real != asked {
		return nil, errors.Join(fmt.Errorf("-dir is %s; give the root of the module, %s", asked, root), err)
	}
	data, err := goOutput(ctx, root, "list",
		"-json=ImportPath,Dir,Name,GoFiles,CgoFiles,TestGoFiles,XTestGoFiles,Imports,TestImports,XTestImports", "./...")
	if err != nil {
		return nil, err
	}
	flags, err := goOutput(ctx, root, "env", "GOFLAGS")
	if err != nil {
		return nil, err
	}
	mod := &module{root: root, name: path, flags: strings.TrimSpace(string(flags)), packages: map[string]*goPackage{}}
	decoder := json.NewDecoder(bytes.NewReader(data))
	for {
		p := new(goPackage)
		if err := decoder.Decode(p); errors.Is(err, io.EOF) {
			break
		} else if err != nil {
			return nil, err
		}
		p.path = mod.below(p.ImportPath)
		mod.packages[p.path] = p
	}
	for _, p := range mod.packages {
		p.imports = mod.resolve(p.Imports)
		p.testImports = mod.resolve(p.TestImports, p.XTestImports)
	}
	return mod, nil
}

// below returns the path of an import below the module, "." for the root, or "" for another module's.
func (m *module) below(importPath string) string {
	if importPath == m.name {
		return "."
	}
	if path, ok := strings.CutPrefix(importPath, m.name+"/"); ok {
		return path
	}
	return ""
}

// resolve returns the packages of this module among the import paths.
func (m *module) resolve(lists ...[]string) []*goPackage {
	var found []*goPackage
	for _, path := range slices.Concat(lists...) {
		if p := m.packages[m.below(path)]; p != nil && !slices.Contains(found, p) {
			found = append(found, p)
		}
	}
	return found
}

// sorted returns all packages by path.
func (m *module) sorted() []*goPackage {
	var all []*goPackage
	for _, p := range m.packages {
		all = append(all, p)
	}
	slices.SortFunc(all, func(a, b *goPackage) int { return cmp.Compare(a.path, b.path) })
	return all
}

func (p *goPackage) hasTests() bool { return len(p.TestGoFiles)+len(p.XTestGoFiles) > 0 }

// dependent is a package whose test binary links the mutated one.
type dependent struct {
	*goPackage
	distance int // length of the shortest import path; 1 for a direct import, also in tests
}

// dependents returns the packages whose test binaries link owner, sorted by distance and path, without owner itself.
// It also returns the number of packages skipped because of maxDependents.
func (m *module) dependents(owner *goPackage) (kept []dependent, left int) {
	distance := map[*goPackage]int{owner: 0} // over imports of the packages themselves
	for queue := []*goPackage{owner}; len(queue) > 0; queue = queue[1:] {
		for _, p := range m.packages {
			if _, known := distance[p]; !known && slices.Contains(p.imports, queue[0]) {
				distance[p] = distance[queue[0]] + 1
				queue = append(queue, p)
			}
		}
	}
	for _, p := range m.packages {
		if p == owner || !p.hasTests() {
			continue
		}
		best, linked := distance[p]
		for _, imported := range p.testImports {
			if d, ok := distance[imported]; ok && (!linked || d+1 < best) {
				best, linked = d+1, true
			}
		}
		if linked {
			kept = append(kept, dependent{p, best})
		}
	}
	slices.SortFunc(kept, func(a, b dependent) int {
		return cmp.Or(cmp.Compare(a.distance, b.distance), cmp.Compare(a.path, b.path))
	})
	if all := len(kept); all > maxDependents {
		kept = slices.DeleteFunc(kept, func(d dependent) bool { return d.distance > 1 })
		left = all - len(kept)
	}
	return kept, left
}

// goOutput runs the go command in dir and returns what it prints.
func goOutput(ctx context.Context, dir string, args ...string) ([]byte, error) {
	cmd := exec.CommandContext(ctx, "go", args...)
	cmd.Dir = dir
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("go %s: %w\n%s", strings.Join(args, " "), err, complaint.Bytes())
	}
	return out, nil
}
