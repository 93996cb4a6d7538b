package experiment

import (
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/puclab/puclab/internal/damagetest"
	"github.com/puclab/puclab/internal/expect"
	"github.com/puclab/puclab/internal/refusal"
	"github.com/puclab/puclab/internal/sealed"
)

// packOf returns a store with a pack of three runs, the first of which has answers at its point, and the runs.
func packOf(t *testing.T) (store *Store, runs []Run, path string) {
	t.Helper()
	store = &Store{t.TempDir()}
	for seed := range uint64(3) {
		run := newRun(settings{Steps: 1})
		run.Seed = 10 - seed // numeric and text order of the seeds differ
		keep(t, store, run, func(r *Result) {
			if r.Points[0].Step = int(seed); seed == 0 {
				r.Points[0].Answers = answered(r.Points[0])
			}
		})
		runs = append(runs, run)
	}
	expect.NoError(t, store.Pack(Laptop, runs))
	return store, runs, store.packFile(Laptop, runs[0], packEnding)
}

// looks returns the status of the runs.
func looks(t *testing.T, store *Store, runs []Run) []Standing {
	t.Helper()
	return expect.Must(store.LookAll(Grid{"a", Laptop, runs}))(t)
}

// gunzipped returns the lines of a pack.
func gunzipped(t *testing.T, path string) []string {
	t.Helper()
	data := expect.Must(os.ReadFile(path))(t)
	text := expect.Must(unzip(bytes.NewReader(data)))(t)
	return strings.SplitAfter(strings.TrimSuffix(string(text), "\n"), "\n")
}

// gzipped writes lines as a pack.
func gzipped(t *testing.T, path string, lines ...string) {
	t.Helper()
	var data bytes.Buffer
	z := gzip.NewWriter(&data)
	fmt.Fprint(z, strings.Join(lines, ""))
	expect.NoError(t, z.Close())
	put(t, path, data.Bytes())
}

// put writes a file with a unique modification time.
func put(t *testing.T, path string, data []byte) {
	t.Helper()
	ticks++
	now := time.Unix(1e9+ticks, 0)
	expect.NoError(t, errors.Join(os.WriteFile(path, data, 0o644), os.Chtimes(path, now, now)))
}

var ticks int64

// newer returns a line in the format of a later program.
func newer(t *testing.T, line string) string {
	t.Helper()
	object, _ := sealed.Open([]byte(strings.TrimSuffix(line, "\n")))
	sealedAgain := expect.Must(sealed.Line(bytes.Replace(object, []byte(`"Format":2`), []byte(`"Format":3`), 1)))(t)
	return string(sealedAgain) + "\n"
}

// A current loose result precedes the packed one, and packing replaces the packed one by it.
func TestPack(t *testing.T) {
	store, runs, path := packOf(t)
	first := looks(t, store, runs)
	lines := gunzipped(t, path)
	expect.That(t, len(lines) == 3 && strings.Contains(lines[0], `"Seed":8,`) &&
		strings.Contains(lines[2], `"Seed":10,`),
		"%q", lines)
	before := expect.Must(os.ReadFile(path))(t)
	for i, tt := range []struct {
		what   string
		change func(*Result) // of the loose result; nil for none
		step   int           // of the valid result, before packing and after
		left   bool          // the loose one stays
	}{
		{"nothing", nil, 1, false},
		{"the same", func(r *Result) { r.Points[0].Step = 1 }, 1, false},
		{"stale", func(r *Result) { r.Identity.Version, r.Points[0].Step = 1, 7 }, 1, true},
		{"newer format", func(r *Result) { r.Format, r.Points[0].Step = resultFormat+1, 7 }, 1, true},
		{"current", func(r *Result) { r.Points[0].Step = 8 }, 8, false},
	} {
		if tt.change != nil {
			keep(t, store, runs[1], tt.change)
		}
		for _, packed := range []bool{false, true} {
			if packed {
				expect.NoError(t, store.Pack(Laptop, runs))
			}
			now := looks(t, store, runs)
			step := now[1].Result.Points[0].Step
			expect.That(t, now[1].State == Done && step == tt.step && (step == 1) == now[1].sameAs(first[1]),
				"%s, packed %t: %+v", tt.what, packed, now[1])
			expect.That(t, now[0].sameAs(first[0]), "%s: another run became %+v", tt.what, now[0])
		}
		if _, err := os.Stat(store.file(Laptop, runs[1])); tt.left != (err == nil) {
			t.Errorf("%s: the loose file: %v", tt.what, err)
		}
		if after, err := os.ReadFile(path); err != nil || bytes.Equal(before, after) != (i < 4) {
			t.Errorf("%s: the pack changed: %t, %v", tt.what, !bytes.Equal(before, after), err)
		}
	}
	// Runs that are absent, or present only in another version, come from another store, with their answers.
	mine := &Store{t.TempDir()}
	keep(t, mine, runs[2], nil)
	keep(t, mine, runs[1], func(r *Result) { r.Identity.Version = 1 })
	expect.NoError(t, mine.Pack(Laptop, runs, store))
	now := looks(t, mine, runs)
	expect.That(t, now[0].sameAs(first[0]) && now[1].Result.Points[0].Step == 8 && now[2].Result.Points[0].Step == 1,
		"%+v", now)
	points := expect.Must(mine.Answers(Laptop, first[0]))(t)
	expect.That(t, points[0].Answers != nil, "%+v", points)
}

