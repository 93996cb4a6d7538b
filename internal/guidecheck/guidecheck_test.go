package main

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/expect"
)

// The blocks of a guide become files and commands.
func TestParse(t *testing.T) {
	g := expect.Must(parse("# Title\n\n```go\n// a/main.go\npackage main\n```\n\nWords.\n\n```go\nfunc main() {}\n```\n\n" +
		"```python not run\nimport torch\n```\n\n```sh\ngo run ./a\n```\n\n```text\nhello\n```\n\n```sh\ntrue\n```\n"))(t)
	expect.That(t, len(g.files) == 1 &&
		g.files[0] == (file{"a/main.go", "// a/main.go\npackage main\n\nfunc main() {}\n", 3}),
		"files %+v", g.files)
	expect.That(t, len(g.commands) == 2 && g.commands[0] == (command{"go run ./a\n", "hello\n", 18}) &&
		g.commands[1] == (command{"true\n", "", 26}), "commands %+v", g.commands)
}

func TestParseRefuses(t *testing.T) {
	const main = "```go\n// main.go\npackage main\n```\n"
	for _, tt := range []struct{ name, markdown, want string }{
		{"no end", "```go\n", "line 1: the block does not end"},
		{"a block in a block", "```go\n```sh\n", "line 2: a block begins inside the one of line 1"},
		{"another language", "```python\nimport torch\n```\n", "line 1: a block is go, sh or text"},
		{"no language", "```\n```\n", "line 1: a block is go, sh or text"},
		{"output of nothing", "\n```text\nhello\n```\n", "line 2: a text block is what the sh block before it prints"},
		{"output of a file", main + "```text\nhello\n```\n", "line 5: a text block is what the sh block before it prints"},
		{"a file without a name", "```go\npackage main\n```\n", "line 1: the first Go block names its file"},
		{"a file twice", main + main, "line 5: main.go is written in line 1 already"},
		{"a file elsewhere", "```go\n// ../main.go\npackage main\n```\n", "../main.go is no path inside of the module"},
		{"no Go", "```go\n// main.go\npackage\n```\n", "main.go: 2:9: expected 'IDENT'"},
		{"not formatted", "```go\n// main.go\npackage   main\n```\n", "main.go is not formatted"},
	} {
		expect.Error(t, expect.Err(parse(tt.markdown)), tt.want)
	}
}

func TestMatch(t *testing.T) {
	for _, tt := range []struct {
		name, want, got string
		ok              bool
	}{
		{"the same", "accuracy 0.91\n", "accuracy 0.91\n", true},
		{"nothing", "", "", true},
		{"spaces at the ends of lines", "a\nb\n", "a  \nb\n\n", true},
		{"another number", "accuracy 0.91\n", "accuracy 0.92\n", false},
		{"a line too few", "a\nb\n", "a\n", false},
		{"a line too many", "a\n", "a\nb\n", false},
		{"within a range", "accuracy 0.85…0.92, π\n", "accuracy 0.90, π\n", true},
		{"at the end of a range", "0.85…0.92\n", "0.92\n", true},
		{"below a range", "0.85…0.92\n", "0.84\n", false},
		{"above a range", "0.85…0.92\n", "0.93\n", false},
		{"more decimals than a range", "0.85…0.92\n", "0.900\n", false},
		{"no number", "0.85…0.92\n", "NaN\n", false},
		{"negative numbers", "-2…-1 and -0.5…0.5\n", "-1 and -0.1\n", true},
		{"a percentage", "85.0…92.0%\n", "90.1%\n", true},
		{"two ranges, one wrong", "0.1…0.2 0.3…0.4\n", "0.1 0.5\n", false},
		{"ends the wrong way round", "0.9…0.8\n", "0.85\n", false},
		{"ends of unlike decimals", "0…0.92\n", "0.85\n", false},
		{"words", "taken: …, told\n", "taken: XLA on CPU (found), told\n", true},
		{"a number for words", "loss …\n", "loss 0.7\n", false},
		{"words of two lines", "a … d\n", "a b\nc d\n", false},
		{"signs of regular expressions", "a+ (b) [c] 1.5\n", "a+ (b) [c] 1.5\n", true},
		{"a sign of regular expressions", "1.5\n", "1x5\n", false},
	} {
		err := match(tt.want, tt.got)
		expect.That(t, (err == nil) == tt.ok, "%s: %v", tt.name, err)
	}
}

