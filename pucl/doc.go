// Package pucl learns from positive and unlabeled data by contrast: multi-viewed batches, the terms that attract and
// repel, the objectives made of them, training, pseudo-labels and probes.
//
// The subject is the paper "Contrastive Positive Unlabeled Learning" (anonymous authors; equation and theorem numbers
// in this package are its). A data set holds n_P labeled positives and n_U unlabeled examples, a mixture of positives and
// negatives; the aim is a classifier of positives against negatives. The road, Algorithm 1:
//
//	A. [Pretrain] an encoder with a contrastive loss: [SSCL], [SCLPU], [PUCL] or another of the family
//	   ([PretrainFeatures] for rows of a table);
//	B. label the unlabeled embeddings by clustering that starts at the labeled positives: [PUPL];
//	C. train a linear probe on the pseudo-labels with cross-entropy: [FitProbe], giving a [Classifier].
//
// Beyond it, [FineTunePU] trains encoder and probe together, on pseudo-labels or by a PU risk. Where classes are known,
// [FitClassProbe] and [FineTune] learn from them, and [FitFewShot] and [FineTuneFewShot] tell what an encoder is worth to
// somebody who has a few labels.
//
// # Symbols
//
//	b        examples in a batch
//	m        views of each example, 2 unless told
//	n = m·b  rows of the multi-viewed batch, the set 𝕀 of the paper
//	P, U     rows of labeled positives, rows of unlabeled examples
//	a(i)     the other view of the example that row i shows
//	τ        temperature
//	s_ij     similarity cos(z_i, z_j)/τ
//	π        class prior, the share of positives among the unlabeled
//	γ        n_P / n_U
//
// # A loss is what attracts and what repels
//
// Every contrastive loss here is, per anchor i, repel(i) − attract(i), averaged over anchors. Both are a [Term]: a function
// of a [Block], the similarities of some anchors with all rows and the masks that say which pairs are what. A new idea is
// one such function, and [ByLabel], [Mix] and [Scale] join terms into others:
//
//	halfway := pucl.Objective{
//		Name:    "halfway",
//		Attract: pucl.ByLabel(pucl.LabeledMean, pucl.Mix(0.5, pucl.OwnViews, pucl.UnlabeledMean)),
//		Repel:   pucl.LogPartition,
//	}
//
// The family: [SSCL], [SCLPU], [PUCL], [SCL], [MCL], [DCL], [PUNCE], [NPair], [DebiasedPos], [Pairwise], [IdealCL], and
// [WeightedSum] of any of them, with [AlignmentLoss] and [UniformityLoss] as measures that can be trained on. The risks
// for probes are in package risk.
//
// # Bring your own
//
// Each part of training can be replaced by one function or one small type of your own:
//
//	the loss          a [Term], two of which make an [Objective]
//	the risk          a risk.Risk, a function of logits and labels
//	the encoder       encoder.Func, a function from examples to embeddings
//	an augmentation   augment.Func, a function from images and random numbers to views
//	the batches       [Batches] or [FeatureBatches]
//	the optimizer     optim.Optimizer; the schedule of its rate: optim.Schedule
//
// An encoder has a name and a graph, made of gomlx's layers or of those of the package encoder:
//
//	network := encoder.Func{
//		Name: "one convolution",
//		Graph: func(scope *model.Scope, images *Node, training bool) *Node {
//			x := encoder.Convolution(scope.In("convolution"), images, 32, 3, 2)
//			x = encoder.ReLU(encoder.BatchNorm(scope.In("norm"), x, training))
//			return encoder.Dense(scope.In("dense"), ReduceMean(x, 1, 2), 128, true)
//		},
//	}
//
// It makes its variables with the scope that it is given; every layer wants a scope of its own, scope.In("a name"). What is
// wrong with it comes back from training as an error: another shape than one row for each example, no trained variable or
// one outside of the scope, a convolution with an even kernel, whose gradient gomlx gets wrong. Its weights follow from
// PretrainConfig.Seed, gomlx's layers and dropout included.
//
// An augmentation gets as many random numbers for each view as it asks for, uniform in [0, 1), so that its views follow from
// the seed on every engine, too:
//
//	dim := augment.Func{
//		Name:     "dimmed by up to a half",
//		Uniforms: 1,
//		Graph: func(images, u *Node) *Node {
//			return Mul(images, OneMinus(MulScalar(Reshape(u, -1, 1, 1, 1), 0.5)))
//		},
//	}
//	config := pucl.PretrainConfig{Encoder: network, Recipe: augment.Recipe{augment.Crop{}, dim}}
//
// Files hold weights and names, no code. [LoadModel] takes the encoder as its second argument and refuses one of another
// name; a checkpoint is taken up again only by encoders and augmentations of the same names. So give a function that you
// changed a new name. An encoder with settings to remember is better written as a struct with the method of
// encoder.Encoder: its exported fields are saved and compared as well.
//
// Functions that build graphs panic on a wrong shape or a temperature that is not positive, as gomlx asks of them; gomlx
// hands the message back as an error when the graph is run. All other functions return errors.
package pucl
