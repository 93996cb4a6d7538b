package arrows

import (
	"encoding/json"
	"errors"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"maps"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	modulepath "golang.org/x/mod/module"
	"golang.org/x/mod/zip"

	"github.com/puclab/puclab/internal/expect"
)

const module = "github.com/puclab/puclab/"

// floors lists the layers of packages from the bottom up: a package may import packages of lower layers and no others
// of this module. A name that ends in /... stands for a folder and all folders below it, whose packages may import each
// other.
var floors = [][]string{
	{"internal/ahead", "internal/arrows", "internal/damagetest", "internal/expect", "internal/fault",
		"internal/filelock", "internal/guidecheck", "internal/home",
		"internal/interrupts", "internal/liveline", "internal/naming", "internal/peak", "internal/refusal", "internal/runlog", "internal/strictjson", "internal/wholefile"},
	{"internal/container", "internal/peaktest", "internal/sealed", "pucl/internal/numeric", "pucl/internal/parallel"},
	{"pucl/internal/plugin", "pucl/internal/spans", "pucl/internal/vectortest", "pucl/safetensors", "pucl/optim", "pucl/rows", "datasets/..."},
	{"pucl/internal/onednn", "pucl/internal/programs"},
	{"pucl/engine/...", "pucl/internal/sample", "viz", "pucl/reduce"},
	{"internal/enginetest", "pucl/augment", "pucl/encoder", "pucl/evaluate", "pucl/cluster", "pucl/prior", "pucl/pseudo", "pucl", "pucl/risk"},
	{"pucl/internal/pixels", "pucl/internal/steptest", "pucl/internal/traintest", "pucl/internal/onnxtest", "pucl/probe", "pucl/mak", "theory/..."},
	{"pucl/train/..."},
	{"pucl/onnx"},
	{"pucl/classify", "pucl/learn", "pucl/baseline", "pucl/vqa"},
	{"pucl/contrast"},
	{"pucl/pu"},
	{"notebooks/gpucheck", "notebooks/launcher", "notebooks/experiment/...", "notebooks/theorylab/..."},
	{"notebooks/papers"},
	{"notebooks/lab", "notebooks/grid", "notebooks/report", "notebooks/defaults", "notebooks"},
}

// allowed restricts the imports of some packages within this module, in addition to internal.
var allowed = map[string][]string{
	"pucl":               {"pucl/engine", "pucl/internal/numeric"},
	"pucl/risk":          {"pucl/internal/numeric"},
	"pucl/cluster":       {"pucl/rows", "pucl/internal/spans", "pucl/engine"},
	"pucl/prior":         {"pucl/rows"},
	"pucl/mak":           {"pucl", "pucl/rows", "pucl/cluster", "pucl/engine"},
	"pucl/pseudo":        {"pucl/rows", "pucl/internal/spans"},
	"datasets":           {},
	"viz":                {},
	"theory":             {"pucl", "pucl/risk", "pucl/cluster", "pucl/engine"},
	"notebooks/launcher": {"datasets", "datasets/fashionmnist"},
	"notebooks":          {"notebooks/launcher"},
}

// goPackage is the output of go list for a package.
type goPackage struct {
	ImportPath, Dir  string
	GoFiles, Imports []string
}

