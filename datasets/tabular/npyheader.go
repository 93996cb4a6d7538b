package tabular

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// npyHeader is what a .npy file says of its array.
type npyHeader struct {
	descr   string // the kind of number
	fortran bool   // the first index runs fastest
	shape   []int
}

// maxDimensions is what NumPy itself allows.
const maxDimensions = 64

// readNPYHeader reads up to the first number and returns at which byte that is.
func readNPYHeader(r io.Reader) (h npyHeader, start int64, err error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil && !isEnd(err) {
		return h, 0, err
	}
	if string(head[:6]) != npyStart {
		return h, 0, errors.New("not a .npy file: it does not start with \\x93NUMPY; a .npz file is to be unpacked first")
	}
	size := 2
	switch head[6] {
	case 1:
	case 2, 3:
		size = 4
	default:
		return h, 0, fmt.Errorf("format %d.%d of .npy files is unknown: save it with NumPy's np.save", head[6], head[7])
	}
	var length [4]byte
	if _, err := io.ReadFull(r, length[:size]); err != nil {
		return h, 0, inHeader(err)
	}
	n := binary.LittleEndian.Uint32(length[:])
	if n > maxHeader {
		return h, 0, fmt.Errorf("a header of %d bytes: at most %d are read, it is damaged or of another kind", n, maxHeader)
	}
	text := make([]byte, n)
	if _, err := io.ReadFull(r, text); err != nil {
		return h, 0, inHeader(err)
	}
	if h, err = parseNPYHeader(string(text)); err != nil {
		return h, 0, fmt.Errorf("header %q: %w", text[:min(len(text), 200)], err)
	}
	return h, int64(8 + size + len(text)), nil
}

func isEnd(err error) bool { return err == io.EOF || err == io.ErrUnexpectedEOF }

func inHeader(err error) error {
	if isEnd(err) {
		return fmt.Errorf("cut short within its header: %w", io.ErrUnexpectedEOF)
	}
	return err
}

// parseNPYHeader reads what Python would write for a dictionary, such as
// {'descr': '<f8', 'fortran_order': False, 'shape': (3, 2), }: these three keys, once each, in any order.
func parseNPYHeader(text string) (h npyHeader, err error) {
	p := &pyText{rest: text}
	if !p.take("{") {
		return h, errors.New("not a dictionary of Python")
	}
	seen := map[string]bool{}
	for !p.take("}") {
		key, ok := p.text()
		if !ok || !p.take(":") {
			return h, fmt.Errorf("no key and colon at %q", p.rest)
		}
		if seen[key] {
			return h, fmt.Errorf("%s stands there twice", key)
		}
		seen[key] = true
		switch key {
		case "descr":
			if h.descr, ok = p.text(); !ok {
				return h, errors.New("an array of several kinds of values (a structured array): save one column at a time")
			}
		case "fortran_order":
			h.fortran = p.take("True")
			ok = h.fortran || p.take("False")
		case "shape":
			h.shape, ok = p.tuple()
		default:
			return h, fmt.Errorf("unknown key %q", key)
		}
		if !ok {
			return h, fmt.Errorf("the value of %s is wrong", key)
		}
		if !p.take(",") && !strings.HasPrefix(p.rest, "}") {
			return h, fmt.Errorf("no comma at %q", p.rest)
		}
	}
	if strings.TrimSpace(p.rest) != "" {
		return h, fmt.Errorf("it goes on with %q", p.rest)
	}
	if len(seen) != 3 {
		return h, errors.New("it lacks one of descr, fortran_order and shape")
	}
	return h, nil
}

// pyText is what is left of a text of Python's.
type pyText struct{ rest string }

// take steps over a word, and the space around it.
func (p *pyText) take(word string) bool {
	rest, ok := strings.CutPrefix(strings.TrimLeft(p.rest, " \t\n"), word)
	if ok {
		p.rest = strings.TrimLeft(rest, " \t\n")
	}
	return ok
}

// text reads a quoted text.
func (p *pyText) text() (string, bool) {
	for _, quote := range []string{"'", "\""} {
		if strings.HasPrefix(p.rest, quote) {
			text, rest, ok := strings.Cut(p.rest[1:], quote)
			if !ok || strings.Contains(text, "\\") {
				return "", false
			}
			p.rest = strings.TrimLeft(rest, " \t\n")
			return text, true
		}
	}
	return "", false
}

// tuple reads lengths such as (3, 2), (3,) or ().
func (p *pyText) tuple() ([]int, bool) {
	if !p.take("(") {
		return nil, false
	}
	out := []int{}
	for !p.take(")") {
		digits := strings.IndexFunc(p.rest, func(r rune) bool { return r < '0' || r > '9' })
		if digits < 1 || len(out) == maxDimensions {
			return nil, false
		}
		n, err := strconv.Atoi(p.rest[:digits])
		if err != nil {
			return nil, false
		}
		p.rest = p.rest[digits:]
		p.take("L") // Python 2 wrote 3L
		out = append(out, n)
		if !p.take(",") && !strings.HasPrefix(p.rest, ")") {
			return nil, false
		}
	}
	return out, true
}

// count returns how many numbers there are, if they take no more bytes than a file can have.
func (h npyHeader) count(size int) (int, error) {
	if slices.Contains(h.shape, 0) {
		return 0, nil // whatever the other lengths are
	}
	total := uint64(size)
	for _, n := range h.shape {
		high, low := bits.Mul64(total, uint64(n))
		if high != 0 || low > math.MaxInt>>1 {
			return 0, fmt.Errorf("it announces %v numbers, more than a file can hold", h.shape)
		}
		total = low
	}
	return int(total) / size, nil
}

// places returns where in C order the i-th number of the file belongs.
func (h npyHeader) places() func(i int) int {
	if !h.fortran || len(h.shape) < 2 {
		return func(i int) int { return i }
	}
	return func(i int) int {
		// The file counts with the first index fastest, C order with the last one.
		place, stride := 0, 1
		for _, n := range h.shape {
			stride *= n
		}
		for _, n := range h.shape {
			stride /= n
			place += i % n * stride
			i /= n
		}
		return place
	}
}
