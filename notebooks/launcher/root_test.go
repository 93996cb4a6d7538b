package launcher

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/puclab/puclab/internal/home"
)

func TestFindRoot(t *testing.T) {
	dir, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	root := filepath.Join(dir, "checkout")
	deep := filepath.Join(root, "notebooks", "tools", "gopls")
	if err := os.MkdirAll(deep, 0o755); err != nil {
		t.Fatal(err)
	}
	for path, text := range map[string]string{
		filepath.Join(dir, "go.mod"):  "module example.org/around\n",
		filepath.Join(root, "go.mod"): "// a comment\nmodule " + home.Module + " // ours\n\ngo 1.26.5\n",
		filepath.Join(deep, "go.mod"): "module " + home.Module + "/notebooks/tools/gopls\n",
	} {
		if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for _, from := range []string{root, filepath.Join(root, "notebooks"), deep} {
		if p, err := findRoot(from); err != nil || p.root != root {
			t.Errorf("from %s: %q, %v", from, p.root, err)
		}
	}
	if p, err := findRoot(dir); err == nil {
		t.Errorf("outside of the checkout: %q", p.root)
	}
	link := filepath.Join(dir, "link")
	if err := os.Symlink(root, link); err != nil {
		t.Fatal(err)
	}
	if p, err := findRoot(link); err != nil || p.root != root {
		t.Errorf("through a link: %q, %v", p.root, err)
	}
}
