package tabular

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"regexp"
	"strconv"
	"strings"
	"unicode"

	"github.com/puclab/puclab/datasets/internal/check"
	"github.com/puclab/puclab/internal/fault"
)

// npyHeader is the header of a .npy file.
type npyHeader struct {
	descr   string // the number type
	fortran bool   // the first index varies fastest
	shape   []int
}

// maxDimensions is NumPy's own limit.
const maxDimensions = 64

// readNPYHeader reads the header and returns the byte offset of the first number.
func readNPYHeader(r io.Reader) (h npyHeader, start int64, err error) {
	head := make([]byte, 8)
	if _, err := io.ReadFull(r, head); err != nil && !isEnd(err) {
		return h, 0, err
	}
	if string(head[:6]) != npyStart {
		return h, 0, errors.New("not a .npy file: it does not start with \\x93NUMPY; open a .npz file with OpenNPZ")
	}
	size, known := map[byte]int{1: 2, 2: 4, 3: 4}[head[6]] // size of the length field, by format
	if !known {
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

// Python syntax in the header: a quoted text, which may be a key, and the values of the three keys.
const pyText = `(?:'([^'\\]*)'|"([^"\\]*)")\s*`

var (
	npyKey    = regexp.MustCompile(`^` + pyText + `:\s*`)
	npyComma  = regexp.MustCompile(`^,\s*`)
	npyValues = map[string]*regexp.Regexp{
		"descr":         regexp.MustCompile(`^` + pyText),
		"fortran_order": regexp.MustCompile(`^(True|False)\s*`),
		"shape":         regexp.MustCompile(`^\(\s*((?:\d+L?\s*,\s*)*(?:\d+L?\s*)?)\)\s*`), // Python 2 wrote 3L
	}
)

// parseNPYHeader parses Python's text of a dictionary, such as {'descr': '<f8', 'fortran_order': False, 'shape': (3,
// 2), }: these three keys, once each, in any order.
func parseNPYHeader(text string) (h npyHeader, err error) {
	rest, ok := strings.CutPrefix(strings.TrimSpace(text), "{")
	if !ok {
		return h, errors.New("not a dictionary of Python")
	}
	rest = strings.TrimSpace(rest)
	take := func(form *regexp.Regexp) (value string, ok bool) { // consumes a match of form
		found := form.FindStringSubmatch(rest)
		if found == nil {
			return "", false
		}
		rest = rest[len(found[0]):]
		return strings.Join(found[1:], ""), true
	}
	seen := map[string]bool{}
	for !strings.HasPrefix(rest, "}") {
		key, ok := take(npyKey)
		form := npyValues[key]
		switch {
		case !ok:
			return h, fmt.Errorf("no key and colon at %q", rest)
		case seen[key]:
			return h, fmt.Errorf("%s stands there twice", key)
		case form == nil:
			return h, fmt.Errorf("unknown key %q", key)
		}
		seen[key] = true
		value, ok := take(form)
		switch key {
		case "descr":
			if h.descr = value; !ok {
				return h, errors.New("an array of several kinds of values (a structured array): save one column at a time")
			}
		case "fortran_order":
			h.fortran = value == "True"
		case "shape":
			h.shape = []int{}
			for length := range strings.FieldsFuncSeq(value, func(r rune) bool { return !unicode.IsDigit(r) }) {
				n, err := strconv.Atoi(length)
				h.shape, ok = append(h.shape, n), ok && err == nil && len(h.shape) < maxDimensions
			}
		}
		if !ok {
			return h, fmt.Errorf("the value of %s is wrong", key)
		}
		if _, ok := take(npyComma); !ok && !strings.HasPrefix(rest, "}") {
			return h, fmt.Errorf("no comma at %q", rest)
		}
	}
	if rest != "}" {
		return h, fmt.Errorf("it goes on with %q", rest[1:])
	}
	if len(seen) != 3 {
		return h, errors.New("it lacks one of descr, fortran_order and shape")
	}
	return h, nil
}

// count returns the number of values, or an error if they take more bytes than a file can have.
func (h npyHeader) count(size int) (int, error) {
	total, ok := check.Product(append([]int{size}, h.shape...)...)
	return total / size, fault.If(!ok || total > math.MaxInt>>1, "it announces %v numbers, more than a file can hold", h.shape)
}

// places returns the index in C order of the i-th number of the file.
func (h npyHeader) places() func(i int) int {
	if !h.fortran || len(h.shape) < 2 {
		return func(i int) int { return i }
	}
	return func(i int) int {
		// In the file the first index varies fastest, in C order the last one.
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
