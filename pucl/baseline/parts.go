package baseline

import (
	"fmt"

	"gonum.org/v1/gonum/mat"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/pucl/augment"
	"github.com/puclab/puclab/pucl/probe"
	"github.com/puclab/puclab/pucl/train"
)

// Parts returns copies of the trained encoder and of the linear layer after it. The layer takes the encoder's outputs
// unscaled, and its logit is above 0 for the positive class. Unlike a [Network], both parts can be saved and predict
// without the method.
func (r *Result) Parts() (*train.Model, *probe.Probe, error) {
	n := r.Network
	var shape augment.Shape
	features := 0
	switch like := n.like.(type) {
	case Images:
		shape = like.Shape
	case Rows:
		_, features = like.X.Dims()
	}
	m, err := train.FromEncoder(n.store, networkScope+"/encoder", n.encoder, shape, features)
	if err != nil {
		return nil, nil, err
	}
	m.History, m.Record = r.History, r.Record
	head := &probe.Probe{}
	weights, err := n.headValues("weights")
	if err != nil {
		return nil, nil, err
	}
	if head.Bias, err = n.headValues("bias"); err != nil {
		return nil, nil, err
	}
	head.Weights = mat.NewDense(1, len(weights), weights)
	return m, head, nil
}

// headValues returns the numbers of a variable of the linear layer.
func (n *Network) headValues(name string) ([]float64, error) {
	path := "/" + networkScope + "/head/" + name
	v := n.store.GetVariable(path)
	if v == nil {
		return nil, fmt.Errorf("baseline: the network has no variable %s; take the network of a Result of Train", path)
	}
	value, err := v.Value()
	if err != nil {
		return nil, fmt.Errorf("baseline: reading %s: %w", path, err)
	}
	flat, err := tensors.CopyFlatData[float32](value)
	if err != nil {
		return nil, fmt.Errorf("baseline: reading %s: %w", path, err)
	}
	values := make([]float64, len(flat))
	for i, x := range flat {
		values[i] = float64(x)
	}
	return values, nil
}