// Damage of a pack makes runs stale; the reason names the run and the file. Packing leaves the file unchanged.
func TestDamagedPacks(t *testing.T) {
	store, runs, path := packOf(t)
	first := looks(t, store, runs)
	good := expect.Must(os.ReadFile(path))(t)
	lines := gunzipped(t, path)
	look := func(what, want string) { // want is the reason of the second run
		t.Helper()
		for i, s := range looks(t, store, runs) {
			name := fmt.Sprintf("seed-%d", runs[i].Seed)
			named := strings.Contains(s.Why, path) && (strings.Contains(s.Why, name) || strings.Contains(s.Why, runs[i].String()))
			if s.sameAs(first[i]) && (want == "" || i != 1) || s.State == Stale && named && (i != 1 || strings.Contains(s.Why, want)) {
				continue
			}
			t.Errorf("%s: %s, %q, %q", what, runs[i], s.State, s.Why)
		}
	}
	for what, data := range damagetest.Of(good, 150) {
		put(t, path, data)
		look(what, "")
	}
	for _, tt := range []struct {
		what string
		line string // in place of the second one
		want string // of the second run
	}{
		{"edited", strings.Replace(lines[1], `"Step":1`, `"Step":2`, 1), "is not as it was written"},
		{"newer", newer(t, lines[1]), "is of format 3, and this program knows format 2: take the program that wrote it"},
		{"its name edited", strings.Replace(lines[1], `"Seed":9`, `"Seed":8`, 1), "damaged lines ([2]"},
		{"no name", "{\n", "damaged lines ([2]"},
		{"twice", lines[0], "damaged lines ([2]"},
	} {
		gzipped(t, path, lines[0], tt.line, lines[2])
		look(tt.what, tt.want)
		loose := keep(t, store, runs[0], nil)
		err := store.Pack(Laptop, runs)
		if _, gone := os.Stat(loose); tt.what == "newer" && err != nil || tt.what != "newer" && gone != nil {
			t.Errorf("%s: packed into: %v, the loose file %v", tt.what, err, gone)
		} else if tt.what != "newer" {
			refusal.Check(t, err, "the results of FMNIST-I, 1000 labeled cannot be packed … "+path+" … restore … loose ones "+
				"stay in "+store.Folder)
		}
		if err := os.Remove(loose); err != nil && tt.what != "newer" {
			t.Error(err)
		}
	}
}

// packUntilKilled packs the runs of a store repeatedly until the process is killed.
func packUntilKilled(folder string) error {
	for {
		if err := (&Store{folder}).Pack(Laptop, manyRuns()); err != nil {
			return err
		}
	}
}

// manyRuns returns runs of two settings.
func manyRuns() (runs []Run) {
	for seed := range uint64(60) {
		run := newRun(settings{Steps: 1})
		run.Setting, run.Seed = []string{"here", "there"}[seed%2], seed
		runs = append(runs, run)
	}
	return runs
}

// Several programs that pack while results arrive, and that are killed at any moment, lose no result.
func TestPackersAreKilled(t *testing.T) {
	expect.Slow(t)
	store, runs := &Store{t.TempDir()}, manyRuns()
	packer := func() *exec.Cmd {
		cmd := exec.Command(os.Args[0])
		cmd.Env = append(os.Environ(), asPacker+"="+store.Folder)
		cmd.Stderr = os.Stderr
		expect.NoError(t, cmd.Start())
		return cmd
	}
	kill := func(cmd *exec.Cmd) {
		cmd.Process.Kill()
		cmd.Wait()
		expect.That(t, !cmd.ProcessState.Exited(), "a program that packs ended by itself: %s", cmd.ProcessState)
	}
	packers := []*exec.Cmd{packer(), packer()}
	rng := rand.New(rand.NewPCG(1, uint64(time.Now().UnixNano())))
	for i, run := range runs {
		for { // like a worker, which waits for programs that pack
			release, _, err := store.hold(run, store.runLock(Laptop, run))
			if busy := new(Busy); errors.As(err, &busy) {
				continue
			} else if err != nil {
				t.Fatal(err)
			}
			keep(t, store, run, func(r *Result) { r.Points[0].Step, r.Points[0].Answers = i, answered(r.Points[0]) })
			release()
			break
		}
		time.Sleep(time.Duration(rng.IntN(20)) * time.Millisecond)
		if i%10 == 9 {
			kill(packers[0])
			packers = append(packers[1:], packer())
		}
	}
	for _, cmd := range packers {
		kill(cmd)
	}
	for range 2 {
		for i, s := range looks(t, store, runs) {
			expect.Require(t, s.State == Done && s.Result.Points[0].Step == i, "%s: %+v", s.Run, s)
			points := expect.Must(store.Answers(Laptop, s))(t)
			expect.That(t, points[0].Answers.right() == 900, "%s: %d answers right", s.Run, points[0].Answers.right())
		}
		expect.NoError(t, store.Pack(Laptop, runs))
	}
	for _, pattern := range []string{"laptop/*/*/*.json", "laptop/*.part"} {
		expect.Equal(t, expect.Must(filepath.Glob(filepath.Join(store.Folder, pattern)))(t), nil, "left")
	}
}
