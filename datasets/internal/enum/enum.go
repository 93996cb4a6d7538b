// Package enum gives names to the values of small integer types, such as the parts of a data set.
package enum

import (
	"fmt"
	"slices"
	"strings"
)

// Names names the values 0, 1, 2, … of the type T.
type Names[T ~int] struct {
	Unknown string // start of errors, such as "datasets: unknown setting"; may be empty if there are none
	Names   []string
}

// String returns the name of v, or "T(v)" if it has none.
func (n Names[T]) String(v T) string {
	if v < 0 || int(v) >= len(n.Names) {
		name := fmt.Sprintf("%T", v)
		return fmt.Sprintf("%s(%d)", name[strings.LastIndex(name, ".")+1:], int(v))
	}
	return n.Names[v]
}

// Check returns an error that lists all names if v has none.
func (n Names[T]) Check(v T) error {
	if v < 0 || int(v) >= len(n.Names) {
		return n.unknown(int(v))
	}
	return nil
}

// MarshalText returns the name of v; the error is that of Check.
func (n Names[T]) MarshalText(v T) ([]byte, error) {
	if err := n.Check(v); err != nil {
		return nil, err
	}
	return []byte(n.Names[v]), nil
}

// UnmarshalText sets v to the value of that name. An unknown name is an error that lists all of them.
func (n Names[T]) UnmarshalText(v *T, text []byte) error {
	i := slices.Index(n.Names, string(text))
	if i < 0 {
		return n.unknown(fmt.Sprintf("%q", text))
	}
	*v = T(i)
	return nil
}

func (n Names[T]) unknown(what any) error {
	return fmt.Errorf("%s %v: use one of %s", n.Unknown, what, strings.Join(n.Names, ", "))
}