// A guide is run in a module of its own, here with the standard library only. A wrong guide is an error.
func TestFollow(t *testing.T) {
	expect.Slow(t)
	const setup = "go mod init example.com/own\n"
	const guide = "```sh\n" + setup + "```\n\n```go\n// sum/main.go\npackage main\n\nimport \"fmt\"\n\nfunc main() {\n\tfmt.Println(\"sum\", 1+2)\n}\n```\n\n" +
		"```sh\ngo run ./sum\n```\n\n```text\nsum 3\n```\n\n" +
		"```sh\necho exit status 3; exit 3\n```\n\n```text\nexit status 3\n```\n"
	for _, tt := range []struct{ name, old, new, want string }{
		{"right", "", "", ""},
		{"a number changed", "sum 3", "sum 4", "line 16: go run ./sum\nprints something else: line 1"},
		{"a function that is gone", "fmt.Println", "fmt.Gone", "undefined: fmt.Gone"},
		{"a missing import", "import \"fmt\"\n\n", "", "undefined: fmt"},
		{"a command that fails", "go run ./sum", "go run ./product", "ends with status 1, not 0"},
		{"a command that should fail", "; exit 3", "", "ends with status 0, not 3"},
	} {
		t.Run(tt.name, func(t *testing.T) {
			name := filepath.Join(t.TempDir(), "guide.md")
			expect.NoError(t, os.WriteFile(name, []byte(strings.Replace(guide, tt.old, tt.new, 1)), 0o666))
			err := follow(name, setup, "/nowhere")
			expect.That(t, (tt.want != "" || err == nil) &&
				(tt.want == "" || err != nil && strings.Contains(err.Error(), tt.want)), "%v, want %q", err, tt.want)
		})
	}
}

// A failing script leaves no child process, whose open output would delay its end.
func TestShellEndsWhatItStarted(t *testing.T) {
	began := time.Now()
	printed, status, err := shell(t.TempDir(), "sleep 100 &\necho begun\nexit 3\n")
	expect.That(t, printed == "begun\n" && status == 3 && err == nil, "%q, status %d, %v", printed, status, err)
	took := time.Since(began)
	expect.That(t, took <= 60*time.Second, "it waits for what runs in the background, %v", took)
}

func TestOwnModule(t *testing.T) {
	page := expect.Must(os.ReadFile(filepath.Join("..", "..", "docs", "own-module.md")))(t)
	setup := expect.Must(ownModule(string(page)))(t)
	expect.That(t, strings.Contains(setup, "go mod init ") && strings.Contains(setup, "="+placeholder+"\n"), "%q", setup)
	expect.Error(t, expect.Err(ownModule("# Nothing\n")), "the first block is not a sh block with /path/to/puclab")
}

// The pages of docs have the form of a guide, and the index links to each.
func TestGuides(t *testing.T) {
	folder := os.DirFS(filepath.Join("..", ".."))
	names, err := fs.Glob(folder, "docs/*.md")
	expect.Require(t, err == nil && len(names) != 0, "pages %v, %v", names, err)
	index := expect.Must(fs.ReadFile(folder, "docs/README.md"))(t)
	for _, name := range names {
		text := expect.Must(fs.ReadFile(folder, name))(t)
		expect.Must(parse(string(text)))(t)
		if base := filepath.Base(name); base != "README.md" && !strings.Contains(string(index), "("+base+")") {
			t.Errorf("docs/README.md does not link to %s", base)
		}
	}
}
