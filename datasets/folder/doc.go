// Package folder reads images from a folder: JPEG and PNG files of any size, a sub-folder for each class ([Open]), or
// wherever a list says ([OpenList]). Each image is cut and scaled to one size when it is read.
//
// A [Set] leaves the files where they are and is a datasets.Source: datasets.Stream decodes them in parallel, ahead of
// the caller and in a fixed order, and Set.Load reads them all into memory. Imagenette and Imagewoof are such folders;
// [Imagenette] and [Imagewoof] give their classes readable names.
//
// Files may come from anywhere, so a size that a file only claims costs nothing: it has to be within the limits of
// [Config], and believable for the length of the file, before the image is decoded. The orientation that a camera may
// note in a JPEG file (EXIF) is ignored, as most training programs do; transparent parts of a PNG file become white.
package folder
