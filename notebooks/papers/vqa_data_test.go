package papers

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/jpeg"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/puclab/puclab/datasets"
	asking "github.com/puclab/puclab/datasets/vqa"
	"github.com/puclab/puclab/pucl/vqa"
)

// writeVQA makes the files of VQA v2 in miniature: n images of one brightness each in both parts, whose captions tell it, and questions of
// which every third has an answer that nobody else gives.
func writeVQA(t *testing.T, n int) {
	t.Helper()
	dir := t.TempDir()
	t.Setenv(datasets.EnvDataDir, dir)
	write := func(name string, content []byte) {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	list := func(key string, entries []map[string]any) []byte {
		text, err := json.Marshal(map[string]any{"info": map[string]any{}, key: entries})
		if err != nil {
			t.Fatal(err)
		}
		return text
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
			if err := jpeg.Encode(&file, gray, nil); err != nil {
				t.Fatal(err)
			}
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

// Images, first captions, questions and answers of VQA v2 belong together, and training sees nothing of the validation images.
func TestDrawOfVQA(t *testing.T) {
	writeVQA(t, 12)
	learn, test, err := Answering{Source: VQAv2, Edge: 16}.Draw(1)
	if err != nil {
		t.Fatal(err)
	}
	if len(learn.Questions) != 12 || len(test.Questions) != 12 || test.Captions != nil {
		t.Fatalf("%d questions to learn from, %d to be asked, %d captions there", len(learn.Questions), len(test.Questions), len(test.Captions))
	}
	if want := []string{"dark", "light", "nobody else's 102"}; !slices.Equal(learn.Answers[:3], want) {
		t.Errorf("answers %q, want %q first", learn.Answers, want)
	}
	pixels := make([]uint8, 16*16*3)
	for i, q := range learn.Questions {
		if err := learn.Images.ReadImage(q.Image, pixels); err != nil {
			t.Fatal(err)
		}
		level := (int(pixels[0]) + 5) / 20
		if id := learn.Examples[i].ImageID; int(id) != 100+level || learn.Captions[q.Image] != fmt.Sprint("level ", level) {
			t.Errorf("question %d is about image %d, of level %d, with the caption %q", i, id, level, learn.Captions[q.Image])
		}
	}
	for _, e := range test.Examples {
		if e.ImageID < 200 {
			t.Errorf("image %d is asked about and learned from", e.ImageID)
		}
	}
	// Where few answers are chosen from, questions without one are left out, along with how they are scored.
	learn.Answers = learn.commonest(2)
	learn.dropUnanswered()
	if len(learn.Questions) != 8 || len(learn.Examples) != 8 || learn.Questions[2].Image != 3 || learn.Examples[2].ImageID != 103 {
		t.Errorf("%d questions have an answer of %q, the third about image %d", len(learn.Questions), learn.Answers, learn.Examples[2].ImageID)
	}
	point, err := test.judge(slices.Repeat([]string{"dark"}, 12))
	if err != nil || point.Test.Confusion.TruePositive != 4 {
		t.Errorf("hits %+v, error %v; want 4", point.Test, err)
	}
}

// A seed draws which images there are where not all are taken, and whose captions are false.
func TestDrawOfLessVQA(t *testing.T) {
	writeVQA(t, 12)
	c := Answering{Source: VQAv2, Edge: 16, Images: 6, Tested: 5, FalseCaptions: 0.5}
	learn, test, err := c.Draw(1)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	for i, q := range learn.Questions {
		if learn.Captions[q.Image] != fmt.Sprint("level ", learn.Examples[i].ImageID-100) {
			wrong++
		}
	}
	if learn.Images.Len() != 6 || len(learn.Questions) != 6 || len(test.Questions) != 5 || wrong != 3 {
		t.Errorf("%d images, %d questions, %d asked, %d false captions", learn.Images.Len(), len(learn.Questions), len(test.Questions), wrong)
	}
	other, _, err := c.Draw(2)
	if err != nil {
		t.Fatal(err)
	}
	if slices.Equal(learn.Captions, other.Captions) {
		t.Error("another seed draws the same images")
	}
	for _, wrong := range []struct {
		c    Answering
		want string
	}{
		{Answering{Source: VQAv2, Edge: 16, Images: 13}, "papers: 13 images of train2014 are asked for, and there are questions about 12"},
		{Answering{Source: "COCO"}, `papers: questions from "COCO"; there are "rendered" and "VQA v2"`},
		{Answering{Source: VQAv2, Edge: 16, FalseCaptions: 2}, "papers: vqa: a share of 2 of the captions is misplaced; it must lie between 0 and 1"},
	} {
		if _, _, err := wrong.c.Draw(1); err == nil || !strings.HasPrefix(err.Error(), wrong.want) {
			t.Errorf("error %v, want %q", err, wrong.want)
		}
	}
	t.Setenv(datasets.EnvDataDir, t.TempDir())
	_, _, err = c.Draw(1)
	if err == nil || !strings.Contains(err.Error(), "papers: VQA v2 is not on this machine: put its files, "+questionsOf("train2014")) {
		t.Errorf("error %v", err)
	}
	if _, _, err := baseWeights(); err == nil || !strings.Contains(err.Error(), vitFolder+" is not on this machine: put its files, model.safetensors") {
		t.Errorf("error %v", err)
	}
}
