// Package fashionmnist reads Fashion-MNIST: 70,000 gray images of 28×28 pixels of clothes in ten classes, 60,000 to
// learn from and 10,000 to test on.
//
// The 10,000 are part of this package ([Embedded]), so everything runs without a download; the 60,000 are found on the
// machine ([Find]) or fetched ([Download], 26 MB). [Open] takes the best that is there and says which it took.
//
// Source: Xiao, Rasul and Vollgraf, "Fashion-MNIST: a Novel Image Dataset for Benchmarking Machine Learning
// Algorithms", arXiv 1708.07747. The data are under the MIT license, copyright 2017 Zalando SE; see [License].
package fashionmnist
