// Package augment makes the random views of contrastive learning, as functions inside the graph.
//
// "The paper" is "Contrastive Positive Unlabeled Learning" (anonymous authors), and A.7.3 the section of its appendix that
// lists augmentations.
//
// A [Recipe] is a chain of steps: [Crop], [Flip], [Jitter], [Grayscale], [Blur], [Solarize], [Normalize], and any function of
// one's own as a [Func]. [FMNIST], [CIFAR], [STL] and [ImageNet] are the paper's recipes (A.7.3). [CropJitter] is one step for
// gray images, crop and jitter of brightness and contrast, the fastest here.
//
// The randomness and the work are kept apart. Draw draws the numbers of each view from a generator that the caller seeds, so
// the same views come out on every engine and platform; Apply turns images into views inside the graph, a function of images
// and numbers alone:
//
//	numbers, err := recipe.Draw(rand.New(rand.NewPCG(seed, step)), shape, n) // on the host
//	views := recipe.Apply(images, numbers)                                   // in the graph
//
// Every step has the formula and the distribution of its namesake in torchvision 0.29 on float tensors. The differences to a
// pipeline on PIL images, which A.7.3 is: values are not rounded to bytes between steps, crops are resized without antialias
// unless [Crop] is told otherwise, and the blur has the edges and the finite size of torchvision's.
//
// No gradient is needed through augmentations, and none is promised.
package augment
