package content

import (
	"errors"
	"io/fs"
)

// Missing is an fs.ErrNotExist in words of our own, which say more than "file does not exist".
type Missing string

// Error returns the words.
func (m Missing) Error() string { return string(m) }

// Unwrap returns fs.ErrNotExist.
func (m Missing) Unwrap() error { return fs.ErrNotExist }

// First returns the first of the names that fsys has. Where it has none of them the error is otherwise; any other trouble
// with a name ends the search.
func First(fsys fs.FS, otherwise Missing, names ...string) (string, error) {
	for _, name := range names {
		switch _, err := fs.Stat(fsys, name); {
		case err == nil:
			return name, nil
		case !errors.Is(err, fs.ErrNotExist):
			return "", err
		}
	}
	return "", otherwise
}
