package pucl

import . "github.com/gomlx/gomlx/core/graph"

// UnitRows is unitRows for other packages.
func UnitRows(z *Node) *Node { return unitRows(z) }
