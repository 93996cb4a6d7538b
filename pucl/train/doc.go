// Package train trains networks. [Run] is the single training loop of pretraining, fine-tuning and user-defined
// methods.
//
// [Pretrain] implements Algorithm 1A of "Contrastive Positive Unlabeled Learning": two views of every image, embedded
// and projected, and a contrastive loss on all projections ([PretrainFeatures] for rows of a table). It returns a
// [Model], which embeds and can be saved and loaded:
//
//	m, err := train.Pretrain(ctx, eng, batches, train.Config{Objective: pucl.PUCL(), Seed: 1})
//	e, err := m.EmbedImages(eng, images) // e.H: outputs of the encoder, e.Z: projections, a row for each image
//
// The packages cluster, probe and classify cluster the embeddings and train classifiers on them.
//
// # Reproducible runs
//
// The batch of a step depends on the step alone, weights and views on a seed. The same configuration gives the same
// numbers on the same engine, versions, threads and instruction set. A run with a checkpoint folder that was stopped,
// or killed at any moment, resumes bit-identically, or reports the differences of its environment. A checkpoint of
// another run is an error that lists the differing fields. A folder in use by another run is an [InUse] error. Files
// end with a checksum: a damaged file is never read as other numbers, and the previous checkpoint is kept for that
// case. A run whose numbers are no longer finite ends with [Diverged], which holds the step, the seed and the first bad
// layer; a canceled run ends with [Stopped].
//
// A [Monitor] measures alignment, uniformity, effective rank and nearest neighbors during training, and changes none of
// its numbers; an [Observer] is called after every step. [Compute] selects several devices, micro-batches or bfloat16;
// see DEVICES.md.
//
// # User-defined methods
//
// A [Task] consists of a store of variables, a function that makes batches, a graph from a batch to outputs and a graph
// from outputs to a loss. Two networks are two scopes of the store. A teacher follows its student by [MovingAverage].
// Values measured or chosen between two steps belong in State, which is saved with the weights:
//
//	history, err := train.Run(ctx, eng, train.Task{
//		Store: store, Name: "my method", Batch: batch, Identity: settings,
//		Outputs: func(scope *model.Scope, in []*Node) *Node { return network(scope, in[0]) },
//		Loss:    func(outputs *Node, in []*Node) *Node { return myLoss(outputs, in[1]) },
//	}, train.Settings{Steps: 1000, Checkpoint: folder})
//
// # User-defined parts
//
// Each part of pretraining can be replaced by one function or one small type:
//
//	the loss          a pucl.Term, two of which make a pucl.Objective
//	the encoder       encoder.Func, a function from examples to embeddings
//	an augmentation   augment.Func, a function from images and random numbers to views
//	the batches       [Batches] or [FeatureBatches]
//	the optimizer     optim.Optimizer; the schedule of its rate: optim.Schedule
//
// An encoder has a name and a graph, made of gomlx's layers or of the layers of package encoder:
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
// It makes its variables in the scope that it is given; every layer needs its own scope, scope.In("a name"). Training
// returns an error if the output is not one row for each example, or if an encoder has no trained variables or some
// outside of the scope. A convolution with an even kernel is an error too, since gomlx computes its gradient wrongly.
// Its weights, gomlx's layers included, and dropout follow from Config.Seed.
//
// An augmentation declares how many random numbers it needs for each view, uniform in [0, 1). Its views then follow
// from the seed on every engine:
//
//	dim := augment.Func{
//		Name:     "dimmed by up to a half",
//		Uniforms: 1,
//		Graph: func(images, u *Node) *Node {
//			return Mul(images, OneMinus(MulScalar(Reshape(u, -1, 1, 1, 1), 0.5)))
//		},
//	}
//	config := train.Config{Encoder: network, Recipe: augment.Recipe{augment.Crop{}, dim}}
//
// Files hold weights and names, no code. [LoadModel] takes the encoder as its second argument and rejects one of
// another name; a checkpoint requires encoders and augmentations of the same names. So rename a function that you
// change. An encoder with settings is better written as a struct with the method of encoder.Encoder: its exported
// fields are saved and compared as well.
//
// Functions that build graphs panic on a wrong shape or a temperature that is not positive, as gomlx requires; gomlx
// returns the message as an error when the graph is run. All other functions return errors.
package train
