package papers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"math"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	asking "github.com/puclab/puclab/datasets/vqa"
	"github.com/puclab/puclab/datasets/vqa/rendered"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/vqa"
)

// All methods of a setting and seed are trained on one set except for captions, and tested on the same questions, which
// are not in training.
func TestAnsweringDraws(t *testing.T) {
	c := answeringAmounts[experiment.Smoke].Answering
	learn, test := expect.Must2(c.Draw(1))(t)
	c.FalseCaptions = 0.5
	other, again := expect.Must2(c.Draw(1))(t)
	drawn := func(a *Asked) *rendered.Set { return a.Images.(*rendered.Set) }
	if !reflect.DeepEqual(drawn(learn).Pixels, drawn(other).Pixels) || !reflect.DeepEqual(drawn(test), drawn(again)) ||
		!reflect.DeepEqual(learn.Questions, other.Questions) || reflect.DeepEqual(learn.Captions, other.Captions) {
		t.Error("a share of false captions changes more than captions, or none")
	}
	size := 3 * c.Edge * c.Edge
	expect.That(t, !reflect.DeepEqual(drawn(learn).Pixels[:size], drawn(test).Pixels[:size]),
		"the first image is learned from and asked about")
	for i, of := range drawn(test).CaptionOf {
		expect.That(t, of == i, "test image %d has the caption of %d", i, of)
	}
}

// Annotators' answers are correct, in the order of the questions; other answers are wrong.
func TestJudgeAnswers(t *testing.T) {
	_, test := expect.Must2(answeringAmounts[experiment.Smoke].Draw(2))(t)
	answers := make([]string, len(test.Examples))
	for i, e := range test.Examples {
		answers[i] = "nothing of the kind"
		if i%4 > 0 {
			answers[i] = e.Answers[9]
		}
	}
	point := expect.Must(test.judge(answers))(t)
	if got := point.Test.Accuracy(); math.Abs(got-0.75) > 1e-12 || point.Test.N() != len(answers) {
		t.Errorf("accuracy %g of %d, want 0.75", got, point.Test.N())
	}
	v := point.Values[ConsensusScore]
	expect.That(t, v > 0.5 && v <= 0.75, "consensus %g", v)
}

// N-pair and every L_Pos are paired in every setting by their seeds, and training on answers alone runs once per seed.
func TestAnsweringGrid(t *testing.T) {
	grid, err := QuestionAnswering(experiment.Laptop)
	expect.NoError(t, err)
	seeds := map[string]int{}
	for _, run := range grid.Runs {
		seeds[run.Setting+" / "+run.Method]++
	}
	shares := answeringAmounts[experiment.Laptop].shares
	expect.That(t, len(seeds) == len(shares)*(1+len(AnsweringTauPlus()))+1,
		"%d rows, error %v: %v", len(seeds), err, seeds)
	for row, n := range seeds {
		expect.That(t, n == 3, "%s has %d seeds, want 3", row, n)
	}
}

// writeVQA writes a miniature VQA v2: n images of one brightness each in both parts, with captions that state it, and
// questions of which every third has a unique answer.
func writeVQA(t *testing.T, n int) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(datasets.EnvDataDir, dir)
	write := func(name string, content []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		expect.NoError(t, os.MkdirAll(filepath.Dir(path), 0o755))
		expect.NoError(t, os.WriteFile(path, content, 0o644))
	}
	list := func(key string, entries []map[string]any) []byte {
		return expect.Must(json.Marshal(map[string]any{"info": map[string]any{}, key: entries}))(t)
	}
	write(bertFolder+"/vocab.txt", []byte(strings.Join(append(vqa.Special(), "how", "bright", "?", "level", "dark", "light"), "\n")))
	for p, part := range []string{"train2014", "val2014"} {
		var questions, annotations, captions []map[string]any
		for i := range n {
			id := 100*(p+1) + i
			gray := image.NewGray(image.Rect(0, 0, 20, 30))
			for k := range gray.Pix {
				gray.Pix[k] = uint8(20 * i)
			}
			var file bytes.Buffer
			expect.NoError(t, jpeg.Encode(&file, gray, nil))
			write("vqa-v2/"+asking.ImageFile(part, int64(id)), file.Bytes())
			answer := []string{"Dark.", "the light", fmt.Sprint("nobody else's ", id)}[i%3]
			var answers []map[string]any
			for range asking.NumAnswers {
				answers = append(answers, map[string]any{"answer": answer})
			}
			questions = append(questions, map[string]any{"image_id": id, "question_id": 10 * id, "question": "How bright?"})
			annotations = append(annotations, map[string]any{"image_id": id, "question_id": 10 * id, "answers": answers, "multiple_choice_answer": answer})
			for _, text := range []string{fmt.Sprint("level ", i), "another"} {
				captions = append(captions, map[string]any{"image_id": id, "id": len(captions), "caption": text})
			}
		}
		write("vqa-v2/"+questionsOf(part), list("questions", questions))
		write("vqa-v2/v2_mscoco_"+part+"_annotations.json", list("annotations", annotations))
		write("vqa-v2/captions_"+part+".json", list("annotations", captions))
	}
}

