package vqa

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	. "github.com/gomlx/gomlx/core/graph"

	"github.com/gomlx/gomlx/core/tensors"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/pucl"
)

// plain holds features in the common space as plain numbers, of the network and of the momentum encoder.
type plain struct {
	image, text, imageM, textM [][]float64
	patchesM, wordsM           [][][]float64
	mask                       [][]bool
}

func drawPlain(n, patches, words, k int) (p plain) {
	rng := rand.New(rand.NewPCG(8, 8))
	row := func() []float64 {
		x, norm := make([]float64, k), 0.0
		for i := range x {
			x[i] = rng.NormFloat64()
			norm += x[i] * x[i]
		}
		for i := range x {
			x[i] /= math.Sqrt(norm)
		}
		return x
	}
	rows := func(n int) (out [][]float64) {
		for range n {
			out = append(out, row())
		}
		return out
	}
	p.image, p.text, p.imageM, p.textM = rows(n), rows(n), rows(n), rows(n)
	for i := range n {
		p.patchesM, p.wordsM = append(p.patchesM, rows(patches)), append(p.wordsM, rows(words))
		mask := make([]bool, words)
		for j := range mask {
			mask[j] = j < words-i%2
		}
		p.mask = append(p.mask, mask)
	}
	return p
}

func inner(x, y []float64) (sum float64) {
	for i := range x {
		sum += x[i] * y[i]
	}
	return sum
}

// scores holds the two losses of one positive and its negatives, from their formulas.
var scores = map[string]func(own float64, others []float64, tau float64) float64{
	"N-pair": func(own float64, others []float64, tau float64) float64 {
		sum := math.Exp(own / tau)
		for _, s := range others {
			sum += math.Exp(s / tau)
		}
		return math.Log(sum) - own/tau
	},
	"L_Pos": func(own float64, others []float64, tau float64) float64 {
		const plus = 0.3
		n, negative := float64(len(others)), 0.0
		for _, s := range others {
			negative += math.Exp(s/tau) / n
		}
		all := (math.Exp(own/tau) + n*negative) / (n + 1)
		positive := max((all-(1-plus)*negative)/plus, math.Exp(-1/tau))
		return -math.Log(positive / (positive + n*negative))
	},
}

var objectives = map[string]pucl.Objective{"N-pair": pucl.NPair(), "L_Pos": pucl.DebiasedPos(pucl.DebiasedPosConfig{TauPlus: 0.3})}

// terms computes the six terms by loops over plain numbers.
func (p plain) terms(score func(own float64, others []float64, tau float64) float64, soft, tau float64) (out [6]float64) {
	n := len(p.image)
	at := func(anchor []float64, others [][]float64, c int) float64 {
		var rest []float64
		for j, o := range others {
			if j != c {
				rest = append(rest, inner(anchor, o))
			}
		}
		return score(inner(anchor, others[c]), rest, tau)
	}
	across := func(anchors, others, from, to [][]float64) (sum float64) {
		for i := range n {
			total := 0.0
			for j := range n {
				total += math.Exp(inner(from[i], to[j]) / tau)
			}
			for j := range n {
				target := soft * math.Exp(inner(from[i], to[j])/tau) / total
				if i == j {
					target += 1 - soft
				}
				sum += target * at(anchors[i], others, j) / float64(n)
			}
		}
		return sum
	}
	inside := func(anchors [][]float64, parts [][][]float64, there func(i, k int) bool) float64 {
		sum, count := 0.0, 0.0
		for i := range n {
			for k := range parts[i] {
				if !there(i, k) {
					continue
				}
				var rest []float64
				for j := range n {
					for l := range parts[j] {
						if j != i && there(j, l) {
							rest = append(rest, inner(anchors[i], parts[j][l]))
						}
					}
				}
				sum, count = sum+score(inner(anchors[i], parts[i][k]), rest, tau), count+1
			}
		}
		return sum / count
	}
	out[0] = across(p.image, p.textM, p.imageM, p.textM)
	out[1] = across(p.text, p.imageM, p.textM, p.imageM)
	for i := range n {
		out[2] += at(p.image[i], p.imageM, i) / float64(n)
		out[3] += at(p.text[i], p.textM, i) / float64(n)
	}
	out[4] = inside(p.image, p.patchesM, func(int, int) bool { return true })
	out[5] = inside(p.text, p.wordsM, func(i, k int) bool { return p.mask[i][k] })
	return out
}

