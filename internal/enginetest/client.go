//go:build cgo && linux && (amd64 || arm64)

package enginetest

import (
	"testing"

	"github.com/gomlx/go-xla/pjrt"

	"github.com/puclab/puclab/pucl/engine"
)

// NewClient returns a client of the plugin of an engine of XLA, beside the engine's own. The caller destroys it.
func NewClient(t testing.TB, eng *engine.Engine) *pjrt.Client {
	t.Helper()
	plugin, err := pjrt.GetPlugin(eng.Plugin)
	if err != nil {
		t.Fatal(err)
	}
	client, err := plugin.NewClient(nil)
	if err != nil {
		t.Fatal(err)
	}
	return client
}
