// Package arrows tests the import order of the packages of this module: which of them may import which.
package arrows
