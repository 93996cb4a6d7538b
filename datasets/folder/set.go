package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"slices"
)

// Set is a set of image files. It is a datasets.Source and holds no image itself. [Open], [OpenList] and [Join] return
// one.
type Set struct {
	// Labels gives the class of each image, a number below len(Classes).
	Labels []int
	// Classes names the classes.
	Classes []string

	cfg   Config // with defaults filled in
	files []imageFile
}

// imageFile is the location of an image.
type imageFile struct {
	fsys fs.FS
	path string
}

// Len returns the number of images.
func (s *Set) Len() int { return len(s.files) }

// Shape returns the size of every image after conversion.
func (s *Set) Shape() (height, width, channels int) { return s.cfg.shape() }

// Path returns the path of image i in its file system. An i outside [0, Len) panics.
func (s *Set) Path(i int) string { return s.files[i].path }

// String describes the set in one line.
func (s *Set) String() string {
	height, width, channels := s.Shape()
	return fmt.Sprintf("%d image files in %d classes, read as %d×%d×%d (height×width×channels)",
		s.Len(), len(s.Classes), height, width, channels)
}

// Join concatenates sets, as for a benchmark of Imagewoof against Imagenette. The classes of the sets are concatenated
// too; a class name in two sets, and images of different sizes, are errors.
func Join(sets ...*Set) (*Set, error) {
	if len(sets) == 0 {
		return nil, errors.New("folder: no sets given to join")
	}
	all := &Set{cfg: sets[0].cfg}
	all.cfg.Names = nil
	for _, s := range sets {
		height, width, channels := all.Shape()
		if h, w, c := s.Shape(); h != height || w != width || c != channels {
			return nil, fmt.Errorf("folder: cannot join images of %d×%d×%d and of %d×%d×%d (height×width×channels)",
				height, width, channels, h, w, c)
		}
		if s.cfg.Fit != all.cfg.Fit || s.cfg.MaxPixels != all.cfg.MaxPixels || s.cfg.MaxBytes != all.cfg.MaxBytes {
			return nil, errors.New("folder: cannot join sets with different fits or limits: open them with the same Config")
		}
		for _, class := range s.Classes {
			if slices.Contains(all.Classes, class) {
				return nil, fmt.Errorf("folder: two of the sets to join have a class %s", class)
			}
		}
		for _, class := range s.Labels {
			all.Labels = append(all.Labels, len(all.Classes)+class)
		}
		all.Classes = append(all.Classes, s.Classes...)
		all.files = append(all.files, s.files...)
	}
	return all, nil
}
