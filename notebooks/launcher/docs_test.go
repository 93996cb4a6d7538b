package launcher

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

// The commands in the README and the docs have the form that the command line accepts.
func TestCommandsOfTheDocs(t *testing.T) {
	top := filepath.Join("..", "..")
	pages := expect.Must(filepath.Glob(filepath.Join(top, "docs", "*.md")))(t)
	pages = append(pages, filepath.Join(top, "README.md"), filepath.Join(top, "CONTRIBUTING.md"))
	whole := regexp.MustCompile("`go run \\./notebooks( [^`]*)?`")
	row := regexp.MustCompile("(?m)^\\| `([a-z][^`]*)` \\|") // of docs/commands.md, without "go run ./notebooks"
	count := 0
	try := func(page, command string) {
		count++
		args := strings.Fields(command)
		_, _, err := parse(args)
		expect.That(t, err == nil, "%s: go run ./notebooks %s: %v", page, command, err)
	}
	for _, page := range pages {
		text := string(expect.Must(os.ReadFile(page))(t))
		for _, found := range whole.FindAllStringSubmatch(text, -1) {
			try(page, found[1])
		}
		if filepath.Base(page) != "commands.md" {
			continue
		}
		for _, found := range row.FindAllStringSubmatch(text, -1) {
			if !strings.HasPrefix(found[1], "go ") {
				try(page, found[1])
			}
		}
	}
	expect.That(t, count >= 50, "only %d commands were found", count)
}
