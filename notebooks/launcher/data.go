package launcher

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
	"github.com/puclab/puclab/internal/naming"
)

// dataSet is an optional data set of the notebooks that setup -data downloads.
type dataSet struct {
	name    string
	get     func(context.Context, datasets.FetchOptions) (dir string, err error)
	without string // the replacement if it is missing
	terms   string // its authors, and their terms for users
}

// dataSets returns all downloadable data sets, first that of plain -data: the 60,000 training images of Fashion-MNIST.
func dataSets() []dataSet {
	all := []dataSet{{fashionmnist.Name, fashionmnist.Download, "on the 10,000 images that come with the package", ""}}
	for _, a := range datasets.Archives() {
		all = append(all, dataSet{a.Name, a.Get, "and leave out what takes it", a.Terms})
	}
	return all
}

// findData returns the data sets with these names; "true", the value of plain -data, is the first one.
func findData(all []dataSet, asked []string) (found []dataSet, err error) {
	var known []string
	for _, set := range all {
		known = append(known, set.name)
	}
	for _, name := range asked {
		if name == "true" {
			name = known[0]
		}
		i := slices.IndexFunc(known, func(k string) bool { return strings.EqualFold(k, name) })
		if i < 0 {
			return nil, usagef("there is no data set %q%s; -data=NAME takes one of %s", name, naming.DidYouMean(name, known), strings.Join(known, ", "))
		}
		found = append(found, all[i])
	}
	return found, nil
}

// fetchData downloads a data set. Files that exist are only verified.
func (s *session) fetchData(ctx context.Context, set dataSet) error {
	dir, err := set.get(ctx, datasets.FetchOptions{Progress: func(p datasets.FetchProgress) {
		s.console.Set(fmt.Sprintf("%s: %s, %s of %s", set.name, p.Name, bytesOf(p.Done), bytesOf(p.Total)))
	}})
	s.console.Set("")
	var fetch *datasets.FetchError
	switch {
	case errors.As(err, &fetch) && !errors.Is(err, datasets.ErrOffline):
		return &problem{What: err.Error(), Err: err,
			Mend: "Start again to carry on where it stopped. The notebooks run without it, " + set.without + "."}
	case err != nil:
		return err
	}
	s.console.Linef("%s is in %s.", set.name, dir)
	if set.terms != "" {
		s.console.Linef("%s", set.terms)
	}
	return nil
}
