package learn

import (
	"fmt"
	"io"

	"github.com/puclab/puclab/datasets/tabular"
	"github.com/puclab/puclab/pucl/onnx"
)

// WriteONNX writes the classifier as an ONNX model, which other programs run without this library. Preprocessing is
// part of the model, so that it reads raw input, any number n of examples at a time:
//
//   - images: "images", uint8 [n, height, width, channels], pixels from 0 to 255. Images must have the size of the
//     training images: PredictFile scales files to it, the model does not.
//   - tables: an input [n, 1] for each column, with its name. Columns of numbers are float32, where NaN is a gap, and
//     columns of words are strings, where "" is a gap. A category that the training rows lack is read as by Predict.
//   - rows without names of columns, as of pu.Features: "features", float32 [n, columns], where NaN is a gap.
//
// The outputs, float32 [n], are "probability", of the positive class as Predict returns it, and "logit", as Scores
// does.
//
// Probabilities differ from Predict's by rounding: the model computes in float32 and reads float32 numbers. Trees
// compare numbers with thresholds that are rounded in the same way. A number too far from the training rows is an error
// of Predict, but the model returns a probability.
//
// It is an error if a network has an encoder that is not one of package encoder, or if a column is named "probability"
// or "logit"; w is written to after all checks.
func (c *Classifier) WriteONNX(w io.Writer) error {
	if err := c.check(); err != nil {
		return err
	}
	out := onnx.Classifier{Shape: c.shape, Doc: c.String()}
	if c.encoding != nil {
		if err := c.encoding.Validate(); err != nil {
			return err
		}
		out.Joined = unnamed(c.encoding)
		for _, column := range c.encoding.Columns {
			out.Columns = append(out.Columns, onnx.Column(column))
		}
	}
	for _, m := range c.members {
		out.Members = append(out.Members, onnx.Member(m))
	}
	return out.Write(w)
}

// unnamed reports whether the columns have the names that tabular.NewFrame gives the columns of a matrix.
func unnamed(e *tabular.Encoding) bool {
	for j, column := range e.Columns {
		if column.Categories != nil || column.Name != fmt.Sprintf("feature %d", j+1) {
			return false
		}
	}
	return true
}
