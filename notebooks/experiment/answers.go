package experiment

import (
	"encoding/base64"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"slices"
	"strconv"
	"strings"

	"github.com/puclab/puclab/internal/sealed"
)

// Answers records for each test example, in test set order, whether a classifier is correct. Confidence intervals that
// treat the test set as a sample need it. Its text form is the number of examples, a colon, and the bits in base64; the
// first example is the lowest bit of the first byte.
//
// A run keeps answers only at points that a rule chooses. They belong neither to the result's identity nor to its
// digest. They have a separate file, which only [Store.Answers] reads; older results have none.
type Answers []bool

// MarshalText returns the text form.
func (a Answers) MarshalText() ([]byte, error) {
	bits := make([]byte, (len(a)+7)/8)
	for i, right := range a {
		if right {
			bits[i/8] |= 1 << (i % 8)
		}
	}
	return fmt.Appendf(nil, "%d:%s", len(a), base64.StdEncoding.EncodeToString(bits)), nil
}

// UnmarshalText parses the output of MarshalText.
func (a *Answers) UnmarshalText(text []byte) error {
	number, code, _ := strings.Cut(string(text), ":")
	n, err := strconv.Atoi(number)
	bits, codeErr := base64.StdEncoding.Strict().DecodeString(code)
	if err := errors.Join(err, codeErr); err != nil {
		return fmt.Errorf("answers: %w", err)
	}
	if n < 0 || len(bits) != (n+7)/8 || n%8 > 0 && bits[n/8]>>(n%8) > 0 {
		return fmt.Errorf("answers: %d bytes do not hold the bits of %d test examples", len(bits), n)
	}
	*a = make(Answers, n)
	for i := range *a {
		(*a)[i] = bits[i/8]>>(i%8)&1 == 1
	}
	return nil
}

// right returns the number of correct answers.
func (a Answers) right() (n int) {
	for _, right := range a {
		if right {
			n++
		}
	}
	return n
}

// fitAnswers returns an error if the answers of a point do not match its test examples.
func (p Point) fitAnswers() error {
	n, right := 0, 0.0
	switch {
	case p.Test != nil:
		n, right = p.Test.N(), float64(p.Test.TruePositive+p.Test.TrueNegative)
	case p.Many != nil:
		n, right = p.Many.N, p.Many.Accuracy*float64(p.Many.N)
	}
	if len(p.Answers) != n || math.Abs(float64(p.Answers.right())-right) > 0.5 {
		return fmt.Errorf("after %d steps the head %q has %d answers, %d of them right, and was measured on %d test "+
			"examples, right on %g: take Answers and Test of the same scores",
			p.Step, p.Head, len(p.Answers), p.Answers.right(), n, right)
	}
	return nil
}

// dropAnswers drops the answers at points that no rule chooses.
func dropAnswers(points []Point) {
	chosen := Chosen(points)
	for i := range points {
		if chosen[i] == nil {
			points[i].Answers = nil
		}
	}
}

// answersFormat increases when older programs would misread answers.
const answersFormat = 1

// answersOf is the stored record of a run's answers: a line of a pack, or a loose file.
type answersOf struct {
	Format  int
	Setting string
	Method  string
	Seed    uint64
	Result  string // SHA-256 of the line of their result
	Points  []answersAt
}

// answersAt holds the answers at a point.
type answersAt struct {
	Point int // index in Result.Points
	Right Answers
}

// writeAnswers writes the answers of a result's points to a file, and removes the file if there are none.
func writeAnswers(path string, result *Result, digest string) error {
	of := answersOf{answersFormat, result.Setting, result.Method, result.Seed, digest, nil}
	for i, p := range result.Points {
		if p.Answers != nil {
			of.Points = append(of.Points, answersAt{i, p.Answers})
		}
	}
	if len(of.Points) > 0 {
		return sealed.Write(path, of)
	}
	if err := os.Remove(path); !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	return nil
}

// findAnswers returns the answers of the result with that digest, loose or packed, or nil if there are none.
func (s *Store) findAnswers(size Size, run Run, digest string) (*kept, error) {
	loose, err := readKept(answersBeside(s.file(size, run)))
	if err != nil {
		return nil, err
	}
	p, err := openPack(s.packFile(size, run, answersEnding))
	if err != nil {
		return nil, err
	}
	packed := p.lines[lineName(run.Method, run.Seed)]
	if why := p.damage(); why != "" && loose == nil && packed == nil {
		return nil, errors.New(why)
	}
	for _, k := range []*kept{loose, packed} {
		var of answersOf
		if k == nil {
			continue
		} else if err := k.decode(answersFormat, &of); err != nil {
			return nil, err
		}
		if of.Result == digest {
			return k, nil
		}
	}
	return nil, nil
}

// Answers returns the points of a run's result with their [Answers], if these were stored. Other reads omit them.
func (s *Store) Answers(size Size, of Standing) ([]Point, error) {
	if of.Result == nil {
		return nil, fmt.Errorf("experiment: %s has no result, and so no answers: it is %s", of.Run, of.State)
	}
	points := slices.Clone(of.Result.Points)
	k, err := s.findAnswers(size, of.Run, of.digest)
	if err != nil {
		return nil, fmt.Errorf("experiment: the answers of %s: %w", of.Run, err)
	} else if k == nil {
		return points, nil
	}
	var there answersOf
	if err := k.decode(answersFormat, &there); err != nil {
		return nil, fmt.Errorf("experiment: the answers of %s: %w", of.Run, err)
	}
	for _, at := range there.Points {
		if at.Point < 0 || at.Point >= len(points) {
			return nil, fmt.Errorf("experiment: the answers of %s: %s has those of point %d, and the result has %d "+
				"points; make it again", of.Run, k.where, at.Point, len(points))
		}
		points[at.Point].Answers = at.Right
	}
	return points, nil
}
