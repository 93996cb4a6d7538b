package lab

import (
	"fmt"
	"os"
	"regexp"
)

// Must returns value, or ends the cell with the error's sentence where there is one. It is for notebooks and examples;
// packages return their errors.
func Must[T any](value T, err error) T {
	Check(err)
	return value
}

// Check ends the cell with the error's sentence, exit status 1, where err is not nil.
func Check(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "✗", sentence(err))
		os.Exit(1)
	}
}

// engineWords is what the engine says before the cause of a graph that could not be built: names that nobody has given.
var engineWords = regexp.MustCompile(
	`failed during graph construction/compilation: (compilation failed for Exec "[^"]*": )?(graphFn for "[^"]*" panicked: )?`)

// sentence returns what an error says, without the engine's own words.
func sentence(err error) string {
	return engineWords.ReplaceAllString(err.Error(), "building the graph: ")
}
