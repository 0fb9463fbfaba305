package config

// kind is what a member's value is, in the words of JSON Schema.
type kind string

const (
	text        kind = "string"
	flag        kind = "boolean"
	object      kind = "object" // of members
	textOrFalse kind = "string or false"
	// A list of one may be its element, and migrations may be the format alone.
	listOrText     kind = "array or string"
	objectTextOrNo kind = "object or string or false"
	objectOrNo     kind = "object or false"
)

// member is one member of the configuration: its name, what it may hold and where that goes. Adding a member is adding a
// line here and one in the schema.
type member struct {
	name    string
	kind    kind
	members []member // of an object

	// set takes a string, off a false.
	set func(*Config, string) error
	off func(*Config)
	// turn takes a boolean.
	turn func(*Config, bool)
	// add takes one element of a list.
	add func(*Config, string) error
}

// members are the members of idemgen.yaml, in the order they are documented.
var members = []member{
	{name: "spec", kind: text, set: input(func(c *Config) *string { return &c.Spec })},
	{name: "overlays", kind: listOrText, add: func(c *Config, value string) error {
		c.Overlays = append(c.Overlays, value)
		return checkInput(value)
	}},
	{name: "profiles", kind: listOrText, add: func(c *Config, value string) error {
		c.Profiles = append(c.Profiles, value)
		return checkInput(value)
	}},
	{name: "root", kind: text, set: input(func(c *Config) *string { return &c.Root })},
	{name: "out", kind: text, set: inside(func(c *Config) *string { return &c.Out })},
	{name: "package", kind: text, set: checked(checkPackage, func(c *Config) *string { return &c.Package })},
	{name: "models", kind: object, members: []member{
		{name: "import", kind: text, set: checked(checkImport, func(c *Config) *string { return &c.ModelsImport })},
	}},
	{name: "tests", kind: flag, turn: func(c *Config, on bool) { c.Tests = on }},
	{name: "migrations", kind: objectTextOrNo, set: checked(checkFormat, func(c *Config) *string { return &c.Migrations.Format }), off: func(c *Config) { c.Migrations.off() }, members: []member{
		{name: "format", kind: text, set: checked(checkFormat, func(c *Config) *string { return &c.Migrations.Format })},
		{name: "dir", kind: text, set: inside(func(c *Config) *string { return &c.Migrations.Dir })},
		{name: "table", kind: text, set: checked(checkTable, func(c *Config) *string { return &c.Migrations.Table })},
		{name: "dialect", kind: text, set: checked(checkDialect, func(c *Config) *string { return &c.Migrations.Dialect })},
		{name: "guards", kind: text, set: checked(checkGuards, func(c *Config) *string { return &c.Migrations.Guards })},
		{name: "tables", kind: listOrText, add: func(c *Config, value string) error {
			c.Migrations.Tables = append(c.Migrations.Tables, value)
			return checkName(value)
		}},
	}},
	{name: "docs", kind: objectOrNo, off: func(c *Config) { c.Docs = Docs{Markdown: leftOut, HTML: leftOut, JSON: leftOut, Overlay: leftOut} }, members: []member{
		{name: "dir", kind: text, set: inside(func(c *Config) *string { return &c.Docs.Dir })},
		{name: "markdown", kind: textOrFalse, set: inside(func(c *Config) *string { return &c.Docs.Markdown }), off: func(c *Config) { c.Docs.Markdown = leftOut }},
		{name: "html", kind: textOrFalse, set: inside(func(c *Config) *string { return &c.Docs.HTML }), off: func(c *Config) { c.Docs.HTML = leftOut }},
		{name: "json", kind: textOrFalse, set: inside(func(c *Config) *string { return &c.Docs.JSON }), off: func(c *Config) { c.Docs.JSON = leftOut }},
		{name: "overlay", kind: textOrFalse, set: inside(func(c *Config) *string { return &c.Docs.Overlay }), off: func(c *Config) { c.Docs.Overlay = leftOut }},
	}},
	{name: "templates", kind: text, set: input(func(c *Config) *string { return &c.Templates })},
	{name: "strict", kind: flag, turn: func(c *Config, on bool) { c.Strict = on }},
	{name: "acceptDeclared", kind: flag, turn: func(c *Config, on bool) { c.AcceptDeclared = on }},
}

func input(field func(*Config) *string) func(*Config, string) error {
	return checked(checkInput, field)
}

func checked(check func(string) error, field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		*field(c) = value
		return check(value)
	}
}

// inside is for what is written: it stays within the folder of the configuration file.
func inside(field func(*Config) *string) func(*Config, string) error {
	return func(c *Config, value string) error {
		clean, err := checkOutput(value)
		*field(c) = clean
		return err
	}
}