// list returns the packages of the module, by their paths below it.
func list(t *testing.T) map[string]goPackage {
	t.Helper()
	cmd := exec.Command("go", "list", "-json=ImportPath,Dir,GoFiles,Imports", module+"...")
	out := expect.Must(cmd.Output())(t)
	all := map[string]goPackage{}
	for decoder := json.NewDecoder(strings.NewReader(string(out))); ; {
		var p goPackage
		if err := decoder.Decode(&p); errors.Is(err, io.EOF) {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all[strings.TrimPrefix(p.ImportPath, module)] = p
	}
}

// inModule returns the imports of p from this module.
func (p goPackage) inModule() (imports []string) {
	for _, path := range p.Imports {
		if name, ok := strings.CutPrefix(path, module); ok {
			imports = append(imports, name)
		}
	}
	return imports
}

// covers reports whether name is the package that pattern names, or one below the folder.
func covers(pattern, name string) bool {
	folder, all := strings.CutSuffix(pattern, "/...")
	return name == folder || all && strings.HasPrefix(name, folder+"/")
}

// place returns the layer of a package and the pattern that it matched.
func place(name string) (floor int, pattern string) {
	for floor, patterns := range floors {
		for _, pattern := range patterns {
			if covers(pattern, name) {
				return floor, pattern
			}
		}
	}
	return -1, ""
}

// No package imports a higher layer, so there is no cycle.
func TestArrowsPointDown(t *testing.T) {
	packages := list(t)
	expect.Require(t, len(packages) >= 30, "go list found %d packages only", len(packages))
	for name, p := range packages {
		floor, pattern := place(name)
		if floor < 0 {
			t.Errorf("package %s has no floor; put it on one in this test", name)
			continue
		}
		for _, imported := range p.inModule() {
			if below, _ := place(imported); below >= floor && !covers(pattern, imported) {
				t.Errorf("%s imports %s, which does not lie below it", name, imported)
			}
		}
	}
	for _, patterns := range floors {
		for _, pattern := range patterns {
			expect.That(t, slices.ContainsFunc(slices.Collect(maps.Keys(packages)),
				func(name string) bool { return covers(pattern, name) }),
				"no package is at %s; take it out of this test", pattern)
		}
	}
}

// takesFiles lists the packages of pucl that read a user's data, and so need data formats and batches.
var takesFiles = []string{"pucl/contrast", "pucl/learn", "pucl/pu"}

// Some folders may import only a few others. Folders below them have the same limits, but may also import their own
// folder.
func TestRoomsNeedNoMoreThanTheyMay(t *testing.T) {
	for name, p := range list(t) {
		for room, may := range allowed {
			if name != room && !(strings.HasPrefix(name, room+"/") && room != "pucl" && room != "notebooks") {
				continue
			}
			for _, imported := range p.inModule() {
				inside := strings.HasPrefix(imported, room+"/") && room != "pucl" && room != "notebooks"
				expect.That(t, imported == room || inside || strings.HasPrefix(imported, "internal/") ||
					slices.Contains(may, imported), "%s imports %s; %s may import only %v", name, imported, room, may)
			}
		}
		if strings.HasPrefix(name, "pucl") {
			for _, imported := range p.inModule() {
				for _, above := range []string{"viz", "datasets", "theory", "notebooks"} {
					if above == "datasets" && slices.Contains(takesFiles, name) {
						continue
					}
					expect.That(t, !covers(above+"/...", imported),
						"%s imports %s: what learns needs no data formats, figures or notebooks", name, imported)
				}
			}
		}
	}
}

// The library packages for training and proofs print nothing: they return values and errors.
func TestLibrariesPrintNothing(t *testing.T) {
	for name, p := range list(t) {
		if !(covers("pucl/...", name) || covers("theory/...", name) || covers("datasets/...", name)) || strings.HasSuffix(name, "/verdicts") {
			continue
		}
		for _, file := range p.GoFiles {
			parsed := expect.Must(parser.ParseFile(token.NewFileSet(), filepath.Join(p.Dir, file), nil, 0))(t)
			ast.Inspect(parsed, func(n ast.Node) bool {
				of, what, ok := selector(n)
				expect.That(t, !ok || !prints(of, what), "%s/%s uses %s.%s", name, file, of, what)
				return true
			})
		}
	}
}

// selector returns the parts of an expression such as fmt.Println.
func selector(n ast.Node) (of, what string, ok bool) {
	s, ok := n.(*ast.SelectorExpr)
	if !ok {
		return "", "", false
	}
	x, ok := s.X.(*ast.Ident)
	if !ok {
		return "", "", false
	}
	return x.Name, s.Sel.Name, true
}

// prints reports whether an identifier of a package writes to the terminal, or is the terminal itself.
func prints(of, what string) bool {
	switch of {
	case "fmt":
		return strings.HasPrefix(what, "Print")
	case "os":
		return what == "Stdout" || what == "Stderr"
	}
	return of == "log"
}

// Largest size in bytes of the module's download zip, and of the files of a checkout.
const (
	mostZip      = 14_000_000
	mostCheckout = 40_000_000
)

// tracked is a file that git tracks, in the form that package zip requires.
type tracked struct{ root, name string }

func (f tracked) Path() string                 { return f.name }
func (f tracked) Lstat() (os.FileInfo, error)  { return os.Lstat(filepath.Join(f.root, f.name)) }
func (f tracked) Open() (io.ReadCloser, error) { return os.Open(filepath.Join(f.root, f.name)) }

// counter counts the bytes written to it.
type counter int64

func (c *counter) Write(p []byte) (int, error) {
	*c += counter(len(p))
	return len(p), nil
}

// A download of the module and a checkout are small; the results are a module of their own.
func TestSizes(t *testing.T) {
	root := filepath.Join("..", "..")
	list := exec.Command("git", "ls-files", "-z")
	list.Dir = root
	out, err := list.Output()
	if err != nil {
		t.Skipf("the files of the module are those that git tracks, and `git ls-files` answers with %v", err)
	}
	var files []zip.File
	checkout := int64(0)
	for name := range strings.SplitSeq(strings.TrimSuffix(string(out), "\x00"), "\x00") {
		f := tracked{root, name}
		info, err := f.Lstat()
		if os.IsNotExist(err) { // removed, but still tracked by git
			continue
		} else if err != nil {
			t.Fatal(err)
		}
		checkout += info.Size()
		files = append(files, f)
	}
	checked := expect.Must(zip.CheckFiles(files))(t)
	for _, name := range checked.Valid {
		expect.Require(t, !strings.HasPrefix(name, "notebooks/results/"),
			"the zip holds %s; notebooks/results needs a go.mod, which makes it a module of its own", name)
	}
	var zipped counter
	version := modulepath.Version{Path: strings.TrimSuffix(module, "/"), Version: "v0.0.0"}
	expect.NoError(t, zip.Create(&zipped, version, files))
	t.Logf("the zip of the module has %d bytes, the %d files of a checkout have %d", zipped, len(files), checkout)
	expect.That(t, zipped <= mostZip && checkout <= mostCheckout,
		"the zip of the module has %d bytes and a checkout %d; they may have %d and %d", zipped, checkout, mostZip,
		mostCheckout)
}
