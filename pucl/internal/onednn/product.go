package onednn

import "slices"

// smallest is the minimum number of multiplications of a product for a call. Tests set it lower.
var smallest = 1 << 21

// manyMatrices is the minimum number of small matrix pairs for a call: XLA distributes them to its threads one by one.
const manyMatrices = 16

// largest is the exclusive limit of sides and of strides within a matrix: oneDNN 3.2 computes 64 times a stride in 32
// bits, and crashed or gave wrong numbers from 2²⁵ on.
const largest = 1 << 24

// product multiplies matrices of rows × inner numbers with matrices of inner × columns, one pair for each of the batch.
// The strides are of the batch, the row and the column.
type product struct {
	batch, rows, columns, inner int
	leftStrides, rightStrides   [3]int
}

// parseProduct parses the attributes of a product and reports whether oneDNN can compute it: the batch axes, the summed
// axes and the other axes must each be mergeable to one.
func parseProduct(attributes string, arrays [3]array) (product, bool) {
	var axes [4][]int
	for i, name := range []string{"lhs_batching_dimensions", "lhs_contracting_dimensions", "rhs_batching_dimensions", "rhs_contracting_dimensions"} {
		var ok bool
		if axes[i], ok = numbers(attributes, name); !ok {
			return product{}, false
		}
	}
	if !agree(arrays, axes) {
		return product{}, false
	}
	left, right := arrays[0].matrices(axes[0], axes[1]), arrays[1].matrices(axes[2], axes[3])
	if left == nil || right == nil {
		return product{}, false
	}
	p := product{
		batch: left[0].size, rows: left[2].size, columns: right[2].size, inner: left[1].size,
		leftStrides:  [3]int{left[0].stride, left[2].stride, left[1].stride},
		rightStrides: [3]int{right[0].stride, right[1].stride, right[2].stride},
	}
	work := float64(p.batch) * float64(p.rows) * float64(p.columns) * float64(p.inner)
	longest := max(p.rows, p.columns, p.inner, p.leftStrides[1], p.leftStrides[2], p.rightStrides[1], p.rightStrides[2])
	narrow := p.columns < 16 && p.leftStrides[2] == 1 // XLA reads the rows once and is faster
	worth := work >= float64(smallest) || p.batch >= manyMatrices && work >= float64(smallest)/64
	return p, worth && longest < largest && p.rows > 1 && p.columns > 1 && !narrow
}

// agree reports whether the axes are axes of the arrays, none of them twice, and the sizes are consistent for a
// product.
func agree(arrays [3]array, axes [4][]int) bool {
	result := []int{}
	for i := range 2 {
		dims, batch, summed := arrays[i].dims, axes[2*i], axes[2*i+1]
		used := make([]bool, len(dims))
		for _, axis := range slices.Concat(batch, summed) {
			if axis < 0 || axis >= len(dims) || used[axis] {
				return false
			}
			used[axis] = true
		}
		if i == 0 {
			result = append(result, at(dims, batch)...)
		}
		for axis, size := range dims {
			if !used[axis] {
				result = append(result, size)
			}
		}
	}
	return slices.Equal(result, arrays[2].dims) && slices.Equal(at(arrays[0].dims, axes[0]), at(arrays[1].dims, axes[2])) &&
		slices.Equal(at(arrays[0].dims, axes[1]), at(arrays[1].dims, axes[3]))
}

// at returns list[i] for each i of index.
func at(list, index []int) []int {
	picked := make([]int, len(index))
	for i, k := range index {
		picked[i] = list[k]
	}
	return picked
}

// group is several axes merged to one.
type group struct{ size, stride int }

// matrices merges the axes of a: batch axes, summed axes, and others. It returns nil unless they are
// adjacent in memory, in their order.
func (a array) matrices(batch, summed []int) []group {
	var others []int
	for i := range a.dims {
		if !slices.Contains(batch, i) && !slices.Contains(summed, i) {
			others = append(others, i)
		}
	}
	strides := a.strides()
	groups := make([]group, 3)
	for i, axes := range [][]int{batch, summed, others} {
		g := group{1, 1}
		for _, axis := range axes {
			size, stride := a.dims[axis], strides[axis]
			if size == 1 {
				continue
			}
			if g.size > 1 && g.stride != size*stride {
				return nil
			}
			g = group{g.size * size, stride}
		}
		groups[i] = g
	}
	return groups
}
