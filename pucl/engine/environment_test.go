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

// TestEnvironmentIsOfTheEngine: oneDNN's version is there where it computes, and pure Go has no number of threads.
func TestEnvironmentIsOfTheEngine(t *testing.T) {
	e, err := Open()
	if err != nil {
		t.Fatal(err)
	}
	env := e.Environment()
	if version, ok := env.Versions["oneDNN"]; ok != e.OneDNN || ok && version == "" {
		t.Errorf("oneDNN %v, its version %q", e.OneDNN, version)
	}
	if (env.Threads > 0) != (e.Kind == "xla-cpu" || e.Kind == "xla") {
		t.Errorf("%s has %d threads", e, env.Threads)
	}
	if env.Engine != e.Name() || env.Versions["go"] == "" || env.Instructions == "" {
		t.Errorf("%+v", env)
	}
}
