package main

import (
	"context"
	"encoding/json"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// A package uses the engine if it imports gomlx's packages, or packages that open or take an engine. The list has
// exactly the packages that do so and have tests.
func TestEnginePackagesAreComplete(t *testing.T) {
	root := filepath.Join("..", "..")
	uses, tested := map[string]bool{}, map[string]bool{}
	expect.NoError(t, filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		if entry.IsDir() {
			if name := entry.Name(); path != root && (strings.HasPrefix(name, ".") || name == "testdata" || name == "out" || name == "tools") {
				return filepath.SkipDir
			}
			return nil
		}
		if !strings.HasSuffix(path, ".go") {
			return nil
		}
		file, err := parser.ParseFile(token.NewFileSet(), path, nil, parser.ImportsOnly)
		if err != nil {
			return err
		}
		pkg, err := filepath.Rel(root, filepath.Dir(path))
		if err != nil {
			return err
		}
		pkg = filepath.ToSlash(pkg)
		tested[pkg] = tested[pkg] || strings.HasSuffix(path, "_test.go")
		for _, spec := range file.Imports {
			name, err := strconv.Unquote(spec.Path.Value)
			if err != nil {
				return err
			}
			own, ours := strings.CutPrefix(name, "github.com/puclab/puclab/")
			if strings.HasPrefix(name, "github.com/gomlx/") ||
				ours && (own == "pucl" || own == "pucl/engine" || strings.HasSuffix(own, "enginetest") || strings.HasSuffix(own, "theorytest")) {
				uses[pkg] = true
			}
		}
		return nil
	}))
	for pkg := range uses {
		// Only the names of types in safetensors are used.
		expect.That(t, !tested[pkg] || slices.Contains(enginePackages, pkg) || pkg == "pucl/safetensors",
			"%s uses the engine and has tests, but is not listed", pkg)
	}
	for _, pkg := range enginePackages {
		expect.That(t, uses[pkg] && tested[pkg],
			"%s is listed, but uses no engine (%v) or has no tests (%v)", pkg, uses[pkg], tested[pkg])
	}
}

// needsGo skips a test on a machine without Go, which has only test programs.
func needsGo(t *testing.T) {
	t.Helper()
	if _, err := exec.LookPath("go"); err != nil {
		t.Skip("there is no go command here")
	}
	t.Setenv("GOWORK", "off")
}

// testModule writes a module with three packages of tests and returns its folder.
func testModule(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	const head = "import \"testing\"\n\n"
	for name, text := range map[string]string{
		"go.mod": "module example.org/m\n\ngo 1.26\n",
		"good/good_test.go": "package good\n\nimport (\n\t\"fmt\"\n\t\"os\"\n\t\"testing\"\n)\n\nfunc TestA(t *testing.T) { fmt.Println(\"--- FAIL: TestZ (0.00s)\") }\n" +
			"func TestB(t *testing.T) { t.Run(\"x\", func(t *testing.T) { t.Skip(\"no data\") }) }\n" +
			"func TestC(t *testing.T) { if os.Getenv(\"GOMLX_BACKEND\") != \"mine\" { t.Skip() } }\n",
		"bad/bad_test.go": "package bad\n\n" + head + "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) {\n\tt.Run(\"one\", func(t *testing.T) {})\n" +
			"\tt.Run(\"two\", func(t *testing.T) { t.Error(\"wrong\") })\n}\nfunc TestC(t *testing.T) { t.Fatal(\"wrong\") }\n",
		"crash/crash_test.go":   "package crash\n\n" + head + "func TestA(t *testing.T) {}\nfunc TestB(t *testing.T) { go func() { panic(\"out of memory\") }(); select {} }\n",
		"broken/broken_test.go": "package broken\n\n" + head + "func TestA(t *testing.T) { undefined() }\n",
		"none/none.go":          "package none\n",
		"none/none_test.go":     "package none\n",
	} {
		path := filepath.Join(dir, name)
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, []byte(text), 0o644))
	}
	return dir
}

