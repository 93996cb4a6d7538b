//go:build cgo && ((linux && (amd64 || arm64)) || (darwin && arm64))

package engine

import "github.com/gomlx/go-xla/compute/xla"

// hasXLA tells whether XLA is linked into this program.
const hasXLA = true

// installedPlugins lists the plugins that lie in gomlx's own install places. The package that downloads them is not
// linked, so looking has no side effect.
func installedPlugins() []string { return xla.GetAvailablePlugins() }
