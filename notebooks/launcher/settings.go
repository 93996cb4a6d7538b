package launcher

import (
	"cmp"
	"errors"
	"flag"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/puclab/puclab/internal/naming"
)

// packageVariables are the variables that packages read themselves, independent of the cells.
var packageVariables = []string{"PUCL_DATA_DIR", "PUCL_HOME", "PUCL_MALLOC", "PUCL_OFFLINE", "PUCL_ONEDNN", "PUCL_REPRODUCIBLE"}

// settings defines the flags -set and -steps, which add environment variables to set, as "NAME=value".
func settings(flags *flag.FlagSet, set *[]string) {
	const usage = "`name=value` reaches the notebook as the variable PUCL_NAME; may be given several times"
	flags.Func("set", usage, func(text string) error {
		name, value, ok := strings.Cut(text, "=")
		if !ok || name == "" {
			return errors.New("want name=value")
		}
		variable, err := variableName(name)
		*set = append(*set, variable+"="+value)
		return err
	})
	flags.Func("steps", "`N`, short for -set steps=N: how long to train; notebooks have a default of their own", func(text string) error {
		if n, err := strconv.Atoi(text); err != nil || n < 1 {
			return errors.New("want a whole number from 1 on")
		}
		*set = append(*set, "PUCL_STEPS="+text)
		return nil
	})
}

// variableName returns the variable that passes a setting to the notebook: "steps" is PUCL_STEPS.
func variableName(name string) (string, error) {
	upper := strings.ToUpper(strings.ReplaceAll(name, "-", "_"))
	if strings.ContainsFunc(upper, func(r rune) bool { return (r < 'A' || r > 'Z') && (r < '0' || r > '9') && r != '_' }) {
		return "", fmt.Errorf("the name %q may hold letters, digits and dashes only", name)
	}
	return "PUCL_" + strings.TrimPrefix(upper, "PUCL_"), nil
}

// settingName returns the name of a variable in -set: "steps".
func settingName(variable string) string {
	return strings.ToLower(strings.TrimPrefix(variable, "PUCL_"))
}

// grids matches calls that read a grid of runs, whose size is the setting "size".
var grids = regexp.MustCompile(`\b(RunGrid|Committed)\(`)

// cellSettings matches how a cell reads a setting: lab.Setting("steps", 500), or the variable itself. A call without a
// quoted name may read any.
var cellSettings = regexp.MustCompile(`\bSetting(?:\[\w+\])?\((?:"([\w-]+)"|[^"])|"(PUCL_\w+)"`)

// prototypes matches the use of a lab.Prototype, which reads settings itself.
var prototypes = regexp.MustCompile(`\bPrototype\b`)

// settingsOf returns the variables that a cell reads; any is true if they cannot be determined.
func settingsOf(source string) (variables []string, any bool) {
	if prototypes.MatchString(source) {
		variables = append(variables, "PUCL_SIZE", "PUCL_STEPS", "PUCL_SEEDS")
	}
	if grids.MatchString(source) {
		variables = append(variables, "PUCL_SIZE")
	}
	for _, found := range cellSettings.FindAllStringSubmatch(source, -1) {
		switch {
		case found[1] != "":
			variables = append(variables, "PUCL_"+strings.ToUpper(strings.ReplaceAll(found[1], "-", "_")))
		case found[2] != "":
			variables = append(variables, found[2])
		default:
			any = true
		}
	}
	return variables, any
}

// checkSettings returns an error for a variable of set, "NAME=value", that neither a cell of the notebooks nor a
// package reads.
func checkSettings(set []string, notebooks []*notebook) error {
	read := map[string]bool{}
	for _, nb := range notebooks {
		if nb.readsAny {
			return nil
		}
		for _, variable := range nb.variables {
			read[variable] = true
		}
	}
	for _, entry := range set {
		variable, value, _ := strings.Cut(entry, "=")
		if variable == "PUCL_SIZE" && read[variable] {
			if err := checkNames("run: ", "size", naming.Sizes(), value); err != nil {
				return err
			}
		}
		if read[variable] || slices.Contains(packageVariables, variable) {
			continue
		}
		var names []string
		for _, name := range slices.Sorted(maps.Keys(read)) {
			names = append(names, settingName(name))
		}
		return usagef("run: no cell reads the setting %q%s; those that are read: %s", settingName(variable),
			naming.DidYouMean(settingName(variable), names), cmp.Or(strings.Join(names, ", "), "none"))
	}
	return nil
}

// duration defines a flag for a time, which requires a unit.
func duration(flags *flag.FlagSet, to *time.Duration, name, usage string) {
	flags.Func(name, usage, func(text string) error {
		d, err := time.ParseDuration(text)
		switch _, number := strconv.ParseFloat(text, 64); {
		case err != nil && number == nil:
			return fmt.Errorf("it has no unit; write %ss for seconds, %sm for minutes", text, text)
		case err != nil:
			return errors.New("want a time with its unit, as in 90s, 20m or 1h30m")
		case d < 0:
			return errors.New("it is negative; 0 means no limit")
		}
		*to = d
		return nil
	})
}
