// Package onnx writes trained classifiers and encoders as ONNX models, which ONNX Runtime and other programs run
// without this library: raw input in, probabilities out.
//
// [Classifier.Write] writes preprocessing, networks, trees and linear layers as one graph. [WriteEncoder] writes an
// encoder alone. Users of package pu call Classifier.WriteONNX there.
//
// Models use version 17 of ONNX's operators and, for trees and categories, version 3 of ai.onnx.ml, which ONNX
// Runtime has since version 1.12. The size of a batch is free. Batch normalization uses running averages. Numbers are
// float32, except that columns of a table are standardized in float64.
package onnx
