package papers

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets"
	imagefolder "github.com/puclab/puclab/datasets/folder"
	asking "github.com/puclab/puclab/datasets/vqa"
	"github.com/puclab/puclab/datasets/vqa/rendered"
	"github.com/puclab/puclab/notebooks/experiment"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/safetensors"
	"github.com/puclab/puclab/pucl/vqa"
)

// The sources of questions.
const (
	Rendered = "rendered" // by [rendered.Make]
	VQAv2    = "VQA v2"   // about the images of COCO
)

// Asked holds questions as model input and, in the same order, for scoring.
type Asked struct {
	vqa.Data
	asking.Set
}

// Draw returns the training questions of a seed and its test questions about other images.
func (c Answering) Draw(seed uint64) (learn, test *Asked, err error) {
	switch c.Source {
	case Rendered, "":
		learn, test, err = c.render(seed)
	case VQAv2:
		learn, test, err = c.readVQA(seed)
	default:
		err = fmt.Errorf("questions from %q; there are %q and %q", c.Source, Rendered, VQAv2)
	}
	if err != nil {
		return nil, nil, fmt.Errorf("papers: %w", err)
	}
	return learn, test, nil
}

// render returns rendered questions; the captions of test images are all correct.
func (c Answering) render(seed uint64) (learn, test *Asked, err error) {
	tokenizer, err := vqa.NewTokenizer(slices.Concat(vqa.Special(), rendered.Words()))
	if err != nil {
		return nil, nil, err
	}
	draw := func(images int, falseCaptions float64, seed uint64) (*Asked, error) {
		s, err := rendered.Make(rendered.Config{Images: images, Questions: c.Questions, Edge: c.Edge, Disagreement: c.Disagreement,
			FalsePositives: falseCaptions, Seed: seed})
		if err != nil {
			return nil, err
		}
		a := &Asked{vqa.Data{Images: s, Captions: s.Captions, Answers: rendered.Answers(), Tokenizer: tokenizer}, s.Set}
		for _, e := range s.Examples {
			a.Questions = append(a.Questions, vqa.Question{Image: int(e.ImageID), Text: e.Text, Answers: slices.Clone(e.Answers[:])})
		}
		return a, nil
	}
	if learn, err = draw(c.Images, c.FalseCaptions, 2*seed); err != nil {
		return nil, nil, err
	}
	test, err = draw(c.Tested, 0, 2*seed+1)
	return learn, test, err
}

// commonAnswers is the number of candidate answers of a model of VQA v2: the most frequent answers to the training
// questions, as is usual for this data set. Training questions without any of these answers are dropped; test questions
// are not.
const commonAnswers = 3129

// readVQA returns the questions of VQA v2 about the training images of COCO, with the first caption of each, and the
// questions about its validation images. If not all images are used, the seed selects them.
func (c Answering) readVQA(seed uint64) (learn, test *Asked, err error) {
	questions, err := fileOf(VQAv2, "vqa-v2", questionsOf("train2014"))
	if err != nil {
		return nil, nil, err
	}
	dir := os.DirFS(filepath.Dir(questions))
	vocabulary, err := bertVocabulary()
	if err != nil {
		return nil, nil, err
	}
	tokenizer, err := vqa.NewTokenizer(vocabulary)
	if err != nil {
		return nil, nil, err
	}
	rng := rand.New(rand.NewPCG(seed, 0x767161))
	if learn, err = c.readPart(dir, "train2014", c.Images, rng); err != nil {
		return nil, nil, err
	}
	if test, err = c.readPart(dir, "val2014", c.Tested, rng); err != nil {
		return nil, nil, err
	}
	captions, err := asking.ReadCaptions(dir, "captions_train2014.json")
	if err != nil {
		return nil, nil, err
	}
	if err := learn.caption(captions, c.FalseCaptions, rng); err != nil {
		return nil, nil, err
	}
	learn.Answers = learn.commonest(commonAnswers)
	test.Answers, learn.Tokenizer, test.Tokenizer = learn.Answers, tokenizer, tokenizer
	learn.dropUnanswered()
	return learn, test, nil
}

func questionsOf(part string) string { return "v2_OpenEnded_mscoco_" + part + "_questions.json" }

// readPart returns the questions about most images of a part of COCO, 0 meaning all, without captions and candidate
// answers.
func (c Answering) readPart(dir fs.FS, part string, most int, rng *rand.Rand) (*Asked, error) {
	all, err := asking.Read(dir, questionsOf(part), "v2_mscoco_"+part+"_annotations.json")
	if err != nil {
		return nil, err
	}
	row := map[int64]int{} // of each image
	for _, e := range all.Examples {
		row[e.ImageID] = 0
	}
	ids := slices.Sorted(maps.Keys(row))
	if most > len(ids) {
		return nil, fmt.Errorf("%d images of %s are asked for, and there are questions about %d; ask for as many at most, or set 0 for all", most, part, len(ids))
	}
	if most > 0 {
		rng.Shuffle(len(ids), func(i, j int) { ids[i], ids[j] = ids[j], ids[i] })
		ids = ids[:most]
	}
	var list strings.Builder
	clear(row)
	for i, id := range ids {
		row[id] = i
		fmt.Fprintln(&list, asking.ImageFile(part, id), 0)
	}
	images, err := imagefolder.OpenList(dir, strings.NewReader(list.String()), []string{"COCO"}, imagefolder.Config{Height: c.Edge, Fit: imagefolder.Stretch})
	if err != nil {
		return nil, err
	}
	a := &Asked{Data: vqa.Data{Images: images}}
	for _, e := range all.Examples {
		image, ok := row[e.ImageID]
		if !ok {
			continue
		}
		q := vqa.Question{Image: image, Text: e.Text}
		for _, answer := range e.Answers {
			q.Answers = append(q.Answers, asking.Normalize(answer))
		}
		a.Examples, a.Questions = append(a.Examples, e), append(a.Questions, q)
	}
	return a, nil
}

