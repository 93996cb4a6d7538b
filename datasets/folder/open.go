// Package folder reads images from a folder: JPEG and PNG files of any size, in one sub-folder per class ([Open]) or
// from a list ([OpenList]). Each image is cropped and scaled to one size when it is read.
//
// A [Set] does not copy the files and is a datasets.Source: datasets.Stream decodes them in parallel, ahead of the
// caller and in a fixed order, and [Set.Load] reads them all into memory. [Set.LoadReadable] and [Set.Readable] omit
// broken files and list them. [Config.Decode] and [Config.Pixels] convert a single image to the size of a set.
// Imagenette and Imagewoof are such folders; [Imagenette] and [Imagewoof] give their classes readable names.
//
// Files are untrusted: before an image is decoded, its stated size must be within the limits of [Config] and plausible
// for the length of the file. The orientation in a JPEG file (EXIF) is ignored, as in most training programs;
// transparent parts of a PNG file become white.
package folder

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/puclab/puclab/datasets/internal/classes"
	"github.com/puclab/puclab/internal/fault"
)

// Open returns the set of the images in the sub-folders of fsys. Each sub-folder is a class. Classes are numbered by
// folder name: numbers by value, then all other names as text, so that folders 0 to 10 are classes 0 to 10. The images
// of a class are all files in its sub-folder and below with an image suffix (.jpg, .png, .webp and others, ignoring
// case), in the order of their paths. Formats other than JPEG and PNG are errors when they are read. Other files, and
// names that start with a dot, are skipped.
//
// No image is opened yet. It is an error if there are no sub-folders or one without images, or if they are named like
// parts of a data set (train, val, test and the like) and cfg.Names has none of them. It is an error if two sub-folders
// are the same number, such as 1 and 01, or if the name of one is not UTF-8. fsys must be safe for concurrent use, as
// os.DirFS and zip.Reader are.
func Open(fsys fs.FS, cfg Config) (*Set, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	folders, err := folders(fsys)
	if err == nil {
		err = cmp.Or(checkParts(folders, cfg.Names), checkNumbers(folders))
	}
	if err != nil {
		return nil, fmt.Errorf("folder: %w", err)
	}
	s := &Set{cfg: cfg}
	named := map[string]string{} // folders by the names of their classes
	for _, name := range folders {
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
	return s, nil
}

// folders returns the names of the sub-folders of fsys in the order of their classes; there is at least one.
func folders(fsys fs.FS) (names []string, err error) {
	entries, err := fs.ReadDir(fsys, ".")
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("there is no such folder: check the path given to os.DirFS: %w", err)
	}
	if err != nil {
		return nil, err
	}
	for _, entry := range entries {
		name := entry.Name()
		if strings.HasPrefix(name, ".") {
			continue
		}
		if err := checkName(name); err != nil {
			return nil, err
		}
		info, err := fs.Stat(fsys, name) // follows a link; entry does not
		if err != nil {
			return nil, err
		}
		if info.IsDir() {
			names = append(names, name)
		}
	}
	if len(names) == 0 {
		return nil, errors.New("no sub-folders here: there must be one for each class, with its images in it")
	}
	slices.SortFunc(names, classes.Compare)
	return names, nil
}

// checkName returns an error if a path is not UTF-8: package io/fs does not open such files.
func checkName(name string) error {
	return fault.If(!utf8.ValidString(name),
		"the name %q is not UTF-8: rename the file or folder, as by `convmv -f latin1 -t utf8`",
		name)
}

// checkParts returns an error if all folders have the names of parts of a data set and names renames none.
func checkParts(folders []string, names map[string]string) error {
	for _, name := range folders {
		if _, ok := names[name]; ok || !slices.Contains(parts, strings.ToLower(name)) {
			return nil
		}
	}
	return fmt.Errorf("the sub-folders %s seem to be parts of a data set, not classes: open one of them, or name "+
		"them in the configuration if they are classes", strings.Join(folders, ", "))
}

// parts are the usual names of the parts of a data set.
var parts = []string{"train", "training", "val", "valid", "validation", "dev", "test", "testing", "eval"}

// checkNumbers returns an error if two of the sorted folders are the same number.
func checkNumbers(folders []string) error {
	for i := range len(folders) - 1 {
		if a, b := folders[i], folders[i+1]; classes.Name(a) == classes.Name(b) {
			return fmt.Errorf("the sub-folders %s and %s are the same number: rename one, or put their images into "+
				"one folder", a, b)
		}
	}
	return nil
}

// addClass adds all images in the folder top. The folder may be a link, which fs.WalkDir does not follow, so its
// entries are walked instead.
func (s *Set) addClass(fsys fs.FS, top string, class int) error {
	entries, err := fs.ReadDir(fsys, top)
	if err != nil {
		return err
	}
	add := func(file string) {
		if hasImageEnding(file) {
			s.files, s.Labels = append(s.files, imageFile{fsys, file}), append(s.Labels, class)
		}
	}
	for _, entry := range entries {
		name := path.Join(top, entry.Name())
		if checkName(name) != nil && !entry.IsDir() { // fs.WalkDir would stop at it; reading it is an error
			add(name)
			continue
		}
		err := fs.WalkDir(fsys, name, func(file string, d fs.DirEntry, err error) error {
			switch {
			case err != nil:
				return cmp.Or(checkName(file), err)
			case strings.HasPrefix(d.Name(), "."):
				if d.IsDir() {
					return fs.SkipDir
				}
			case !d.IsDir():
				add(file)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
	return nil
}

// endings are the suffixes of image files. Unsupported formats are errors when they are read, because skipping them
// would remove images silently.
var endings = []string{".jpg", ".jpeg", ".jpe", ".jfif", ".png", ".avif", ".bmp", ".gif", ".heic", ".jp2", ".tif",
	".tiff", ".webp"}

func hasImageEnding(name string) bool {
	return slices.Contains(endings, strings.ToLower(path.Ext(name)))
}
