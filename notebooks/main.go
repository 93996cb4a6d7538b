// Sets up, runs and opens the notebooks of this folder: `go run ./notebooks -h` lists the commands, and package launcher
// documents them.
package main

import (
	"os"

	"github.com/puclab/puclab/notebooks/launcher"
)

func main() { os.Exit(launcher.Main(os.Args[1:])) }
