package main

import "github.com/puclab/puclab/notebooks/papers"

// tables are the grids that there are.
var tables = catalog{papers.Names, papers.Find}
