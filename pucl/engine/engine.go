// Package engine opens the compute engine of all other packages: XLA through a PJRT plugin, or pure Go.
//
// [Open] tries engines in this order:
//
//  1. $GOMLX_BACKEND, if it is set, selects the engine alone: "go", "xla:cpu" or "xla:/path/to/plugin.so" for example;
//  2. the CUDA plugin of a virtual environment, if it is installed and a GPU answers;
//  3. the CPU plugin of a virtual environment;
//  4. a plugin in one of gomlx's own install folders ($PJRT_PLUGIN_LIBRARY_PATH, ~/.local/lib/go-xla, …);
//  5. the pure-Go engine, which has no requirements.
//
// Virtual environments are searched in this order:
//
//  1. notebooks/.venv of $PUCL_HOME;
//  2. $VIRTUAL_ENV;
//  3. notebooks/.venv of the copy of this module that contains the working folder, which `go run ./notebooks setup`
//     fills;
//  4. .venv beside the go.mod of the module that contains the working folder;
//  5. notebooks/.venv of the copy of this module from which the program was compiled, as with a replace in go.mod.
//
// The user named none of the last three. So their plugins are loaded only if they and their folders belong to this user
// or to root, and only these and their group may write to them.
//
// XLA's CPU plugin calls oneDNN for convolutions and matrix products if the virtual environment has its library.
// PUCL_ONEDNN=off disables it, and the name of a file selects that library. On Linux a program is compiled once,
// however often the same graph is built; see package programs.
//
// The package never downloads anything. XLA is linked only with cgo; without a C compiler steps 2 to 4 are skipped.
//
// # Memory
//
// Importing the package has only the effects of go-xla: it sets TF_CPP_MIN_LOG_LEVEL to 3 if it was not set. When XLA
// is first opened on a processor, on Linux with glibc, the C library's allocator is set to keep freed memory, for the
// whole process. XLA allocates the working memory of every step anew, and clearing new memory takes a good part of a
// training step. The price: the process keeps as much memory as its peak use, and C code that allocates on several
// threads waits for one lock. PUCL_MALLOC=off, or [Config].KeepAllocator, leaves the allocator unchanged.
//
// # Signals
//
// XLA's threads on a processor may crash when a signal interrupts them, and Go's profiler (go test -cpuprofile) sends a
// hundred a second. On Linux all threads of the plugin block signals, so that a program can be profiled; its profile
// shows the time of Go alone, and perf shows XLA's time.
//
// # Reproducibility
//
// A program with a given seed gives the same bits in every equal [Environment]. Results of oneDNN, of pure Go, and of
// XLA alone on one to four processors did not depend on the number of processors in any measurement. With more than
// four processors XLA may sum long, thin products in another order. PUCL_REPRODUCIBLE=1, or [Config].Reproducible,
// gives XLA the same number of threads on every machine, and results no longer depend on it. Results do depend on the
// kind of processor: oneDNN has different code for AVX-512, AVX2 and earlier instructions, with another order of
// summation.
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

// Engine is an opened backend with the reason for its choice. gomlx takes the Backend.
type Engine struct {
	Backend compute.Backend

	Kind   string   // "xla-cuda", "xla-cpu" or "go"; "xla" for a plugin chosen by the user
	Plugin string   // the plugin's file, "" for the pure-Go engine
	Reason string   // reason for the choice, as one clause
	Notes  []string // engines that were found but did not open
	OneDNN bool     // whether XLA on the CPU calls oneDNN for convolutions and products; see package onednn

	threads int // of XLA on the CPU
}

// String returns the engine and the reason for its choice, in one line, for example "XLA on CPU, plugin xla_cpu_pjrt.so
// with oneDNN (found in the virtual environment)".
func (e *Engine) String() string {
	s := e.Name() + " (" + e.Reason + ")"
	for _, note := range e.Notes {
		s += "; " + note
	}
	return s
}

// Name returns the engine and its plugin without the reason, for the record of results: "XLA on CPU, plugin
// xla_cpu_pjrt.so with oneDNN".
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

// pureGo is the configuration of the pure-Go engine: one operation after the other, each on all processors. Running
// operations in parallel, its default, can deadlock if as many matrix products are ready at once as it has workers
// (seen with compute v0.1.6).
const pureGo = "go:ops_sequential"

// candidate is an engine to try; config is in gomlx's form, "name:configuration".
type candidate struct {
	kind, config, plugin, reason string
}

// opening is locked while an engine is opened: go-xla searches for plugins without its own lock.
var opening sync.Mutex

// Config configures how an engine is opened. Its zero value follows the environment variables.
type Config struct {
	KeepAllocator bool // leave the C library's allocator unchanged; as PUCL_MALLOC=off
	Reproducible  bool // give XLA the same number of threads on every machine; as PUCL_REPRODUCIBLE=1
}

// Open opens the first engine that works, in the order of the package comment. It returns an error if $GOMLX_BACKEND
// names an engine that does not open; without it the pure-Go engine is always available. Notes lists the engines that
// were found but did not open.
func Open() (*Engine, error) { return Config{}.Open() }

// Open is the function Open with settings.
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
		line, _, _ := strings.Cut(err.Error(), "\n") // without the stack trace in some of gomlx's errors
		notes = append(notes, fmt.Sprintf("%s did not open: %s", filepath.Base(c.plugin), line))
	}
	return nil, fmt.Errorf("engine: no engine opens: %s", strings.Join(notes, "; "))
}

// chosen describes an engine that $GOMLX_BACKEND selects.
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

// open opens c. gomlx panics on an unknown engine; open returns that as an error.
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
		if err := programs.Attach(e.Plugin); err != nil { // before oneDNN, whose calls are part of compiled programs
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

// RootCause returns an error of the backend without the prefixes of the backend's own layers: names of internal
// functions, and "panicked". For weights that another engine holds it adds the remedy.
func RootCause(err error) error {
	root := fault.Root(err)
	if root != nil && strings.Contains(root.Error(), "cannot use the same Tensor across different backend instances") {
		return errors.New("the weights are held by another engine: open one engine, and give it to the training and to all that comes after")
	}
	return root
}
