package lab

import (
	"fmt"
	"os"
	"regexp"
)

// Must returns value. If err is not nil, it ends the cell as [Check] does. It is for notebooks and examples; packages
// return their errors.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check ends the cell with the error's sentence and exit status 1 if err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "✗", sentence(err))
		os.Exit(1)
	}
}

// engineWords matches the text that the engine puts before the cause of a failed graph construction: internal names.
var engineWords = regexp.MustCompile(
	`failed during graph construction/compilation: (compilation failed for Exec "[^"]*": )?(graphFn for "[^"]*" panicked: )?`)

// sentence returns the text of an error without the engine's own wording.
func sentence(err error) string {
	return engineWords.ReplaceAllString(err.Error(), "building the graph: ")
}
