// Package engine opens the compute engine that everything else runs on: XLA through a PJRT plugin, or pure Go.
//
// There is one function, [Open], and one order:
//
//  1. $GOMLX_BACKEND, when it is set, decides alone: "go", "xla:cpu" or "xla:/path/to/plugin.so" for example;
//  2. the CUDA plugin of a virtual environment, when it is installed and a GPU answers;
//  3. the CPU plugin of a virtual environment;
//  4. a plugin in one of gomlx's own install places ($PJRT_PLUGIN_LIBRARY_PATH, ~/.local/lib/go-xla, …);
//  5. the pure-Go engine, which needs nothing.
//
// Virtual environments are looked for in this order: notebooks/.venv of $PUCL_HOME, $VIRTUAL_ENV, notebooks/.venv of the copy of
// this module that holds the working folder, which `go run ./notebooks setup` fills, .venv beside the go.mod of whatever module holds
// the working folder, and notebooks/.venv of the copy of this module that the program was compiled from, as with a replace in go.mod.
// Nobody named the last three, so their plugins are loaded only where they and their folders belong to this user or to root, and may be
// written by them and their group alone.
//
// XLA's CPU plugin calls oneDNN for convolutions and matrix products where the virtual environment has its library;
// PUCL_ONEDNN=off has it do without, and the name of a file takes that one. On Linux it compiles a program once, however often
// the same graph is built; see package programs.
//
// Nothing is ever downloaded from here. XLA is linked only where cgo is; without a C compiler steps 2 to 4 are left out.
//
// # Memory
//
// Importing the package changes nothing but what go-xla does: TF_CPP_MIN_LOG_LEVEL is 3 where it was not set. When XLA is opened on a
// processor for the first time, on Linux with glibc, the C library's allocator is told to keep what is freed, for the whole process: XLA
// asks for the working memory of every step anew, and clearing new memory takes a good part of a training step. The price: as much stays
// taken as was in use at once, and C code that takes memory on several threads at a time waits for one lock. PUCL_MALLOC=off, or
// [Config].KeepAllocator, leaves the allocator as it is.
//
// # Signals
//
// XLA's threads on a processor do not always survive being interrupted by a signal, and the profiler of Go (go test -cpuprofile) sends a
// hundred a second. On Linux all threads of the plugin have signals blocked, so that a program can be profiled; its profile shows the time
// of Go alone, perf that of XLA.
//
// # The same bits
//
// One program with one seed gives the same bits wherever its [Environment] is the same. Calls of oneDNN, pure Go, and what XLA alone
// does on one to four processors did not depend on the number of processors in any measurement. With more than four
// processors XLA may add up long sums of thin products in another order; PUCL_REPRODUCIBLE=1, or [Config].Reproducible, gives XLA the
// same number of threads on every machine, and the results no longer depend on it. Results do depend on the kind of processor: oneDNN
// has other code for AVX-512, AVX2 and what came before, which adds up in another order.
package engine

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/gomlx/compute"
	_ "github.com/gomlx/compute/gobackend" // the pure-Go engine, registered as "go"

	"github.com/puclab/puclab/internal/fault"
	"github.com/puclab/puclab/pucl/internal/programs"
)

// Engine is an opened backend together with how it was chosen. gomlx takes the Backend.
type Engine struct {
	Backend compute.Backend

	Kind   string   // "xla-cuda", "xla-cpu" or "go"; for a plugin of the user's choice "xla"
	Plugin string   // the plugin's file, "" for the pure-Go engine
	Reason string   // why this one, as one clause
	Notes  []string // what was found and did not open
	OneDNN bool     // whether XLA on the CPU calls oneDNN for convolutions and products; see package onednn

	threads int // of XLA on the CPU
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

// Config says how an engine is opened. Its zero value is what the environment asks for.
type Config struct {
	KeepAllocator bool // leave the C library's allocator as it is; as PUCL_MALLOC=off
	Reproducible  bool // give XLA the same number of threads on every machine; as PUCL_REPRODUCIBLE=1
}

// Open opens the first engine that works, in the order of the package comment. It fails when $GOMLX_BACKEND names
// something that does not open; without it the pure-Go engine is always there. What was found but did not open is told
// in Notes.
func Open() (*Engine, error) { return Config{}.Open() }

// Open is as the function of the same name, with settings.
func (config Config) Open() (*Engine, error) {
	switch setting := os.Getenv(reproducibleEnv); setting {
	case "", "0":
	case "1":
		config.Reproducible = true
	default:
		return nil, fmt.Errorf("engine: %s=%q is neither 0 nor 1", reproducibleEnv, setting)
	}
	switch setting := os.Getenv(mallocEnv); setting {
	case "":
	case "off":
		config.KeepAllocator = true
	default:
		return nil, fmt.Errorf("engine: %s=%q is not \"off\"; unset it to have the C library keep memory", mallocEnv, setting)
	}
	opening.Lock()
	defer opening.Unlock()
	if asked := os.Getenv(compute.ConfigEnvVar); asked != "" {
		c := chosen(asked)
		e, err := config.open(c)
		if err != nil {
			return nil, fmt.Errorf("engine: %s=%q does not open: %w; unset it to let the engine be found, or set it to \"go\"",
				compute.ConfigEnvVar, asked, err)
		}
		return e, nil
	}
	list, notes := candidates()
	for _, c := range list {
		e, err := config.open(c)
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

// open opens c. gomlx panics on an engine it does not know, so that is turned into an error.
func (config Config) open(c candidate) (e *Engine, err error) {
	defer func() {
		if r := recover(); r != nil {
			e, err = nil, fmt.Errorf("%v", r)
		}
	}()
	e = &Engine{Kind: c.kind, Plugin: c.plugin, Reason: c.reason}
	onProcessor := c.kind == "xla" || c.kind == "xla-cpu"
	if onProcessor {
		if !config.KeepAllocator {
			keepMemory()
		}
		var restore func()
		e.threads, restore = xlaThreads(config.Reproducible)
		defer restore()
		defer blockSignals()()
	}
	if e.Backend, err = compute.NewWithConfig(c.config); err != nil {
		return nil, err
	}
	if path := loadedFile(e.Backend); path != "" {
		e.Plugin = path
	}
	if e.Kind == "xla-cpu" {
		if err := programs.Attach(e.Plugin); err != nil { // before oneDNN, whose calls are part of what is compiled
			e.Notes = append(e.Notes, "programs are compiled every time: "+err.Error())
		}
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
// functions that nobody wrote, and "panicked". Of weights that another engine holds it says what mends that.
func RootCause(err error) error {
	root := fault.Root(err)
	if root != nil && strings.Contains(root.Error(), "cannot use the same Tensor across different backend instances") {
		return errors.New("the weights are held by another engine: open one engine, and give it to the training and to all that comes after")
	}
	return root
}
