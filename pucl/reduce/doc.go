// Package reduce maps rows of many numbers, such as embeddings, to rows of few, so that they can be drawn or compared.
// [PCA] does it by a projection, and for new rows too; [TSNE] by keeping neighbors together. [AlignSequence] turns the maps of an
// embedding that changes so that they can be compared by eye. Nothing is drawn here; package viz draws what comes out.
//
// Data are matrices with one example a row, and no function changes them. Results depend on nothing but the arguments.
package reduce
