// Package lists builds slices and tables from functions, and names the values of enumerations.
package lists

import "fmt"

// Map returns f(x[i]) for each i.
func Map[S, T any](x []S, f func(S) T) []T { return Make(len(x), func(i int) T { return f(x[i]) }) }

// Make returns entry(i) for i below n.
func Make[T any](n int, entry func(i int) T) []T {
	out := make([]T, n)
	for i := range out {
		out[i] = entry(i)
	}
	return out
}

// Table returns entry(i, k) for i below rows and k below columns, row by row.
func Table[T any](rows, columns int, entry func(i, k int) T) [][]T {
	return Make(rows, func(i int) []T { return Make(columns, func(k int) T { return entry(i, k) }) })
}

// Name returns names[value], or "kind(value)" for a value without a name.
func Name[E ~int](value E, kind string, names ...string) string {
	if value < 0 || int(value) >= len(names) {
		return fmt.Sprintf("%s(%d)", kind, int(value))
	}
	return names[value]
}
