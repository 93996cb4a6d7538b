// Package lists makes slices and tables out of functions, and names the values of enumerations.
package lists

import "fmt"

// Map returns f(x[i]) for each i.
func Map[S, T any](x []S, f func(S) T) []T {
	out := make([]T, len(x))
	for i, each := range x {
		out[i] = f(each)
	}
	return out
}

// Table returns entry(i, k) for i below rows and k below columns, row by row.
func Table[T any](rows, columns int, entry func(i, k int) T) [][]T {
	out := make([][]T, rows)
	for i := range out {
		out[i] = make([]T, columns)
		for k := range out[i] {
			out[i][k] = entry(i, k)
		}
	}
	return out
}

// Name returns names[value], or "kind(value)" for a value without a name.
func Name[E ~int](value E, kind string, names ...string) string {
	if value < 0 || int(value) >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, int(value))
	}
	return names[value]
}
