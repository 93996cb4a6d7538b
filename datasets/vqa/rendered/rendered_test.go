package rendered

import (
	"math"
	"reflect"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets/vqa"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
)

func make1(t *testing.T, c Config) *Set {
	t.Helper()
	return expect.Must(Make(c))(t)
}

// oracle answers a question from its words and the image's own caption, without code shared with the templates.
func oracle(t *testing.T, question, caption string) string {
	t.Helper()
	type thing struct{ color, shape, row, col string }
	var things []thing
	for _, part := range strings.Split(caption, ", ") {
		w := strings.Fields(part)
		things = append(things, thing{w[0], w[1], w[2], w[3]})
	}
	w := strings.Fields(strings.TrimSuffix(question, "?"))
	find := func(color, shape string) (found []thing) {
		for _, o := range things {
			if (color == "" || o.color == color) && (shape == "" || o.shape == shape) {
				found = append(found, o)
			}
		}
		return found
	}
	digits := "01234"
	switch {
	case strings.HasPrefix(question, "what color"):
		return find("", w[4])[0].color
	case strings.HasPrefix(question, "what shape"):
		return find(w[4], "")[0].shape
	case question == "how many objects are there?":
		return digits[len(things) : len(things)+1]
	case strings.HasPrefix(question, "how many") && w[3] == "objects":
		n := len(find(w[2], ""))
		return digits[n : n+1]
	case strings.HasPrefix(question, "how many"):
		singular := strings.TrimSuffix(w[2], "s")
		if w[2] == "crosses" {
			singular = "cross"
		}
		n := len(find("", singular))
		return digits[n : n+1]
	case strings.HasPrefix(question, "is there"):
		if len(find(w[3], w[4])) > 0 {
			return "yes"
		}
		return "no"
	case strings.HasPrefix(question, "is the"):
		a, b := find(w[2], w[3])[0], find(w[len(w)-2], w[len(w)-1])[0]
		if strings.Contains(question, "left of") && a.col == "left" && b.col == "right" ||
			strings.Contains(question, "above") && a.row == "top" && b.row == "bottom" {
			return "yes"
		}
		return "no"
	}
	t.Fatalf("a question of no template: %q", question)
	return ""
}

// Every answer follows from the caption, and every kind and answer occurs.
func TestAnswersFollowFromCaptions(t *testing.T) {
	t.Parallel()
	s := make1(t, Config{Images: 800, Seed: 1})
	said, kinds := map[string]int{}, map[string]int{}
	words := map[string]bool{}
	for _, w := range Words() {
		words[w] = true
	}
	for _, e := range s.Examples {
		expect.Equal(t, e.Consensus,
			oracle(t, e.Text, s.Captions[e.ImageID]), "%q of %q: answer", e.Text, s.Captions[e.ImageID])
		said[e.Consensus]++
		kinds[e.QuestionType]++
		for _, text := range []string{e.Text, s.Captions[e.ImageID]} {
			for _, w := range strings.Fields(strings.NewReplacer("?", " ?", ",", " ,").Replace(text)) {
				expect.Require(t, words[w], "%q is not among Words", w)
			}
		}
	}
	for _, a := range Answers() {
		expect.That(t, said[a] != 0, "nobody ever answers %q", a)
	}
	expect.That(t, len(said) == len(Answers()) && len(kinds) == 5, "answers %v, kinds %v", said, kinds)
	share := float64(said["yes"]) / float64(said["yes"]+said["no"])
	expect.Near(t, share, 0.5, 0.05, "the share of yes")
}

// The image shows the scene: every corner has the color of its object, and an empty corner is gray.
func TestPixelsShowTheScene(t *testing.T) {
	t.Parallel()
	s := make1(t, Config{Images: 200, Edge: 40, Seed: 2})
	for i, scene := range s.Scenes {
		at := map[[2]int]Object{}
		for _, o := range scene {
			at[[2]int{o.Row, o.Col}] = o
		}
		for row := range 2 {
			for col := range 2 {
				// The most saturated pixel of the corner.
				var sum [3]float64
				spread := 0.0
				for y := 20 * row; y < 20*(row+1); y++ {
					for x := 20 * col; x < 20*(col+1); x++ {
						p := s.Pixels[((i*40+y)*40+x)*3:][:3]
						if d := float64(max(p[0], p[1], p[2])) - float64(min(p[0], p[1], p[2])); d > spread {
							spread, sum = d, [3]float64{float64(p[0]), float64(p[1]), float64(p[2])}
						}
					}
				}
				o, there := at[[2]int{row, col}]
				gray := spread < 60 // noise has a standard deviation of 6
				expect.Require(t, gray != there, "image %d, corner %d %d: color %v, object %v", i, row, col, sum, there)
				if !there {
					continue
				}
				r, g, b := sum[0], sum[1], sum[2]
				want := map[Color]bool{Red: r > g+20 && r > b+20, Green: g > r+20 && g > b+20, Blue: b > r+20 && b > g+20, Yellow: r > b+20 && g > b+20}
				expect.That(t, want[o.Color], "image %d, corner %d %d: color %v of a %s", i, row, col, sum, o.name())
			}
		}
	}
}

