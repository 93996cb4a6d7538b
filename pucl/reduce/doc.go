// Package reduce maps rows of many numbers, such as embeddings, to rows of few, so that they can be drawn or compared.
// It computes and draws nothing; package viz draws what comes out.
//
// Data are matrices with one example a row, and no function changes them. Results depend on nothing but the arguments.
package reduce
