//go:build cgo && linux

// Package plugin replaces functions of a PJRT plugin that the process has loaded by functions of this library. Its
// header, plugin.h, declares the used parts of the plugin's interface, for the C files of other packages.
package plugin

/*
#cgo LDFLAGS: -ldl
#include <dlfcn.h>
#include <stdint.h>
#include <stdlib.h>
#include <sys/mman.h>
#include <unistd.h>
#include "plugin.h"

static table_t *open_table(const char *path, const char **problem) {
	void *library = dlopen(path, RTLD_NOW | RTLD_NOLOAD);
	if (!library) return *problem = "the plugin is not loaded", NULL;
	table_t *(*get)(void);
	if (!(*(void **)&get = dlsym(library, "GetPjrtApi"))) return *problem = "it is no PJRT plugin", NULL;
	return get();
}

static void *function(table_t *t, int place) { return t->functions[place]; }

static int replace(table_t *t, int place, void *function) {
	void **entry = &t->functions[place];
	size_t page = sysconf(_SC_PAGESIZE);
	char *start = (char *)((uintptr_t)entry / page * page);
	if (mprotect(start, (char *)(entry + 1) - start, PROT_READ | PROT_WRITE)) return 1;
	*entry = function;
	return 0;
}
*/
import "C"

import (
	"errors"
	"unsafe"
)

// Table is a plugin's table of functions.
type Table struct{ table *C.table_t }

// Place is the index of a function in the table.
type Place int

const (
	DestroyClient     Place = 11
	Compile           Place = 20
	DestroyExecutable Place = 50
)

// Open finds the table of a loaded plugin, given its file.
func Open(path string) (Table, error) {
	name := C.CString(path)
	defer C.free(unsafe.Pointer(name))
	var problem *C.char
	table := C.open_table(name, &problem)
	if table == nil {
		return Table{}, errors.New(C.GoString(problem))
	}
	return Table{table}, nil
}

// Pointer returns the table, a table_t.
func (t Table) Pointer() unsafe.Pointer { return unsafe.Pointer(t.table) }

// Function returns the function at a place.
func (t Table) Function(at Place) unsafe.Pointer { return C.function(t.table, C.int(at)) }

// Replace puts a C function at a place; if the table is not writable, it returns an error and leaves the table
// unchanged.
func (t Table) Replace(at Place, function unsafe.Pointer) error {
	if C.replace(t.table, C.int(at), function) != 0 {
		return errors.New("the plugin's table can't be written to")
	}
	return nil
}
