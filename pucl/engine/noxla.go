//go:build !(cgo && ((linux && (amd64 || arm64)) || (darwin && arm64)))

package engine

import "github.com/gomlx/compute"

// hasXLA reports whether XLA is linked into this program.
const hasXLA = false

// installedPlugins returns none: this build cannot load a plugin.
func installedPlugins() []string { return nil }

// loadedFile returns "": nothing is loaded.
func loadedFile(compute.Backend) string { return "" }
