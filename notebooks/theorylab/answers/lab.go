package answers

import (
	"encoding/json"
	"errors"
	"fmt"
	"slices"

	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/theory"
)

// Request is one question. The ID comes back with its answer.
type Request struct {
	ID     int     `json:"id"`
	Ask    string  `json:"ask"` // "numbers" or "gradients" of Circle, "seeding" of Plane
	Circle *Circle `json:"circle,omitempty"`
	Plane  *Plane  `json:"plane,omitempty"`
}

// Answer holds what was asked for, or an error.
type Answer struct {
	ID        int        `json:"id"`
	Numbers   *Numbers   `json:"numbers,omitempty"`
	Gradients *Gradients `json:"gradients,omitempty"`
	Seeding   *Seeding   `json:"seeding,omitempty"`
	Error     string     `json:"error,omitempty"`
}

// Lab answers requests, one at a time. It keeps compiled meters, so that moving a point costs no compilation.
type Lab struct {
	eng    *engine.Engine
	meters []keptMeter // the one used last comes last
}

// keptMeter is a meter with what it was made for.
type keptMeter struct {
	loss       Loss
	prior, tau float64
	*theory.Meter
}

const (
	keptMeters = 12  // as many as are kept compiled
	chunk      = 128 // batches that run together: few, since the lab's cases have few
)

// New returns a lab on an engine.
func New(eng *engine.Engine) *Lab { return &Lab{eng: eng} }

// Close gives the compiled meters back.
func (l *Lab) Close() {
	for _, m := range l.meters {
		m.Close()
	}
	l.meters = nil
}

// AnswerJSON answers a request in JSON by an answer in JSON. It is never empty: what goes wrong is the answer's error.
func (l *Lab) AnswerJSON(request []byte) []byte {
	var r Request
	var a Answer
	if err := json.Unmarshal(request, &r); err != nil {
		a.ID = r.ID // which is read though another field, such as a number that is too large, is not
		a.Error = fmt.Sprintf("the request is no JSON of a case: %v", err)
	} else {
		a = l.Answer(r)
	}
	text, err := json.Marshal(a)
	if err != nil { // a number that is not finite has no form in JSON
		text, err = json.Marshal(Answer{ID: r.ID, Error: fmt.Sprintf("the answer cannot be written: %v", err)})
	}
	if err != nil {
		panic(err) // a number and a string always can be written
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

// meter returns a meter of a loss, compiled where it was used lately.
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

// errNoPoints is what is wrong with a class that shows nothing.
var errNoPoints = errors.New("each class needs at least one point; add one")
