package onnx

import "github.com/puclab/puclab/pucl/prior"

// feature is the column of a feature and its place among the column's features.
type feature struct {
	column Column
	place  int
}

// threshold returns the minimum number of a feature in the bin of an edge or a higher one. Fixed features are 0 for
// every row.
func (f feature) threshold(edge float64) (at float32, fixed bool) {
	if f.column.Categories != nil || f.place > 0 {
		return float32(edge), false
	}
	if f.column.Deviation == 0 {
		return 0, true
	}
	return float32(f.column.rawEdge(edge)), false
}

// trees adds boosted trees of the rows of t. They compare numbers as they are, not standardized: rounding to float32
// then keeps the order of a number and of an edge of a bin, which is a number of the training rows.
func (t *table) trees(f *prior.Forest) value {
	var features []feature
	for _, c := range t.columns {
		for place := range c.width() {
			features = append(features, feature{c, place})
		}
	}
	if len(features) != len(f.Edges) {
		t.fail("trees of %d features for rows of %d; give the table that they were trained on", len(f.Edges),
			len(features))
		return t.features(true)
	}
	w := treeWriter{forest: f, features: features}
	for i, root := range f.Roots {
		w.tree, w.count = i, 0
		w.write(root)
	}
	sum := t.mlNode("TreeEnsembleRegressor", []int{1}, []string{t.features(true).name},
		ints("nodes_treeids", w.trees...), ints("nodes_nodeids", w.nodes...), texts("nodes_modes", w.modes...),
		ints("nodes_featureids", w.compared...), floats("nodes_values", w.values...),
		ints("nodes_truenodeids", w.low...), ints("nodes_falsenodeids", w.high...),
		ints("target_treeids", w.leafTrees...), ints("target_nodeids", w.leaves...),
		ints("target_ids", make([]int, len(w.leaves))...), floats("target_weights", w.weights...),
		integer("n_targets", 1), floats("base_values", float32(f.Bias)))
	return sum
}

// treeWriter lists the nodes of trees in the form of TreeEnsembleRegressor.
type treeWriter struct {
	forest      *prior.Forest
	features    []feature
	tree, count int // the tree that is written and its nodes so far

	trees, nodes, compared, low, high []int
	modes                             []string
	values                            []float32
	leafTrees, leaves                 []int
	weights                           []float32
}

// write lists the node at a place of the forest and all below it, and returns its number.
func (w *treeWriter) write(at int) int {
	node := w.forest.Nodes[at]
	var limit float32
	for node.Feature >= 0 {
		edges := w.forest.Edges[node.Feature]
		if node.Bin+1 >= len(edges) { // no row lies in a higher bin
			node = w.forest.Nodes[node.Low]
			continue
		}
		var fixed bool
		if limit, fixed = w.features[node.Feature].threshold(edges[node.Bin+1]); !fixed {
			break
		}
		if edges[node.Bin+1] > 0 {
			node = w.forest.Nodes[node.Low]
		} else {
			node = w.forest.Nodes[node.High]
		}
	}
	number := w.count
	w.count++
	w.trees, w.nodes = append(w.trees, w.tree), append(w.nodes, number)
	w.low, w.high = append(w.low, 0), append(w.high, 0)
	if node.Feature < 0 {
		w.modes, w.compared, w.values = append(w.modes, "LEAF"), append(w.compared, 0), append(w.values, 0)
		w.leafTrees, w.leaves = append(w.leafTrees, w.tree), append(w.leaves, number)
		w.weights = append(w.weights, float32(node.Value))
		return number
	}
	w.modes, w.compared = append(w.modes, "BRANCH_LT"), append(w.compared, node.Feature)
	w.values = append(w.values, limit)
	place := len(w.low) - 1
	w.low[place] = w.write(node.Low)
	w.high[place] = w.write(node.High)
	return number
}
