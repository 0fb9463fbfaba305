package diag

import "strings"

// Nearest returns the known word with the smallest edit distance, if that is small for the word's length, else nothing.
// Case, hyphens, underscores and spaces do not count: max_length is maxLength.
func Nearest(text string, known []string) string {
	if len(text) > 40 {
		return ""
	}
	best, bestDistance := "", 3
	for _, word := range known {
		distance := editDistance(Fold(text), Fold(word))
		if distance < bestDistance && distance*2 < len(word) {
			best, bestDistance = word, distance
		}
	}
	return best
}

// Fold is a name without what does not count when names are compared: case, hyphens, underscores and spaces.
func Fold(text string) string {
	return strings.ToLower(strings.NewReplacer("-", "", "_", "", " ", "").Replace(text))
}

// editDistance counts insertions, deletions, replacements and swaps of neighbours (optimal string alignment).
func editDistance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			rows[i][j] = min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				rows[i][j] = min(rows[i][j], rows[i-2][j-2]+1)
			}
		}
	}
	return rows[len(a)][len(b)]
}
