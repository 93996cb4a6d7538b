package datasets

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	files "github.com/puclab/puclab/datasets/internal/content"
	"github.com/puclab/puclab/internal/wholefile"
)

// recordSuffix is the suffix of the file beside a download with its SHA-256. Its single line has the format of
// sha256sum.
const recordSuffix = ".sha256"

// readRecord returns the recorded SHA-256 of the file at path, or "" if there is none.
func readRecord(path string) (string, error) {
	dir, name := filepath.Dir(path), filepath.Base(path)
	sums, err := files.ReadSums(os.DirFS(dir), name+recordSuffix)
	if err == nil && (sums == nil || sums[name] != "") {
		return string(sums[name]), nil
	}
	err = cmp.Or(err, errors.New("it names another file"))
	return "", fmt.Errorf("%s does not hold the SHA-256 of %s: remove it to accept the file as it is: %w",
		path+recordSuffix, name, err)
}

// writeRecord records the SHA-256 of the file at path atomically.
func writeRecord(path, sum string) error {
	return wholefile.Write(path+recordSuffix, wholefile.Bytes(sum+"  "+filepath.Base(path)+"\n"))
}
