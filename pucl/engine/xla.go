//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import (
	"cmp"
	"slices"
	"strings"

	"github.com/gomlx/compute"
	"github.com/gomlx/go-xla/compute/xla"
	"github.com/gomlx/go-xla/pjrt"
)

// hasXLA tells whether XLA is linked into this program.
const hasXLA = true

// installedPlugins lists the plugins that lie in gomlx's own install places. The package that downloads them is not
// linked, so looking has no side effect. CUDA's come first, then the CPU's; the list comes in no fixed order.
func installedPlugins() []string {
	rank := func(name string) int {
		switch {
		case pjrt.IsCUDAName(name):
			return 0
		case strings.Contains(name, "cpu"):
			return 1
		}
		return 2
	}
	return slices.SortedFunc(slices.Values(xla.GetAvailablePlugins()), func(a, b string) int {
		return cmp.Or(rank(a)-rank(b), strings.Compare(a, b))
	})
}

// loadedFile returns the file of the plugin that an engine of XLA runs on, however it was named.
func loadedFile(backend compute.Backend) string {
	if b, ok := backend.(*xla.Backend); ok {
		if plugin, err := pjrt.GetPlugin(b.PluginName()); err == nil { // loaded before, so found by its name
			return plugin.Path()
		}
	}
	return ""
}