// All six terms, and the gradient of their weighted sum by the network's outputs, equal loops and finite differences.
func TestTermsAgainstLoops(t *testing.T) {
	p := drawPlain(4, 3, 3, 5)
	for name, objective := range objectives {
		for _, soft := range []float64{0, 0.4} {
			t.Run(fmt.Sprint(name, " ", soft), func(t *testing.T) {
				const tau = 0.4
				eng := enginetest.Open(t)
				if name == "N-pair" && soft > 0 {
					eng = enginetest.Preferred(t)
				}
				out := expect.Must(ExecOnceN(eng.Backend, func(in []*Node) []*Node {
					network := Seen{Image: in[0], Text: in[1]}
					momentum := Seen{Image: in[2], Text: in[3], Patches: in[4], Words: in[5], Mask: in[6]}
					terms := Terms(objective, network, momentum, soft, tau)
					var sum *Node
					for i, term := range terms {
						if term = MulScalar(term, i+1); sum == nil {
							sum = term
						} else {
							sum = Add(sum, term)
						}
					}
					return append(append(terms, Gradient(sum, in[0], in[1])...), ReduceAllMax(Abs(Gradient(sum, in[2])[0])))
				}, p.image, p.text, p.imageM, p.textM, p.patchesM, p.wordsM, p.mask))(t)
				want := p.terms(scores[name], soft, tau)
				weighted := func() (sum float64) {
					for i, term := range p.terms(scores[name], soft, tau) {
						sum += float64(i+1) * term
					}
					return sum
				}
				for i, term := range TermNames() {
					got := tensors.ToScalar[float64](out[i])
					expect.That(t, math.Abs(got-want[i]) <= 1e-9, "%s: %.12g, want %.12g", term, got, want[i])
				}
				for w, rows := range [][][]float64{p.image, p.text} {
					grad := out[6+w].Value().([][]float64)
					for i, row := range rows {
						for k, x := range row {
							const step = 1e-6
							row[k] = x + step
							up := weighted()
							row[k] = x - step
							down := weighted()
							row[k] = x
							if d := (up - down) / (2 * step); math.Abs(grad[i][k]-d) > 1e-6*max(1, math.Abs(d)) {
								t.Errorf("%d: gradient %d, %d is %g, want %g", w, i, k, grad[i][k], d)
							}
						}
					}
				}
				g := tensors.ToScalar[float64](out[8])
				expect.That(t, g == 0, "a gradient of %g reaches the momentum encoder", g)
			})
		}
	}
}

// The means of squares of patches, computed by hand; patches that do not form a square, or that are few, are unchanged.
func TestPooled(t *testing.T) {
	eng := enginetest.Open(t)
	x := make([][][]float64, 1)
	for i := range 64 { // 8×8 patches, numbered row by row
		x[0] = append(x[0], []float64{float64(i)})
	}
	out := expect.Must(ExecOnce(eng.Backend, pooled, x))(t)
	got := out.Value().([][][]float64)[0]
	expect.That(t, len(got) == 16 && got[0][0] == (0+1+8+9)/4.0 && got[1][0] == (2+3+10+11)/4.0 &&
		got[4][0] == (16+17+24+25)/4.0, "pooled %v", got)
	for _, n := range []int{16, 25, 12} {
		out, err := ExecOnce(eng.Backend, pooled, [][][]float64{x[0][:n]})
		expect.That(t, err == nil && out.Shape().Dim(1) == n, "%d patches became %v, %v", n, out.Shape(), err)
	}
}

// Texts become the same tokens as with Hugging Face's own tokenizer.
func TestTokensAreTransformers(t *testing.T) {
	data := expect.Must(os.ReadFile("testdata/tokens.json"))(t)
	var want struct {
		Vocabulary, Texts []string
		IDs               [][]int32
	}
	expect.NoError(t, json.Unmarshal(data, &want))
	vocabulary, err := ReadVocabulary(strings.NewReader(strings.Join(want.Vocabulary, "\r\n")))
	expect.Require(t, err == nil && slices.Equal(vocabulary, want.Vocabulary), "vocabulary %q, error %v", vocabulary, err)
	tokenizer := expect.Must(NewTokenizer(vocabulary))(t)
	for i, text := range want.Texts {
		expect.Equal(t, tokenizer.Encode(text), want.IDs[i], "%q: tokens ", text)
	}
}

func TestTokenizerRefusals(t *testing.T) {
	special := Special()
	for _, tt := range []struct {
		err  error
		says string
	}{
		{refusal.Err(NewTokenizer([]string{"[PAD]", "a"})), "vqa: the vocabulary of 2 tokens lacks [UNK] … Special()"},
		{refusal.Err(NewTokenizer(append(special[:5:5], "a", "a"))), "vqa: token 6 of the vocabulary, \"a\", is empty or there already … once"},
		{refusal.Err(NewTokenizer(append([]string{"a"}, special...))), "vqa: [PAD] is token 1 … put it first"},
		{refusal.Err(ReadVocabulary(strings.NewReader(""))), "vqa: an empty vocabulary … one token a line"},
	} {
		refusal.Check(t, tt.err, tt.says)
	}
}