// Real test programs are compiled, run and counted.
func TestSuite(t *testing.T) {
	expect.Slow(t)
	needsGo(t)
	s := &suite{root: testModule(t), env: append(os.Environ(), "GOMLX_BACKEND=mine")}
	for _, tt := range []struct {
		pkg      string
		result   Result
		told     []string
		failures string
	}{
		{"good", Pass, []string{"3 passed, 0 failed, 1 skipped"}, ""},
		{"bad", Fail, []string{"1 passed, 2 failed, 0 skipped"}, "TestB/two TestC"},
		{"crash", Fail, []string{"1 passed, 0 failed", "exit status 2 in TestB: panic: out of memory"}, ""},
		{"broken", Fail, []string{"do not compile", "undefined: undefined"}, ""},
		{"none", Fail, []string{"no test ran"}, ""},
	} {
		t.Run(tt.pkg, func(t *testing.T) {
			row, err := s.run(context.Background(), tt.pkg, func(string) {})
			if err != nil {
				row = &Row{Result: Fail, Detail: err.Error()}
			}
			expect.That(t, row.Result == tt.result && strings.Join(row.Failures, " ") == tt.failures,
				"%s, %q: %s", row.Result, row.Failures, row.Detail)
			has(t, row.Detail, tt.told...)
		})
	}
}

// Prebuilt programs are found by name; a missing one is reported.
func TestSuiteWithoutGo(t *testing.T) {
	expect.Slow(t)
	needsGo(t)
	root, folder := testModule(t), t.TempDir()
	expect.NoError(t, buildTests(context.Background(), root, "good", testProgram(folder, "good")))
	err := goCommand(context.Background(), root, "build", "-o", filepath.Join(folder, converter), "cmd/"+converter)
	expect.Require(t, err == nil, "%v", err)
	s := &suite{root: root, programs: folder, env: append(os.Environ(), "GOMLX_BACKEND=mine", "PATH=")}
	row := expect.Must(s.run(context.Background(), "good", func(string) {}))(t)
	expect.That(t, row.Result == Pass, "%+v", row)
	if row, err := s.run(context.Background(), "bad", nil); err != nil || row.Result != NotRun || !strings.Contains(row.Detail, "bad.test") {
		t.Errorf("%+v, %v", row, err)
	}
}

// Subtests are reported before or after their tests; only the innermost name stays.
func TestFailuresAreTheInnermost(t *testing.T) {
	for _, lines := range [][]string{{"TestA/x", "TestA", "TestB"}, {"TestA", "TestA/x", "TestB"}} {
		counts := &tally{onTest: func(string) {}}
		for _, name := range lines {
			counts.add(event{Action: "fail", Test: name})
		}
		got := strings.Join(counts.failures, " ")
		expect.That(t, got == "TestA/x TestB" && counts.failed == 2, "%q: %q, %d", lines, got, counts.failed)
	}
}

// The output of -build runs without Go: this program with a test program.
func TestBuild(t *testing.T) {
	expect.Slow(t)
	needsGo(t)
	dir := t.TempDir()
	expect.NoError(t, build(context.Background(), dir, []string{"pucl/risk"}, func(string, ...any) {}))
	cmd := exec.Command(filepath.Join(dir, "gpucheck"), "-on", "go", "-only", "tests", "-tests", dir, "-json")
	cmd.Dir = filepath.Join("..", "..")
	cmd.Env = append(os.Environ(), "PATH="+t.TempDir())
	out, err := cmd.Output()
	expect.Require(t, err == nil, "%v: %s", err, out)
	var r Report
	expect.NoError(t, json.Unmarshal(out, &r))
	expect.That(t, r.Machine.Kind == "go" && r.count(Pass) == 2 && r.count(NotRun) == len(enginePackages)-1, "%s", out)
	for _, row := range r.Rows {
		expect.That(t, row.What != "pucl/risk" || row.Result == Pass && row.Values["passed"] >= 3, "%+v", row)
	}

	t.Chdir(t.TempDir())
	t.Setenv("PUCL_HOME", "")
	expect.Error(t, build(context.Background(), dir, nil, nil), "folder of the checkout")
}
