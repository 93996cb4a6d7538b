package vqa

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
	"testing/iotest"

	"github.com/puclab/puclab/datasets/internal/damage"
	"github.com/puclab/puclab/internal/expect"
)

// Two files in the official layout, with the fields around the lists.
const questionsFile = `{"info": {"description": "made for a test", "year": 2017}, "task_type": "Open-Ended", "data_type": "mscoco",
"license": {"url": "http://example.org", "questions": ["not these"]}, "data_subtype": "val2014", "questions": [
{"image_id": 458752, "question": "What is this photo taken looking through?", "question_id": 458752000},
{"image_id": 458752, "question": "Is it \"round\"?", "question_id": 458752001},
{"question_id": 262146000, "image_id": 262146, "question": "How many?"}]}`

func annotation(question, image int64, consensus string, answers ...string) string {
	var list []string
	for i, a := range answers {
		quoted, err := json.Marshal(a)
		if err != nil {
			panic(err)
		}
		list = append(list, fmt.Sprintf(`{"answer": %s, "answer_confidence": "yes", "answer_id": %d}`, quoted, i+1))
	}
	return fmt.Sprintf(`{"question_type": "what is", "multiple_choice_answer": %q, "answers": [%s], "image_id": %d, `+
		`"answer_type": "other", "question_id": %d}`, consensus, strings.Join(list, ", "), image, question)
}

func annotationsFile(entries ...string) string {
	return `{"info": {}, "annotations": [` + strings.Join(entries, ",\n") + `], "data_type": "mscoco"}`
}

var (
	nets   = annotation(458752000, 458752, "net", "net", "net", "net", "netting", "net", "net", "mesh", "net", "net", "net")
	yes    = annotation(458752001, 458752, "yes", slices.Repeat([]string{"yes"}, 10)...)
	counts = annotation(262146000, 262146, "2", "2", "1", "2", "3", "4", "5", "6", "7", "8", "9")
)

func files(questions, annotations string) fstest.MapFS {
	return fstest.MapFS{"q.json": {Data: []byte(questions)}, "a.json": {Data: []byte(annotations)}}
}

func TestRead(t *testing.T) {
	// The annotations are not in the order of the questions.
	set := expect.Must(Read(files(questionsFile, annotationsFile(counts, nets, yes)), "q.json", "a.json"))(t)
	expect.Require(t, len(set.Examples) == 3, "%d examples, want 3", len(set.Examples))
	want := Example{
		Question: Question{ID: 458752000, ImageID: 458752, Text: "What is this photo taken looking through?"},
		Truth: Truth{QuestionType: "what is", AnswerType: "other", Consensus: "net",
			Answers: [10]string{"net", "net", "net", "netting", "net", "net", "mesh", "net", "net", "net"}},
	}
	expect.That(t, set.Examples[0] == want, "got %+v, want %+v", set.Examples[0], want)
	e := set.Examples[1]
	expect.That(t, e.Text == `Is it "round"?` && e.Answers[9] == "yes" && e.Consensus == "yes", "got %+v", e)
	if e := set.Examples[2]; e.ID != 262146000 || e.ImageID != 262146 || e.Answers != [10]string{"2", "1", "2", "3",
		"4", "5", "6", "7", "8", "9"} {
		t.Errorf("got %+v", e)
	}
	empty, err := Read(files(`{"questions": []}`, `{"annotations": []}`), "q.json", "a.json")
	expect.That(t, err == nil && len(empty.Examples) == 0, "empty lists: %v, error %v", empty, err)
}

