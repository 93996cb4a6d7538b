package main

import (
	"cmp"
	"context"
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"os"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

const (
	// ownShare is the fraction of all lines above which a package gets at least one mutant.
	ownShare = 0.01
	// maxTries bounds the draws for one mutant. Some draws do not compile.
	maxTries = 200
)

// candidate is a package that may be mutated.
type candidate struct {
	*goPackage
	files []*sourceFile
	lines int // of code, see codeLines
	count int // of mutants to draw
}

// candidates returns the packages that may be mutated, by path. It leaves out packages that only tests import and
// packages without sites.
func candidates(mod *module) ([]*candidate, error) {
	used := map[*goPackage]bool{}
	for _, p := range mod.packages {
		for _, imported := range p.imports {
			used[imported] = true
		}
	}
	var all []*candidate
	for _, p := range mod.sorted() {
		internal := strings.Contains("/"+p.path+"/", "/internal/")
		if strings.HasSuffix(path.Base(p.path), "test") || internal && !used[p] && p.Name != "main" {
			continue
		}
		c := &candidate{goPackage: p}
		sites := 0
		for _, name := range slices.Sorted(slices.Values(slices.Concat(p.GoFiles, p.CgoFiles))) {
			source, err := os.ReadFile(filepath.Join(p.Dir, name))
			if err != nil {
				return nil, err
			}
			f, err := parseSites(path.Join(p.path, name), source)
			if err != nil {
				return nil, err
			}
			c.files = append(c.files, f)
			c.lines += codeLines(source)
			sites += len(f.sites)
		}
		if sites > 0 {
			all = append(all, c)
		}
	}
	return all, nil
}

// allocate distributes n mutants over the packages by systematic sampling of their concatenated lines. A package with
// more than ownShare of the lines gets at least one, taken from the package with the largest excess over its
// proportional share.
func allocate(all []*candidate, n int, rng *rand.Rand) {
	total := 0
	for _, c := range all {
		total += c.lines
	}
	step := float64(total) / float64(n)
	next, passed := rng.Float64()*step, 0.0
	for _, c := range all {
		c.count = 0
		for passed += float64(c.lines); next < passed; next += step {
			c.count++
		}
	}
	excess := func(c *candidate) float64 { return float64(c.count) - float64(c.lines)/step }
	for _, c := range all {
		if c.count == 0 && float64(c.lines) > ownShare*float64(total) {
			giver := slices.MaxFunc(all, func(a, b *candidate) int { return cmp.Compare(excess(a), excess(b)) })
			giver.count--
			c.count++
		}
	}
}

// drawList draws n mutants that compile.
func drawList(ctx context.Context, mod *module, seed uint64, n int) (*mutantList, error) {
	all, err := candidates(mod)
	if err != nil {
		return nil, err
	}
	allocate(all, n, rand.New(rand.NewPCG(seed, 0)))
	list := &mutantList{Seed: seed}
	for _, c := range all {
		rng := c.stream(seed)
		for range c.count {
			if err := drawOne(ctx, mod, list, c, rng); err != nil {
				return nil, err
			}
		}
	}
	return list, nil
}

// drawReplacement adds the next mutant of a package's stream to the list and writes the list.
func drawReplacement(ctx context.Context, mod *module, list *mutantList, wanted, file string) error {
	all, err := candidates(mod)
	if err != nil {
		return err
	}
	i := slices.IndexFunc(all, func(c *candidate) bool { return c.path == wanted })
	if i < 0 {
		return fmt.Errorf("package %q has no code to mutate; give a path below the module, such as pucl/train", wanted)
	}
	if err := drawOne(ctx, mod, list, all[i], all[i].stream(list.Seed)); err != nil {
		return err
	}
	return list.write(file)
}

// stream returns a generator for this package alone. A change in one package thus leaves the draws in others as they
// are.
func (c *candidate) stream(seed uint64) *rand.Rand {
	hash := fnv.New64a()
	hash.Write([]byte(c.path))
	return rand.New(rand.NewPCG(seed, hash.Sum64()))
}

// drawOne adds the first draw that compiles and changes other lines than the mutants already listed.
func drawOne(ctx context.Context, mod *module, list *mutantList, c *candidate, rng *rand.Rand) error {
	for range maxTries {
		m := c.draw(rng)
		taken := func(other *mutant) bool {
			return other.File == m.File && other.Func == m.Func && slices.Equal(other.Lines, m.Lines)
		}
		if slices.ContainsFunc(list.Mutants, taken) {
			continue
		}
		ok, err := compiles(ctx, mod, m)
		if err != nil {
			return err
		}
		if !ok {
			continue
		}
		m.ID = nextID(list)
		list.Mutants = append(list.Mutants, m)
		fmt.Println(m)
		return nil
	}
	return fmt.Errorf("%s: none of %d draws was new and compiled", c.path, maxTries)
}

// draw chooses an operator, one of its sites and a variant, each uniformly at random.
func (c *candidate) draw(rng *rand.Rand) *mutant {
	type place struct {
		file *sourceFile
		site site
	}
	var operators []string
	places := map[string][]place{}
	for _, f := range c.files {
		for _, s := range f.sites {
			if places[s.operator] == nil {
				operators = append(operators, s.operator)
			}
			places[s.operator] = append(places[s.operator], place{f, s})
		}
	}
	slices.Sort(operators)
	of := places[operators[rng.IntN(len(operators))]]
	chosen := of[rng.IntN(len(of))]
	m := chosen.file.mutant(chosen.site, chosen.site.variants[rng.IntN(len(chosen.site.variants))])
	m.Package = c.path
	return m
}

// nextID returns "m" with the number after the highest of the list.
func nextID(list *mutantList) string {
	highest := 0
	for _, m := range list.Mutants {
		var n int
		if _, err := fmt.Sscanf(m.ID, "m%d", &n); err == nil {
			highest = max(highest, n)
		}
	}
	return fmt.Sprintf("m%02d", highest+1)
}