// caption gives every image its first caption, and a fraction of them another image's.
func (a *Asked) caption(of map[int64][]string, share float64, rng *rand.Rand) error {
	own := make([]string, a.Images.Len())
	for i, q := range a.Questions {
		list := of[a.Examples[i].ImageID]
		if len(list) == 0 {
			return fmt.Errorf("captions_train2014.json has no caption of picture %d, about which there are questions: do the files belong together?", a.Examples[i].ImageID)
		}
		own[q.Image] = list[0]
	}
	whose, err := asking.Misplace(len(own), share, rng)
	for _, i := range whose {
		a.Captions = append(a.Captions, own[i])
	}
	return err
}

// commonest returns at most that number of answers, the most frequent first, with ties in alphabetical order.
func (a *Asked) commonest(most int) []string {
	given := map[string]int{}
	for _, q := range a.Questions {
		for _, answer := range q.Answers {
			given[answer]++
		}
	}
	delete(given, "")
	list := slices.SortedFunc(maps.Keys(given), func(a, b string) int { return cmp.Or(given[b]-given[a], cmp.Compare(a, b)) })
	return list[:min(most, len(list))]
}

// dropUnanswered removes the questions without an answer from the list.
func (a *Asked) dropUnanswered() {
	listed := map[string]bool{}
	for _, answer := range a.Answers {
		listed[answer] = true
	}
	kept := 0
	for i, q := range a.Questions {
		if slices.ContainsFunc(q.Answers, func(answer string) bool { return listed[answer] }) {
			a.Questions[kept], a.Examples[kept] = q, a.Examples[i]
			kept++
		}
	}
	a.Questions, a.Examples = a.Questions[:kept], a.Examples[:kept]
}

// judge returns the point of answers to the questions, in their order. A question is a hit if any annotator gave the
// answer. As a confusion, hits are true positives and misses false negatives, so that the accuracy is the one of the
// slides.
func (a *Asked) judge(answers []string) (experiment.Point, error) {
	given := map[int64]string{}
	for i, e := range a.Examples {
		given[e.ID] = answers[i]
	}
	score, err := a.Score(given)
	if err != nil {
		return experiment.Point{}, fmt.Errorf("papers: %w", err)
	}
	n := len(a.Examples)
	hits := int(math.Round(score.Hit * float64(n)))
	return experiment.Point{
		Test:   &evaluate.Binary{Confusion: evaluate.Confusion{TruePositive: hits, FalseNegative: n - hits}, AUC: math.NaN()},
		Values: map[string]float64{ConsensusScore: score.Consensus, LeaveOneOutScore: score.LeaveOneOut},
	}, nil
}

// The folders of the initial weights, as named by Hugging Face.
const (
	vitFolder  = "vit-base-patch16-224-in21k"
	bertFolder = "bert-base-uncased"
)

// baseWeights returns the weights of ViT-B/16 and of BERT-base.
func baseWeights() (image, text map[string]safetensors.Tensor, err error) {
	if image, err = weights(vitFolder); err != nil {
		return nil, nil, fmt.Errorf("papers: %w", err)
	}
	if text, err = weights(bertFolder); err != nil {
		return nil, nil, fmt.Errorf("papers: %w", err)
	}
	return image, text, nil
}

func weights(name string) (map[string]safetensors.Tensor, error) {
	path, err := fileOf(name, name, "model.safetensors")
	if err != nil {
		return nil, err
	}
	file, err := safetensors.ReadFile(path)
	if err != nil {
		return nil, err
	}
	return file.Tensors, nil
}

// bertVocabulary returns the tokens of BERT-base.
func bertVocabulary() (tokens []string, err error) {
	path, err := fileOf(bertFolder, bertFolder, "vocab.txt")
	if err != nil {
		return nil, err
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, file.Close()) }()
	return vqa.ReadVocabulary(file)
}

// fileOf returns the path of a file in the folders of that name; errors call it what.
func fileOf(what, name, file string) (string, error) {
	folders := datasets.Folders(name)
	for _, folder := range folders {
		path := filepath.Join(folder, file)
		if _, err := os.Stat(path); err == nil {
			return path, nil
		} else if !errors.Is(err, fs.ErrNotExist) {
			return "", err
		}
	}
	return "", fmt.Errorf("%s is not on this machine: put its files, %s among them, into one of %s: %w", what, file,
		strings.Join(folders, ", "), fs.ErrNotExist)
}
