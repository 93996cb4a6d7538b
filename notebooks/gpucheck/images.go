package main

import (
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/cifar"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/pucl/encoder"
)

// cifarPixels scales the channels of CIFAR-10, as the paper's recipe does.
var cifarPixels = encoder.Pixels{Mean: []float64{0.4914, 0.4822, 0.4465}, Std: []float64{0.2470, 0.2435, 0.2616}}

// fashionImages returns the images of Fashion-MNIST that are on this machine.
func fashionImages() (train, test *datasets.Images, err error) {
	train, test, _, err = fashionmnist.Open()
	return train, test, err
}

// cifarImages returns the images of CIFAR-10 that are on this machine. Where only those of its test part are, a fifth of
// them is held out and the rest is learned from. Where there is none the error wraps fs.ErrNotExist.
func cifarImages() (train, test *datasets.Images, err error) {
	return cifarIn(datasets.Folders(cifar.Name10))
}

// cifarIn is cifarImages in those folders. Of .bin files nobody published a checksum; a check may take any.
func cifarIn(folders []string) (train, test *datasets.Images, err error) {
	for _, folder := range folders {
		test, err = cifar.Load10(os.DirFS(folder), cifar.Test, cifar.Options{AnyContent: true})
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, nil, fmt.Errorf("in the folder %s: %w", folder, err)
		}
		train, err = cifar.Load10(os.DirFS(folder), cifar.Train, cifar.Options{AnyContent: true})
		if errors.Is(err, fs.ErrNotExist) {
			train, test, err = datasets.Holdout(test, 0.2, 0)
		}
		if err != nil {
			return nil, nil, fmt.Errorf("in the folder %s: %w", folder, err)
		}
		return train, test, nil
	}
	return nil, nil, missing("CIFAR-10 is not on this machine: put cifar-10-binary.tar.gz, from " +
		"https://www.cs.toronto.edu/~kriz/cifar.html, or its .bin files into the folder " + places(folders) + orDataDir())
}

// missing is a sentence about data that are not there.
type missing string

func (m missing) Error() string { return string(m) }

// Is makes it one of the errors that say that a file does not exist.
func (m missing) Is(target error) bool { return target == fs.ErrNotExist }

// places joins the names of folders.
func places(folders []string) string {
	text := "that " + datasets.EnvDataDir + " names"
	for i, folder := range folders {
		if i == 0 {
			text = folder
		} else {
			text += " or " + folder
		}
	}
	return text
}

// orDataDir adds the other way to say where data are, where it is not used yet.
func orDataDir() string {
	if os.Getenv(datasets.EnvDataDir) != "" {
		return ""
	}
	return ", or name theirs in " + datasets.EnvDataDir
}
