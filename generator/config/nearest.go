package config

import "strings"

// nearest returns the candidate that name is most likely a slip of, if one is close enough to be worth naming.
func nearest(name string, candidates []string) (near string, ok bool) {
	best := max(1, (len(name)+1)/3) + 1
	for _, candidate := range candidates {
		if d := distance(strings.ToLower(name), strings.ToLower(candidate)); d < best {
			near, best = candidate, d
		}
	}
	return near, near != ""
}

// distance is Levenshtein's, in bytes.
func distance(a, b string) int {
	row := make([]int, len(b)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(a) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(b) {
			change := diagonal
			if a[i] != b[j] {
				change++
			}
			diagonal = row[j+1]
			row[j+1] = min(change, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(b)]
}
