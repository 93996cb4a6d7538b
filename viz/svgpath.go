package viz

import (
	"fmt"
	"math"
	"strconv"
	"strings"
)

// svgPath is a path of an SVG drawing.
type svgPath []svgStep

// svgStep is a command of a path with its points, which are absolute, in thousandths of a point, with y pointing down.
type svgStep struct {
	command byte       // M, L, Q, C, A or Z, as in SVG
	points  [][2]int64 // the last one is the end point
	arc     string     // of A: the radii, the rotation and the flags
}

// svgArguments is the number of arguments of each command.
var svgArguments = map[byte]int{'M': 2, 'L': 2, 'Q': 4, 'C': 6, 'A': 7, 'Z': 0}

// readPath reads path data of vgsvg, whose commands are all absolute. A point (x, y) is at (x + left, bottom − y).
func readPath(data string, left, bottom float64) (path svgPath, err error) {
	for data != "" {
		s := svgStep{command: data[0]}
		count, ok := svgArguments[s.command]
		if !ok {
			return nil, fmt.Errorf("viz: SVG: vgsvg wrote a path command %q, which this package does not read", data[0])
		}
		list, rest := data[1:], ""
		if end := strings.IndexAny(list, "MLQCAZ"); end >= 0 {
			list, rest = list[:end], list[end:]
		}
		v, err := numbers(count, list)
		if err != nil {
			return nil, err
		}
		if s.command == 'A' {
			radius := short(v[0], 3)
			// In the flipped drawing the arc has the opposite direction.
			s.arc, v = fmt.Sprintf("%s %s 0 %d %d", radius, radius, int(v[3]), 1-int(v[4])), v[5:]
		}
		for ; len(v) > 0; v = v[2:] {
			s.points = append(s.points, [2]int64{thousandths(left + v[0]), thousandths(bottom - v[1])})
		}
		path, data = append(path, s), rest
	}
	return path, nil
}

func thousandths(v float64) int64 { return int64(math.Round(1000 * v)) }

// String returns the path data in few bytes: each command in its absolute or relative form, whichever is shorter.
func (p svgPath) String() string {
	w := pathWriter{}
	for _, s := range p {
		w.write(s)
	}
	return string(w.out)
}

// pathWriter writes path data.
type pathWriter struct {
	out        []byte
	pen, start [2]int64 // of the last point, and of the subpath
	last       byte     // the command before
	dotted     bool     // whether the last number has a decimal point
}

func (w *pathWriter) write(s svgStep) {
	if s.command == 'Z' {
		w.out, w.pen, w.last = append(w.out, 'z'), w.start, 'z'
		return
	}
	to := s.points[len(s.points)-1]
	if s.command == 'L' && to == w.pen {
		return // draws nothing
	}
	best, dotted, command := w.form(s, s.command, [2]int64{})
	if form, dots, relative := w.form(s, s.command|0x20, w.pen); len(form) < len(best) {
		best, dotted, command = form, dots, relative
	}
	w.out, w.dotted, w.last, w.pen = append(w.out, best...), dotted, command, to
	if s.command == 'M' {
		w.start = to
	}
}

// form returns the bytes that a command adds to the path data, with points relative to relative. dotted reports whether
// the last number has a decimal point. as is the command as written, which differs for horizontal and vertical lines.
func (w *pathWriter) form(s svgStep, command byte, relative [2]int64) (form []byte, dotted bool, as byte) {
	to := s.points[len(s.points)-1]
	var words []string
	number := func(v int64) { words = append(words, short(float64(v)/1000, 3)) }
	switch {
	case s.command == 'L' && to[1] == w.pen[1]:
		command -= 'L' - 'H'
		number(to[0] - relative[0])
	case s.command == 'L' && to[0] == w.pen[0]:
		command += 'V' - 'L'
		number(to[1] - relative[1])
	default:
		words = append(words, strings.Fields(s.arc)...)
		for _, q := range s.points {
			number(q[0] - relative[0])
			number(q[1] - relative[1])
		}
	}
	// A repeated command is left out, and so is a line after a move.
	begins := command != w.last && command+'M'-'L' != w.last || command|0x20 == 'm'
	if begins {
		form = append(form, command)
	}
	dotted = w.dotted
	for i, word := range words {
		if !(begins && i == 0 || word[0] == '-' || word[0] == '.' && dotted) {
			form = append(form, ' ')
		}
		form = append(form, word...)
		dotted = strings.Contains(word, ".")
	}
	return form, dotted, command
}

// short formats a number with at most the given decimals, without redundant zeros.
func short(v float64, decimals int) string {
	s := strconv.FormatFloat(v, 'f', decimals, 64)
	if strings.Contains(s, ".") {
		s = strings.TrimRight(strings.TrimRight(s, "0"), ".")
	}
	switch {
	case s == "-0":
		return "0"
	case strings.HasPrefix(s, "0."):
		return s[1:]
	case strings.HasPrefix(s, "-0."):
		return "-" + s[2:]
	}
	return s
}