func TestReadErrors(t *testing.T) {
	all := annotationsFile(nets, yes, counts)
	question := func(fields string) string { return `{"questions": [{` + fields + `}]}` }
	for _, tt := range []struct {
		name                   string
		questions, annotations string
		want                   []string
	}{
		{"empty file", "", all, []string{"q.json: vqa: byte 0", "unexpected EOF"}},
		{"no JSON", "<html>", all, []string{"q.json", "invalid character '<'"}},
		{"a list", "[]", all, []string{"q.json: vqa: byte 1", `"[" instead of "{"`}},
		{"swapped", all, questionsFile, []string{"q.json", "no list of questions", "swapped"}},
		{"questions twice", `{"questions": [], "questions": []}`, all, []string{"second list of questions"}},
		{"no list", `{"questions": {}}`, all, []string{"questions: byte 15", `"{" instead of "["`}},
		{"number for a list", `{"questions": 5}`, all, []string{`"5" instead of "["`}},
		{"cut in an entry", questionsFile[:strings.Index(questionsFile, "round")], all, []string{"q.json",
			"questions, entry 1 (from byte", "unexpected EOF"}},
		{"cut between entries", questionsFile[:strings.Index(questionsFile, "\n{\"question_id")], all, []string{"unexpected EOF"}},
		{"cut at the end", questionsFile[:len(questionsFile)-1], all, []string{"unexpected EOF"}},
		{"cut before the list", questionsFile[:100], all, []string{"unexpected EOF"}},
		{"goes on", questionsFile + "{}", all, []string{"goes on after its end"}},
		{"no number", question(`"image_id": 1, "question": "x"`), all, []string{"entry 0", "question_id is missing"}},
		{"null for a number", question(`"question_id": null, "image_id": 1, "question": "x"`), all, []string{"question_id is missing"}},
		{"no picture", question(`"question_id": 1, "question": "x"`), all, []string{"image_id is missing"}},
		{"no text", question(`"question_id": 1, "image_id": 1, "question": ""`), all, []string{"question is missing or empty"}},
		{"text for a number", question(`"question_id": "1", "image_id": 1, "question": "x"`), all, []string{"entry 0", "question_id"}},
		{"broken number", question(`"question_id": 1.5, "image_id": 1, "question": "x"`), all, []string{"entry 0", "1.5"}},
		{"vast number", question(`"question_id": 99999999999999999999, "image_id": 1, "question": "x"`), all,
			[]string{"99999999999999999999"}},
		{"question twice", strings.Replace(questionsFile, "458752001", "458752000", 1), all,
			[]string{"q.json: vqa: question 458752000 occurs twice"}},
		{"answers to another question", questionsFile, annotationsFile(nets, yes, annotation(7, 262146, "x",
			slices.Repeat([]string{"x"}, 10)...)),
			[]string{"a.json: vqa: answers to question 7, which q.json does not have"}},
		{"answers twice", questionsFile, annotationsFile(nets, yes, nets), []string{"a.json", "458752000 occur twice"}},
		{"another picture", questionsFile, annotationsFile(strings.Replace(nets, `"image_id": 458752`, `"image_id": 3`, 1)),
			[]string{"question 458752000 is about picture 458752", "picture 3"}},
		{"answers missing", questionsFile, annotationsFile(nets), []string{"no answers to question 458752001, and to 2 in all"}},
		{"nine answers", questionsFile, annotationsFile(annotation(458752000, 458752, "x", slices.Repeat([]string{"x"}, 9)...)),
			[]string{"annotations, entry 0", "question 458752000 has 9 answers, not 10"}},
		{"eleven answers", questionsFile, annotationsFile(annotation(458752000, 458752, "x",
			slices.Repeat([]string{"x"}, 11)...)), []string{"11 answers"}},
		{"an answer without text", questionsFile, annotationsFile(strings.Replace(nets, `"answer": "mesh"`, `"reply": "mesh"`, 1)),
			[]string{"question 458752000: answer 7 is missing"}},
		{"annotation without a question", questionsFile, `{"annotations": [{"image_id": 5}]}`, []string{"question_id is missing"}},
		{"annotation without a picture", questionsFile, `{"annotations": [{"question_id": 5}]}`, []string{"image_id is missing"}},
	} {
		t.Run(tt.name, func(t *testing.T) {
			set, err := Read(files(tt.questions, tt.annotations), "q.json", "a.json")
			expect.Error(t, err, append(tt.want, "vqa: ")...)
			expect.That(t, set == nil, "a set in spite of the error")
			expect.That(t, !strings.HasPrefix(tt.name, "cut") || errors.Is(err, io.ErrUnexpectedEOF),
				"error %v does not wrap io.ErrUnexpectedEOF", err)
		})
	}
	for _, name := range []string{"q.json", "a.json"} {
		fsys := files(questionsFile, all)
		delete(fsys, name)
		if _, err := Read(fsys, "q.json", "a.json"); !errors.Is(err, fs.ErrNotExist) || !strings.Contains(err.Error(), name) {
			t.Errorf("without %s: error %v", name, err)
		}
	}
}

// A loop may be left early, and a read error is returned.
func TestQuestions(t *testing.T) {
	n := 0
	for q, err := range Questions(iotest.OneByteReader(strings.NewReader(questionsFile))) {
		expect.That(t, err == nil && q.ID == 458752000, "%+v, error %v", q, err)
		n++
		break
	}
	expect.That(t, n == 1, "%d questions before the loop was left, want 1", n)
	broken := errors.New("broken disk")
	var failure error
	for _, failure = range Questions(io.MultiReader(strings.NewReader(questionsFile[:350]), iotest.ErrReader(broken))) {
	}
	expect.That(t, errors.Is(failure, broken), "error %v, want %v", failure, broken)
}

// endless is a reader of an endless list of questions.
type endless struct{ n int }

func (e *endless) Read(p []byte) (int, error) {
	entry := fmt.Sprintf(`{"question_id": %d, "image_id": 1, "question": "x"},`, e.n)
	if e.n == 0 {
		entry = `{"questions": [` + entry
	}
	e.n++
	return copy(p, entry), nil
}

// 200,000 entries of 50 bytes are 10 MB, of which only a few may be held at any time. Allocations are some hundred
// bytes per entry, never the whole list at once.
func TestStreamingHoldsOneEntry(t *testing.T) {
	var most uint64
	n := 0
	start := damage.Held()
	for q, err := range Questions(&endless{}) {
		expect.Require(t, err == nil && q.ID == int64(n), "question %d: %+v, error %v", n, q, err)
		if n++; n%50_000 == 0 {
			most = max(most, damage.Held())
		}
		if n == 200_000 {
			break
		}
	}
	expect.That(t, most <= start+2<<20, "%d bytes held, %d at the start", most, start)
}

