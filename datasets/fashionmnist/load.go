package fashionmnist

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"io/fs"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/content"
)

// Load reads one part from the two files of their official names in fsys, each compressed (with .gz at the end of its
// name) or not. Images are 28×28×1, classes are numbered as in [Classes].
//
// The content of both files must be the published one, by SHA-256; other data sets use the same file names, and their
// files are rejected. A missing file gives an error that wraps fs.ErrNotExist.
func Load(fsys fs.FS, which Part) (*datasets.Images, error) {
	if err := partNames.Check(which); err != nil {
		return nil, err
	}
	return parts[which].load(fsys)
}

func (p part) load(fsys fs.FS) (*datasets.Images, error) {
	images, imagesErr := p.images.read(fsys)
	labels, labelsErr := p.labels.read(fsys)
	if err := cmp.Or(imagesErr, labelsErr); err != nil {
		return nil, err
	}
	set, err := datasets.ReadImages(bytes.NewReader(images), bytes.NewReader(labels), Classes())
	if err != nil {
		return nil, err
	}
	if set.Len() != p.count {
		return nil, fmt.Errorf("fashionmnist: %d images in %s, not %d", set.Len(), p.images.name, p.count)
	}
	return set, nil
}

// find returns the name of the file in fsys, with or without .gz.
func (f file) find(fsys fs.FS) (name string, err error) {
	return content.First(fsys, content.Missing(fmt.Sprintf("no %s.gz and no %s", f.name, f.name)), f.name+".gz", f.name)
}

// read returns the decompressed, verified content.
func (f file) read(fsys fs.FS) ([]byte, error) {
	name, err := f.find(fsys)
	if err != nil {
		return nil, fmt.Errorf("fashionmnist: %w", err)
	}
	opened, err := fsys.Open(name)
	if err != nil {
		return nil, fmt.Errorf("fashionmnist: %w", err)
	}
	defer opened.Close()
	plain, err := datasets.Decompress(opened)
	if err != nil {
		return nil, fmt.Errorf("fashionmnist: %s: %w", name, err)
	}
	data := make([]byte, f.size+1) // one byte more, to detect a file that is too long
	n, err := io.ReadFull(plain, data)
	if err != nil && err != io.EOF && err != io.ErrUnexpectedEOF {
		return nil, fmt.Errorf("fashionmnist: %s is damaged, remove it and get it again: %w", name, err)
	}
	data = data[:n]
	if sum := sha256.Sum256(data); hex.EncodeToString(sum[:]) != f.sum {
		return nil, fmt.Errorf("fashionmnist: %s holds something else, or is damaged: the SHA-256 of its content is %x, "+
			"not %s. MNIST and others use the same file names; remove the file and get it again", name, sum, f.sum)
	}
	return data, nil
}
