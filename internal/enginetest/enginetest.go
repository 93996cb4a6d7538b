// Package enginetest gives tests their engine. There are two tiers.
//
// Most tests are about logic that does not depend on the engine. They run on the pure-Go engine, which compiles nothing: importing this
// package sets GOMLX_BACKEND, where it is not set, so that [Open] and engine.Open, in Examples and child processes too, return that engine.
//
// Tests about XLA itself call [XLA]. They run where a plugin is installed, and are skipped elsewhere and with -short.
//
// PUCL_TEST_ENGINE=xla runs all tests on XLA, with optimized programs.
package enginetest

import (
	"fmt"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/gomlx/compute"

	"github.com/puclab/puclab/pucl/engine"
)

// tierEnv names the variable that selects the engine of all tests. init sets it to "go" for child processes, where it says that
// GOMLX_BACKEND is not the user's.
const tierEnv = "PUCL_TEST_ENGINE"

// asked is GOMLX_BACKEND as the user set it.
var asked string

func init() {
	tier := os.Getenv(tierEnv)
	if asked = os.Getenv(compute.ConfigEnvVar); tier == "go" && asked == "go" {
		asked = ""
	}
	switch {
	case tier != "" && tier != "go" && tier != "xla":
		panic(fmt.Sprintf("enginetest: %s=%q is neither empty nor \"xla\"", tierEnv, tier))
	case tier != "xla" && asked == "":
		os.Setenv(compute.ConfigEnvVar, "go")
		os.Setenv(tierEnv, "go")
	}
}

// Tiers reports whether most tests run on another engine than those about XLA.
func Tiers() bool { return os.Getenv(tierEnv) == "go" }

// Open returns the engine of the first tier, the same one in all tests of a program: pure Go, or what GOMLX_BACKEND and PUCL_TEST_ENGINE
// name. It fails the test where that engine does not open.
func Open(t testing.TB) *engine.Engine {
	t.Helper()
	if os.Getenv(tierEnv) == "xla" {
		return XLA(t)
	}
	eng, err := open()
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

var open = sync.OnceValues(engine.Open)

// XLA returns the XLA engine, the same one in all tests of a program. It skips the test where no plugin is installed or GOMLX_BACKEND asks
// for the pure-Go engine. It fails the test where a plugin is installed but does not open, and with PUCL_TEST_ENGINE=xla where there is none.
func XLA(t testing.TB) *engine.Engine {
	t.Helper()
	eng, why := xla(t)
	if eng == nil {
		t.Skip(why)
	}
	return eng
}

// All returns the engines of [Open] and of [XLA], without the second one where XLA would skip the test.
func All(t testing.TB) []*engine.Engine {
	t.Helper()
	all := []*engine.Engine{Open(t)}
	if eng, why := xla(t); eng == nil {
		t.Log(why)
	} else if eng.Kind != all[0].Kind {
		all = append(all, eng)
	}
	return all
}

// Preferred returns XLA or, where it is not there, the engine of [Open]. It is for tests of several devices, of which XLA shows four on a
// processor.
func Preferred(t testing.TB) *engine.Engine {
	t.Helper()
	all := All(t)
	return all[len(all)-1]
}

// xla returns the XLA engine, or why there is none.
func xla(t testing.TB) (eng *engine.Engine, why string) {
	t.Helper()
	switch {
	case strings.HasPrefix(asked, "go"):
		return nil, fmt.Sprintf("%s=%s asks for the pure-Go engine", compute.ConfigEnvVar, asked)
	case testing.Short() && Tiers():
		return nil, "XLA compiles for seconds; run the tests without -short"
	}
	compileFast()
	eng = Found(t)
	switch {
	case eng.Kind != "go":
		return eng, ""
	case len(eng.Notes) > 0:
		t.Fatalf("an XLA plugin is installed and does not open: %s", strings.Join(eng.Notes, "; "))
	case os.Getenv(tierEnv) == "xla":
		t.Fatalf("%s=xla and no XLA plugin is installed; run `go run ./notebooks setup`", tierEnv)
	}
	return nil, "no XLA plugin is installed; `go run ./notebooks setup` installs it"
}

// compileFast has XLA compile without optimization, which takes half the time, where most tests run on another engine and XLA_FLAGS is not
// the user's. XLA reads the variable when its plugin is loaded. Benchmarks call only Found, so that they run optimized programs.
func compileFast() {
	if _, set := os.LookupEnv(flagsEnv); !set && Tiers() {
		os.Setenv(flagsEnv, "--xla_backend_optimization_level=0")
	}
}

// flagsEnv names the variable with XLA's flags.
const flagsEnv = "XLA_FLAGS"

// Found returns the engine that users get, the same one in all tests of a program. Benchmarks run on it.
func Found(t testing.TB) *engine.Engine {
	t.Helper()
	eng, err := found()
	if err != nil {
		t.Fatal(err)
	}
	return eng
}

var found = sync.OnceValues(Another)

// setting is held while GOMLX_BACKEND is not as init set it.
var setting sync.Mutex

// Another opens an engine besides that of [Found], as engine.Open does where GOMLX_BACKEND is as the user set it.
func Another() (*engine.Engine, error) {
	setting.Lock()
	defer setting.Unlock()
	if set, ok := os.LookupEnv(compute.ConfigEnvVar); ok && asked == "" {
		os.Unsetenv(compute.ConfigEnvVar)
		defer os.Setenv(compute.ConfigEnvVar, set)
	}
	return engine.Open()
}
