package pu_test

import (
	"bytes"
	"context"
	"encoding/csv"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"sync"
	"testing"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/internal/enginetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/pucl/baseline"
	"github.com/puclab/puclab/pucl/classify"
	"github.com/puclab/puclab/pucl/encoder"
	"github.com/puclab/puclab/pucl/learn"
	"github.com/puclab/puclab/pucl/pu"
	"github.com/puclab/puclab/pucl/train"
)

// picture draws a bright square, on the left if positive, else on the right.
func picture(positive bool, rng *rand.Rand) *image.Gray {
	img := image.NewGray(image.Rect(0, 0, 12, 12))
	left := 7
	if positive {
		left = 1
	}
	top := rng.IntN(7)
	for y := range 12 {
		for x := range 12 {
			v := rng.IntN(40)
			if x >= left && x < left+4 && y >= top && y < top+4 {
				v += 180
			}
			img.SetGray(x, y, color.Gray{Y: uint8(v)})
		}
	}
	return img
}

// folderOf writes pictures, with the given numbers of positive and negative ones in each sub-folder.
func folderOf(t *testing.T, sub map[string][2]int) string {
	t.Helper()
	root, rng := t.TempDir(), rand.New(rand.NewPCG(5, 5))
	for _, name := range []string{"labeled", "unlabeled", "left", "right"} {
		for i := range sub[name][0] + sub[name][1] {
			expect.NoError(t, os.MkdirAll(filepath.Join(root, name), 0o777))
			file := expect.Must(os.Create(filepath.Join(root, name, fmt.Sprintf("%03d.png", i))))(t)
			expect.NoError(t, png.Encode(file, picture(i < sub[name][0], rng)))
			expect.NoError(t, file.Close())
		}
	}
	return root
}

// smallCNN returns a very short pretraining on images, with views that preserve left and right.
func smallCNN() pu.Pretraining {
	return pu.Pretraining{
		Config: train.Config{Steps: 40, Encoder: encoder.SmallCNN{Width: 4, Dim: 16, Mean: 0.2, Std: 0.3},
			Projection: 8},
		Batch: datasets.BatchConfig{Size: 32},
	}
}

// From a folder to a classifier that reads files, images and data sets.
func TestFolder(t *testing.T) {
	eng := enginetest.Open(t)
	path := folderOf(t, map[string][2]int{"labeled": {20, 0}, "unlabeled": {30, 50}})
	data := expect.Must(pu.OpenFolder(path, pu.FolderConfig{}))(t)
	expect.Equal(t, data.String(), "100 images of 12×12×1, 20 labeled positives and 80 unlabeled")
	test := expect.Must(pu.OpenFolder(folderOf(t, map[string][2]int{"left": {40, 0}, "right": {0, 40}}),
		pu.FolderConfig{Truth: []string{"left"}, Like: data}))(t)
	cnn := encoder.SmallCNN{Width: 4, Dim: 16}
	for _, m := range []pu.Method{
		pu.Algorithm1{Pretraining: smallCNN()}, pu.Mixture{Pretraining: smallCNN()},
		pu.Mixture{Pretraining: smallCNN(), FineTune: &classify.FineTuneConfig{Epochs: 2}},
		pu.CrossFit{Pretraining: smallCNN(), Folds: 2}, pu.Baseline{Method: baseline.VPU{}, Encoder: cnn, Positives: 16,
			Unlabeled: 32, Settings: train.Settings{Steps: 40}},
		pu.Baseline{Method: baseline.NNPU{Prior: 0.4}, Encoder: cnn, Positives: 16, Unlabeled: 32,
			Settings: train.Settings{Steps: 40}},
	} {
		t.Run(m.String(), func(t *testing.T) {
			c := expect.Must(pu.Fit(context.Background(), data, pu.Config{Method: m, Seed: 1, Engine: eng}))(t)
			p := expect.Must(c.Predict(test))(t)
			saved := filepath.Join(t.TempDir(), "a.classifier")
			expect.NoError(t, c.Save(saved))
			c = expect.Must(learn.Load(saved, eng, nil))(t)
			expect.Equal(t, expect.Must(c.Predict(test))(t), p)
			img := picture(true, rand.New(rand.NewPCG(9, 9)))
			file := filepath.Join(t.TempDir(), "one.png")
			out := expect.Must(os.Create(file))(t)
			expect.NoError(t, png.Encode(out, img))
			expect.NoError(t, out.Close())
			one := expect.Must(c.PredictFile(file))(t)
			expect.Near(t, expect.Must(c.PredictImage(img))(t), one, 0)
			in := expect.Must(os.Open(file))(t)
			defer in.Close()
			expect.Near(t, expect.Must(c.PredictReader(in))(t), one, 0)
			same := expect.Must(pu.Images(img.Pix, data.Shape, nil))(t)
			expect.Near(t, expect.Must(c.Predict(same))(t)[0], one, 1e-5)
			expect.Error(t, expect.Err(c.PredictRow(map[string]any{"a": 1})), "a row of a table", "12×12×1")
		})
	}
}

