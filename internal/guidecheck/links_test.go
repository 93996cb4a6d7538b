package main

import (
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"unicode"

	"github.com/puclab/puclab/internal/expect"
)

var (
	// link matches the target of a link or of an image, without a title.
	link = regexp.MustCompile(`\]\(([^)\s]+)\)`)
	// remote matches the start of an address with a scheme.
	remote = regexp.MustCompile(`^[a-z]+:`)
	// heading matches a heading of Markdown and its text.
	heading = regexp.MustCompile(`(?m)^#{1,6} +(.+?)\s*$`)
)

// Each relative link of the README, the docs and the other top-level pages leads to a file, and its anchor to a heading
// there.
func TestLinksLeadSomewhere(t *testing.T) {
	const top = "../.."
	pages := []string{"README.md", "CONTRIBUTING.md", "CHANGELOG.md", "notebooks/results/README.md", "pucl/train/DEVICES.md"}
	docs, err := filepath.Glob(filepath.Join(top, "docs", "*.md"))
	expect.Require(t, err == nil && len(docs) != 0, "no docs (%v)", err)
	for _, name := range docs {
		pages = append(pages, filepath.Join("docs", filepath.Base(name)))
	}
	links := 0
	for _, page := range pages {
		text := expect.Must(os.ReadFile(filepath.Join(top, page)))(t)
		for _, found := range link.FindAllStringSubmatch(words(string(text)), -1) {
			if remote.MatchString(found[1]) {
				continue
			}
			links++
			if problem := follows(filepath.Join(top, page), found[1]); problem != "" {
				t.Errorf("%s links to %s: %s", page, found[1], problem)
			}
		}
	}
	expect.That(t, links >= 100, "only %d links were found", links)
}

// follows returns a description of the problem if the target of a link on a page does not exist, else "".
func follows(page, target string) string {
	path, anchor, _ := strings.Cut(target, "#")
	file := page
	if path != "" {
		file = filepath.Join(filepath.Dir(page), filepath.FromSlash(path))
	}
	data, err := os.ReadFile(file)
	if info, statErr := os.Stat(file); statErr == nil && info.IsDir() && anchor == "" {
		return ""
	}
	if err != nil {
		return err.Error()
	}
	if anchor == "" {
		return ""
	}
	for _, h := range heading.FindAllStringSubmatch(words(string(data)), -1) {
		if anchorOf(h[1]) == anchor {
			return ""
		}
	}
	return "no heading of the page has this anchor"
}

// anchorOf returns GitHub's anchor of a heading: lower case, spaces as hyphens, without punctuation.
func anchorOf(heading string) string {
	return strings.Map(func(r rune) rune {
		switch {
		case r == ' ':
			return '-'
		case unicode.IsLetter(r) || unicode.IsDigit(r) || r == '-' || r == '_':
			return unicode.ToLower(r)
		}
		return -1
	}, heading)
}

func TestFollows(t *testing.T) {
	folder := t.TempDir()
	page := filepath.Join(folder, "page.md")
	expect.NoError(t, os.WriteFile(page, []byte("# In `your` own module, π = ½\n\n```sh\n# no heading\n```\n"), 0o666))
	for _, tt := range []struct{ target, want string }{
		{"page.md", ""},
		{"#in-your-own-module-π--", ""},
		{"page.md#in-your-own-module-π--", ""},
		{".", ""},
		{"other.md", "no such file"},
		{"page.md#elsewhere", "no heading"},
		{"page.md#no-heading", "no heading"},
	} {
		got := follows(page, tt.target)
		expect.That(t, (got == "") == (tt.want == "") && strings.Contains(got, tt.want), "%s: %q", tt.target, got)
	}
}
