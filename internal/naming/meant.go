// Package naming lists the valid names of command-line arguments for programs that do not link the package that defines
// them. It also finds the intended name for a misspelled one.
package naming

import (
	"fmt"
	"strings"
)

// Meant returns the name of which word is most likely a misspelling. It is the nearest one by the number of letters to
// insert, delete, substitute or transpose, if that number is small for the length of word; else the first name with the
// prefix word. Case is ignored. It returns "" if no name is near.
func Meant(word string, among []string) string {
	word = strings.ToLower(word)
	best, least := "", 2+len([]rune(word))/3 // 1 more than the largest allowed distance
	for _, name := range among {
		if d := distance(word, strings.ToLower(name)); d < least {
			best, least = name, d
		}
	}
	if best != "" || len(word) < 2 {
		return best
	}
	for _, name := range among {
		if strings.HasPrefix(strings.ToLower(name), word) {
			return name
		}
	}
	return ""
}

// DidYouMean returns a suggestion to append to an unknown name, ` (did you mean "table-1"?)`, or "" if no name is near.
func DidYouMean(word string, among []string) string {
	if name := Meant(word, among); name != "" {
		return fmt.Sprintf(" (did you mean %q?)", name)
	}
	return ""
}

// distance returns the number of insertions, deletions, substitutions and transpositions of neighbors that turn a into
// b (Damerau's distance, with each position edited at most once).
func distance(a, b string) int {
	from, to := []rune(a), []rune(b)
	rows := make([][]int, len(from)+1)
	for i := range rows {
		rows[i] = make([]int, len(to)+1)
		for j := range rows[i] {
			switch {
			case i == 0:
				rows[i][j] = j
				continue
			case j == 0:
				rows[i][j] = i
				continue
			}
			change := rows[i-1][j-1]
			if from[i-1] != to[j-1] {
				change++
			}
			rows[i][j] = min(change, rows[i-1][j]+1, rows[i][j-1]+1)
			if i > 1 && j > 1 && from[i-1] == to[j-2] && from[i-2] == to[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(from)][len(to)]
}
