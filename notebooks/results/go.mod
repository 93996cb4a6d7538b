// The results are a module of their own, so that the zip of the module around them leaves them out. It holds no packages.
module github.com/puclab/puclab/notebooks/results

go 1.26.5
