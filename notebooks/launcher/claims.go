package launcher

import (
	"context"
	"flag"
)

// verdictsPackage is the program that checks the claims. It is built and run apart from the launcher, since it links XLA.
const verdictsPackage = "./theory/claims/verdicts"

func claimsCommand(flags *flag.FlagSet) work {
	flags.Bool("json", false, "print the full records as one JSON array")
	flags.Bool("markdown", false, "print a Markdown table")
	return func(ctx context.Context, s *session, ids []string) error {
		s.talkOnStderr()
		return s.prepared(ctx, false, func() error {
			return s.runForUser(ctx, s.goTool.goEnv(), "Checking the claims failed; the reason stands above.",
				s.goTool.goCommand(), append(append([]string{"run", verdictsPackage}, given(flags)...), ids...)...)
		})
	}
}
