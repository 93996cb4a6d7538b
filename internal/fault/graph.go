package fault

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"reflect"
	"regexp"
	"runtime"
	"runtime/debug"
	"strings"
)

// GraphError reports which part of a graph could not be built, on which line of which code, and why. It wraps no error,
// since its message contains all that a user can act on.
type GraphError struct {
	Part  string // the part under construction, usually with the package name: `pucl: Attract of objective "mine"`
	Line  string // file and line in the user's own code, "" if none
	Cause string
}

// Error returns part, line and cause.
func (e *GraphError) Error() string {
	if e.Line == "" {
		return e.Part + ": " + e.Cause
	}
	return e.Part + ", at " + e.Line + ": " + e.Cause
}

// Annotate converts a panic of any type into a panic with a [GraphError]; defer it where build, possibly a user's
// function, builds a part of a graph. format and args name the part. The GraphError of an inner part is passed on
// unchanged. The line is the innermost line of the user's code on the stack, or else the first line of build.
func Annotate(build any, format string, args ...any) {
	cause := recover()
	if cause == nil {
		return
	}
	if err, ok := cause.(error); ok {
		cause = Root(err)
	}
	if part, ok := cause.(*GraphError); ok {
		panic(part)
	}
	line := lineAtWork()
	if made, ok := cause.(*madeError); ok {
		line = cmp.Or(lineOf(made.by), line)
	}
	e := &GraphError{fmt.Sprintf(format, args...), cmp.Or(line, lineOf(build)), noGradient.ReplaceAllString(fmt.Sprint(cause), noGradientHere)}
	name, _, whole := strings.Cut(e.Part, ": ")
	if e.Cause = strings.TrimPrefix(strings.TrimPrefix(e.Cause, "runtime error: "), name+": "); !whole && e.Line == "" {
		panic(errors.New(e.Cause))
	}
	panic(e)
}

// madeError reports an invalid value that a function has returned.
type madeError struct {
	error
	by any
}

// PanicMadeIf is [PanicIf] for invalid values that the function by has returned. An outer [Annotate] adds the line on
// which by begins, if it is the user's.
func PanicMadeIf(bad bool, by any, format string, args ...any) {
	if bad {
		panic(&madeError{fmt.Errorf(format, args...), by})
	}
}

// gomlx identifies an operation without a gradient by its node. The replacement names only the operation, and two
// remedies.
var noGradient = regexp.MustCompile(`^graph has node .* with type "(\w+)", for which no gradient is defined yet.*$`)

const noGradientHere = "the operation $1 has no gradient; take another one, or StopGradient of its input where none is meant to flow"

// Root returns the innermost error in the chain of errors that err wraps.
func Root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// lineAtWork returns the innermost line of the user's code below the call that makes gomlx build a graph, "" if there
// is none.
func lineAtWork() string {
	pcs := make([]uintptr, 256)
	frames := runtime.CallersFrames(pcs[:runtime.Callers(1, pcs)])
	for {
		frame, more := frames.Next()
		switch {
		case strings.HasPrefix(frame.Function, "github.com/gomlx/gomlx/core/graph.(*Exec)"):
			return ""
		case isOwn(frame.Function, frame.File):
			return line(frame.File, frame.Line)
		case !more:
			return ""
		}
	}
}

// lineOf returns the first line of a function of the user's code, "" for other functions and for nil.
func lineOf(function any) string {
	v := reflect.ValueOf(function)
	if v.Kind() != reflect.Func || v.IsNil() {
		return ""
	}
	f := runtime.FuncForPC(v.Pointer())
	if file, at := f.FileLine(v.Pointer()); isOwn(f.Name(), file) {
		return line(file, at)
	}
	return ""
}

// mainModule is the path of the program's module, "" if it has none.
var mainModule = func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Path
	}
	return ""
}()

// ours and goRoot are the folders of this module and of the standard library, as recorded by the compiler; with
// -trimpath goRoot is "".
var ours, goRoot = func() (string, string) {
	_, here, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(reflect.ValueOf(runtime.Callers).Pointer())
	there, _ := name.FileLine(name.Entry())
	return strings.TrimSuffix(here, "internal/fault/graph.go"), strings.TrimSuffix(there, "runtime/extern.go")
}()

// isOwn reports whether a function belongs to the user: not to Go, gomlx or this module. This module's tests count as
// the user's. The file decides where the name cannot: an inlined function has the name of its caller.
func isOwn(function, file string) bool {
	switch {
	case strings.HasPrefix(function, "github.com/gomlx/"), strings.Contains(file, "/github.com/gomlx/"):
		return false
	case strings.HasPrefix(file, ours):
		return strings.HasSuffix(file, "_test.go")
	}
	return filepath.Ext(file) == ".go" && !strings.HasPrefix(function, "runtime.") && !isStandard(file)
}

// isStandard reports whether a file belongs to the standard library. With -trimpath file names are import paths, and
// those of the standard library begin with a word without a dot. The paths of the program's own module may do so too.
func isStandard(file string) bool {
	if goRoot != "" {
		return strings.HasPrefix(file, goRoot)
	}
	first, _, _ := strings.Cut(file, "/")
	return !filepath.IsAbs(file) && !strings.Contains(first, ".") && !strings.HasPrefix(file, mainModule+"/")
}

// line returns "file:line", with the file relative to the working folder if it lies in it.
func line(file string, number int) string {
	if dir, err := os.Getwd(); err == nil {
		if rest, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rest) {
			file = rest
		}
	}
	return fmt.Sprintf("%s:%d", file, number)
}
