// Defaults runs the study behind the choice of the default method of package pu, and prints its tables.
//
//	go run ./notebooks/defaults                         every fit that the results file lacks
//	go run ./notebooks/defaults -kinds rows -seeds 5    tables only, five seeds
//	go run ./notebooks/defaults -markdown               the tables of docs/defaults.md, from the results file
//
// The program appends a line to the results file after each fit and skips fits that the file already has. The UCI
// tables, Fashion-MNIST and CIFAR-10 must be on the machine: see package datasets for the folders.
package main

import (
	"context"
	"flag"
	"fmt"
	"log"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/interrupts"
	"github.com/puclab/puclab/pucl/engine"
	"github.com/puclab/puclab/pucl/evaluate"
	"github.com/puclab/puclab/pucl/pu"
)

// firstSeed is the first seed of the study. No other result of the module uses it or the seeds after it.
const firstSeed = 101

// options are the flags of the program.
type options struct {
	kinds, sets, methods []string // nil means all
	seeds                int
	root                 string // folder of the module, for the table in datasets/tabular/testdata
}

func main() {
	log.SetFlags(0)
	kinds := flag.String("kinds", "rows,images,small", "kinds of data, comma-separated")
	sets := flag.String("sets", "", "data sets, comma-separated; empty means all")
	methods := flag.String("methods", "", "methods, comma-separated; empty means all")
	seeds := flag.Int("seeds", 0, "seeds per data set; 0 means 3 for rows and 2 for images")
	root := flag.String("root", ".", "folder of the module")
	out := flag.String("out", "notebooks/defaults/results.csv", "results file")
	markdown := flag.Bool("markdown", false, "print the tables instead of running fits")
	flag.Parse()
	results, err := readResults(*out)
	if err != nil {
		log.Fatal(err)
	}
	if *markdown {
		text, err := tables(results)
		if err != nil {
			log.Fatal(err)
		}
		fmt.Print(text)
		return
	}
	o := options{kinds: list(*kinds), sets: list(*sets), methods: list(*methods), seeds: *seeds, root: *root}
	if err := o.run(interrupts.Context(), *out, results); err != nil {
		log.Fatal(err)
	}
}

// list splits a comma-separated flag; nil for an empty one.
func list(flag string) []string {
	if flag == "" {
		return nil
	}
	return strings.Split(flag, ",")
}

// includes reports whether a flag selects a name; a flag that is not set selects all.
func includes(selected []string, name string) bool {
	return selected == nil || slices.Contains(selected, name)
}

// run fits every method on every data set with every seed, in the order of the seeds, and appends each result.
func (o options) run(ctx context.Context, path string, done []result) error {
	eng, err := engine.Open()
	if err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_APPEND|os.O_CREATE|os.O_WRONLY, 0o666)
	if err != nil {
		return err
	}
	defer file.Close()
	sets := tasks(o.root)
	for i := range uint64(max(3, o.seeds)) {
		for _, set := range sets {
			seeds := o.seeds
			if seeds == 0 {
				seeds = set.seeds
			}
			if int(i) >= seeds || !includes(o.kinds, set.kind) || !includes(o.sets, set.name) {
				continue
			}
			if err := o.fits(ctx, eng, file, done, set, firstSeed+i); err != nil {
				return err
			}
		}
	}
	return file.Close()
}

// fits fits every method on one draw of a data set.
func (o options) fits(ctx context.Context, eng *engine.Engine, file *os.File, done []result, set task,
	seed uint64) error {
	var d *draw
	for _, m := range methodsFor(set) {
		has := func(r result) bool {
			return r.Kind == set.kind && r.Set == set.name && r.Method == m.name && r.Seed == seed
		}
		if !includes(o.methods, m.name) || slices.ContainsFunc(done, has) {
			continue
		}
		if d == nil {
			var err error
			if d, err = set.open(seed); err != nil {
				return fmt.Errorf("%s, seed %d: %w", set.name, seed, err)
			}
			if d.folder, err = os.MkdirTemp("", "defaults"); err != nil {
				return err
			}
			defer os.RemoveAll(d.folder)
		}
		r, err := m.fit(ctx, eng, d, seed)
		if err != nil {
			return fmt.Errorf("%s, %s, seed %d: %w", set.name, m.name, seed, err)
		}
		r.Kind, r.Set, r.Seed = set.kind, set.name, seed
		if err := r.append(file); err != nil {
			return err
		}
		fmt.Println(strings.Join(r.record(), " "))
	}
	return nil
}

// fit fits m on a draw and evaluates the classifier on the test set and on the held-out PU data.
func (m method) fit(ctx context.Context, eng *engine.Engine, d *draw, seed uint64) (result, error) {
	if m.pixels {
		var err error
		if d, err = d.asRows(); err != nil {
			return result{}, err
		}
	}
	config := pu.Config{Method: m.method, Seed: seed, Engine: eng}
	if m.givenPrior {
		config.Prior = d.prior
	}
	resumed := false
	if m.shared {
		config.Checkpoint = filepath.Join(d.folder, "encoder")
		_, err := os.Stat(config.Checkpoint)
		resumed = err == nil
	}
	began, processor := time.Now(), processorSeconds()
	c, err := pu.Fit(ctx, d.data, config)
	if err != nil {
		return result{}, err
	}
	r := result{Method: m.name, Labeled: c.Info.Labeled, Unlabeled: c.Info.Unlabeled}
	if !resumed {
		r.Seconds, r.Processor = time.Since(began).Seconds(), processorSeconds()-processor
	}
	score, err := c.Evaluate(d.test)
	if err != nil {
		return result{}, err
	}
	r.AUC, r.Accuracy = score.AUC, score.Accuracy()
	held, err := c.Scores(d.held)
	if err != nil {
		return result{}, err
	}
	r.Proxy, err = evaluate.AUC(held, d.held.Labeled)
	return r, err
}

// processorSeconds returns the processor time of this process so far, 0 on systems without /proc.
func processorSeconds() float64 {
	stat, err := os.ReadFile("/proc/self/stat")
	if err != nil {
		return 0
	}
	const perSecond = 100 // the clock ticks of /proc on Linux
	_, after, _ := strings.Cut(string(stat), ") ")
	fields := strings.Fields(after)
	var user, system float64
	if _, err := fmt.Sscan(fields[11], &user); err != nil {
		return 0
	}
	if _, err := fmt.Sscan(fields[12], &system); err != nil {
		return 0
	}
	return (user + system) / perSecond
}
