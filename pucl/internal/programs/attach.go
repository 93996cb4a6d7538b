//go:build cgo && linux

package programs

/*
#cgo CFLAGS: -I${SRCDIR}/../plugin
#include "plugin.h"

extern void *keepCompile(compile_t *);
extern void *keepDestroyExecutable(destroy_t *);
extern void *keepDestroyClient(destroy_t *);

static void *call_compile(void *function, compile_t *c) { return ((compile_function *)function)(c); }

static void *call_destroy(void *function, destroy_t *d) { return ((destroy_function *)function)(d); }

static void *destroy_executable(void *function, void *executable) {
	destroy_t d = {.struct_size = sizeof d, .what = executable};
	return call_destroy(function, &d);
}
*/
import "C"

import (
	"crypto/sha256"
	"encoding/binary"
	"errors"
	"sync"
	"unsafe"

	"github.com/puclab/puclab/pucl/internal/plugin"
)

// mostIdle is the number of unused programs that are kept. That many from training a small CNN, steps and the other
// programs of a run, take some 130 MB.
const mostIdle = 64

var (
	attachLock sync.Mutex
	attached   plugin.Table
	attachErr  error                                                              // of the only attempt
	own        struct{ compile, destroyExecutable, destroyClient unsafe.Pointer } // the plugin's functions
	kept       = newStore(mostIdle)
)

// Attach makes the programs of a loaded PJRT plugin, given its file, be kept from now on. A repeated call changes
// nothing; a second plugin in one process is an error, and its programs are compiled every time.
func Attach(path string) error {
	attachLock.Lock()
	defer attachLock.Unlock()
	table, err := plugin.Open(path)
	switch {
	case err != nil:
		return err
	case table == attached:
		return attachErr
	case attached != plugin.Table{}:
		return errors.New("those of another plugin are kept in this process")
	}
	own.compile, own.destroyExecutable, own.destroyClient =
		table.Function(plugin.Compile), table.Function(plugin.DestroyExecutable), table.Function(plugin.DestroyClient)
	attached = table
	// Compile is replaced last: until then no program is kept or returned.
	attachErr = errors.Join(
		table.Replace(plugin.DestroyExecutable, unsafe.Pointer(C.keepDestroyExecutable)),
		table.Replace(plugin.DestroyClient, unsafe.Pointer(C.keepDestroyClient)),
		table.Replace(plugin.Compile, unsafe.Pointer(C.keepCompile)))
	return attachErr
}

//export keepCompile
func keepCompile(c *C.compile_t) unsafe.Pointer {
	k := keyOf(c)
	if executable := kept.take(k); executable != nil {
		c.executable = executable
		return nil
	}
	problem := C.call_compile(own.compile, c)
	if problem == nil {
		kept.add(k, c.executable)
	}
	return problem
}

// keyOf returns a digest of the plugin's input, each part preceded by its length.
func keyOf(c *C.compile_t) (k key) {
	k.client = c.client
	digest := sha256.New()
	for _, part := range []struct {
		text *C.char
		size C.size_t
	}{{c.program.format, c.program.format_size}, {c.program.code, c.program.code_size}, {c.options, c.options_size}} {
		digest.Write(binary.LittleEndian.AppendUint64(nil, uint64(part.size)))
		digest.Write(unsafe.Slice((*byte)(unsafe.Pointer(part.text)), int(part.size)))
	}
	digest.Sum(k.digest[:0])
	return k
}

//export keepDestroyExecutable
func keepDestroyExecutable(d *C.destroy_t) unsafe.Pointer {
	if executable := kept.giveBack(d.what); executable != nil {
		return C.destroy_executable(own.destroyExecutable, executable)
	}
	return nil
}

//export keepDestroyClient
func keepDestroyClient(d *C.destroy_t) unsafe.Pointer {
	for _, executable := range kept.forget(d.what) {
		if problem := C.destroy_executable(own.destroyExecutable, executable); problem != nil {
			return problem
		}
	}
	return C.call_destroy(own.destroyClient, d)
}