// One seed gives one set; each parameter changes only its own aspect.
func TestSeedsAndDials(t *testing.T) {
	t.Parallel()
	base := Config{Images: 100, Seed: 3}
	s := make1(t, base)
	expect.That(t, reflect.DeepEqual(s, make1(t, base)), "one seed gives two sets")
	more := base
	more.Images = 105
	larger := make1(t, more)
	expect.That(t, reflect.DeepEqual(larger.Pixels[:len(s.Pixels)], s.Pixels) &&
		reflect.DeepEqual(larger.Examples[:len(s.Examples)], s.Examples),
		"the first 100 images change with the number of images")
	other := base
	other.Seed = 4
	expect.That(t, !reflect.DeepEqual(make1(t, other).Pixels, s.Pixels), "two seeds give the same images")
	before := map[int]int{}
	for _, share := range []float64{0, 0.25, 0.5, 1} {
		c := base
		c.FalsePositives = share
		f := make1(t, c)
		wrong := map[int]int{}
		for i, of := range f.CaptionOf {
			expect.Require(t, f.Captions[i] == f.Scenes[of].Caption(), "caption %d is not that of image %d", i, of)
			if of != i {
				wrong[i] = of
			}
		}
		expect.Equal(t, len(wrong), int(share*100), "share %g", share)
		for i, of := range before {
			expect.That(t, wrong[i] == of,
				"share %g: image %d had the caption of %d at a lower share, now of %d", share, i, of, wrong[i])
		}
		before = wrong
		expect.That(t, reflect.DeepEqual(f.Examples, s.Examples) && reflect.DeepEqual(f.Pixels, s.Pixels),
			"share %g changes images or questions", share)
	}
	c := base
	c.Disagreement = 0.3
	d := make1(t, c)
	agree := 0
	for i, e := range d.Examples {
		for _, a := range e.Answers {
			if a == s.Examples[i].Consensus {
				agree++
			}
		}
	}
	// The share of correct ones among 4,000 answers has a standard deviation of 0.007.
	share := float64(agree) / float64(10*len(d.Examples))
	expect.Near(t, share, 0.7, 0.035, "the share of answers in which people are right")
}

// The Score method of package vqa gives 1 to unanimous answers.
func TestScore(t *testing.T) {
	s := make1(t, Config{Images: 50, Seed: 5})
	answers := map[int64]string{}
	for _, e := range s.Examples {
		answers[e.ID] = e.Consensus
	}
	expect.Equal(t, expect.Must(s.Score(answers))(t), (vqa.Score{Hit: 1, Consensus: 1, LeaveOneOut: 1}), "score:")
}

func TestRefusals(t *testing.T) {
	s := make1(t, Config{Images: 2})
	for _, tt := range []struct {
		err  error
		says string
	}{
		{refusal.Err(Make(Config{Images: -1})), "rendered: -1 images … at least 1"},
		{refusal.Err(Make(Config{Questions: -1})), "rendered: 1000 images with -1 questions each … at least 1"},
		{refusal.Err(Make(Config{Edge: 8})), "rendered: images of 8 pixels … from 16 on"},
		{refusal.Err(Make(Config{Disagreement: 1})), "rendered: disagreement 1 … below 1"},
		{refusal.Err(Make(Config{Disagreement: math.NaN()})), "rendered: disagreement NaN … at least 0"},
		{refusal.Err(Make(Config{FalsePositives: 1.5})), "rendered: a share of false positives of 1.5 … between 0 and 1"},
		{refusal.Err(Make(Config{Images: 1, FalsePositives: 0.5})), "rendered: the caption of another image, of 1 image … at least 2"},
		{s.ReadImage(2, make([]uint8, 3*32*32)), "rendered: there is no image 2 … numbered from 0"},
		{s.ReadImage(0, make([]uint8, 7)), "rendered: room for 7 … make room"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
}
