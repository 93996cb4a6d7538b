package folder

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/datasets/internal/classes"
)

// OpenList returns the set of the images in a list with one line per image: its path in fsys, a space, and its class
// number, such as "train/n01440764/n01440764_190.JPEG 0". The lists of ImageNet-LT and ImageNet-100-LT have this form.
// Empty lines are skipped.
//
// The numbers must be below len(names). If names is nil, classes are named by number, "0", "1", and so on up to the
// largest. A path that leads out of fsys, does not name a file or occurs twice is an error that gives the line. No
// image is opened yet.
func OpenList(fsys fs.FS, list io.Reader, names []string, cfg Config) (*Set, error) {
	cfg, err := cfg.withDefaults()
	if err != nil {
		return nil, err
	}
	s := &Set{cfg: cfg, Classes: slices.Clone(names)}
	limit := len(names)
	if names == nil {
		limit = classes.Most
	}
	seen := map[string]int{} // line of each path
	lines := bufio.NewScanner(list)
	line, largest := 0, -1
	for lines.Scan() {
		line++
		text := lines.Text()
		if line == 1 {
			text = strings.TrimPrefix(text, "\ufeff") // byte order mark, written by some programs
		}
		text = strings.TrimSpace(text)
		if text == "" {
			continue
		}
		file, number, err := parseLine(text)
		if err == nil && (number < 0 || number >= limit) {
			err = fmt.Errorf("class %d: classes are numbered 0 to %d", number, limit-1)
		}
		if first, twice := seen[file]; err == nil && twice {
			err = fmt.Errorf("%s stands on line %d already", file, first)
		}
		if err == nil {
			err = isFile(fsys, file)
		}
		if err != nil {
			return nil, fmt.Errorf("folder: list, line %d: %w", line, err)
		}
		seen[file] = line
		largest = max(largest, number)
		s.files = append(s.files, imageFile{fsys, file})
		s.Labels = append(s.Labels, number)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("folder: list, line %d: %w", line+1, err)
	}
	if s.Len() == 0 {
		return nil, errors.New("folder: the list names no images")
	}
	if names == nil {
		s.Classes = classes.Numbered(largest + 1)
	}
	return s, nil
}

// parseLine splits a line at its last space, because a path may have spaces.
func parseLine(text string) (file string, class int, err error) {
	space := strings.LastIndexAny(text, " \t")
	if space < 0 {
		return "", 0, fmt.Errorf("%q is not a path, a space and the number of a class", text)
	}
	class, err = strconv.Atoi(text[space+1:])
	if err != nil {
		return "", 0, fmt.Errorf("%q is not the number of a class", text[space+1:])
	}
	file = path.Clean(strings.TrimSpace(text[:space]))
	if err := checkName(file); err != nil {
		return "", 0, err
	}
	if !fs.ValidPath(file) {
		return "", 0, fmt.Errorf("the path %q leads out of the folder: give it relative to it", file)
	}
	return file, class, nil
}

func isFile(fsys fs.FS, name string) error {
	info, err := fs.Stat(fsys, name)
	if err == nil && info.IsDir() {
		err = fmt.Errorf("%s is a folder", name)
	}
	return err
}
