package naming

import (
	"testing"

	"github.com/puclab/puclab/internal/expect"
)

func TestMeant(t *testing.T) {
	tables := []string{"figure-1", "figure-10", "quickstart", "table-1", "table-2"}
	for _, tt := range []struct{ word, want string }{
		{"tabel-1", "table-1"}, // two letters swapped
		{"table1", "table-1"},
		{"Table_2", "table-2"},
		{"figure10", "figure-10"},
		{"fig-10", "figure-10"}, // three letters for six
		{"quick", "quickstart"}, // its beginning
		{"quikstrat", "quickstart"},
		{"table-1", "table-1"},
		{"theorem-1", ""},
		{"t", ""},
		{"", ""},
		{"bench", ""},
	} {
		expect.Equal(t, Meant(tt.word, tables), tt.want, "%q", tt.word)
	}
	expect.Equal(t, DidYouMean("tabel-2", tables), ` (did you mean "table-2"?)`)
	expect.Equal(t, DidYouMean("bench", tables), "", "for what is near nothing")
}

// Distances counted by hand.
func TestDistance(t *testing.T) {
	for _, tt := range []struct {
		a, b string
		want int
	}{
		{"", "", 0}, {"", "abc", 3}, {"abc", "", 3}, {"abc", "abc", 0}, {"abc", "acb", 1}, {"abc", "axc", 1}, {"abc", "abxc", 1},
		{"kitten", "sitting", 3}, {"ca", "abc", 3}, {"τ⁺", "τ", 1},
	} {
		expect.Equal(t, distance(tt.a, tt.b), tt.want, "from %q to %q", tt.a, tt.b)
	}
}
