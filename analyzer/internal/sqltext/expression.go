package sqltext

import "strings"

// ExpressionColumns gives the columns that an expression of an index or a comparison is made of, each once; none for a plain name. Expressions are texts in parentheses, as [UniqueRule] and [Comparison] have them.
func ExpressionColumns(expression string) []string {
	var columns []string
	eachColumn(expression, func(t token) {
		for _, known := range columns {
			if known == t.text {
				return
			}
		}
		columns = append(columns, t.text)
	})
	return columns
}

// RenameInExpression gives an expression with another name for a column.
func RenameInExpression(expression, from, to string) string {
	var b strings.Builder
	at := 0
	eachColumn(expression, func(t token) {
		if t.text == from {
			b.WriteString(expression[at:t.start] + to)
			at = t.end
		}
	})
	return b.String() + expression[at:]
}

func eachColumn(expression string, visit func(token)) {
	if !strings.HasPrefix(expression, "(") {
		return
	}
	tokens, _ := scan(expression)
	for i, t := range tokens {
		if t.named() && !t.unknown && !after(tokens, i).is("(", ".") && !before(tokens, i).is("::") && !(t.kind == word && (constants[t.text] || valueWords[t.text])) {
			visit(t)
		}
	}
}
