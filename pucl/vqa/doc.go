// Package vqa answers questions about images: a model in the manner of TCL, trained by answers and by six comparisons of images with
// texts, each of which takes any objective of the package pucl, N-pair or L_Pos for example.
//
//	m, err := vqa.Train(ctx, eng, data, vqa.Config{Align: pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 0.05}), Seed: 1})
//	answers, err := m.Answer(eng, images, questions)
//
// A vision transformer reads the image, a BERT the question; in further layers the question's tokens look at the image's, and the first
// of them is classified into a list of answers. Captions go through the same BERT. An image, its caption and, word by word and patch by
// patch, their parts are compared in a common space with what a moving average of the network, the momentum encoder, makes of another
// view of them ([Terms]).
//
// # Readings
//
// Where the slides that this follows say nothing, TCL is followed, and where TCL is made for millions of images, the smaller way is
// taken, which is named here. Answers are chosen by a classifier over the list; TCL ranks the same list with a decoder. The alignment is
// learned along with the answers; TCL learns it first, with two further losses (whether image and text match, masked words). The
// negatives are those of the batch; TCL keeps a queue of 65,536. Two views of a text differ by words that are masked, where TCL leaves
// it to dropout, of which there is none here. The temperature is fixed at TCL's first one.
//
// Sources: Yang et al., "Vision-Language Pre-Training with Triple Contrastive Learning", arXiv 2202.10401, 2022 (TCL); Li et al.,
// "Align before Fuse", arXiv 2107.07651, 2021; M. A. Nikitina, slides on distribution bias in contrastive learning, VQA.
package vqa
