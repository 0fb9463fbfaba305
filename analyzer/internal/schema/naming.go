package schema

import "strings"

// initialisms are read as one word, as gorm does.
var initialisms = []string{"API", "ASCII", "CPU", "CSS", "DNS", "EOF", "GUID", "HTML", "HTTPS", "HTTP", "ID", "IP", "JSON", "LHS", "QPS", "RAM", "RHS", "RPC", "SLA", "SMTP", "SSH", "TLS", "TTL", "UUID", "UID", "UI", "URI", "URL", "UTF8", "VM", "XML", "XSRF", "XSS"}

// snake gives a Go name as gorm and bun write it for a column: TenantID becomes tenant_id.
func snake(name string) string {
	var b strings.Builder
	for i := range len(name) {
		c := name[i]
		if c < 'A' || c > 'Z' {
			b.WriteByte(c)
			continue
		}
		if i > 0 {
			before := name[i-1]
			followed := i+1 < len(name) && name[i+1] >= 'a' && name[i+1] <= 'z' && !plainPlural(name[i:])
			if before != '_' && (before < 'A' || before > 'Z' || followed || endsInitialism(name[:i], name[i:])) {
				b.WriteByte('_')
			}
		}
		b.WriteByte(c + 'a' - 'A')
	}
	return b.String()
}

// plainPlural reports whether a rest is the last letter of an initialism and an s: the D of IDs.
func plainPlural(rest string) bool { return len(rest) == 2 && rest[1] == 's' }

// endsInitialism reports whether one initialism ends and another starts here, as in HTTPURL.
func endsInitialism(before, rest string) bool {
	for _, word := range initialisms {
		if !strings.HasSuffix(before, word) {
			continue
		}
		for _, next := range initialisms {
			if strings.HasPrefix(rest, next) {
				return true
			}
		}
	}
	return false
}

var (
	irregular   = map[string]string{"person": "people", "man": "men", "woman": "women", "child": "children", "mouse": "mice", "ox": "oxen", "quiz": "quizzes", "datum": "data", "medium": "media", "criterion": "criteria", "move": "moves", "sex": "sexes", "hero": "heroes", "tomato": "tomatoes", "potato": "potatoes", "echo": "echoes"}
	uncountable = map[string]bool{"equipment": true, "information": true, "rice": true, "money": true, "species": true, "series": true, "fish": true, "sheep": true, "jeans": true, "police": true, "news": true}
	pluralEnds  = []struct{ end, plural string }{
		{"status", "statuses"}, {"alias", "aliases"}, {"bus", "buses"}, {"matrix", "matrices"}, {"vertex", "vertices"}, {"index", "indices"}, {"sis", "ses"},
		{"ss", "sses"}, {"sh", "shes"}, {"ch", "ches"}, {"x", "xes"}, {"lf", "lves"}, {"rf", "rves"}, {"ife", "ives"}, {"s", "s"},
	}
)

// plural gives the plural of the last word of a name, by the rules of English that both libraries follow.
func plural(name string) string {
	cut := strings.LastIndexByte(name, '_') + 1
	head, last := name[:cut], name[cut:]
	switch {
	case last == "":
		return name
	case uncountable[last]:
		return name
	case irregular[last] != "":
		return head + irregular[last]
	}
	for _, rule := range pluralEnds {
		if strings.HasSuffix(last, rule.end) {
			return head + strings.TrimSuffix(last, rule.end) + rule.plural
		}
	}
	if n := len(last); n > 1 && last[n-1] == 'y' && !strings.ContainsRune("aeiou", rune(last[n-2])) {
		return head + last[:n-1] + "ies"
	}
	return name + "s"
}
