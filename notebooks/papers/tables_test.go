package papers

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/expect"
)

// A draw has the row numbers of the published protocol. The columns of this table are the class and a row number, so
// that the classes of labeled and of test rows can be checked, and that no row is in two parts.
func TestDrawTable(t *testing.T) {
	dir := t.TempDir()
	t.Setenv(datasets.EnvDataDir, dir)
	for i, file := range []struct {
		name string
		rows int
	}{{"wine-red.csv", 1599}, {"wine-white.csv", 3297}} {
		text := strings.Builder{}
		text.WriteString("class;number\n")
		for row := range file.rows {
			fmt.Fprintf(&text, "%d;%d\n", i, 10_000*i+row)
		}
		expect.NoError(t, os.WriteFile(filepath.Join(dir, file.name), []byte(text.String()), 0o666))
	}
	d := expect.Must(DrawTable("wine", 101))(t)
	n, _ := d.X.Dims()
	m, _ := d.Held.Dims()
	k, _ := d.Test.Dims()
	expect.Equal(t, [3]int{n, m, k}, [3]int{450 + 771 + 2309, 50 + 109 + 329, 219 + 659})
	expect.Equal(t, [3]int{len(d.Labeled), len(d.HeldLabeled), len(d.Truth)}, [3]int{n, m, k})
	labeled, positive, seen := 0, d.X.At(0, 0), map[float64]bool{}
	for i := range n {
		if d.Labeled[i] {
			labeled++
			expect.That(t, d.X.At(i, 0) == positive, "row %d is labeled and negative", i)
		}
		seen[d.X.At(i, 1)] = true
	}
	for i := range m {
		seen[d.Held.At(i, 1)] = true
	}
	for i := range k {
		expect.That(t, d.Truth[i] == (d.Test.At(i, 0) == positive), "the true class of test row %d", i)
		seen[d.Test.At(i, 1)] = true
	}
	expect.Equal(t, [2]int{labeled, len(seen)}, [2]int{450, n + m + k})
	expect.Error(t, expect.Err(DrawTable("beer", 101)), `no UCI table "beer"; there are spambase, mushroom`)
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	t.Setenv("XDG_CACHE_HOME", t.TempDir())
	expect.Error(t, expect.Err(DrawTable("wine", 101)), "there is no wine-red.csv")
}
