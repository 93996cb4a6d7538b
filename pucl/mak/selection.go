package mak

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"
)

// Selection is the result of [Select].
type Selection struct {
	Rule       Rule
	Chosen     []Choice // in the order of selection
	Pool       int      // number of images in the pool
	Alpha      float64  // α of q: 1 and 0 for rules with one score; 0 for rules without scores
	Candidates int      // C; 0 for rules without candidates
	Prototypes int      // number for the seed set; 0 for rules without D
	Seed       uint64
	Notes      []string // unusual conditions, such as a score that is the same for all images

	scores scores
	ranks  []int // of all images by q; nil for rules without q
}

// Choice is a selected image. Scores are NaN if the rule did not use them.
type Choice struct {
	Image    int     // its index in the pool
	ECLE     float64 // tailness in nats; set for every rule if the pool has it
	D        float64 // distance from the nearest prototype
	Q        float64 // score
	Rank     int     // by Q among all images of the pool, from 1 on; 0 for rules without a score
	Distance float64 // to the nearest image of the seed set and of earlier choices; NaN without diversity
}

// add adds images, with their distances unless distances is nil.
func (s *Selection) add(images []int, distances []float64) {
	for i, image := range images {
		c := Choice{Image: image, ECLE: s.scores.ecle[image], D: s.scores.distance[image], Q: s.scores.q[image], Distance: math.NaN()}
		if s.ranks != nil {
			c.Rank = s.ranks[image]
		}
		if distances != nil {
			c.Distance = distances[i]
		}
		s.Chosen = append(s.Chosen, c)
	}
}

// Images returns the indices of the images in the pool, in the order of selection.
func (s *Selection) Images() []int {
	images := make([]int, len(s.Chosen))
	for i, c := range s.Chosen {
		images[i] = c.Image
	}
	return images
}

// Scores returns ECLE, D and q of all images of the pool; NaN if the rule did not use them. Do not modify the slices.
func (s *Selection) Scores() (ecle, distance, q []float64) {
	return s.scores.ecle, s.scores.distance, s.scores.q
}

// Reason returns the reason for the choice: "rank 17 by q = 1.23; 0.41 from the nearest image that was there".
func (c Choice) Reason() string {
	var parts []string
	if c.Rank > 0 {
		parts = append(parts, fmt.Sprintf("rank %d by q = %.4g", c.Rank, c.Q))
	}
	if !math.IsNaN(c.Distance) {
		parts = append(parts, fmt.Sprintf("%.4g from the nearest image that was there", c.Distance))
	}
	if parts == nil {
		return "drawn"
	}
	return strings.Join(parts, "; ")
}

// String returns a one-line summary of the selection.
func (s *Selection) String() string {
	text := fmt.Sprintf("%d of %d images by %s", len(s.Chosen), s.Pool, s.Rule)
	if s.Rule == MAK || s.Rule == TailnessProximity {
		text += fmt.Sprintf(", α = %g", s.Alpha)
	}
	if s.Candidates > 0 {
		text += fmt.Sprintf(", %d candidates", s.Candidates)
	}
	if s.Prototypes > 0 {
		text += fmt.Sprintf(", %d prototypes", s.Prototypes)
	}
	if len(s.Notes) > 0 {
		text += " (" + strings.Join(s.Notes, "; ") + ")"
	}
	return text
}

// WriteCSV writes one line per image, below a line of names: image, ecle, d, q, rank, distance, reason. Numbers have
// all their digits; unused quantities are empty.
func (s *Selection) WriteCSV(w io.Writer) error {
	out := csv.NewWriter(w)
	out.Write([]string{"image", "ecle", "d", "q", "rank", "distance", "reason"})
	number := func(v float64) string {
		if math.IsNaN(v) {
			return ""
		}
		return strconv.FormatFloat(v, 'g', -1, 64)
	}
	for _, c := range s.Chosen {
		rank := ""
		if c.Rank > 0 {
			rank = strconv.Itoa(c.Rank)
		}
		out.Write([]string{strconv.Itoa(c.Image), number(c.ECLE), number(c.D), number(c.Q), rank, number(c.Distance), c.Reason()})
	}
	out.Flush()
	return out.Error()
}

// WriteJSON writes the selection as one JSON object: its configuration, and the images as a list. Unused quantities are
// omitted.
func (s *Selection) WriteJSON(w io.Writer) error {
	type choice struct {
		Image    int      `json:"image"`
		ECLE     *float64 `json:"ecle,omitempty"`
		D        *float64 `json:"d,omitempty"`
		Q        *float64 `json:"q,omitempty"`
		Rank     int      `json:"rank,omitempty"`
		Distance *float64 `json:"distance,omitempty"`
		Reason   string   `json:"reason"`
	}
	out := struct {
		Rule       string   `json:"rule"`
		Pool       int      `json:"pool"`
		Alpha      float64  `json:"alpha"`
		Candidates int      `json:"candidates,omitempty"`
		Prototypes int      `json:"prototypes,omitempty"`
		Seed       uint64   `json:"seed"`
		Notes      []string `json:"notes,omitempty"`
		Chosen     []choice `json:"chosen"`
	}{s.Rule.String(), s.Pool, s.Alpha, s.Candidates, s.Prototypes, s.Seed, s.Notes, nil}
	known := func(v float64) *float64 {
		if math.IsNaN(v) {
			return nil
		}
		return &v
	}
	for _, c := range s.Chosen {
		out.Chosen = append(out.Chosen, choice{c.Image, known(c.ECLE), known(c.D), known(c.Q), c.Rank, known(c.Distance), c.Reason()})
	}
	encoder := json.NewEncoder(w)
	encoder.SetIndent("", "  ")
	return encoder.Encode(out)
}
