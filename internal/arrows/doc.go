// Package arrows holds the test that keeps the packages of this module in their order: which of them may import which.
package arrows