// Images, first captions, questions and answers of VQA v2 match, and training uses none of the validation images.
func TestDrawOfVQA(t *testing.T) {
	writeVQA(t, 12)
	learn, test := expect.Must2(Answering{Source: VQAv2, Edge: 16}.Draw(1))(t)
	if len(learn.Questions) != 12 || len(test.Questions) != 12 || test.Captions != nil {
		t.Fatalf("%d questions to learn from, %d to be asked, %d captions there", len(learn.Questions), len(test.Questions), len(test.Captions))
	}
	expect.Equal(t, learn.Answers[:3],
		[]string{"dark", "light", "nobody else's 102"}, "answers %q, want", learn.Answers)
	pixels := make([]uint8, 16*16*3)
	for i, q := range learn.Questions {
		expect.NoError(t, learn.Images.ReadImage(q.Image, pixels))
		level := (int(pixels[0]) + 5) / 20
		if id := learn.Examples[i].ImageID; int(id) != 100+level || learn.Captions[q.Image] != fmt.Sprint("level ", level) {
			t.Errorf("question %d is about image %d, of level %d, with the caption %q", i, id, level, learn.Captions[q.Image])
		}
	}
	for _, e := range test.Examples {
		expect.That(t, e.ImageID >= 200, "image %d is asked about and learned from", e.ImageID)
	}
	// With few candidate answers, questions without one are removed, also from scoring.
	learn.Answers = learn.commonest(2)
	learn.dropUnanswered()
	if len(learn.Questions) != 8 || len(learn.Examples) != 8 || learn.Questions[2].Image != 3 || learn.Examples[2].ImageID != 103 {
		t.Errorf("%d questions have an answer of %q, the third about image %d", len(learn.Questions), learn.Answers, learn.Examples[2].ImageID)
	}
	point, err := test.judge(slices.Repeat([]string{"dark"}, 12))
	expect.That(t, err == nil && point.Test.Confusion.TruePositive == 4, "hits %+v, error %v; want 4", point.Test, err)
}

// The seed selects the images, if not all are used, and the false captions.
func TestDrawOfLessVQA(t *testing.T) {
	writeVQA(t, 12)
	c := Answering{Source: VQAv2, Edge: 16, Images: 6, Tested: 5, FalseCaptions: 0.5}
	learn, test := expect.Must2(c.Draw(1))(t)
	wrong := 0
	for i, q := range learn.Questions {
		if learn.Captions[q.Image] != fmt.Sprint("level ", learn.Examples[i].ImageID-100) {
			wrong++
		}
	}
	if learn.Images.Len() != 6 || len(learn.Questions) != 6 || len(test.Questions) != 5 || wrong != 3 {
		t.Errorf("%d images, %d questions, %d asked, %d false captions", learn.Images.Len(), len(learn.Questions), len(test.Questions), wrong)
	}
	other, _ := expect.Must2(c.Draw(2))(t)
	expect.That(t, !slices.Equal(learn.Captions, other.Captions), "another seed draws the same images")
	for _, wrong := range []struct {
		c    Answering
		want string
	}{
		{Answering{Source: VQAv2, Edge: 16, Images: 13}, "papers: 13 images of train2014 are asked for, and there are questions about 12"},
		{Answering{Source: "COCO"}, `papers: questions from "COCO"; there are "rendered" and "VQA v2"`},
		{Answering{Source: VQAv2, Edge: 16, FalseCaptions: 2}, "papers: vqa: a share of 2 of the captions is misplaced; it must lie between 0 and 1"},
	} {
		_, _, err := wrong.c.Draw(1)
		expect.That(t, err != nil && strings.HasPrefix(err.Error(), wrong.want), "error %v, want %q", err, wrong.want)
	}
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	_, _, err := c.Draw(1)
	if err == nil || !strings.Contains(err.Error(), "papers: VQA v2 is not on this machine: put its files, "+questionsOf("train2014")) {
		t.Errorf("error %v", err)
	}
	if _, _, err := baseWeights(); err == nil || !strings.Contains(err.Error(), vitFolder+" is not on this machine: put its files, model.safetensors") {
		t.Errorf("error %v", err)
	}
}
