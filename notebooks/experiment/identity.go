package experiment

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/puclab/puclab/internal/strictjson"
)

// Identity is what the numbers of a run follow from, beside its setting, method and seed: a result is that of a run where the
// two have one identity.
type Identity struct {
	Version int
	Threads int
	Config  map[string]string // the fields of Run.Config as texts, by their paths: "Settings.Steps" is "1000"; none that is zero
}

// Identity returns the identity of the run. It is an error if the configuration cannot be written as JSON.
//
// A field that is zero is left out, so that a configuration can be given a new field, whose zero means what was before, and
// the results that stand remain results.
func (r Run) Identity() (Identity, error) {
	id := Identity{r.Version, r.threads(), map[string]string{}}
	text, err := strictjson.Marshal(r.Config)
	if err != nil {
		return Identity{}, fmt.Errorf("experiment: the configuration of %s: %w", r, err)
	}
	var config any
	numbers := json.NewDecoder(bytes.NewReader(text))
	numbers.UseNumber()
	if err := numbers.Decode(&config); err != nil {
		return Identity{}, fmt.Errorf("experiment: the configuration of %s: %w", r, err)
	}
	if _, isStruct := config.(map[string]any); !isStruct && config != nil {
		return Identity{}, fmt.Errorf("experiment: the configuration of %s is a %T; make it a struct, whose fields can be compared",
			r, r.Config)
	}
	flatten("", config, id.Config)
	return id, nil
}

// flatten adds the values in value, which came from JSON and lies at path, as texts.
func flatten(path string, value any, to map[string]string) {
	switch value := value.(type) {
	case nil:
	case map[string]any:
		if path != "" {
			path += "."
		}
		for name, v := range value {
			flatten(path+name, v, to)
		}
	case []any:
		for i, v := range value {
			flatten(fmt.Sprintf("%s[%d]", path, i), v, to)
		}
		if n := len(value); n > 0 {
			to[path+".length"] = fmt.Sprint(n) // zeros at the end would be missed
		}
	default:
		if text := fmt.Sprint(value); text != "" && text != "0" && text != "false" {
			to[path] = text
		}
	}
}

// Differences lists what a result and a run do not have in common, a clause each: "LearningRate is 0.001 here and 0.01 in the file".
func (there Identity) Differences(here Identity) []string {
	return there.differences(here, "in the file", "here")
}

func (there Identity) differences(here Identity, inThere, inHere string) []string {
	var list []string
	differ := func(what, there, here string) {
		if there != here {
			list = append(list, fmt.Sprintf("%s is %s %s and %s %s", what, here, inHere, there, inThere))
		}
	}
	differ("the method's version", fmt.Sprint(there.Version), fmt.Sprint(here.Version))
	differ("the number of threads", fmt.Sprint(there.Threads), fmt.Sprint(here.Threads))
	names := maps.Clone(here.Config)
	maps.Copy(names, there.Config)
	for _, name := range slices.Sorted(maps.Keys(names)) {
		differ(name, orZero(there.Config, name), orZero(here.Config, name))
	}
	return list
}

// orZero returns a value, or what stands for one that is left out.
func orZero(config map[string]string, name string) string {
	if value, ok := config[name]; ok {
		return value
	}
	return "zero"
}

// Path returns where the result of the run lies in a store, below the folder of its size and without an ending:
// "fmnist-i-1000-labeled/nnpu/seed-1".
func (r Run) Path() string {
	return fmt.Sprintf("%s/%s/seed-%d", slug(r.Setting), slug(r.Method), r.Seed)
}

// String names the run: "FMNIST-I, 1000 labeled / nnPU / seed 1".
func (r Run) String() string { return fmt.Sprintf("%s / %s / seed %d", r.Setting, r.Method, r.Seed) }

// threads returns how many threads the run computes with.
func (r Run) threads() int { return max(r.Threads, 1) }

// slug returns name as the name of a folder: ASCII letters in lower case, digits, and "-" for whatever stands between.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// Only returns the grid without the runs that keep returns false for.
func (g Grid) Only(keep func(Run) bool) Grid {
	g.Runs = slices.DeleteFunc(slices.Clone(g.Runs), func(r Run) bool { return !keep(r) })
	return g
}

// Check returns an error if the grid is none: a run that has no name, or two of one name or of one file.
func (g Grid) Check() error {
	at := map[string]Run{}
	for _, run := range g.Runs {
		if slug(run.Setting) == "" || slug(run.Method) == "" || run.Train == nil {
			return fmt.Errorf("experiment: a run of %s, %q, lacks its setting, its method or what trains it", g.Name, run)
		}
		if _, err := run.Identity(); err != nil {
			return err
		}
		other, taken := at[run.Path()]
		if taken && other.String() == run.String() {
			return fmt.Errorf("experiment: %s holds %s twice; two runs of one setting, method and seed would be one result: "+
				"give one of them another method or setting", g.Name, run)
		}
		if taken {
			return fmt.Errorf("experiment: the results of %s and of %s would both be %s.json; give one of them another name",
				other, run, run.Path())
		}
		at[run.Path()] = run
	}
	return nil
}
