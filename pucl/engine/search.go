package engine

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"

	"github.com/puclab/puclab/internal/home"
)

// place is a virtual environment to search for plugins and oneDNN.
type place struct {
	dir  string
	root string // the folder of a module found without the user; "" for a place that the user named
}

// source returns the folder of the module from which the program was compiled; tests replace it.
var source = home.Source

// places lists the environments to search, best first; equal ones occur once.
func places() []place {
	var list []place
	add := func(p place) {
		if dir, err := filepath.Abs(p.dir); err == nil { // a relative name would denote a plugin that is installed elsewhere
			p.dir = dir
		}
		if !slices.ContainsFunc(list, func(q place) bool { return q.dir == p.dir }) {
			list = append(list, p)
		}
	}
	if root := os.Getenv(home.Env); root != "" {
		add(place{dir: filepath.Join(root, "notebooks", ".venv")})
	}
	if dir := os.Getenv("VIRTUAL_ENV"); dir != "" {
		add(place{dir: dir})
	}
	if root, ok := home.Around(); ok {
		add(place{dir: filepath.Join(root, "notebooks", ".venv"), root: root})
	}
	if root, ok := home.ModuleAround(); ok {
		add(place{dir: filepath.Join(root, ".venv"), root: root})
	}
	if root, ok := source(); ok {
		add(place{dir: filepath.Join(root, "notebooks", ".venv"), root: root})
	}
	return list
}

// files returns the files of the environment that match a pattern, in a fixed order. The error gives the reason why one
// of them must not be loaded.
func (p place) files(pattern string) ([]string, error) {
	var files []string
	for _, lib := range []string{"lib", "lib64"} {
		found, _ := fs.Glob(os.DirFS(p.dir), lib+"/"+pattern) // fails only on malformed patterns, and these are constants
		for _, name := range found {
			files = append(files, filepath.Join(p.dir, filepath.FromSlash(name)))
		}
	}
	slices.Sort(files)
	if p.root == "" {
		return files, nil
	}
	for _, file := range files {
		if err := home.Trusted(p.root, file); err != nil {
			return nil, fmt.Errorf("%s is passed over: %w; set VIRTUAL_ENV=%s to have it all the same", filepath.Base(file), err, p.dir)
		}
	}
	return files, nil
}

const (
	cudaPlugin = "python*/site-packages/jax_plugins/xla_cuda*/xla_cuda_plugin.so"
	cpuPlugin  = "python*/site-packages/xla_plugins/xla_cpu_pjrt/xla_cpu_pjrt.so"
)

// candidates lists the engines to try on this machine, best first; the last one is the pure-Go engine. The notes list
// the files that exist but cannot be used.
func candidates() (list []candidate, notes []string) {
	add := func(kind, pattern, options string) {
		for _, p := range places() {
			files, err := p.files(pattern)
			if err != nil {
				notes = append(notes, err.Error())
			}
			for _, path := range files {
				list = append(list, candidate{kind, "xla:" + path + options, path, "found in the virtual environment"})
			}
		}
	}
	reason := "no XLA plugin found; " + wayToAPlugin(runtime.GOOS, runtime.GOARCH)
	if hasXLA {
		if gpuPresent() {
			add("xla-cuda", cudaPlugin, ",preallocate=false")
		}
		add("xla-cpu", cpuPlugin, "")
		for _, name := range installedPlugins() {
			c := chosen("xla:" + name)
			c.reason = "found where gomlx installs plugins"
			list = append(list, c)
		}
	} else {
		reason = "this program was built without cgo, so without XLA"
	}
	return append(list, candidate{kind: "go", config: pureGo, reason: reason}), notes
}

// The packages with XLA's CPU plugin and oneDNN, at the versions that the notebooks' requirements pin.
const (
	pluginPackage = "xla-cpu-pjrt==0.0.1"
	oneDNNPackage = "onednn-cpu-gomp==2023.2.0"
)

// wayToAPlugin returns instructions for installing a plugin on such a machine.
func wayToAPlugin(system, processor string) string {
	if _, ok := home.Around(); ok {
		return "`go run ./notebooks setup` installs one"
	}
	packages := map[string]string{"linux/amd64": pluginPackage + " " + oneDNNPackage, "linux/arm64": pluginPackage}[system+"/"+processor]
	if packages == "" {
		return fmt.Sprintf("there is no package with one for %s on %s, and $PJRT_PLUGIN_LIBRARY_PATH names a folder of others", processor, system)
	}
	return fmt.Sprintf("`pip install %s` installs one, in the environment .venv beside your go.mod or in one that $VIRTUAL_ENV names; or let $%s name a "+
		"copy of %s in which `go run ./notebooks setup` was run", packages, home.Env, home.Module)
}

// gpuPresent reports whether the NVIDIA driver shows a device. Without this check the CUDA plugin would be loaded, and
// print many errors, on every machine that has the wheel but no card.
func gpuPresent() bool {
	cards, _ := filepath.Glob("/dev/nvidia[0-9]*")
	return len(cards) > 0
}
