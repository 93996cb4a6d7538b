package augment

// FMNIST returns the paper's recipe for Fashion-MNIST (A.7.3): crop and jitter. Gray images have no saturation and no
// hue, so these two have no effect. The mean and deviation of the pixels, which A.7.3 does not give, are 0.5 as in the
// authors' public code.
//
// A recipe of the zero [CropJitter], which is faster, has the same distribution with three exceptions: crops lie
// between pixels and include pixels beside them, brightness always comes before contrast, and values are not
// normalized.
func FMNIST() Recipe {
	return Recipe{
		Crop{},
		Jitter{Brightness: 0.4, Contrast: 0.4, Saturation: 0.2, Hue: 0.1, Probability: 0.8},
		Normalize{Mean: []float64{0.5}, Std: []float64{0.5}},
	}
}

// CIFAR returns the paper's recipe for CIFAR-10 (A.7.3), for views of size×size pixels; 0 means the images' size, the
// paper's 32. The mean and deviation of each channel are those of the training images, as in the authors' public code.
// [Blur] documents the choice of its size, which A.7.3 does not give.
func CIFAR(size int) Recipe {
	return Recipe{
		Crop{Height: size, Width: size},
		Flip{Probability: 0.5},
		Blur{MinSigma: 0.1, MaxSigma: 2, Probability: 0.5},
		Jitter{Brightness: 0.4, Contrast: 0.4, Saturation: 0.4, Hue: 0.1, Probability: 0.8},
		Grayscale{Probability: 0.2},
		Normalize{Mean: []float64{0.4914, 0.4822, 0.4465}, Std: []float64{0.2470, 0.2435, 0.2616}},
	}
}

// STL returns the paper's recipe for STL-10 (A.7.3), for views of 96×96 pixels. Every view is blurred, with a kernel of
// 9 pixels and torchvision's σ of 0.1 to 2.
func STL() Recipe {
	return Recipe{
		Flip{Probability: 0.5},
		Crop{Height: 96, Width: 96},
		Jitter{Brightness: 0.5, Contrast: 0.5, Saturation: 0.5, Hue: 0.1, Probability: 0.8},
		Grayscale{Probability: 0.2},
		Blur{Kernel: 9, MinSigma: 0.1, MaxSigma: 2, Probability: 1},
		Normalize{Mean: []float64{0.5}, Std: []float64{0.5}},
	}
}

// ImageNet returns the paper's recipe for ImageNet and its subsets (A.7.3), for views of size×size pixels; the paper's
// size is 224. 0 means the images' size. The mean and deviation of each channel are the usual ones, as in the authors'
// public code. [Blur] documents the choice of its size, which A.7.3 does not give; [Solarize] has PIL's threshold.
func ImageNet(size int) Recipe {
	return Recipe{
		Crop{Height: size, Width: size, Bicubic: true},
		Flip{Probability: 0.5},
		Jitter{Brightness: 0.4, Contrast: 0.4, Saturation: 0.2, Hue: 0.1, Probability: 0.8},
		Grayscale{Probability: 0.2},
		Blur{MinSigma: 0.1, MaxSigma: 2, Probability: 0.5},
		Solarize{Probability: 0.2, Threshold: 0.5},
		Normalize{Mean: []float64{0.485, 0.456, 0.406}, Std: []float64{0.229, 0.224, 0.225}},
	}
}
