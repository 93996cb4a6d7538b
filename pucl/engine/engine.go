// Package engine opens the compute engine that everything else runs on: XLA through a PJRT plugin, or pure Go.
//
// There is one function, [Open], and one order:
//
//  1. $GOMLX_BACKEND, when it is set, decides alone: "go", "xla:cpu" or "xla:/path/to/plugin.so" for example;
//  2. the CUDA plugin of the virtual environment, when it is installed and a GPU answers;
//  3. the CPU plugin of the virtual environment (notebooks/.venv, which `go run ./notebooks setup` fills);
//  4. a plugin in one of gomlx's own install places ($PJRT_PLUGIN_LIBRARY_PATH, ~/.local/lib/go-xla, …);
//  5. the pure-Go engine, which needs nothing.
//
// XLA's CPU plugin calls oneDNN for convolutions and matrix products where the virtual environment has its library;
// PUCL_ONEDNN=off has it do without, and the name of a file takes that one.
//
// Nothing is ever downloaded from here. XLA is linked only where cgo is; without a C compiler steps 2 to 4 are left out.
package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sort"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // the pure-Go engine, registered as "go"
	"github.com/puclab/puclab/internal/home"
	"github.com/puclab/puclab/pucl/engine/onednn"
)

// Engine is an opened backend together with how it was chosen. gomlx takes the Backend.
type Engine struct {
	Backend compute.Backend

	Kind   string   // "xla-cuda", "xla-cpu" or "go"; for a plugin of the user's choice "xla"
	Plugin string   // the plugin's file or name, "" for the pure-Go engine
	Reason string   // why this one, as one clause
	Notes  []string // what was found and did not open
	OneDNN bool     // whether XLA on the CPU calls oneDNN for convolutions and products; see package onednn
}

// String says which engine was taken and why, in one line, for example
// "XLA on CPU, plugin xla_cpu_pjrt.so with oneDNN (found in the virtual environment)".
func (e *Engine) String() string {
	s := e.Name() + " (" + e.Reason + ")"
	for _, note := range e.Notes {
		s += "; " + note
	}
	return s
}

// Name returns the engine and its plugin without the reason, as results record it: "XLA on CPU, plugin xla_cpu_pjrt.so with oneDNN".
func (e *Engine) Name() string {
	name := map[string]string{"xla-cuda": "XLA on GPU", "xla-cpu": "XLA on CPU", "xla": "XLA", "go": "pure Go"}[e.Kind]
	if e.Plugin != "" {
		name += ", plugin " + filepath.Base(e.Plugin)
	}
	if e.OneDNN {
		name += " with oneDNN"
	}
	return name
}

// pureGo is how the pure-Go engine is opened: one operation after the other, each on all processors. Running operations
// side by side, its default, can stop for ever where as many matrix products are ready at once as it has workers (seen with
// compute v0.1.6).
const pureGo = "go:ops_sequential"

// candidate is one way to an engine; config is in the form that gomlx takes, "name:configuration".
type candidate struct {
	kind, config, plugin, reason string
}

// opening is held while an engine is opened: go-xla looks for plugins without a lock of its own.
var opening sync.Mutex

// Open opens the first engine that works, in the order of the package comment. It fails when $GOMLX_BACKEND names
// something that does not open; without it the pure-Go engine is always there. What was found but did not open is told
// in Notes.
func Open() (*Engine, error) {
	opening.Lock()
	defer opening.Unlock()
	if config, ok := os.LookupEnv(compute.ConfigEnvVar); ok && config != "" {
		c := chosen(config)
		e, err := open(c)
		if err != nil {
			return nil, fmt.Errorf("engine: %s=%q does not open: %w; unset it to let the engine be found, or set it to \"go\"",
				compute.ConfigEnvVar, config, err)
		}
		return e, nil
	}
	var notes []string
	for _, c := range candidates() {
		e, err := open(c)
		if err == nil {
			if e.Notes = append(notes, e.Notes...); e.Kind == "go" && len(notes) > 0 {
				e.Reason = "no XLA plugin opened"
			}
			return e, nil
		}
		line, _, _ := strings.Cut(err.Error(), "\n") // without the stack that some of gomlx's errors carry
		notes = append(notes, fmt.Sprintf("%s did not open: %s", filepath.Base(c.plugin), line))
	}
	return nil, fmt.Errorf("engine: no engine opens: %s", strings.Join(notes, "; "))
}

