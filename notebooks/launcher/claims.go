package launcher

import (
	"context"
	"errors"
	"flag"
	"os/exec"
	"syscall"
	"time"
)

// verdictsPackage is the program that checks the claims. It is built and run apart from the launcher, since it links XLA.
const verdictsPackage = "./theory/claims/verdicts"

func claimsCommand(flags *flag.FlagSet) func(context.Context, *session, []string) error {
	asJSON := flags.Bool("json", false, "print the full records as one JSON array")
	asMarkdown := flags.Bool("markdown", false, "print a Markdown table")
	return func(ctx context.Context, s *session, ids []string) (err error) {
		s.console = &console{w: s.stderr, width: 100} // the standard output is for the verdicts alone
		use, err := s.prepare(ctx, false)
		if err != nil {
			return err
		}
		defer func() { err = errors.Join(err, use.release()) }()
		args := []string{"run", verdictsPackage}
		if *asJSON {
			args = append(args, "-json")
		}
		if *asMarkdown {
			args = append(args, "-markdown")
		}
		return s.runClaims(ctx, append(args, ids...))
	}
}

// runClaims lets the go command build and run the checks, with their lines going straight to the user.
func (s *session) runClaims(ctx context.Context, args []string) error {
	cmd := exec.CommandContext(ctx, s.goTool.goCommand(), args...)
	cmd.Dir, cmd.Env = s.place.root, s.goTool.goEnv()
	cmd.Stdout, cmd.Stderr = s.stdout, s.stderr
	ownGroup(cmd)
	cmd.Cancel = func() error { return signalGroup(cmd.Process.Pid, syscall.SIGTERM) }
	cmd.WaitDelay = 5 * time.Second
	err := cmd.Run()
	if ctx.Err() != nil {
		return errInterrupted
	}
	if err != nil {
		return &problem{What: "Checking the claims failed; the reason stands above.", Err: err}
	}
	return nil
}
