package claims

import "github.com/puclab/puclab/theory/internal/theorytest"

var (
	openEngine = theorytest.OpenEngine
	near       = theorytest.Near
	wantError  = theorytest.WantError
)
