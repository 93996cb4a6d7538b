// Package cifar reads CIFAR-10 and CIFAR-100 in their binary form: 60,000 color images of 32×32 pixels each, 50,000 to
// learn from and 10,000 to test on, in ten classes or in a hundred classes that belong to twenty superclasses.
//
// [Load10] and [Load100] take any file system that holds the official archive (cifar-10-binary.tar.gz or
// cifar-100-binary.tar.gz), or the .bin files that are in it. The archive's SHA-256 is published, so what comes out of it
// is certain. Of the .bin files none is published: see [Options] for how they are checked.
//
// Source: Krizhevsky, "Learning Multiple Layers of Features from Tiny Images", technical report, University of Toronto,
// 2009.
package cifar
