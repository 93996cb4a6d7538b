package vqa_test

import (
	"fmt"
	"strings"
	"testing/fstest"

	"github.com/puclab/puclab/datasets/vqa"
)

// One question, to which seven people answered "net", two "mesh" and one "fence".
func Example() {
	var answers []string
	for _, a := range strings.Fields("net net net mesh net net fence net mesh net") {
		answers = append(answers, fmt.Sprintf(`{"answer": %q}`, a))
	}
	folder := fstest.MapFS{
		"questions.json": {Data: []byte(
			`{"questions": [{"question_id": 458752000, "image_id": 458752, "question": "What is in front?"}]}`)},
		"annotations.json": {Data: []byte(
			`{"annotations": [{"question_id": 458752000, "image_id": 458752, "multiple_choice_answer": "net",
			  "answers": [` + strings.Join(answers, ",") + `]}]}`)},
	}
	set, err := vqa.Read(folder, "questions.json", "annotations.json")
	if err != nil {
		fmt.Println(err)
		return
	}
	e := set.Examples[0]
	fmt.Println(e.Text, "Most say:", e.Consensus)
	for _, answer := range []string{"net", "mesh", "fence", "wall"} {
		fmt.Printf("%-5s  hit %.0f  consensus %.2f  leave one out %.2f\n",
			answer, vqa.Hit(answer, e.Answers), vqa.Consensus(answer, e.Answers), vqa.LeaveOneOut(answer, e.Answers))
	}
	// Output:
	// What is in front? Most say: net
	// net    hit 1  consensus 1.00  leave one out 1.00
	// mesh   hit 1  consensus 0.67  leave one out 0.60
	// fence  hit 1  consensus 0.33  leave one out 0.30
	// wall   hit 0  consensus 0.00  leave one out 0.00
}
