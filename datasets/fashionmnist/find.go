package fashionmnist

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/content"
)

// systemFolders are the folders used by package managers: Debian's package dataset-fashion-mnist uses this one.
var systemFolders = []string{"/usr/share/datasets/fashion-mnist"}

// Find returns the first folder that holds both files of the 60,000 images, ready for Load(os.DirFS(dir), Train). It
// searches $PUCL_DATA_DIR/fashion-mnist, $PUCL_DATA_DIR, pucl/fashion-mnist in the user's cache folder, and
// /usr/share/datasets/fashion-mnist, the folder of Debian's package dataset-fashion-mnist. It checks only the names of
// the files; Load checks their content.
//
// If no folder has them the error wraps fs.ErrNotExist and lists what each folder lacks.
func Find() (dir string, err error) { return parts[Train].locate() }

func (p part) locate() (string, error) {
	var lacks strings.Builder
	for _, dir := range append(datasets.Folders(Name), systemFolders...) {
		err := p.in(dir)
		if err == nil {
			return dir, nil
		}
		if !errors.Is(err, fs.ErrNotExist) {
			return "", fmt.Errorf("fashionmnist: looking into %s: %w", dir, err)
		}
		fmt.Fprintf(&lacks, "\n  %s: %v", dir, err)
	}
	return "", content.Missing(fmt.Sprintf("fashionmnist: the %d images are in none of these folders:%s", p.count, &lacks))
}

// in returns nil if the folder dir holds both files.
func (p part) in(dir string) error {
	if _, err := os.Stat(dir); errors.Is(err, fs.ErrNotExist) {
		return content.Missing("no such folder")
	} else if err != nil {
		return err
	}
	_, imagesErr := p.images.find(os.DirFS(dir))
	_, labelsErr := p.labels.find(os.DirFS(dir))
	return cmp.Or(imagesErr, labelsErr)
}

// Download ensures that the 60,000 verified images are on this machine, and returns their folder: the result of [Find],
// if any. Otherwise it downloads missing files (26 MB in all) to $PUCL_DATA_DIR/fashion-mnist or pucl/fashion-mnist in
// the user's cache folder. [datasets.Fetch] describes downloads and their errors. The 10,000 images of the test part
// need no download: see [Embedded].
func Download(ctx context.Context, opts datasets.FetchOptions) (dir string, err error) {
	return parts[Train].download(ctx, hosts, opts)
}

func (p part) download(ctx context.Context, hosts []string, opts datasets.FetchOptions) (string, error) {
	dir, err := p.locate()
	if errors.Is(err, fs.ErrNotExist) {
		dir, err = datasets.DownloadFolder(Name)
	}
	if err != nil {
		return "", err
	}
	for _, f := range []file{p.images, p.labels} {
		_, err := f.read(os.DirFS(dir))
		if errors.Is(err, fs.ErrNotExist) {
			err = datasets.Fetch(ctx, dir, f.remote(hosts), opts)
		}
		if err != nil {
			return "", fmt.Errorf("in the folder %s: %w", dir, err)
		}
	}
	return dir, nil
}
