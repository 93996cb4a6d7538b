package claims

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The table in the README is what the checks say today. `go run ./notebooks claims -markdown` prints it.
func checkReadme(t *testing.T, checked []Claim) {
	t.Helper()
	readme, err := os.ReadFile(filepath.Join("..", "..", "README.md"))
	if err != nil {
		t.Fatal(err)
	}
	var table bytes.Buffer
	if err := WriteMarkdown(&table, checked); err != nil {
		t.Fatal(err)
	}
	for line := range strings.Lines(table.String()) {
		if !strings.Contains(string(readme), line) {
			t.Errorf("README.md lacks the line\n%s", line)
		}
	}
}

func TestMarkdown(t *testing.T) {
	var out bytes.Buffer
	err := WriteMarkdown(&out, []Claim{{ID: "a", Finding: Finding{Verdict: Fails, Sentence: "|x| is 2."}}})
	if want := "| claim | verdict | number | |\n| --- | --- | ---: | --- |\n| a | fails | 0 | \\|x\\| is 2. |\n"; err != nil || out.String() != want {
		t.Errorf("%v, %s", err, out.String())
	}
}

func TestFind(t *testing.T) {
	found, err := Find("lemma-2", "theorem-1")
	if err != nil || len(found) != 2 || found[0].ID != "lemma-2" || found[1].ID != "theorem-1" {
		t.Errorf("%v, %v", found, err)
	}
	if all, err := Find(); err != nil || len(all) != len(All()) {
		t.Errorf("%d claims, %v", len(all), err)
	}
	_, err = Find("lemma-9")
	wantError(t, "unknown", err, `"lemma-9"`, "lemma-2", "theorem-1")
}
