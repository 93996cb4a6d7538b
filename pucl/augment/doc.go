// Package augment makes the random views of contrastive learning, as functions inside the graph.
//
// "The paper" is "Contrastive Positive Unlabeled Learning" (anonymous authors), and A.7.3 the section of its appendix
// that lists augmentations.
//
// A [Recipe] is a chain of steps: [Crop], [Flip], [Jitter], [Grayscale], [Blur], [Solarize], [Normalize], and any
// user-defined function as a [Func]. [FMNIST], [CIFAR], [STL] and [ImageNet] are the paper's recipes (A.7.3).
// [CropJitter] is the fastest step here: crop and jitter of brightness and contrast, for gray images.
//
// Random numbers and computation are separate. Draw draws the numbers of each view from a generator that the caller
// seeds, so the views are the same on every engine and platform. Apply maps images to views inside the graph, a
// function of images and numbers alone:
//
//	numbers, err := recipe.Draw(rand.New(rand.NewPCG(seed, step)), shape, n) // on the host
//	views := recipe.Apply(images, numbers)                                   // in the graph
//
// Every step has the formula and the distribution of its namesake in torchvision 0.29 on float tensors. There are three
// differences from a pipeline on PIL images, as in A.7.3. Values are not rounded to bytes between steps. Crops are
// resized without antialias unless [Crop].Antialias is set. The blur has the edges and the finite size of
// torchvision's.
//
// Augmentations need no gradient, and the package does not guarantee one.
package augment
