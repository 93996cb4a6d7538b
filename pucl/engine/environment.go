package engine

import (
	"fmt"
	"maps"
	"os"
	"path"
	"runtime"
	"runtime/debug"
	"slices"

	"github.com/puclab/puclab/pucl/internal/onednn"
	"golang.org/x/sys/cpu"
)

// Environment holds everything that the last digits of a result depend on, besides the program and its seeds: the same
// program gives the same bits in every equal environment.
type Environment struct {
	Engine       string            // kind of engine and plugin, see [Engine.Name]
	Threads      int               // of XLA on the CPU, by which it divides sums; 0 if results do not depend on it
	Instructions string            // architecture and widest vector instructions: "amd64 AVX-512"
	Versions     map[string]string // of Go, of the modules that compute, of the plugin by its size, and of oneDNN if it computes
}

// versioned lists the modules whose versions can change a number.
var versioned = []string{"github.com/gomlx/gomlx", "github.com/gomlx/compute", "github.com/gomlx/go-xla", "gonum.org/v1/gonum"}

// Environment returns the environment in which e computes.
func (e *Engine) Environment() Environment {
	env := Environment{
		Engine: e.Name(), Threads: e.threads, Instructions: instructions(), Versions: map[string]string{"go": runtime.Version()},
	}
	if info, err := os.Stat(e.Plugin); err == nil { // plugins have no readable version
		env.Versions["plugin"] = fmt.Sprintf("%d bytes", info.Size())
	}
	if e.OneDNN {
		env.Versions["oneDNN"] = onednn.Version()
	}
	if info, ok := debug.ReadBuildInfo(); ok {
		for _, dep := range info.Deps {
			if slices.Contains(versioned, dep.Path) {
				env.Versions[path.Base(dep.Path)] = dep.Version
			}
		}
	}
	return env
}

// Differences lists the differences between there and here, a clause each: "2 threads there, 3 here".
func (there Environment) Differences(here Environment) []string {
	var list []string
	differ := func(what string, there, here any) {
		if there != here {
			list = append(list, fmt.Sprintf("%s: %v there, %v here", what, there, here))
		}
	}
	differ("engine", there.Engine, here.Engine)
	differ("threads", there.Threads, here.Threads)
	differ("instructions", there.Instructions, here.Instructions)
	names := maps.Clone(here.Versions)
	maps.Copy(names, there.Versions)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		differ("version of "+name, there.Versions[name], here.Versions[name])
	}
	return list
}

// instructions names the architecture and the widest vector instructions of this processor, by which libraries choose
// their code.
func instructions() string {
	for _, set := range []struct {
		has  bool
		name string
	}{{cpu.X86.HasAVX512, "AVX-512"}, {cpu.X86.HasAVX2, "AVX2"}, {cpu.X86.HasAVX, "AVX"}, {cpu.ARM64.HasSVE, "SVE"}} {
		if set.has {
			return runtime.GOARCH + " " + set.name
		}
	}
	return runtime.GOARCH
}