// chosen describes an engine that $GOMLX_BACKEND asks for.
func chosen(config string) candidate {
	c := candidate{kind: "go", config: config, reason: compute.ConfigEnvVar + " asks for it"}
	if config == "go" {
		c.config = pureGo
	}
	if name, plugin, _ := strings.Cut(config, ":"); name != "go" {
		c.kind = "xla"
		c.plugin, _, _ = strings.Cut(plugin, ",")
		switch base := filepath.Base(c.plugin); {
		case strings.Contains(base, "cuda"):
			c.kind = "xla-cuda"
		case strings.Contains(base, "cpu"):
			c.kind = "xla-cpu"
		}
	}
	return c
}

// candidates lists what can be tried on this machine, best first; the last one is the pure-Go engine.
func candidates() []candidate {
	var list []candidate
	if hasXLA {
		for _, path := range pluginFiles("jax_plugins/xla_cuda*/xla_cuda_plugin.so") {
			if gpuPresent() {
				list = append(list, candidate{"xla-cuda", "xla:" + path + ",preallocate=false", path, "found in the virtual environment"})
			}
		}
		for _, path := range pluginFiles("xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so") {
			list = append(list, candidate{"xla-cpu", "xla:" + path, path, "found in the virtual environment"})
		}
		for _, name := range installedPlugins() {
			c := chosen("xla:" + name)
			c.reason = "found where gomlx installs plugins"
			list = append(list, c)
		}
	}
	reason := "no XLA plugin found; `go run ./notebooks setup` installs one"
	if !hasXLA {
		reason = "this program was built without cgo, so without XLA"
	}
	return append(list, candidate{kind: "go", config: pureGo, reason: reason})
}

// pluginFiles returns the files of the virtual environment's site-packages that match pattern, in a fixed order.
func pluginFiles(pattern string) []string {
	root, ok := home.Dir()
	if !ok {
		return nil
	}
	var files []string
	for _, lib := range []string{"lib", "lib64"} {
		// The only error of Glob is a malformed pattern, and these are constants.
		found, _ := filepath.Glob(filepath.Join(root, "notebooks", ".venv", lib, "python*", "site-packages", filepath.FromSlash(pattern)))
		files = append(files, found...)
	}
	sort.Strings(files)
	return files
}

// gpuPresent reports whether the NVIDIA driver shows a device. Without this look the CUDA plugin would be loaded, and
// complain at length, on every machine that has the wheel but no card.
func gpuPresent() bool {
	cards, _ := filepath.Glob("/dev/nvidia[0-9]*")
	return len(cards) > 0
}

// open opens c. gomlx panics on an engine it does not know, so that is turned into an error.
func open(c candidate) (e *Engine, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, err = nil, fmt.Errorf("%v", r)
		}
	}()
	backend, err := compute.NewWithConfig(c.config)
	if err != nil {
		return nil, err
	}
	e = &Engine{Backend: backend, Kind: c.kind, Plugin: c.plugin, Reason: c.reason}
	if e.Kind == "xla-cpu" {
		e.attachOneDNN()
	}
	return e, nil
}

// Check returns an error if e is nil or has no backend.
func (e *Engine) Check() error {
	if e == nil || e.Backend == nil {
		return errors.New("engine: no engine given; open one with engine.Open")
	}
	return nil
}

// RootCause returns what an error of the backend says without what the backend's own layers put before it: the names of
// functions that nobody wrote, and "panicked".
func RootCause(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// oneDNNEnv is the environment variable that says whether XLA on the CPU calls oneDNN: "off", or the file of its library. Without it
// the library of the virtual environment is taken, when it is there.
const oneDNNEnv = "PUCL_ONEDNN"

// attachOneDNN has the CPU plugin call oneDNN. Where that can't be, it is a note: everything works without, only slower. There is one
// plugin in a process, so the engine opened last decides for the programs of all that are compiled from then on.
func (e *Engine) attachOneDNN() {
	if library := oneDNNLibrary(); library != "" {
		err := onednn.Attach(library, e.Plugin)
		if err == nil {
			e.OneDNN = true
			return
		}
		e.Notes = append(e.Notes, err.Error())
	}
	onednn.Detach()
}

// oneDNNLibrary returns the file to open, or "" for none.
func oneDNNLibrary() string {
	switch setting := os.Getenv(oneDNNEnv); setting {
	case "off":
		return ""
	case "":
		root, ok := home.Dir()
		if !ok {
			return ""
		}
		library := filepath.Join(root, "notebooks", ".venv", "lib", "libdnnl.so.3")
		if _, err := os.Stat(library); err != nil {
			return "" // not installed
		}
		return library
	default:
		return setting
	}
}
