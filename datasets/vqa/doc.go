// Package vqa reads questions about pictures and their answers: the JSON files of VQA v2, whose pictures are those of
// COCO. A file of questions and a file of annotations, with ten people's answers to each question, belong together by the
// questions' numbers; [Read] joins them.
//
// The files have up to hundreds of megabytes, so they are read piece by piece: [Questions] and [Annotations] hold one
// entry at a time. An answer is judged by [Hit], as in the slides on distribution bias in contrastive learning that this
// library follows, or by [Consensus] and [LeaveOneOut], as the data set's authors do.
//
// Sources: Antol et al., "VQA: Visual Question Answering", ICCV 2015; Goyal et al., "Making the V in VQA Matter",
// CVPR 2017.
package vqa
