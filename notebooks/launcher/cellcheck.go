package launcher

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"go/ast"
	"go/importer"
	"go/token"
	"go/types"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// checkCells returns an error that names, by cell and line, what would not compile of a notebook. No cell runs: a slip in the last one is
// found before the first one trains.
func (s *session) checkCells(ctx context.Context, nb *notebook) error {
	files := token.NewFileSet()
	cells, slips := parseCells(files, nb)
	if len(slips) == 0 && len(cells) > 0 {
		packages, err := s.exported(ctx, cells)
		if err != nil {
			return err
		}
		slips = packages.check(files, cells)
	}
	if len(slips) == 0 {
		return nil
	}
	pr := &problem{Mend: "Nothing was run."}
	for _, slip := range slips {
		line := strings.TrimSpace(strings.Split(slip.cell.source, "\n")[slip.line-1])
		pr.What += fmt.Sprintf("Cell %d of %s (%s), line %d: %s\n    %s\n", slip.cell.number, nb.name, slip.cell.title, slip.line, slip.text, line)
	}
	return pr
}

// exportedPackage is what the go command lists of a package.
type exportedPackage struct {
	ImportPath, Name string
	Export           string // file of what it exports; "" where it did not compile
	Error            *struct{ Err string }
}

// exports are packages by their import paths.
type exports struct {
	packages map[string]exportedPackage
	arch     string
	std      fs.FS // the standard library's source
}

// exported has the packages compiled that the cells import, as the kernel will, and returns what they export.
func (s *session) exported(ctx context.Context, cells []codeCell) (exports, error) {
	e := exports{map[string]exportedPackage{}, s.goTool.arch, os.DirFS(filepath.Join(s.goTool.root, "src"))}
	args := []string{"list", "-e", "-export", "-deps", "-json=ImportPath,Name,Export,Error", "--", "flag"} // which the kernel imports
	for _, c := range cells {
		for _, spec := range c.specs {
			if path := importPath(spec); !slices.Contains(args, path) && path != "C" && path != "unsafe" {
				args = append(args, path)
			}
		}
	}
	var said strings.Builder
	var listed strings.Builder
	env := s.goTool.goEnv(kernelGoEnv(s.place, s.goTool, s.cgo())...)
	_, err := child{dir: s.place.root, env: env, stdout: &listed, stderr: &said}.run(ctx, s.goTool.goCommand(), args...)
	if err != nil {
		if ctx.Err() != nil {
			return e, ctx.Err()
		}
		return e, classify("Compiling what the cells import", said.String(), err)
	}
	for decoder := json.NewDecoder(strings.NewReader(listed.String())); ; {
		var p exportedPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return e, nil
		} else if err != nil {
			return e, fmt.Errorf("the go command lists what cannot be read: %w", err)
		}
		e.packages[p.ImportPath] = p
	}
}

// open opens what a package exports.
func (e exports) open(path string) (io.ReadCloser, error) {
	p := e.packages[path]
	switch {
	case p.Export != "":
		return os.Open(p.Export)
	case p.Error != nil:
		return nil, errors.New(strings.TrimSpace(p.Error.Err))
	}
	return nil, errors.New("there is no such package")
}

// mostSlips is how many slips are told.
const mostSlips = 10

// check returns what does not compile of the cells, each with what the cells before it declare.
func (e exports) check(files *token.FileSet, cells []codeCell) (slips []slip) {
	from := importer.ForCompiler(files, "gc", e.open)
	seen := map[token.Pos]bool{}
	told := false // that core/graph is to be imported
	for k := range cells {
		file := upTo(cells[:k+1])
		qualifiers, dots := map[token.Pos]string{}, map[token.Position]bool{}
		ast.Inspect(file, func(n ast.Node) bool {
			switch n := n.(type) {
			case *ast.SelectorExpr:
				if x, ok := n.X.(*ast.Ident); ok {
					qualifiers[x.Pos()] = x.Name
				}
			case *ast.ImportSpec:
				if n.Name != nil && n.Name.Name == "." {
					dots[files.Position(n.Pos())] = true
				}
			}
			return true
		})
		config := types.Config{Importer: from, Sizes: types.SizesFor("gc", e.arch), FakeImportC: true, Error: func(err error) {
			var wrong types.Error
			if !errors.As(err, &wrong) || seen[wrong.Pos] ||
				strings.HasPrefix(wrong.Msg, "undefined: ") && e.isPackage(qualifiers[wrong.Pos]) { // the kernel imports it by itself
				return
			}
			at := files.Position(wrong.Pos)
			if unusedImport(wrong.Msg) {
				if !dots[at] { // the kernel leaves it out
					return
				}
				wrong.Msg += "; put an import with a dot into the first cell that uses it"
			}
			seen[wrong.Pos] = true
			if ofGraph(wrong.Msg) && !importsGraph(file) {
				if told {
					return
				}
				told = true
			}
			wrong.Msg += mendGraph(wrong.Msg, importsGraph(file))
			i := slices.IndexFunc(cells, func(c codeCell) bool { return fmt.Sprint(c.number) == at.Filename })
			if i >= 0 && len(slips) < mostSlips && !strings.HasPrefix(wrong.Msg, "\t") { // "\tother declaration of …"
				slips = append(slips, slip{cells[i].cell, at.Line, wrong.Msg})
			}
		}}
		config.Check("main", files, []*ast.File{file}, nil) // its error was told already
	}
	return slips
}

// unusedImport reports whether a message is about an import that is not used. The kernel leaves it out, unless it is one with a dot.
func unusedImport(text string) bool {
	return strings.Contains(text, " imported ") && strings.HasSuffix(text, "and not used")
}

// isPackage reports whether a package of that name is at hand.
func (e exports) isPackage(name string) bool {
	if name == "" {
		return false
	}
	for _, p := range e.packages {
		if p.Name == name {
			return true
		}
	}
	for _, pattern := range []string{name, "*/" + name, "*/*/" + name} {
		if found, err := fs.Glob(e.std, pattern); err == nil && len(found) > 0 {
			return true
		}
	}
	return false
}

// checkOnly compiles the cells of notebooks and says so. Go is all that it takes.
func (s *session) checkOnly(ctx context.Context, list []*notebook) (err error) {
	if s.goTool, err = findGo(ctx, s.place); err != nil {
		return err
	}
	if s.stamp.Compiler, err = tryCompiler(ctx, s.goTool, s.stamp.Compiler); err != nil {
		return err
	}
	for _, nb := range list {
		if err := s.checkCells(ctx, nb); err != nil {
			return err
		}
		s.console.Linef("%s: %d cells compile.", s.place.relative(nb.path), nb.codeCells())
	}
	return nil
}
