package train

import (
	"bufio"
	"fmt"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"
	"strings"

	"github.com/puclab/puclab/pucl/engine"
)

// Record says how a result came about: on what engine and machine, with which versions, from which data and settings. Every
// Model carries one and every Classifier carries its model's.
type Record struct {
	Engine   string            // kind of engine and plugin, as engine.Engine tells them
	Hardware string            // processor and cores
	Versions map[string]string // of Go and of the modules that compute
	Data     string            // the batches, in their own words: data set, split, seed
	Settings string            // of training, seed included
}

// recordedModules are the modules whose versions can change a number.
var recordedModules = []string{"github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla", "gonum.org/v1/gonum"}

// NewRecord returns the record of what this program computes on this machine, from data and with settings told in words.
func NewRecord(eng *engine.Engine, data, settings string) Record {
	r := Record{
		Engine: eng.Name(), Hardware: fmt.Sprintf("%s, %d cores, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
		Versions: map[string]string{"go": runtime.Version()}, Data: data, Settings: settings,
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if slices.Contains(recordedModules, dep.Path) {
				r.Versions[path.Base(dep.Path)] = dep.Version
			}
		}
	}
	return r
}

// String returns the record in a few lines.
func (r Record) String() string {
	var versions []string
	for _, name := range []string{"go", "gomlx", "compute", "go-xla", "gonum"} {
		if v, ok := r.Versions[name]; ok {
			versions = append(versions, name+" "+v)
		}
	}
	return fmt.Sprintf("engine: %s\nhardware: %s\nversions: %s\ndata: %s\nsettings: %s",
		r.Engine, r.Hardware, strings.Join(versions, ", "), r.Data, r.Settings)
}

// processor returns the processor's name as Linux tells it, and the architecture elsewhere.
func processor() string {
	f, err := os.Open("/proc/cpuinfo")
	if err != nil {
		return runtime.GOARCH
	}
	defer f.Close()
	for lines := bufio.NewScanner(f); lines.Scan(); {
		if key, value, ok := strings.Cut(lines.Text(), ":"); ok && strings.TrimSpace(key) == "model name" {
			return strings.TrimSpace(value)
		}
	}
	return runtime.GOARCH
}
