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

// ColumnName gives the column that gorm, bun and ent make of a field's name.
func ColumnName(field string) string { return snake(field) }

// TableName gives the table that gorm, bun and ent make of a type's name.
func TableName(typeName string) string { return plural(snake(typeName)) }

// The rules of plurals are those of the library that gorm and bun share, in its order: the first end that fits decides.
var (
	uncountable = map[string]bool{"equipment": true, "information": true, "rice": true, "money": true, "species": true, "series": true, "fish": true, "sheep": true, "jeans": true, "police": true}
	whole       = map[string]string{"mouse": "mice", "louse": "lice", "mice": "mice", "lice": "lice", "ox": "oxen", "oxen": "oxen", "axis": "axes", "testis": "testes"}
	pluralEnds  = []struct{ end, plural string }{
		{"person", "people"}, {"people", "people"}, {"man", "men"}, {"men", "men"}, {"child", "children"}, {"children", "children"}, {"sex", "sexes"}, {"move", "moves"},
		{"quiz", "quizzes"}, {"matrix", "matrices"}, {"vertex", "vertices"}, {"index", "indices"}, {"x", "xes"}, {"ch", "ches"}, {"ss", "sses"}, {"sh", "shes"}, {"quy", "quies"},
		{"ay", "ays"}, {"ey", "eys"}, {"iy", "iys"}, {"oy", "oys"}, {"uy", "uys"}, {"yy", "yys"}, {"y", "ies"},
		{"ffe", "ffes"}, {"fe", "ves"}, {"lf", "lves"}, {"rf", "rves"}, {"sis", "ses"}, {"ta", "ta"}, {"ia", "ia"}, {"tum", "ta"}, {"ium", "ia"},
		{"buffalo", "buffaloes"}, {"tomato", "tomatoes"}, {"bus", "buses"}, {"alias", "aliases"}, {"status", "statuses"},
		{"octopus", "octopi"}, {"virus", "viri"}, {"octopi", "octopi"}, {"viri", "viri"}, {"s", "s"},
	}
)

// plural gives the plural of a name. One that ends in a digit has none.
func plural(name string) string {
	if uncountable[name] {
		return name
	}
	if known, ok := whole[name]; ok {
		return known
	}
	for _, rule := range pluralEnds {
		if head, ok := strings.CutSuffix(name, rule.end); ok {
			return head + rule.plural
		}
	}
	if name == "" || name[len(name)-1] < 'a' || name[len(name)-1] > 'z' {
		return name
	}
	return name + "s"
}