// Parts of a data set are no classes, and a file whose name cannot be opened is a broken one.
func TestFolderOfOtherTools(t *testing.T) {
	root := folderOf(t, map[string][2]int{"left": {3, 0}, "right": {0, 3}})
	expect.NoError(t, os.Rename(filepath.Join(root, "left"), filepath.Join(root, "train")))
	expect.NoError(t, os.Rename(filepath.Join(root, "right"), filepath.Join(root, "val")))
	expect.Error(t, expect.Err(pu.OpenFolder(root, pu.FolderConfig{})), "train, val", "parts")
	expect.Must(pu.OpenFolder(root, pu.FolderConfig{Positive: []string{"train"}}))(t)
	root = folderOf(t, map[string][2]int{"labeled": {3, 0}, "unlabeled": {0, 3}})
	if err := os.Rename(filepath.Join(root, "labeled", "000.png"), filepath.Join(root, "labeled",
		"\xe4.png")); err != nil {
		t.Skipf("this file system has names in UTF-8 alone: %v", err)
	}
	expect.Error(t, expect.Err(pu.OpenFolder(root, pu.FolderConfig{})), `"labeled/\xe4.png" is not UTF-8`)
	d := expect.Must(pu.OpenFolder(root, pu.FolderConfig{SkipBroken: true}))(t)
	expect.That(t, len(d.Skipped) == 1 && d.Len() == 5, "%v, left out: %v", d, d.Skipped)
}

// Images are gray if they have no color, for every color mode of the file.
func TestGrayFolders(t *testing.T) {
	for name, channels := range map[string]int{"1.png": 1, "L.png": 1, "LA.png": 1, "I16.png": 1, "P-gray.png": 1,
		"L.jpg": 1,
		"P.png": 3, "P-clear.png": 3, "RGB.png": 3, "RGBA.png": 3, "RGB.jpg": 3, "CMYK.jpg": 3} {
		data := expect.Must(os.ReadFile("../../datasets/folder/testdata/pillow-" + name))(t)
		root := t.TempDir()
		for _, class := range []string{"labeled", "unlabeled"} {
			expect.File(t, filepath.Join(root, class, name), data)
		}
		d := expect.Must(pu.OpenFolder(root, pu.FolderConfig{}))(t)
		expect.Equal(t, d.Shape, pu.Shape{Height: 6, Width: 9, Channels: channels}, name)
	}
}

const someRows = `id,age,city,status
1,50,Bern,
2,,"Genève, Lac",ill
`

