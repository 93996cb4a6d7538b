package onednn

import (
	"fmt"
	"math"
	"regexp"
	"strconv"
	"strings"
)

// statement matches the convolutions and products in the text of a StableHLO program as go-xla writes it: the result's
// name, the operation, the operands' names, the attributes, and the types of the operands and the result.
var statement = regexp.MustCompile(
	`(%\w+) = "stablehlo\.(convolution|dot_general)"\((%\w+), (%\w+)\) \{([^}]*)\} : \(tensor<(\w+)>, tensor<(\w+)>\) -> tensor<(\w+)>`)

// rewrite returns the program with calls of oneDNN in place of the operations that planOf has a number for. planOf
// takes a convolution or a product and returns -1 for an operation that stays.
//
// A program for several devices is unchanged, since XLA could not distribute the calls among them.
func rewrite(program string, planOf func(operation any) int) string {
	if strings.Contains(program, "sdy.mesh") || strings.Contains(program, "mhlo.num_") {
		return program
	}
	return statement.ReplaceAllStringFunc(program, func(text string) string {
		m := statement.FindStringSubmatch(text)
		var arrays [3]array // the operands and the result
		for i := range arrays {
			var ok bool
			if arrays[i], ok = parseArray(m[6+i]); !ok {
				return text
			}
		}
		var operation any
		var ok bool
		if m[2] == "convolution" {
			operation, ok = parseConvolution(m[5], arrays)
		} else {
			operation, ok = parseProduct(m[5], arrays)
		}
		if !ok {
			return text
		}
		number := planOf(operation)
		if number < 0 {
			return text
		}
		return fmt.Sprintf(`%s = "stablehlo.custom_call"(%s, %s) { api_version = 4 : i32, call_target_name = "puclab_onednn", `+
			`backend_config = {plan = %d : i64}, operand_layouts = [%s, %s], result_layouts = [%s] } : (tensor<%s>, tensor<%s>) -> tensor<%s>`,
			m[1], m[3], m[4], number, arrays[0].layout(), arrays[1].layout(), arrays[2].layout(), m[6], m[7], m[8])
	})
}

// array holds the dimensions of float32 numbers in memory order, slowest first, with a letter for the meaning of each.
type array struct {
	dims   []int
	labels string
}

// parseArray parses the inside of a tensor type such as 512x28x28x1xf32. It rejects arrays of 2³¹ numbers or more, with
// which oneDNN was not tested.
func parseArray(text string) (array, bool) {
	parts := strings.Split(text, "x")
	last := len(parts) - 1
	if parts[last] != "f32" || last == 0 {
		return array{}, false
	}
	var a array
	size := 1.0
	for _, p := range parts[:last] {
		n, err := strconv.Atoi(p)
		if err != nil || n < 1 { // an unknown dimension, or nothing to compute
			return array{}, false
		}
		a.dims = append(a.dims, n)
		size *= float64(n)
	}
	return a, size <= math.MaxInt32
}

// size returns the dimension with the given label.
func (a array) size(label byte) int { return a.dims[strings.IndexByte(a.labels, label)] }

// strides returns the distances between neighbors along every axis, in numbers.
func (a array) strides() []int {
	s := make([]int, len(a.dims))
	step := 1
	for i := len(a.dims) - 1; i >= 0; i-- {
		s[i] = step
		step *= a.dims[i]
	}
	return s
}

// stridesOf returns the strides of the four labels.
func (a array) stridesOf(labels string) (s [4]int) {
	all := a.strides()
	for i := range labels {
		s[i] = all[strings.IndexByte(a.labels, labels[i])]
	}
	return s
}

// layout returns the MLIR text for a layout with the last axis fastest.
func (a array) layout() string {
	order := make([]string, len(a.dims))
	for i := range order {
		order[i] = strconv.Itoa(len(order) - 1 - i)
	}
	list := strings.Join(order, ", ")
	if len(order) > 1 {
		list = "[" + list + "]"
	}
	return fmt.Sprintf("dense<%s> : tensor<%dxindex>", list, len(order))
}

// numbers reads the list behind name, such as "lhs_contracting_dimensions = [1, 2]" or "array<i64: 1, 2>".
func numbers(attributes, name string) ([]int, bool) {
	_, rest, found := strings.Cut(attributes, name+" = ")
	if !found {
		return nil, false
	}
	rest = strings.TrimPrefix(strings.TrimPrefix(rest, "array<i64: "), "[")
	end := strings.IndexAny(rest, "]>")
	if end < 0 {
		return nil, false
	}
	list := []int{}
	for field := range strings.SplitSeq(rest[:end], ",") {
		field = strings.TrimSpace(field)
		if field == "" {
			continue
		}
		n, err := strconv.Atoi(field)
		if err != nil {
			return nil, false
		}
		list = append(list, n)
	}
	return list, true
}
