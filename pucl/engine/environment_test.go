package engine

import (
	"maps"
	"slices"
	"testing"
)

func TestEnvironmentDifferences(t *testing.T) {
	there := Environment{Engine: "pure Go", Threads: 2, Instructions: "amd64 AVX2", Versions: map[string]string{"go": "go1", "gomlx": "v1"}}
	if list := there.Differences(there); len(list) != 0 {
		t.Errorf("an environment differs from itself: %q", list)
	}
	here := there
	here.Threads, here.Versions = 3, maps.Clone(there.Versions)
	here.Versions["gomlx"], here.Versions["gonum"] = "v2", "v3"
	want := []string{"threads: 2 there, 3 here", "version of gomlx: v1 there, v2 here", "version of gonum:  there, v3 here"}
	if got := there.Differences(here); !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
}
