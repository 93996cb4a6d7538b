package papers

import (
	"errors"
	"io/fs"

	"github.com/puclab/puclab/datasets/folder"
)

// openDogs opens Imagenette and Imagewoof, one after the other, as images of 224×224 pixels. They stay on disk.
func openDogs(Files) (set, *opened, error) {
	train, err := dogs("train")
	test, testErr := dogs("val")
	if err := errors.Join(err, testErr); err != nil {
		return set{}, nil, err
	}
	return set{train, train.Labels, train.Classes},
		&opened{test: set{test, test.Labels, test.Classes}, close: func() error { return nil }}, nil
}

// dogs opens a part of both sets.
func dogs(part string) (*folder.Set, error) {
	var sets []*folder.Set
	for _, of := range []struct {
		archive string
		names   map[string]string
	}{{"imagenette2-320", folder.Imagenette()}, {"imagewoof2-320", folder.Imagewoof()}} {
		top, err := archiveFolder(of.archive)
		if err != nil {
			return nil, err
		}
		images, err := fs.Sub(top, part)
		if err != nil {
			return nil, err
		}
		s, err := folder.Open(images, folder.Config{Names: of.names})
		if err != nil {
			return nil, err
		}
		sets = append(sets, s)
	}
	return folder.Join(sets...)
}
