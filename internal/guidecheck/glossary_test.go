package main

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"unicode"

	"github.com/puclab/puclab/internal/expect"
)

// goName matches a package's exported name in running text, `pucl.PUCL` or `theory.Design.Labeled`.
var goName = regexp.MustCompile("`([a-z][a-z0-9]*)\\.([A-Z][A-Za-z0-9]*(?:\\.[A-Z][A-Za-z0-9]*)?)[^`]*`")

// Every Go name in the text of a guide exists: in the package of that name as a constant, a variable, a function or a
// type, and in a type as a method or a field. The prefix before the dot may be a variable or another module's package,
// except in the glossary.
func TestNamesInGuidesExist(t *testing.T) {
	names := moduleNames(t)
	for path, text := range guideTexts(t) {
		found := goName.FindAllStringSubmatch(text, -1)
		glossary := filepath.Base(path) == "glossary.md"
		expect.That(t, !glossary || len(found) >= 100, "%s: only %d names were found", path, len(found))
		for _, m := range found {
			list, ok := names[m[1]]
			expect.That(t, !ok || list[m[2]], "%s: %s has no %s", path, m[1], m[2])
			expect.That(t, ok || !glossary, "%s: %s.%s: there is no package %s", path, m[1], m[2], m[1])
		}
	}
}

// moduleNames returns the exported names of each package, with fields and methods of types.
func moduleNames(t *testing.T) map[string]map[string]bool {
	t.Helper()
	names := map[string]map[string]bool{}
	expect.NoError(t, filepath.WalkDir("../..", func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return err
		case entry.IsDir() && (entry.Name() == ".venv" || entry.Name() == "testdata" || entry.Name() == "internal"):
			return fs.SkipDir
		case !strings.HasSuffix(path, ".go") || strings.HasSuffix(path, "_test.go"):
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.SkipObjectResolution)
		if err != nil {
			return err
		}
		if names[file.Name.Name] == nil {
			names[file.Name.Name] = map[string]bool{}
		}
		for _, d := range file.Decls {
			addNames(names[file.Name.Name], d)
		}
		return nil
	}))
	return names
}

// addNames adds the names that a declaration makes.
func addNames(names map[string]bool, d ast.Decl) {
	switch d := d.(type) {
	case *ast.FuncDecl:
		if d.Recv == nil {
			names[d.Name.Name] = true
			return
		}
		receiver := d.Recv.List[0].Type
		if star, ok := receiver.(*ast.StarExpr); ok {
			receiver = star.X
		}
		if index, ok := receiver.(*ast.IndexExpr); ok {
			receiver = index.X
		}
		if name, ok := receiver.(*ast.Ident); ok {
			names[name.Name+"."+d.Name.Name] = true
		}
	case *ast.GenDecl:
		for _, spec := range d.Specs {
			switch spec := spec.(type) {
			case *ast.ValueSpec:
				for _, name := range spec.Names {
					names[name.Name] = true
				}
			case *ast.TypeSpec:
				names[spec.Name.Name] = true
				var fields *ast.FieldList
				switch of := spec.Type.(type) {
				case *ast.StructType:
					fields = of.Fields
				case *ast.InterfaceType:
					fields = of.Methods
				default:
					continue
				}
				for _, field := range fields.List {
					for _, name := range field.Names {
						names[spec.Name.Name+"."+name.Name] = true
					}
				}
			}
		}
	}
}

// texMacro matches a command of LaTeX.
var texMacro = regexp.MustCompile(`\\([A-Za-z]+)`)

// greek maps LaTeX's names of Greek letters to the letters.
var greek = map[string]rune{
	"alpha": 'α', "beta": 'β', "gamma": 'γ', "Gamma": 'Γ', "delta": 'δ', "Delta": 'Δ', "epsilon": 'ε', "varepsilon": 'ε', "zeta": 'ζ', "eta": 'η',
	"theta": 'θ', "Theta": 'Θ', "iota": 'ι', "kappa": 'κ', "lambda": 'λ', "Lambda": 'Λ', "mu": 'μ', "nu": 'ν', "xi": 'ξ', "Xi": 'Ξ', "pi": 'π',
	"Pi": 'Π', "rho": 'ρ', "sigma": 'σ', "Sigma": 'Σ', "tau": 'τ', "upsilon": 'υ', "phi": 'φ', "varphi": 'φ', "Phi": 'Φ', "chi": 'χ', "psi": 'ψ',
	"Psi": 'Ψ', "omega": 'ω', "Omega": 'Ω',
}

// Every Greek letter in the text of guides and notebooks stands in the first column of a table of the glossary. The sum
// sign does not count as a letter.
func TestGreekLettersAreInTheGlossary(t *testing.T) {
	texts := guideTexts(t)
	explained := map[rune]bool{'Σ': true}
	for line := range strings.Lines(texts["../../docs/glossary.md"]) {
		if cells := strings.Split(line, "|"); len(cells) > 2 {
			for _, letter := range letters(cells[1]) {
				explained[letter] = true
			}
		}
	}
	notebooks, err := filepath.Glob("../../notebooks/*.ipynb")
	expect.Require(t, err == nil && len(notebooks) != 0, "no notebooks (%v)", err)
	for _, path := range notebooks {
		texts[path] = prose(t, path)
	}
	met := map[rune]bool{}
	for _, path := range slices.Sorted(maps.Keys(texts)) {
		for _, letter := range letters(texts[path]) {
			expect.That(t, explained[letter], "%s: %c is not in the glossary", path, letter)
			met[letter] = true
		}
	}
	expect.That(t, len(met) >= 10, "only the letters %v were found", met)
}

// letters returns the Greek letters of a text, including LaTeX commands, each once.
func letters(text string) []rune {
	found := map[rune]bool{}
	for _, letter := range text {
		if unicode.Is(unicode.Greek, letter) {
			found[letter] = true
		}
	}
	for _, m := range texMacro.FindAllStringSubmatch(text, -1) {
		if letter, ok := greek[m[1]]; ok {
			found[letter] = true
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// prose returns the text of a notebook's cells in Markdown.
func prose(t *testing.T, path string) (text string) {
	t.Helper()
	data := expect.Must(os.ReadFile(path))(t)
	var notebook struct {
		Cells []struct {
			Type   string `json:"cell_type"`
			Source []string
		}
	}
	expect.NoError(t, json.Unmarshal(data, &notebook))
	for _, c := range notebook.Cells {
		if c.Type == "markdown" {
			text += strings.Join(c.Source, "") + "\n"
		}
	}
	return text
}

// guideTexts returns the text of every page of docs without its blocks, by path.
func guideTexts(t *testing.T) map[string]string {
	t.Helper()
	paths, err := filepath.Glob("../../docs/*.md")
	expect.Require(t, err == nil && len(paths) != 0, "no pages (%v)", err)
	texts := map[string]string{}
	for _, path := range paths {
		data := expect.Must(os.ReadFile(path))(t)
		texts[path] = words(string(data))
	}
	return texts
}

// words returns the text outside of the blocks.
func words(markdown string) (text string) {
	inside := false
	for line := range strings.Lines(markdown) {
		if strings.HasPrefix(line, "```") {
			inside = !inside
		} else if !inside {
			text += line
		}
	}
	return text
}
