// Package train trains networks: one loop, [Run], under pretraining, fine-tuning and every method of one's own.
//
// [Pretrain] is Algorithm 1A of "Contrastive Positive Unlabeled Learning": two views of every image, embedded and projected, and a
// contrastive loss on all projections ([PretrainFeatures] for rows of a table). It returns a [Model], which embeds, is saved and
// is loaded again:
//
//	m, err := train.Pretrain(ctx, eng, batches, train.Config{Objective: pucl.PUCL(), Seed: 1})
//	e, err := m.EmbedImages(eng, images) // e.H: outputs of the encoder, e.Z: projections, a row for each image
//
// What clusters the embeddings and learns from them is in the packages cluster, probe and classify.
//
// # A run can be trusted
//
// The batch of a step depends on the step alone, weights and views on a seed: the same configuration gives the same numbers on the
// same engine, versions, threads and instruction set. A run with a checkpoint folder that was stopped, or killed at any moment, goes
// on to the very bits of one that was not, or says what differs in its environment; a checkpoint of another run is refused, with the
// fields that differ, and a folder that another run is using as [InUse]. Files end with a checksum: one that was damaged is never
// read as other numbers, and the checkpoint before the newest is kept for that case. A run whose numbers are no longer finite ends
// as [Diverged], with the step, the seed and the first bad layer; one that was asked to stop as [Stopped].
//
// A [Monitor] measures alignment, uniformity, effective rank and nearest neighbors while training goes on, and changes none of its
// numbers; an [Observer] is told of every step. [Compute] splits the work over devices, into micro-batches or into bfloat16; the
// guide is DEVICES.md.
//
// # Methods of one's own
//
// A [Task] is a store of variables, what makes batches, a graph from a batch to outputs and one from outputs to a loss. Two
// networks are two scopes of the store; a teacher follows its student by [MovingAverage]; what is measured or chosen between two
// steps lies in State and is saved with the weights:
//
//	history, err := train.Run(ctx, eng, train.Task{
//		Store: store, Name: "my method", Batch: batch, Identity: settings,
//		Outputs: func(scope *model.Scope, in []*Node) *Node { return network(scope, in[0]) },
//		Loss:    func(outputs *Node, in []*Node) *Node { return myLoss(outputs, in[1]) },
//	}, train.Settings{Steps: 1000, Checkpoint: folder})
//
// # Bring your own
//
// Each part of pretraining can be replaced by one function or one small type:
//
//	the loss          a pucl.Term, two of which make a pucl.Objective
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
// It makes its variables with the scope that it is given; every layer wants a scope of its own, scope.In("a name"). What is wrong
// with it comes back from training as an error: another shape than one row for each example, no trained variable or one outside
// of the scope, a convolution with an even kernel, whose gradient gomlx gets wrong. Its weights follow from Config.Seed, gomlx's
// layers and dropout included.
//
// An augmentation gets as many random numbers for each view as it asks for, uniform in [0, 1), so that its views follow from the
// seed on every engine, too:
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
// Files hold weights and names, no code. [LoadModel] takes the encoder as its second argument and refuses one of another name; a
// checkpoint is taken up again only by encoders and augmentations of the same names. So give a function that you changed a new
// name. An encoder with settings to remember is better written as a struct with the method of encoder.Encoder: its exported
// fields are saved and compared as well.
//
// Functions that build graphs panic on a wrong shape or a temperature that is not positive, as gomlx asks of them; gomlx hands the
// message back as an error when the graph is run. All other functions return errors.
package train
