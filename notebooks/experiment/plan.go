package experiment

import (
	"fmt"
	"runtime"
	"slices"
	"time"
)

// Plan lists the runs to do of some grids of one size.
type Plan struct {
	Name      string // of the grids, with commas
	Size      Size
	Standings []Standing // of every run, once
	Todo      []int      // indices of the runs to do

	grids []string // the grid of each run
}

// NewPlan compares grids with a store. The plan has the missing runs, if failed is set also the failed runs, and if
// again is set also the stale runs. It returns an error for grids of different sizes, or different runs with one name.
func (s *Store) NewPlan(grids []Grid, again, failed bool) (*Plan, error) {
	p := &Plan{Name: title(grids)}
	at := map[string]int{}
	for _, grid := range grids {
		if p.Size != "" && p.Size != grid.Size {
			return nil, fmt.Errorf("experiment: grids of the sizes %s and %s cannot be done together", p.Size, grid.Size)
		}
		p.Size = grid.Size
		standings, err := s.LookAll(grid)
		if err != nil {
			return nil, err
		}
		for _, standing := range standings {
			path := standing.Run.Path()
			if i, shared := at[path]; shared {
				if err := sameRun(p.grids[i], p.Standings[i].Run, grid.Name, standing.Run); err != nil {
					return nil, err
				}
				continue
			}
			at[path] = len(p.Standings)
			if standing.in(Missing) || failed && standing.in(Failed) || again && standing.in(Stale) {
				p.Todo = append(p.Todo, len(p.Standings))
			}
			p.Standings, p.grids = append(p.Standings, standing), append(p.grids, grid.Name)
		}
	}
	return p, nil
}

// Runs returns every run of the plan, including those not to do.
func (p *Plan) Runs() []Run {
	var runs []Run
	for _, s := range p.Standings {
		runs = append(runs, s.Run)
	}
	return runs
}

// sameRun returns an error if two grids claim one file for different runs.
func sameRun(grid string, run Run, other string, with Run) error {
	a, err := run.Identity()
	if err != nil {
		return err
	}
	b, err := with.Identity()
	if err != nil {
		return err
	}
	differences := b.differences(a, "in "+other, "in "+grid)
	if run.String() != with.String() {
		differences = append(differences, fmt.Sprintf("its name is %q in %s", with, other))
	}
	if len(differences) > 0 {
		return fmt.Errorf("experiment: %s and %s both hold %s, and mean different runs: %s; their results would be "+
			"one file: give one of them another method or setting", grid, other, run, someOf(differences, 3))
	}
	return nil
}

// Left returns the plan without the runs that were done, or failed, since it was made.
func (p *Plan) Left(store *Store) (*Plan, error) {
	left := *p
	left.Todo = nil
	for _, i := range p.Todo {
		planned := p.Standings[i]
		now, err := store.Look(p.Size, planned.Run)
		if err != nil {
			return nil, err
		}
		if now.sameAs(planned) {
			left.Todo = append(left.Todo, i)
		}
	}
	return &left, nil
}

// TimeLeft estimates the time for the remaining runs, n at a time: "1 h 5 min". It uses the times of similar runs minus
// the time that earlier sittings (attempts) spent on them. It returns "" if the time of any run is unknown or n is 0.
func (p *Plan) TimeLeft(store *Store, work string, n int) (string, error) {
	now := slices.Clone(p.Standings)
	for _, i := range p.Todo {
		var err error
		if now[i], err = store.Look(p.Size, now[i].Run); err != nil {
			return "", err
		}
	}
	at := Progress{Workers: n}
	for _, i := range p.Todo {
		if run := now[i].Run; now[i].sameAs(p.Standings[i]) {
			at.Left = append(at.Left, remaining(expected(run, now), deskOf(work, p.Size, run).spent(run)))
		}
	}
	if seconds, known := at.left(time.Time{}); known && seconds > 0 && n > 0 {
		return duration(seconds), nil
	}
	return "", nil
}

// List returns the runs to do as a list for workers.
func (p *Plan) List(store *Store, work string) List {
	l := List{Size: p.Size, Store: store.Folder, Work: work}
	for _, i := range p.Todo {
		s := p.Standings[i]
		entry := Entry{Grid: p.grids[i], Path: s.Run.Path(), Run: s.Run.String(), State: s.State, Digest: s.digest}
		l.Entries = append(l.Entries, entry)
	}
	return l
}

// Threads returns the largest number of threads of a run to do.
func (p *Plan) Threads() int {
	most := 1
	for _, i := range p.Todo {
		most = max(most, p.Standings[i].Run.threads())
	}
	return most
}

// Workers returns the number of parallel runs on this machine: its processors divided by the threads of a run. Runs of
// size paper use a whole GPU, so they are done one by one.
func (p *Plan) Workers() int {
	if p.Size == Paper {
		return 1
	}
	return max(1, runtime.NumCPU()/p.Threads())
}
