package tabular

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io/fs"

	"github.com/puclab/puclab/datasets/internal/check"
)

// OpenNPZ returns the arrays of a .npz file as a file system: the array named x in np.savez(name, x=..., y=...) is its
// file "x.npy". To make a table of the arrays of data.npz:
//
//	arrays, err := tabular.OpenNPZ(os.DirFS("."), "data.npz")
//	...
//	table, err := tabular.LoadNPY(arrays, "x.npy", "y.npy", nil)
//
// Arrays may be stored or compressed. The whole file is read into memory; its arrays are not decompressed yet. It is an
// error if the file is not a zip archive, or if an array claims to be longer than its bytes allow.
func OpenNPZ(fsys fs.FS, name string) (arrays fs.FS, err error) {
	defer check.Prefix(&err, "tabular: %s", name)
	data, err := fs.ReadFile(fsys, name)
	if err != nil {
		return nil, err
	}
	archive, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if errors.Is(err, zip.ErrFormat) {
		return nil, errors.New("not a .npz file: it is no zip archive, or is cut off; save it with NumPy's np.savez")
	}
	if err != nil {
		return nil, err
	}
	for _, file := range archive.File {
		packed, size := file.CompressedSize64, file.UncompressedSize64
		if packed > uint64(len(data)) || size > 1032*(packed+1) { // deflate expands a byte to 1,032 at most
			return nil, fmt.Errorf("%s: %d bytes in the archive cannot become the %d that it announces: the file is "+
				"damaged", file.Name, packed, size)
		}
	}
	return archive, nil
}