func TestAccuracies(t *testing.T) {
	for n := range 11 {
		var answers [10]string
		for i := range answers {
			answers[i] = "other"
			if i >= 10-n {
				answers[i] = "net"
			}
		}
		hit := 0.0
		if n > 0 {
			hit = 1
		}
		expect.Equal(t, Hit("net", answers), hit, "%d of 10: Hit", n)
		got, want := Consensus("net", answers), []float64{0, 1. / 3, 2. / 3, 1, 1, 1, 1, 1, 1, 1, 1}[n]
		expect.Near(t, got, want, 1e-15, "%d of 10: Consensus", n)
		// By definition: leave each person out in turn.
		sum := 0.0
		for out := range answers {
			agree := 0
			for i, a := range answers {
				if i != out && a == "net" {
					agree++
				}
			}
			sum += min(1, float64(agree)/3)
		}
		if got := LeaveOneOut("net", answers); !(math.Abs(got-sum/10) <= 1e-15) {
			t.Errorf("%d of 10: LeaveOneOut is %g, want %g", n, got, sum/10)
		}
	}
}

func TestScore(t *testing.T) {
	set := expect.Must(Read(files(questionsFile, annotationsFile(counts, nets, yes)), "q.json", "a.json"))(t)
	got := expect.Must(set.Score(map[int64]string{458752000: "a mesh", 458752001: "No!", 262146000: "Two"}))(t)
	// One of ten answered mesh, none no, two 2.
	want := Score{Hit: 2. / 3, Consensus: (1./3 + 0 + 2./3) / 3, LeaveOneOut: (0.3 + 0 + 0.6) / 3}
	expect.That(t, math.Abs(got.Hit-want.Hit) <= 1e-15 && math.Abs(got.Consensus-want.Consensus) <= 1e-15 &&
		math.Abs(got.LeaveOneOut-want.LeaveOneOut) <= 1e-15, "score %+v, want %+v", got, want)
	_, err := set.Score(map[int64]string{458752000: "net", 458752001: "no"})
	expect.Error(t, err, "question 262146000 has no answer")
	_, err = set.Score(map[int64]string{458752000: "net", 458752001: "no", 262146000: "2", 5: "x"})
	expect.Error(t, err, "4 answers to 3 questions")
	expect.Error(t, expect.Err((&Set{}).Score(nil)), "no questions")
}

func TestNormalize(t *testing.T) {
	expect.Each(t, Normalize, map[string]string{
		"":                   "",
		"Net":                "net",
		"  The  net\n":       "net",
		"A T-shirt!":         "t shirt",
		"two":                "2",
		"None":               "0",
		"ten people":         "10 people",
		"1,000":              "1000",
		"red, white":         "red white",
		"red,white":          "red white",
		"red/white":          "red white",
		"red /white":         "red white",
		"2.5":                "2.5",
		".5":                 ".5",
		"end.":               "end",
		"Mr. T.":             "mr t",
		"it's 5:30":          "it's 5:30",
		"\"hello\" (world)?": "hello world",
		"an apple a day":     "apple day",
		"naïve":              "naïve",
		"\xff":               "",
	})
}

// checkFiles reads possibly damaged files: the result is an error, or a set that equals the files' JSON.
func checkFiles(t *testing.T, questions, annotations string) {
	var set *Set
	var err error
	taken := damage.Allocated(func() { set, err = Read(files(questions, annotations), "q.json", "a.json") })
	limit := uint64(1<<20 + 100*(len(questions)+len(annotations)))
	expect.That(t, taken <= limit, "%d bytes taken for files of %d", taken, len(questions)+len(annotations))
	if err != nil {
		expect.That(t, set == nil, "a set in spite of the error %v", err)
		return
	}
	var q struct{ Questions []map[string]any }
	var a struct{ Annotations []map[string]any }
	expect.NoError(t, errors.Join(json.Unmarshal([]byte(questions), &q), json.Unmarshal([]byte(annotations), &a)))
	expect.That(t, len(set.Examples) == len(q.Questions) && len(set.Examples) == len(a.Annotations),
		"%d examples of %d questions and %d annotations", len(set.Examples), len(q.Questions), len(a.Annotations))
	for i, e := range set.Examples {
		text, ok := q.Questions[i]["question"].(string)
		expect.That(t, !ok || text == e.Text, "question %q, the file has %q", e.Text, text)
	}
}

func FuzzRead(f *testing.F) {
	f.Add(questionsFile, annotationsFile(nets, yes, counts))
	f.Add(`{"questions": []}`, `{"annotations": []}`)
	f.Fuzz(checkFiles)
}

func TestDamagedFiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2014))
	all := annotationsFile(nets, yes, counts)
	for range 300 {
		checkFiles(t, string(damage.One(rng, []byte(questionsFile))), all)
		checkFiles(t, questionsFile, string(damage.One(rng, []byte(all))))
	}
}
