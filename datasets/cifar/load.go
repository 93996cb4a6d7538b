package cifar

import (
	"fmt"
	"io/fs"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/internal/check"
)

// Options says what [Load10] and [Load100] accept. The zero value accepts nothing that cannot be checked.
//
// From an archive the data are always the published ones, by SHA-256. For .bin files outside of it no checksum is
// published; they are accepted if a file SHA256SUMS beside them, in the form that the program sha256sum writes, has a
// line for each with the right sum.
type Options struct {
	// AnyContent accepts .bin files of the right size and form whatever they hold, for example CIFAR-10 made anew from
	// JPEG copies. Sums in a file SHA256SUMS still have to agree.
	AnyContent bool
}

// Load10 reads one part of CIFAR-10 from fsys: from the .bin files data_batch_1.bin to data_batch_5.bin, or
// test_batch.bin, in its root or in its folder cifar-10-batches-bin, or from the archive cifar-10-binary.tar.gz. The
// archive goes first, unless opts.AnyContent is set. Images are 32×32×3, in the order of the files, and classes are
// numbered as in [Classes10].
//
// Errors name the file, what is wrong and, for a wrong label, the image. Where the files are missing the error wraps
// fs.ErrNotExist. Every part has equally many images of each class, and files that do not are refused too.
func Load10(fsys fs.FS, which Part, opts Options) (*datasets.Images, error) {
	set, _, err := format10().load(fsys, which, opts)
	return set, err
}

// Load100 reads one part of CIFAR-100 from fsys: from the file train.bin or test.bin, in its root or in its folder
// cifar-100-binary, or from the archive cifar-100-binary.tar.gz. The order of looking and the errors are those of
// [Load10].
//
// The result comes twice, with the hundred classes of [Classes100] and with the twenty of [Superclasses100]; both sets
// share one slice of pixels. An image whose class does not belong to its superclass is an error.
func Load100(fsys fs.FS, which Part, opts Options) (fine, coarse *datasets.Images, err error) {
	fine, super, err := format100().load(fsys, which, opts)
	if err != nil {
		return nil, nil, err
	}
	coarse = &datasets.Images{Height: side, Width: side, Channels: 3, Pixels: fine.Pixels, Labels: super, Classes: Superclasses100()}
	return fine, coarse, coarse.Validate()
}

// load returns the images by class, and the superclass of each where the set has superclasses.
func (f format) load(fsys fs.FS, which Part, opts Options) (set *datasets.Images, super []int, err error) {
	defer check.Prefix(&err, "cifar")
	p, ok := f.parts[which]
	if !ok {
		return nil, nil, fmt.Errorf("there is no part %v: use Train or Test", which)
	}
	folder, err := f.find(fsys, p.files[0])
	_, archiveErr := fs.Stat(fsys, f.archive.File.Name)
	switch {
	case archiveErr == nil && (err != nil || !opts.AnyContent):
		set, super, err = f.fromArchive(fsys, p)
	case err == nil:
		set, super, err = f.fromFiles(fsys, folder, p, opts)
	}
	if err == nil {
		err = set.Validate()
	}
	if err == nil {
		// Labels that were changed show: by the authors' description each class has the same number of images.
		err = check.Counts(p.files[0]+" and its like", set.Labels, f.classes, p.perClass)
	}
	if err != nil {
		return nil, nil, err
	}
	return set, super, nil
}
