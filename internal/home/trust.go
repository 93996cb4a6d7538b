package home

import (
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// Trusted checks path, a file or folder below root, and every folder on the way from root on, root too. It returns an
// error unless this user or root owns all of them, and nobody outside of their groups may write there. Links are
// followed. On systems without file owners it returns nil.
func Trusted(root, path string) error {
	rest, err := filepath.Rel(root, path)
	if err != nil || !filepath.IsLocal(rest) {
		return fmt.Errorf("%s does not lie below %s", path, root)
	}
	at := root
	for _, name := range append([]string{""}, strings.Split(rest, string(filepath.Separator))...) {
		at = filepath.Join(at, name)
		info, err := os.Stat(at)
		if err != nil {
			return err
		}
		if owner, known := owner(info); known {
			if problem := trusted(owner, os.Geteuid(), info.Mode()); problem != "" {
				return fmt.Errorf("%s %s", at, problem)
			}
		}
	}
	return nil
}

// trusted returns the problem with a file of the given owner and mode for the user me, "" if there is none.
func trusted(owner, me int, mode fs.FileMode) string {
	switch {
	case owner != me && owner != 0:
		return "belongs to another user"
	case mode.Perm()&0o002 != 0:
		return "may be written to by everybody"
	}
	return ""
}
