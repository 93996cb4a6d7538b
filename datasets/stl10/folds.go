package stl10

import (
	"bufio"
	"errors"
	"fmt"
	"io/fs"
	"strconv"
	"strings"

	"github.com/puclab/puclab/datasets/internal/check"
)

const (
	folds     = 10
	foldSize  = 1_000
	trainSize = 5_000
)

// Folds returns the authors' ten training sets of 1,000 images of the part Train: ten lines of row numbers, from 0, in
// the file fold_indices.txt. The sets overlap.
//
// If the file is missing the error wraps fs.ErrNotExist; every other error names the line.
func Folds(fsys fs.FS) (rows [][]int, err error) {
	defer check.Prefix(&err, "stl10")
	name, err := find(fsys, "fold_indices.txt")
	if err != nil {
		return nil, err
	}
	file, err := fsys.Open(name)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	lines := bufio.NewScanner(file)
	for lines.Scan() {
		fields := strings.Fields(lines.Text())
		if len(fields) == 0 {
			continue
		}
		line := len(rows) + 1
		if line > folds || len(fields) != foldSize {
			return nil, fmt.Errorf("%s, line %d: %d numbers; the file has %d lines of %d numbers",
				name, line, len(fields), folds, foldSize)
		}
		fold := make([]int, foldSize)
		for i, field := range fields {
			row, err := strconv.Atoi(field)
			if err != nil || row < 0 || row >= trainSize {
				return nil, fmt.Errorf("%s, line %d, number %d: %q is not a row of the %d, 0 to %d",
					name, line, i+1, field, trainSize, trainSize-1)
			}
			fold[i] = row
		}
		rows = append(rows, fold)
	}
	if err := lines.Err(); err != nil {
		return nil, fmt.Errorf("%s, line %d: %w", name, len(rows)+1, err)
	}
	if len(rows) != folds {
		return nil, fmt.Errorf("%s has %d lines of numbers, not %d", name, len(rows), folds)
	}
	return rows, nil
}
