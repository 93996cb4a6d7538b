package content

import (
	"fmt"
	"io/fs"
)

// Variant is an unsupported form of a data set.
type Variant struct {
	Kind  string   // such as "the Python version"
	Names []string // of its files and folders
}

// Explain appends the variants found in fsys and the remedy, if there are any.
func (m Missing) Explain(fsys fs.FS, remedy string, variants ...Variant) Missing {
	for _, v := range variants {
		for _, name := range v.Names {
			if _, err := fs.Stat(fsys, name); err == nil {
				return m + Missing(fmt.Sprintf("; %s is %s, which is not read: %s", name, v.Kind, remedy))
			}
		}
	}
	return m
}
