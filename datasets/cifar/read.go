package cifar

import (
	"archive/tar"
	"bufio"
	"compress/gzip"
	"fmt"
	"io"
	"io/fs"
	"path"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/content"
)

// find returns the folder of fsys that has the named file.
func (f format) find(fsys fs.FS, name string) (folder string, err error) {
	nowhere := content.Missing(fmt.Sprintf("no %s, neither here nor in a folder %s, and no %s",
		name, f.archive.Folder, f.archive.File.Name))
	stem := strings.TrimSuffix(f.archive.File.Name, "-binary.tar.gz") // cifar-10
	python := []string{stem + "-python.tar.gz", stem + "-python", stem + "-batches-py", "batches.meta", "meta",
		"data_batch_1", "test_batch"}
	matlab := []string{stem + "-matlab.tar.gz", stem + "-matlab", stem + "-batches-mat", "batches.meta.mat",
		"meta.mat", "data_batch_1.mat"}
	nowhere = nowhere.Explain(fsys, "get "+f.archive.File.Name+", the binary version, which datasets.FindArchive knows",
		content.Variant{Kind: "the Python version", Names: python}, content.Variant{Kind: "the Matlab version",
			Names: matlab})
	found, err := content.First(fsys, nowhere, name, path.Join(f.archive.Folder, name))
	if err != nil {
		return "", err
	}
	return path.Dir(found), nil
}

// fromFiles reads a part from its files. All sizes are checked before memory for the images is allocated.
func (f format) fromFiles(fsys fs.FS, folder string, p part, opts Options) (*datasets.Images, []int, error) {
	sums, err := content.ReadSums(fsys, path.Join(folder, sumsFile))
	if err != nil {
		return nil, nil, err
	}
	for _, name := range p.files {
		if sums[name] == "" && !opts.AnyContent {
			return nil, nil, fmt.Errorf("%s cannot be checked: no checksum is published for it outside of its archive. "+
				"Put %s beside it, or a file %s (`sha256sum *.bin > %[3]s` where the files are known to be good), "+
				"or set Options.AnyContent", name, f.archive.File.Name, sumsFile)
		}
		if err := content.Check(fsys, path.Join(folder, name), f.fileSize(p), ""); err != nil {
			return nil, nil, err
		}
	}
	b := f.newBuilder(p)
	for _, name := range p.files {
		err := content.With(fsys, path.Join(folder, name), f.fileSize(p), sums[name], func(r io.Reader) error {
			return b.add(r, name, p.images)
		})
		if err != nil {
			return nil, nil, err
		}
	}
	return b.set, b.super, nil
}

// fromArchive reads a part from the official archive. The archive is read twice: once to verify its checksum, after
// which its headers are trusted, and once for the images.
func (f format) fromArchive(fsys fs.FS, p part) (*datasets.Images, []int, error) {
	official := f.archive.File
	if err := content.Check(fsys, official.Name, official.Size, content.Sum(official.SHA256)); err != nil {
		return nil, nil, err
	}
	file, err := fsys.Open(official.Name)
	if err != nil {
		return nil, nil, err
	}
	defer file.Close()
	unzipped, err := gzip.NewReader(bufio.NewReaderSize(file, 1<<20))
	if err != nil {
		return nil, nil, fmt.Errorf("%s: %w", official.Name, err)
	}
	b := f.newBuilder(p)
	files := slices.Clone(p.files) // files still to come, in the archive's order
	for archive := tar.NewReader(unzipped); len(files) > 0; {
		header, err := archive.Next()
		if err == io.EOF {
			return nil, nil, fmt.Errorf("%s has no %s", official.Name, files[0])
		}
		if err != nil {
			return nil, nil, fmt.Errorf("%s: %w", official.Name, err)
		}
		name := path.Base(header.Name)
		i := slices.Index(p.files, name)
		if i < 0 {
			continue
		}
		if header.Size != f.fileSize(p) {
			return nil, nil, fmt.Errorf("%s: %s has %d bytes, not %d", official.Name, name, header.Size, f.fileSize(p))
		}
		b.next = i * p.images // for any order in the archive
		if err := b.add(archive, name, p.images); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", official.Name, err)
		}
		files = slices.DeleteFunc(files, func(left string) bool { return left == name })
	}
	return b.set, b.super, nil
}

// builder adds records to a set of images.
type builder struct {
	format
	set   *datasets.Images
	super []int
	next  int // the next image
}

func (f format) newBuilder(p part) *builder {
	n := len(p.files) * p.images
	b := &builder{format: f, set: &datasets.Images{Height: side, Width: side, Channels: 3,
		Pixels: make([]uint8, n*imageSize), Labels: make([]int, n), Classes: slices.Clone(f.classes)}}
	if f.superclass != nil {
		b.super = make([]int, n)
	}
	return b
}

// add reads count records of a file.
func (b *builder) add(r io.Reader, name string, count int) error {
	buffered := bufio.NewReaderSize(r, 256<<10)
	record := make([]byte, b.recordSize())
	for i := range count {
		if _, err := io.ReadFull(buffered, record); err != nil {
			return fmt.Errorf("%s, image %d (byte %d): %w", name, i, i*len(record), err)
		}
		class := int(record[b.labelBytes-1])
		if class >= len(b.classes) {
			return fmt.Errorf("%s, image %d (byte %d): class %d, but there are only %d, numbered from 0",
				name, i, i*len(record)+b.labelBytes-1, class, len(b.classes))
		}
		if b.superclass != nil {
			if super := int(record[0]); super != b.superclass[class] {
				return fmt.Errorf("%s, image %d (byte %d): superclass %d, but its class %s belongs to superclass %d",
					name, i, i*len(record), super, b.classes[class], b.superclass[class])
			}
			b.super[b.next] = int(record[0])
		}
		b.set.Labels[b.next] = class
		interleave(b.set.At(b.next), record[b.labelBytes:])
		b.next++
	}
	return nil
}

// interleave turns planes of red, green and blue into pixels of three values side by side.
func interleave(pixels, planes []uint8) {
	red, green, blue := planes[:plane], planes[plane:2*plane], planes[2*plane:3*plane]
	for i := range plane {
		p := pixels[3*i : 3*i+3 : 3*i+3]
		p[0], p[1], p[2] = red[i], green[i], blue[i]
	}
}
