package launcher

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime"

	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/internal/liveline"
)

// The exit statuses.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130 // as for a program ended by Ctrl-C
)

// Main executes the command line, without the program's name, and returns the exit status.
func Main(args []string) int {
	return launch(underGo(interrupts.Context()), args, os.Stdout, os.Stderr)
}

// launch executes args and returns the exit status.
func launch(ctx context.Context, args []string, stdout *os.File, stderr io.Writer) int {
	err := try(ctx, args, stdout, stderr)
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil || errors.Is(err, errInterrupted):
		fmt.Fprintln(stderr, "\nInterrupted.")
		return exitInterrupted
	case errors.Is(err, errUsage):
		help := usage()
		if command := (*usageError)(nil); errors.As(err, &command) {
			help = command.help
		}
		fmt.Fprintf(stderr, "%v\n\n%s", err, help)
		return exitUsage
	}
	fmt.Fprintf(stderr, "\n%v\n", ofSystem(err))
	return exitFailed
}

func try(ctx context.Context, args []string, stdout *os.File, stderr io.Writer) error {
	do, help, err := parse(args)
	if err != nil {
		return err
	}
	if help != "" {
		_, err := io.WriteString(stdout, help)
		return err
	}
	if runtime.GOOS == "windows" {
		return &problem{What: "The Go kernel does not run on Windows itself.",
			Mend: "It does in WSL (https://learn.microsoft.com/windows/wsl): start this there."}
	}
	p, err := findRoot(".")
	if err != nil {
		return err
	}
	return do(ctx, &session{place: p, console: liveline.New(stdout), stdout: stdout, stderr: stderr})
}
