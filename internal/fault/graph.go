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

// GraphError tells which part of a graph could not be built, on which line of whose code, and why. It wraps nothing: what it
// says is all that a user can act on.
type GraphError struct {
	Part  string // what was being built, the package's name mostly in front: `pucl: Attract of objective "mine"`
	Line  string // file and line of the user's own code, "" where there is none
	Cause string
}

// Error returns part, line and cause.
func (e *GraphError) Error() string {
	if e.Line == "" {
		return e.Part + ": " + e.Cause
	}
	return e.Part + ", at " + e.Line + ": " + e.Cause
}

// Annotate, deferred where build, a function of the user's perhaps, builds a part of a graph, turns a panic, whatever it holds, into that
// of a [GraphError]; format and args name the part. The error of a part of this part goes on as it is. The line is the innermost one of
// the user's at work, or else that on which build begins.
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

// madeError tells what is wrong with what a function has made.
type madeError struct {
	error
	by any
}

// PanicMadeIf is [PanicIf] for what is wrong with what a function, by, has made: an [Annotate] further out names the line on which it
// begins, if it is the user's.
func PanicMadeIf(bad bool, by any, format string, args ...any) {
	if bad {
		panic(&madeError{fmt.Errorf(format, args...), by})
	}
}

// gomlx tells of an operation without a gradient by its node; its name is enough, and there are two ways on.
var noGradient = regexp.MustCompile(`^graph has node .* with type "(\w+)", for which no gradient is defined yet.*$`)

const noGradientHere = "the operation $1 has no gradient; take another one, or StopGradient of its input where none is meant to flow"

// Root returns the innermost error of those that err wraps one by one.
func Root(err error) error {
	for {
		inner := errors.Unwrap(err)
		if inner == nil {
			return err
		}
		err = inner
	}
}

// lineAtWork returns the user's innermost line among the calls below the one that has gomlx build a graph, "" where there is none.
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

// lineOf returns the line on which a function of the user's begins, "" for other functions and for no function.
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

// mainModule is the path of the program's module, "" where it has none.
var mainModule = func() string {
	if info, ok := debug.ReadBuildInfo(); ok {
		return info.Main.Path
	}
	return ""
}()

// ours and goRoot are the folders that hold this module and Go's own packages, as the compiler has written them down; with -trimpath goRoot
// is "".
var ours, goRoot = func() (string, string) {
	_, here, _, _ := runtime.Caller(0)
	name := runtime.FuncForPC(reflect.ValueOf(runtime.Callers).Pointer())
	there, _ := name.FileLine(name.Entry())
	return strings.TrimSuffix(here, "internal/fault/graph.go"), strings.TrimSuffix(there, "runtime/extern.go")
}()

// isOwn reports whether a function is neither Go's, nor gomlx's, nor this module's, whose tests count as somebody else's. The file tells
// where the name does not: what is inlined takes the name of its caller.
func isOwn(function, file string) bool {
	switch {
	case strings.HasPrefix(function, "github.com/gomlx/"), strings.Contains(file, "/github.com/gomlx/"):
		return false
	case strings.HasPrefix(file, ours):
		return strings.HasSuffix(file, "_test.go")
	}
	return filepath.Ext(file) == ".go" && !strings.HasPrefix(function, "runtime.") && !isStandard(file)
}

// isStandard reports whether a file is of Go's own packages. With -trimpath, which leaves import paths, theirs begin with a word without a
// dot; those of the program's own module may too.
func isStandard(file string) bool {
	if goRoot != "" {
		return strings.HasPrefix(file, goRoot)
	}
	first, _, _ := strings.Cut(file, "/")
	return !filepath.IsAbs(file) && !strings.Contains(first, ".") && !strings.HasPrefix(file, mainModule+"/")
}

// line returns "file:line", the file as seen from the working folder where it lies in it.
func line(file string, number int) string {
	if dir, err := os.Getwd(); err == nil {
		if rest, err := filepath.Rel(dir, file); err == nil && filepath.IsLocal(rest) {
			file = rest
		}
	}
	return fmt.Sprintf("%s:%d", file, number)
}
