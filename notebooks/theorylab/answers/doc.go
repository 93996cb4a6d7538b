// Package answers computes the numbers of the theory lab: input is a case as JSON, output is the numbers as JSON.
// Packages theory and claims compute all of them.
//
//	Request   "numbers" or "gradients" of a Circle, or "seeding" of a Plane
//	Lab       an engine with the most recently used meters
//	Answer    Numbers, Gradients or Seeding, or the error of the request
//
// The package is compiled both for a browser and for this machine, so that the page can be compared with native code.
// Symbols, units and signs are as in package theory.
package answers
