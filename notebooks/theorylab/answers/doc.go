// Package answers computes what the theory lab shows: a case comes in as JSON, the numbers go out as JSON, and all of them
// are measured by packages theory and claims.
//
//	Request   a Circle with what is asked of it, "numbers" or "gradients", or a Plane, of which "seeding" is asked
//	Lab       an engine with the meters that were used last
//	Answer    Numbers, Gradients or Seeding, or what was wrong with the request
//
// The package is compiled for a browser and for this machine alike, so that the page can be held against native code.
// Symbols, units and signs are those of package theory.
package answers
