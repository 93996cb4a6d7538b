//go:build cgo && linux && amd64

package onednn

import (
	"fmt"
	"path/filepath"
	"strings"
)

// explained rewrites the loader's message about a missing dependency of a library in plain words.
func explained(problem, library string) string {
	missing, _, found := strings.Cut(problem, ": cannot open shared object file")
	if !found || missing == "" || filepath.Base(missing) == filepath.Base(library) {
		return problem
	}
	if strings.HasPrefix(missing, "libgomp.so") {
		return fmt.Sprintf("it needs %s, which is not installed: install the package libgomp1 (Debian, Ubuntu) or libgomp (Fedora, openSUSE: libgomp1), "+
			"or set PUCL_ONEDNN=off to do without", missing)
	}
	return fmt.Sprintf("it needs %s, which is not installed: install the package that has it, or set PUCL_ONEDNN=off to do without", missing)
}
