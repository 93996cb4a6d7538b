package content

import (
	"fmt"
	"io/fs"
)

// Variant is a form of a data set that is not read.
type Variant struct {
	Kind  string   // such as "the Python version"
	Names []string // of its files and folders
}

// Explain appends to the words which of the variants fsys has and the remedy, if it has one.
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
