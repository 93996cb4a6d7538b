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

// hasXLA reports whether XLA is linked into this program.
const hasXLA = true

// installedPlugins lists the plugins in gomlx's own install folders. The package that downloads them is not linked, so
// the search has no side effect. CUDA's come first, then the CPU's; otherwise the order is not fixed.
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

// loadedFile returns the file of the plugin of an XLA engine, for any form of its name.
func loadedFile(backend compute.Backend) string {
	if b, ok := backend.(*xla.Backend); ok {
		if plugin, err := pjrt.GetPlugin(b.PluginName()); err == nil { // already loaded, so found by its name
			return plugin.Path()
		}
	}
	return ""
}
