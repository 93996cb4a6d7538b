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

// Identity contains all that determines the numbers of a run besides its setting, method and seed. A result belongs to
// a run if their identities are equal.
type Identity struct {
	Version int
	Threads int
	// Config has the fields of Run.Config as strings, by path: "Settings.Steps" is "1000"; zero fields are omitted.
	Config map[string]string
}

// Identity returns the identity of the run. It returns an error if JSON cannot represent the configuration.
//
// Zero fields are omitted. A configuration can therefore gain a field whose zero value means the earlier behavior, and
// stored results stay valid.
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

// flatten adds the values in value, which was parsed from JSON at path, as strings.
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
			to[path+".length"] = fmt.Sprint(n) // otherwise trailing zeros would be lost
		}
	default:
		if text := fmt.Sprint(value); text != "" && text != "0" && text != "false" {
			to[path] = text
		}
	}
}

// Differences lists the differences between a result and a run, one clause each: "LearningRate is 0.001 here and 0.01
// in the file".
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

// orZero returns the value of a field, or "zero" for an omitted field.
func orZero(config map[string]string, name string) string {
	if value, ok := config[name]; ok {
		return value
	}
	return "zero"
}

// Path returns the path of the run's result in a store, relative to the folder of its size and without extension:
// "fmnist-i-1000-labeled/nnpu/seed-1".
func (r Run) Path() string {
	return fmt.Sprintf("%s/%s/seed-%d", slug(r.Setting), slug(r.Method), r.Seed)
}

// String names the run: "FMNIST-I, 1000 labeled / nnPU / seed 1".
func (r Run) String() string { return fmt.Sprintf("%s / %s / seed %d", r.Setting, r.Method, r.Seed) }

// threads returns the number of threads of the run.
func (r Run) threads() int { return max(r.Threads, 1) }

// slug converts name to a folder name: ASCII letters in lower case, digits, and "-" for other characters in between.
func slug(name string) string {
	return strings.Join(strings.FieldsFunc(strings.ToLower(name), func(r rune) bool {
		return (r < 'a' || r > 'z') && (r < '0' || r > '9')
	}), "-")
}

// Only returns the grid with the runs for which keep returns true.
func (g Grid) Only(keep func(Run) bool) Grid {
	g.Runs = slices.DeleteFunc(slices.Clone(g.Runs), func(r Run) bool { return !keep(r) })
	return g
}

// Check returns an error if the grid is invalid: a run without a name, or two runs with one name or one file.
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
