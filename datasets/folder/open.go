// Package folder reads images from a folder: JPEG and PNG files of any size, a sub-folder for each class ([Open]), or
// wherever a list says ([OpenList]). Each image is cut and scaled to one size when it is read.
//
// A [Set] leaves the files where they are and is a datasets.Source: datasets.Stream decodes them in parallel, ahead of
// the caller and in a fixed order, and [Set.Load] reads them all into memory. [Set.LoadReadable] and [Set.Readable] leave
// broken files out and list them. [Config.Decode] and [Config.Pixels] bring a single image to the size of a set.
// Imagenette and Imagewoof are such folders; [Imagenette] and [Imagewoof] give their classes readable names.
//
// Files may come from anywhere, so a size that a file only claims costs nothing: it has to be within the limits of
// [Config], and believable for the length of the file, before the image is decoded. The orientation that a camera may
// note in a JPEG file (EXIF) is ignored, as most training programs do; transparent parts of a PNG file become white.
package folder

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
)

// Open finds the images in the sub-folders of fsys. Each sub-folder is a class, numbered in the order of their names; all
// files in it and below it that end in .jpg, .jpeg or .png, in capitals or not, are its images, in the order of their
// paths. Other files, and names that start with a dot, are passed over.
//
// No image is opened yet. It is an error if there are no sub-folders, or one without images. fsys has to bear several
// goroutines, as os.DirFS and zip.Reader do.
func Open(fsys fs.FS, cfg Config) (*Set, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	entries, err := fs.ReadDir(fsys, ".") // sorted by name
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("folder: there is no such folder: check the path given to os.DirFS: %w", err)
	}
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	s := &Set{cfg: cfg}
	named := map[string]string{} // folders by the names of their classes
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		info, err := fs.Stat(fsys, name) // follows a link, which entry does not
		if err != nil {
			return nil, fmt.Errorf("folder: %w", err)
		}
		if !info.IsDir() {
			continue
		}
		class := name
		if given, ok := cfg.Names[name]; ok {
			class = given
		}
		if other, ok := named[class]; ok {
			return nil, fmt.Errorf("folder: the folders %s and %s are both named %s", other, name, class)
		}
		named[class] = name
		before := s.Len()
		if err := s.addClass(fsys, name, len(s.Classes)); err != nil {
			return nil, fmt.Errorf("folder: %w", err)
		}
		if s.Len() == before {
			return nil, fmt.Errorf("folder: %s has no images (.jpg, .jpeg or .png): remove it, or take another folder", name)
		}
		s.Classes = append(s.Classes, class)
	}
	if len(s.Classes) == 0 {
		return nil, errors.New("folder: no sub-folders here: there must be one for each class, with its images in it")
	}
	return s, nil
}

// addClass adds all images in the folder top. The folder itself may be a link, at which fs.WalkDir would stop; so its
// entries are walked instead.
func (s *Set) addClass(fsys fs.FS, top string, class int) error {
	entries, err := fs.ReadDir(fsys, top)
	if err != nil {
		return err
	}
	for _, entry := range entries {
		err := fs.WalkDir(fsys, path.Join(top, entry.Name()), func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return err
			case strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
			case !d.IsDir() && hasImageEnding(file):
				s.files = append(s.files, imageFile{fsys, file})
				s.Labels = append(s.Labels, class)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

func hasImageEnding(name string) bool {
	return slices.Contains([]string{".jpg", ".jpeg", ".png"}, strings.ToLower(path.Ext(name)))
}
