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

// checkCells returns an error that lists the compile errors of a notebook by cell and line. No cell runs: an error in
// the last cell is found before the first one trains.
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

// exportedPackage is the go command's description of a package.
type exportedPackage struct {
	ImportPath, Name string
	Export           string // file with its export data; "" if it did not compile
	Error            *struct{ Err string }
}

// exports holds packages by import path.
type exports struct {
	packages map[string]exportedPackage
	arch     string
	std      fs.FS // the standard library's source
}

// exported compiles the packages that the cells import, as the kernel will, and returns their export data.
func (s *session) exported(ctx context.Context, cells []codeCell) (exports, error) {
	e := exports{map[string]exportedPackage{}, s.goTool.arch, os.DirFS(filepath.Join(s.goTool.root, "src"))}
	// The kernel imports flag.
	args := []string{"list", "-e", "-export", "-deps", "-json=ImportPath,Name,Export,Error", "--", "flag"}
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

// open opens the export data of a package.
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

// mostSlips is the number of compile errors reported at most.
const mostSlips = 10

// check returns the compile errors of the cells, each compiled with the declarations of the cells before it.
func (e exports) check(files *token.FileSet, cells []codeCell) (slips []slip) {
	from := importer.ForCompiler(files, "gc", e.open)
	seen := map[token.Pos]bool{}
	told := false // whether the missing import of core/graph was reported
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
				// The kernel imports it itself.
				strings.HasPrefix(wrong.Msg, "undefined: ") && e.isPackage(qualifiers[wrong.Pos]) {
				return
			}
			at := files.Position(wrong.Pos)
			if unusedImport(wrong.Msg) {
				if !dots[at] { // the kernel removes it
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
		config.Check("main", files, []*ast.File{file}, nil) // its error was already reported
	}
	return slips
}

// unusedImport reports whether a message is about an unused import. The kernel removes these, except dot imports.
func unusedImport(text string) bool {
	return strings.Contains(text, " imported ") && strings.HasSuffix(text, "and not used")
}

// isPackage reports whether a package of that name is available.
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

// checkOnly compiles the cells of notebooks and reports the result. It requires only Go.
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
