package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/puclab/puclab/datasets"
	"github.com/puclab/puclab/datasets/fashionmnist"
)

// fetchData downloads what the notebooks can use but do not need: the 60,000 images of Fashion-MNIST to learn from. What is
// on the machine already is only checked.
func (s *session) fetchData(ctx context.Context) error {
	dir, err := fashionmnist.Download(ctx, datasets.FetchOptions{Progress: func(p datasets.FetchProgress) {
		s.console.setLive(fmt.Sprintf("Fashion-MNIST: %s, %s of %s", p.Name, bytesOf(p.Done), bytesOf(p.Total)))
	}})
	s.console.setLive("")
	if err != nil {
		return dataProblem(err)
	}
	s.console.line("Fashion-MNIST is in %s.", dir)
	return nil
}

// dataProblem adds what the launcher knows to do about a download that failed.
func dataProblem(err error) error {
	var fetch *datasets.FetchError
	if errors.Is(err, datasets.ErrOffline) || !errors.As(err, &fetch) {
		return err
	}
	return &problem{What: err.Error(), Err: err, Mend: "Start again to carry on where it stopped. " +
		"The notebooks run without it, on the 10,000 images that come with the package."}
}
