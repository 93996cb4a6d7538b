//go:build !unix

package home

import "io/fs"

// owner returns false: files have no owners here.
func owner(fs.FileInfo) (uid int, known bool) { return 0, false }