// A table with gaps, categories and text: a row given as a map has the same prediction as the same row of the file.
func TestTable(t *testing.T) {
	eng := enginetest.Open(t)
	rng := rand.New(rand.NewPCG(6, 6))
	text := someRows
	for i := range 200 {
		status, age, city := "", fmt.Sprintf("%.1f", 40+8*rng.NormFloat64()), []string{"Bern", "Basel"}[rng.IntN(2)]
		if i%3 == 0 {
			age, city = fmt.Sprintf("%.1f", 62+8*rng.NormFloat64()), "Genève, Lac"
			if i%2 == 0 {
				status = "ill"
			}
		}
		if i%11 == 0 {
			age = "NA"
		}
		text += fmt.Sprintf("%d,%s,%q,%s\n", i+3, age, city, status)
	}
	path := expect.File(t, filepath.Join(t.TempDir(), "a.csv"), []byte(text))
	data := expect.Must(pu.OpenTable(path, pu.TableConfig{Label: "status", Skip: []string{"id"}}))(t)
	c := expect.Must(pu.Fit(context.Background(), data, pu.Config{Engine: eng}))(t)
	p := expect.Must(c.Predict(data))(t)
	expect.Equal(t, expect.Must(c.PredictRow(map[string]any{"age": 50, "city": "Bern"}))(t), p[0])
	expect.Equal(t, expect.Must(c.PredictRow(map[string]any{"age": nil, "city": "Genève, Lac", "more": "ignored"}))(t),
		p[1])
	unseen := expect.Must(c.PredictRow(map[string]any{"age": 63.5, "city": "Paris"}))(t)
	expect.That(t, unseen > 0 && unseen < 1, "an unseen category gives %g", unseen)
	expect.Error(t, expect.Err(c.PredictRow(map[string]any{"age": 50})), "city")
	expect.Error(t, expect.Err(c.PredictRow(map[string]any{"age": []int{1}, "city": ""})), "age", "[]int")
	expect.Error(t, expect.Err(pu.OpenTable(path, pu.TableConfig{})), "no Label")
	expect.Error(t, expect.Err(pu.OpenTable(path, pu.TableConfig{Label: "status", Skip: []string{"id"}, Positive: []string{"sick"}})), `"sick"`, `"ill"`)
	expect.Error(t, expect.Err(pu.OpenTable(path, pu.TableConfig{Label: "city", Skip: []string{"id"}})), "Positive",
		"Basel")
}

// Whole numbers that were written as fractions are the same labels, and row numbers are no feature.
func TestTableOfOtherTools(t *testing.T) {
	open := func(text string, config pu.TableConfig) (*pu.Dataset, error) {
		config.Label = "y"
		return pu.OpenTable(expect.File(t, filepath.Join(t.TempDir(), "a.csv"), []byte(text)), config)
	}
	for _, text := range []string{"a,y\n5,1\n6,0\n7,1\n", "a,y\n5,1.0\n6,0.0\n7,1\n"} {
		for _, one := range []string{"1", "1.0"} {
			expect.Equal(t, expect.Must(open(text, pu.TableConfig{Positive: []string{one}}))(t).Labeled, []bool{true,
				false, true})
		}
		expect.Error(t, expect.Err(open(text, pu.TableConfig{})), `["0" "1"]`, "Positive")
	}
	indexed := ",a,y\n0,5,1\n1,6,\n2,7,\n"
	expect.Error(t, expect.Err(open(indexed, pu.TableConfig{})), "column 1 has no name", "Skip")
	expect.Equal(t, len(expect.Must(open(indexed, pu.TableConfig{Skip: []string{""}}))(t).Table.Columns), 1)
	named := pu.TableConfig{Keep: []string{"Unnamed: 0"}}
	expect.Error(t, expect.Err(open("Unnamed: 0"+indexed, pu.TableConfig{})), "Skip", "Keep")
	expect.Equal(t, len(expect.Must(open("Unnamed: 0"+indexed, named))(t).Table.Columns), 2)
}

