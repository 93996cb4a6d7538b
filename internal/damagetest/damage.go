// Package damagetest damages the bytes of files as disks, networks and killed programs do, to test their readers.
package damagetest

import (
	"bytes"
	"fmt"
	"iter"
)

// Of yields damaged copies of data, each with a description of the damage. The damage is single flipped bits and
// truncations, at most most of either, evenly spread. It is also either half, each quarter or all of the data set to
// zero, and appended bytes. The caller owns the copies.
func Of(data []byte, most int) iter.Seq2[string, []byte] {
	return func(yield func(string, []byte) bool) {
		n := len(data)
		for i := range min(8*n, most) {
			bit := i * 8 * n / min(8*n, most)
			flipped := bytes.Clone(data)
			flipped[bit/8] ^= 1 << (bit % 8)
			if !yield(fmt.Sprintf("bit %d of byte %d turned over", bit%8, bit/8), flipped) {
				return
			}
		}
		for i := range min(n, most) {
			length := i * n / min(n, most)
			if !yield(fmt.Sprintf("cut after %d of %d bytes", length, n), bytes.Clone(data[:length])) {
				return
			}
		}
		for _, part := range [][2]int{{0, n / 2}, {n / 2, n}, {0, n / 4}, {n / 4, n / 2}, {n / 2, 3 * n / 4}, {3 * n / 4, n}, {0, n}} {
			zeroed := bytes.Clone(data)
			clear(zeroed[part[0]:part[1]])
			if bytes.Equal(zeroed, data) {
				continue
			}
			if !yield(fmt.Sprintf("bytes %d to %d set to zero", part[0], part[1]), zeroed) {
				return
			}
		}
		for _, more := range [][]byte{{0}, []byte("more"), data} {
			if !yield(fmt.Sprintf("%d bytes added", len(more)), append(bytes.Clone(data), more...)) {
				return
			}
		}
	}
}

// Result counts the outcomes of reading damaged files.
type Result struct {
	Refused  int // with an error
	Same     int // read without an effect of the damage
	Other    int // read with another content
	Panicked int
	Worst    string // the first damage that changed the content or caused a panic
}

// Try calls read with damaged copies of data, made by [Of], and counts the outcomes. read must return a description of
// the content, and different descriptions for different contents. It is an error if data itself cannot be read.
func Try(data []byte, most int, read func(data []byte) (content string, err error)) (Result, error) {
	var r Result
	want, err := read(data)
	if err != nil {
		return r, fmt.Errorf("without any damage: %w", err)
	}
	for what, damaged := range Of(data, most) {
		got, panicked, err := try(damaged, read)
		switch {
		case panicked != nil:
			r.Panicked++
			r.worst(fmt.Sprintf("%s: panic: %v", what, panicked))
		case err != nil:
			r.Refused++
		case got == want:
			r.Same++
		default:
			r.Other++
			r.worst(what)
		}
	}
	return r, nil
}

// try catches a panic of read.
func try(data []byte, read func([]byte) (string, error)) (content string, panicked any, err error) {
	defer func() { panicked = recover() }()
	content, err = read(data)
	return content, nil, err
}

// worst records the first of the worst outcomes.
func (r *Result) worst(what string) {
	if r.Worst == "" {
		r.Worst = what
	}
}

// String returns the counts, as a row of a table.
func (r Result) String() string {
	text := fmt.Sprintf("refused %d, the same %d, something else %d, panicked %d", r.Refused, r.Same, r.Other, r.Panicked)
	if r.Worst != "" {
		text += "; " + r.Worst
	}
	return text
}
