package experiment

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/puclab/puclab/internal/liveline"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/train"
)

// The exit statuses of a worker.
const (
	exitOK          = 0
	exitFailed      = 1   // a prerequisite of the run is missing: a sentence names it
	ExitBusy        = 75  // another program does the run
	exitInterrupted = 130 // told to stop; the state is saved
)

// message is one report of a worker to its coordinator: a line of JSON.
type message struct {
	Step, Steps int    `json:",omitempty"` // of the current training
	Error       string `json:",omitempty"` // why there is no result
	Busy        bool   `json:",omitempty"` // because another program does the run
	Stopped     bool   `json:",omitempty"` // because it was told to stop
}

// ServeConfig describes the task of a worker.
type ServeConfig struct {
	List  string // file
	Index int    // of the run in the list, counted from 0
	Find  func(name string, size Size) (Grid, error)

	// Attached to a coordinator, the worker reports on standard output, and stops as soon as its standard input ends,
	// for any reason. Otherwise it reports in words on standard error, and waits while another program does the run.
	Attached bool
}

// patience is the time that a stopping worker has to save its state.
const patience = 10 * time.Second

// Serve does one run of a list in this process and returns the exit status.
func Serve(ctx context.Context, c ServeConfig) int {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	tell := people(os.Stderr)
	if c.Attached {
		signal.Ignore(syscall.SIGPIPE) // it would end the program before its state is saved, if the coordinator is gone
		out := json.NewEncoder(os.Stdout)
		tell = func(m message) {
			if out.Encode(m) != nil {
				cancel() // the coordinator is gone
			}
		}
		go func() {
			if _, err := io.Copy(io.Discard, os.Stdin); err == nil {
				cancel()
			}
			time.Sleep(patience)
			os.Exit(exitInterrupted)
		}()
	}
	err := c.do(ctx, tell)
	var busy *Busy
	switch {
	case err == nil:
		return exitOK
	case errors.As(err, &busy):
		tell(message{Error: err.Error(), Busy: true})
		return ExitBusy
	case ctx.Err() != nil:
		tell(message{Error: err.Error(), Stopped: true})
		return exitInterrupted
	}
	tell(message{Error: err.Error()})
	return exitFailed
}

func (c ServeConfig) do(ctx context.Context, tell func(message)) error {
	list, err := ReadList(c.List)
	if err != nil {
		return err
	}
	planned, err := list.Find(c.Index, c.Find)
	if err != nil {
		return err
	}
	if err := SetThreads(planned.Run.threads()); err != nil {
		return err
	}
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	every := time.Second
	if !c.Attached {
		every = time.Minute
	}
	observer := &onProgress{every: every, tell: func(p train.Progress) { tell(message{Step: p.Step, Steps: p.Steps}) }}
	worker := Worker{Store: &Store{list.Store}, Work: list.Work, Engine: eng, Observer: observer}
	standing, err := worker.Do(ctx, list.Size, planned)
	for busy := new(Busy); !c.Attached && errors.As(err, &busy) && ctx.Err() == nil; {
		tell(message{Error: err.Error()})
		select {
		case <-ctx.Done():
		case <-time.After(time.Minute):
			standing, err = worker.Do(ctx, list.Size, planned)
		}
	}
	if err == nil && !c.Attached {
		fmt.Fprintf(os.Stderr, "%s: %s\n", planned.Run, standing.Result)
	}
	return err
}

// people returns a function that prints messages in words.
func people(w io.Writer) func(message) {
	line := liveline.New(w)
	return func(m message) {
		switch {
		case m.Error != "":
			line.Linef("%s", m.Error)
		default:
			line.Linef("step %d of %d", m.Step, m.Steps)
		}
	}
}