// An invented table of patients with gaps and categories, 105 of 2,000 rows labeled: the default ranks them nearly as
// scikit-learn's logistic regression of labeled against unlabeled rows does, whose AUC is .9908, and a test table is
// read as the training table.
func TestPatients(t *testing.T) {
	const folder = "../../datasets/tabular/testdata/"
	config := pu.TableConfig{Label: "status", Skip: []string{"id"}}
	data := expect.Must(pu.OpenTable(folder+"patients.csv", config))(t)
	truth := expect.Must(csv.NewReader(bytes.NewReader(expect.Must(os.ReadFile(folder + "patients-truth.csv"))(t))).ReadAll())(t)
	for _, record := range truth[1:] {
		data.Truth = append(data.Truth, record[1] == "1")
	}
	c := expect.Must(pu.Fit(context.Background(), data, pu.Config{Engine: enginetest.Open(t)}))(t)
	score := expect.Must(c.Evaluate(data))(t)
	expect.That(t, score.AUC > 0.98 && score.Accuracy() > 0.9, "AUC %.4f, accuracy %.3f", score.AUC, score.Accuracy())
	few := expect.File(t, filepath.Join(t.TempDir(), "few.csv"), []byte("id,age,bmi,bp,glucose,a1c,chol,hdl,trig,city,visits,status\n"+
		"p9,,,,,,,,,Bern,,diabetic\n"))
	config.Like, config.Truth, config.Positive = data, true, []string{"diabetic"}
	one := expect.Must(pu.OpenTable(few, config))(t)
	expect.Equal(t, len(expect.Must(c.Predict(one))(t)), 1)
	expect.Equal(t, one.Truth, []bool{true})
	config.Like = &pu.Dataset{Pixels: make([]uint8, 2), Shape: pu.Shape{Height: 1, Width: 1, Channels: 1}}
	expect.Error(t, expect.Err(pu.OpenTable(few, config)), "Like is a data set of images")
}

// A PU split of images becomes a data set in its order, with Truth if all true classes are given.
func TestFromPU(t *testing.T) {
	images := &datasets.Images{Height: 1, Width: 2, Channels: 1, Classes: []string{"a", "b"}, Labels: []int{0, 1, 0, 1, 0, 0}}
	for i := range 12 {
		images.Pixels = append(images.Pixels, uint8(i))
	}
	for _, setting := range []datasets.Setting{datasets.CaseControl, datasets.SingleDataset} {
		split := expect.Must(datasets.NewPU(images, datasets.SplitConfig{Positive: []int{0}, Labeled: 2, Setting: setting, Seed: 1}))(t)
		d := expect.Must(pu.FromPU(split))(t)
		expect.Equal(t, d.CaseControl, setting == datasets.CaseControl)
		expect.Equal(t, d.Labeled, split.Labeled)
		for i, row := range split.Index {
			expect.That(t, int(d.Pixels[2*i]) == 2*row && d.Truth[i] == (images.Labels[row] == 0), "example %d is not image %d", i, row)
		}
	}
	expect.Error(t, expect.Err(pu.FromPU(nil)), "no PU data")
}

// A classifier can be used from many goroutines, predicts the same alone and in a batch, and leaks no memory.
func TestServing(t *testing.T) {
	eng := enginetest.Open(t)
	path := folderOf(t, map[string][2]int{"labeled": {20, 0}, "unlabeled": {30, 50}})
	data := expect.Must(pu.OpenFolder(path, pu.FolderConfig{}))(t)
	p := smallCNN()
	p.Steps = 2
	c := expect.Must(pu.Fit(context.Background(), data, pu.Config{Method: pu.CrossFit{Pretraining: p, Folds: 2},
		Engine: eng}))(t)
	want := expect.Must(c.Predict(data))(t)
	size := len(data.Pixels) / data.Len()
	one := func(i int) float64 {
		img := &image.Gray{Pix: data.Pixels[i*size : (i+1)*size], Stride: data.Shape.Width,
			Rect: image.Rect(0, 0, data.Shape.Width, data.Shape.Height)}
		return expect.Must(c.PredictImage(img))(t)
	}
	var group sync.WaitGroup
	for i := range 32 {
		group.Go(func() { expect.Near(t, one(i), want[i], 1e-5, "image %d", i) })
	}
	group.Wait()
	for _, n := range []int{1, 2, 3, 65} { // filled up to 1, 2, 4, 128 rows
		part := expect.Must(pu.Images(data.Pixels[:n*size], data.Shape, nil))(t)
		for i, p := range expect.Must(c.Predict(part))(t) {
			expect.Near(t, p, want[i], 1e-5, "%d images, image %d", n, i)
		}
	}
	heap := func() uint64 {
		runtime.GC()
		var m runtime.MemStats
		runtime.ReadMemStats(&m)
		return m.HeapAlloc
	}
	before := heap()
	for range 500 {
		one(0)
	}
	after := heap()
	expect.That(t, after < before+1<<20, "%d bytes before 500 predictions, %d after", before, after)
}
