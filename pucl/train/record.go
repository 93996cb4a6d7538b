package train

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/puclab/puclab/pucl/engine"
)

// Record says how a result came about: in what environment and on what machine, from which data and settings. Every Model
// carries one and every Classifier carries its model's.
type Record struct {
	Environment engine.Environment   // engine, versions and what else the last digits depend on
	Earlier     []engine.Environment // others that the run was in before, see History.Earlier
	Hardware    string               // processor and cores
	Data        string               // the batches, in their own words: data set, split, seed
	Settings    string               // of training, seed included
}

// NewRecord returns the record of what this program computes on this machine, from data and with settings told in words. Earlier
// are the environments that a run was in before, see History.Earlier.
func NewRecord(eng *engine.Engine, data, settings string, earlier ...engine.Environment) Record {
	return Record{
		Environment: eng.Environment(), Earlier: earlier, Data: data, Settings: settings,
		Hardware: fmt.Sprintf("%s, %d cores, %s/%s", processor(), runtime.NumCPU(), runtime.GOOS, runtime.GOARCH),
	}
}

// String returns the record in a few lines.
func (r Record) String() string {
	var versions []string
	for _, name := range []string{"go", "gomlx", "compute", "go-xla", "gonum"} {
		if v, ok := r.Environment.Versions[name]; ok {
			versions = append(versions, name+" "+v)
		}
	}
	text := fmt.Sprintf("engine: %s\nhardware: %s\nversions: %s\ndata: %s\nsettings: %s",
		r.Environment.Engine, r.Hardware, strings.Join(versions, ", "), r.Data, r.Settings)
	for _, earlier := range r.Earlier {
		text += "\nbegun in another environment: " + strings.Join(earlier.Differences(r.Environment), "; ")
	}
	return text
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
