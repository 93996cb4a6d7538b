package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Request is one request. Its answer has the same ID.
type Request struct {
	ID     int     `json:"id"`
	Ask    string  `json:"ask"` // "numbers" or "gradients" of Circle, "seeding" of Plane
	Circle *Circle `json:"circle,omitempty"`
	Plane  *Plane  `json:"plane,omitempty"`
}

// Answer holds the requested numbers, or an error.
type Answer struct {
	ID        int        `json:"id"`
	Numbers   *Numbers   `json:"numbers,omitempty"`
	Gradients *Gradients `json:"gradients,omitempty"`
	Seeding   *Seeding   `json:"seeding,omitempty"`
	Error     string     `json:"error,omitempty"`
}

// Lab answers requests, one at a time. It caches compiled meters, so that moving a point requires no compilation.
type Lab struct {
	eng    *engine.Engine
	meters []keptMeter // the most recently used one is last
}

// keptMeter is a meter with its parameters.
type keptMeter struct {
	loss       Loss
	prior, tau float64
	*theory.Meter
}

const (
	keptMeters = 12  // size of the cache of compiled meters
	chunk      = 128 // batches per execution: few, since the lab's cases have few
)

// New returns a lab on an engine.
func New(eng *engine.Engine) *Lab { return &Lab{eng: eng} }

// Close closes the compiled meters.
func (l *Lab) Close() {
	for _, m := range l.meters {
		m.Close()
	}
	l.meters = nil
}

// AnswerJSON answers a request in JSON with an answer in JSON. It is never empty: errors are in the answer.
func (l *Lab) AnswerJSON(request []byte) []byte {
	var r Request
	var a Answer
	if err := json.Unmarshal(request, &r); err != nil {
		a.ID = r.ID // read even if another field is invalid, such as a number that is too large
		a.Error = fmt.Sprintf("the request is no JSON of a case: %v", err)
	} else {
		a = l.Answer(r)
	}
	text, err := json.Marshal(a)
	if err != nil { // JSON has no form for a number that is not finite
		text, err = json.Marshal(Answer{ID: r.ID, Error: fmt.Sprintf("the answer cannot be written: %v", err)})
	}
	if err != nil {
		panic(err) // a number and a string can always be encoded
	}
	return text
}

// Answer answers a request.
func (l *Lab) Answer(r Request) Answer {
	a := Answer{ID: r.ID}
	var err error
	switch {
	case r.Ask == "numbers" && r.Circle != nil:
		a.Numbers, err = l.numbers(*r.Circle)
	case r.Ask == "gradients" && r.Circle != nil:
		a.Gradients, err = l.gradients(*r.Circle)
	case r.Ask == "seeding" && r.Plane != nil:
		a.Seeding, err = seeding(*r.Plane)
	default:
		err = fmt.Errorf("nothing is asked by %q; ask for numbers or gradients of a circle, or for seeding of a plane", r.Ask)
	}
	if err != nil {
		a.Error = err.Error()
	}
	return a
}

// meter returns a meter of a loss, compiled unless it is cached.
func (l *Lab) meter(loss Loss, prior, tau float64) (*theory.Meter, error) {
	loss = loss.plain()
	if !loss.usesPrior() {
		prior = 0
	}
	at := slices.IndexFunc(l.meters, func(m keptMeter) bool { return m.loss == loss && m.prior == prior && m.tau == tau })
	if at >= 0 {
		found := l.meters[at]
		l.meters = append(slices.Delete(l.meters, at, at+1), found)
		return found.Meter, nil
	}
	objective, err := loss.Objective(prior)
	if err != nil {
		return nil, err
	}
	m, err := theory.NewMeter(l.eng, objective, tau)
	if err != nil {
		return nil, err
	}
	m.Chunk, m.MaxBatches = chunk, mostBatches
	if len(l.meters) == keptMeters {
		l.meters[0].Close()
		l.meters = slices.Delete(l.meters, 0, 1)
	}
	l.meters = append(l.meters, keptMeter{loss, prior, tau, m})
	return m, nil
}

// errNoPoints is the error for a class without points.
var errNoPoints = errors.New("each class needs at least one point; add one")
