//go:build cgo && linux && amd64

package onednn

/*
#cgo CFLAGS: -O3 -I${SRCDIR}/../plugin
#cgo LDFLAGS: -ldl -lpthread
#include <stdlib.h>
#include "plan.h"
*/
import "C"

import (
	"errors"
	"fmt"
	"os"
	"sync"
	"unsafe"

	"github.com/puclab/puclab/pucl/internal/plugin"
)

var (
	attachLock sync.Mutex
	opened     string       // the library
	calling    plugin.Table // that calls it
)

// Attach opens oneDNN's library, a file, and makes a loaded PJRT plugin, a file, call it. A repeated call changes
// nothing; another library is an error, since a process cannot unload one. If either file lacks a required function,
// Attach returns an error and leaves the plugin unchanged.
func Attach(library, pluginFile string) error {
	attachLock.Lock()
	defer attachLock.Unlock()
	if opened != "" && library != opened && !sameFile(library, opened) {
		return fmt.Errorf("oneDNN's library %s can't take the place of %s in a running program", library, opened)
	}
	l := C.CString(library)
	defer C.free(unsafe.Pointer(l))
	if problem := C.library_open(l); problem != nil {
		return fmt.Errorf("oneDNN's library %s does not open: %s", library, explained(C.GoString(problem), library))
	}
	opened = library
	if err := call(pluginFile); err != nil {
		return fmt.Errorf("%s does not call oneDNN: %w", pluginFile, err)
	}
	attached.Store(true)
	return nil
}

// call makes a plugin call oneDNN.
func call(pluginFile string) error {
	table, err := plugin.Open(pluginFile)
	switch {
	case err != nil:
		return err
	case table == calling:
		return nil
	case calling != plugin.Table{}:
		return errors.New("another plugin calls oneDNN in this process")
	}
	if problem := C.calls_attach(table.Pointer(), table.Function(plugin.Compile)); problem != nil {
		return errors.New(C.GoString(problem))
	}
	err = table.Replace(plugin.Compile, unsafe.Pointer(C.calls_compile))
	if err == nil {
		calling = table
	}
	return err
}

// Version returns the version of the library and the instruction set that it uses on this processor, by oneDNN's own
// number, such as "3.2.0, instructions 0x3ef", or "" before a library is attached. Both affect the last digits.
func Version() string {
	attachLock.Lock()
	defer attachLock.Unlock()
	if opened == "" {
		return ""
	}
	return fmt.Sprintf("%d.%d.%d, instructions %#x", C.library_version[0], C.library_version[1], C.library_version[2], C.library_instructions())
}

func sameFile(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

//export rewriteProgram
func rewriteProgram(code *C.char, size C.size_t) *C.char {
	if !Attached() {
		return nil
	}
	text := unsafe.String((*byte)(unsafe.Pointer(code)), int(size)) // valid during this call only
	changed := rewrite(text, planOf)
	if changed == text {
		return nil
	}
	return C.CString(changed)
}

// makePlan returns the number of a new plan, or -1 if oneDNN has no fast implementation.
func makePlan(operation any) int {
	switch o := operation.(type) {
	case convolution:
		return planConvolution(o)
	case product:
		return planProduct(o)
	}
	return -1
}

func planConvolution(o convolution) int {
	c := C.convolution_t{what: C.int64_t(o.what), images: C.int64_t(o.images), in: C.int64_t(o.in), out: C.int64_t(o.out)}
	for i := range 2 {
		c.size[i], c.result[i], c.kernel[i] = C.int64_t(o.size[i]), C.int64_t(o.result[i]), C.int64_t(o.kernel[i])
		c.stride[i], c.dilation[i] = C.int64_t(o.stride[i]), C.int64_t(o.dilation[i])
		c.before[i], c.after[i] = C.int64_t(o.before[i]), C.int64_t(o.after[i])
	}
	for i := range 4 {
		c.x_strides[i], c.w_strides[i], c.y_strides[i] = C.int64_t(o.xStrides[i]), C.int64_t(o.wStrides[i]), C.int64_t(o.yStrides[i])
	}
	if o.flipped {
		c.flipped = 1
	}
	images, out := o.divide()
	c.part_images, c.part_out = C.int64_t(images), C.int64_t(out)
	return int(C.plan_convolution(&c))
}

func planProduct(o product) int {
	p := C.product_t{batch: C.int64_t(o.batch), rows: C.int64_t(o.rows), columns: C.int64_t(o.columns), inner: C.int64_t(o.inner)}
	for i := range 3 {
		p.left_strides[i], p.right_strides[i] = C.int64_t(o.leftStrides[i]), C.int64_t(o.rightStrides[i])
	}
	for i, size := range o.divide() {
		p.part[i] = C.int64_t(size)
	}
	return int(C.plan_product(&p))
}
