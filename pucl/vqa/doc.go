// Package vqa implements visual question answering with a model similar to TCL. Training combines the answers with six
// comparisons of images and texts; each takes any objective of package pucl, for example N-pair or L_Pos.
//
//	m, err := vqa.Train(ctx, eng, data, vqa.Config{Align: pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 0.05}), Seed: 1})
//	answers, err := m.Answer(eng, images, questions)
//
// A vision transformer encodes the image, a BERT the question. In further layers the question's tokens attend to the
// image's, and the first token is classified into a list of answers. Captions go through the same BERT. An image, its
// caption, and their patches and words are compared in a common space with the outputs of a moving average of the
// network, the momentum encoder, for another view ([Terms]).
//
// # Readings
//
// If the slides do not specify a detail, the package follows TCL. If TCL assumes millions of images, it uses a smaller
// method, named here. A classifier selects answers from the list; TCL ranks the same list with a decoder. The alignment
// is trained together with the answers; TCL trains it first, with two further losses (image-text matching, masked
// words). The negatives are those of the batch; TCL keeps a queue of 65,536. Two views of a text differ by masked
// words; TCL uses dropout, which this model does not have. The temperature is fixed at TCL's initial one.
//
// Sources: Yang et al., "Vision-Language Pre-Training with Triple Contrastive Learning", arXiv 2202.10401, 2022 (TCL); Li et al.,
// "Align before Fuse", arXiv 2107.07651, 2021; M. A. Nikitina, slides on distribution bias in contrastive learning, VQA.
package vqa
