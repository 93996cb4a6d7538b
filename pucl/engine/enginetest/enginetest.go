// Package enginetest opens the engine once for all tests of a package.
package enginetest

import (
	"sync"
	"testing"

	"github.com/puclab/puclab/pucl/engine"
)

var open = sync.OnceValues(engine.Open)

// Open returns the engine that engine.Open finds, opened once per test program, and fails the test where none opens.
func Open(t testing.TB) *engine.Engine {
	t.Helper()
	e, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return e
}
