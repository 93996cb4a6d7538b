package rendered

import (
	"cmp"
	"fmt"
	"math/rand/v2"
	"slices"
	"strconv"

	"github.com/puclab/puclab/datasets/vqa"
)

// Answers returns all possible answers, grouped by kind.
func Answers() []string {
	return slices.Concat(yesNo, numbers, colorNames, shapeNames)
}

var (
	yesNo   = []string{"yes", "no"}
	numbers = []string{"0", "1", "2", "3", "4"}
)

// Words returns the words of all questions and captions, for a tokenizer.
func Words() []string {
	return slices.Concat([]string{"what", "which", "color", "shape", "is", "the", "there", "a", "how", "many", "are", "left", "of", "above",
		"objects", "object", "top", "bottom", "right", "circles", "squares", "triangles", "crosses", "?", ","}, colorNames, shapeNames)
}

// question is a question with its answer, and all possible answers of its kind.
type question struct {
	text, kind, answerType, answer string
	choices                        []string
}

// templates lists the kinds of questions. Each draws a question about a scene, or returns false if none applies.
var templates = []func(rng *rand.Rand, s Scene) (question, bool){askColor, askShape, askNumber, askThere, askPlace}

// ask draws a question and the answers of ten people.
func ask(rng, people *rand.Rand, s Scene, image, id int64, disagreement float64) vqa.Example {
	var q question
	for ok := false; !ok; {
		q, ok = templates[rng.IntN(len(templates))](rng, s)
	}
	e := vqa.Example{Question: vqa.Question{ID: id, ImageID: image, Text: q.text}}
	e.QuestionType, e.AnswerType = q.kind, q.answerType
	count := map[string]int{}
	for i := range e.Answers {
		e.Answers[i] = q.answer
		if people.Float64() < disagreement {
			wrong := slices.DeleteFunc(slices.Clone(q.choices), func(a string) bool { return a == q.answer })
			e.Answers[i] = wrong[people.IntN(len(wrong))]
		}
		count[e.Answers[i]]++
	}
	// The most frequent answer; of several, the first in the list.
	e.Consensus = slices.MaxFunc(q.choices, func(a, b string) int { return cmp.Compare(count[a], count[b]) })
	return e
}

// only draws an object with a unique value of the property of, such as its shape.
func only(rng *rand.Rand, s Scene, of func(Object) int) (Object, bool) {
	for _, i := range rng.Perm(len(s)) {
		if s.count(func(o Object) bool { return of(o) == of(s[i]) }) == 1 {
			return s[i], true
		}
	}
	return Object{}, false
}

func askColor(rng *rand.Rand, s Scene) (question, bool) {
	o, ok := only(rng, s, func(o Object) int { return int(o.Shape) })
	return question{fmt.Sprintf("what color is the %s?", o.Shape), "what color", "other", o.Color.String(), colorNames}, ok
}

func askShape(rng *rand.Rand, s Scene) (question, bool) {
	o, ok := only(rng, s, func(o Object) int { return int(o.Color) })
	return question{fmt.Sprintf("what shape is the %s object?", o.Color), "what shape", "other", o.Shape.String(), shapeNames}, ok
}

func askNumber(rng *rand.Rand, s Scene) (question, bool) {
	text, n := "how many objects are there?", len(s)
	switch kind := rng.IntN(5); {
	case kind < 2:
		shape := Shape(rng.IntN(len(shapeNames)))
		plural := []string{"circles", "squares", "triangles", "crosses"}[shape]
		text, n = fmt.Sprintf("how many %s are there?", plural), s.count(func(o Object) bool { return o.Shape == shape })
	case kind < 4:
		color := Color(rng.IntN(len(colorNames)))
		text, n = fmt.Sprintf("how many %s objects are there?", color), s.count(func(o Object) bool { return o.Color == color })
	}
	return question{text, "how many", "number", strconv.Itoa(n), numbers}, true
}

// askThere asks equally often for an object that is present and for one that is not.
func askThere(rng *rand.Rand, s Scene) (question, bool) {
	o := s[rng.IntN(len(s))]
	if rng.IntN(2) == 0 {
		o.Shape, o.Color = Shape(rng.IntN(len(shapeNames))), Color(rng.IntN(len(colorNames)))
		if s.count(o.looksLike) > 0 {
			return question{}, false
		}
	}
	return question{fmt.Sprintf("is there a %s?", o.name()), "is there", "yes/no", yes(s.count(o.looksLike) > 0), yesNo}, true
}

// askPlace asks whether one object is left of another, or above it; both are unique in the scene and in different
// columns or rows.
func askPlace(rng *rand.Rand, s Scene) (question, bool) {
	order := rng.Perm(len(s))
	a, b := s[order[0]], s[order[1]]
	if s.count(a.looksLike) > 1 || s.count(b.looksLike) > 1 {
		return question{}, false
	}
	first, second, relation := a.Col, b.Col, "left of"
	if rng.IntN(2) == 0 {
		first, second, relation = a.Row, b.Row, "above"
	}
	return question{fmt.Sprintf("is the %s %s the %s?", a.name(), relation, b.name()), "is the", "yes/no", yes(first < second), yesNo}, first != second
}

// looksLike reports whether both have the same shape and color.
func (o Object) looksLike(other Object) bool { return o.Shape == other.Shape && o.Color == other.Color }

func yes(is bool) string {
	if is {
		return "yes"
	}
	return "no"
}
