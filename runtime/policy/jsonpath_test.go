package policy

import "testing"

func TestOperation_JSONPath(t *testing.T) {
	for _, test := range []struct {
		op   Operation
		want string
	}{
		{Operation{Path: "/a", Method: "POST"}, "$.paths['/a'].post"},
		{Operation{Path: "/it's", Method: "POST"}, `$.paths['/it\'s'].post`},
		{Operation{Path: `/a\b`, Method: "POST"}, `$.paths['/a\\b'].post`},
		{Operation{Path: "/a\n", Method: "POST"}, `$.paths['/a\u000a'].post`},
		{Operation{Path: "/a~1b~b", Method: "POST"}, `$.paths['/a~1b~b'].post`},
		{Operation{Path: "/a", Method: "QUERY"}, "$.paths['/a'].query"},
		{Operation{Path: "/a", Method: "Copy"}, "$.paths['/a'].additionalOperations['Copy']"},
		{Operation{Path: "/a", Method: "PATHS"}, "$.paths['/a'].additionalOperations['PATHS']"},
		{Operation{Path: "a b", Method: "POST", Webhook: true}, "$.webhooks['a b'].post"},
		{Operation{Path: "", Method: "POST", Webhook: true}, "$.webhooks[''].post"},
		{Operation{Path: "/a", Method: "POST", Pointer: "/components/pathItems/A~1b/post"}, "$.components.pathItems['A/b'].post"},
		{Operation{Path: "/a", Method: "COPY", Pointer: "/paths/~1b/additionalOperations/COPY"}, "$.paths['/b'].additionalOperations['COPY']"},
	} {
		if got := test.op.JSONPath(); got != test.want {
			t.Errorf("got %s, want %s", got, test.want)
		}
	}
}
