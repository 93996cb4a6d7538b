package train

import (
	"bufio"
	"fmt"
	"os"
	"runtime"
	"strings"

	"github.com/puclab/puclab/pucl/engine"
)

// Record describes the provenance of a result: the environment and machine, the data and settings. Every Model has one,
// and every Classifier has its model's.
type Record struct {
	Environment engine.Environment   // engine, versions and everything else that the last digits depend on
	Earlier     []engine.Environment // other environments of earlier steps, see History.Earlier
	Hardware    string               // processor and cores
	Data        string               // description of the batches: data set, split, seed
	Settings    string               // of training, seed included
}

// NewRecord returns the record of a computation by this program on this machine, given descriptions of data and
// settings. earlier are the previous environments of the run, see History.Earlier.
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

// processor returns the processor's name on Linux, and the architecture elsewhere.
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
