package main

import "github.com/puclab/puclab/notebooks/papers"

// tables are the available grids.
var tables = catalog{papers.Names, papers.Find}
