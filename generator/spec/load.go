package spec

import (
	"regexp"

	"go.yaml.in/yaml/v4"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/spec/extension"
	"github.com/idemgen/idemgen/runtime/policy"
)

// Options say what to load, and how strictly.
type Options struct {
	// File is the OpenAPI document's path.
	File string
	// Root is the folder that holds every file the document may refer to, itself included; the document's own folder
	// when empty. No reference leaves it, not through a symbolic link either.
	Root string
	// Overlays are the paths of OpenAPI Overlay files, laid over the document in this order.
	Overlays []string
	// Profiles are the paths of files that each hold a profile of the user's own.
	Profiles []string
	// Strict makes errors of what is a warning otherwise: whatever is wrong with the document and not with
	// x-idempotency. The whole document is checked then, not only what keyed operations need.
	Strict bool
	// AcceptDeclared takes every key parameter that the document declares as a decision.
	AcceptDeclared bool
}

// Load reads an OpenAPI document with its overlays and gives what it says of idempotency.
//
// The error is non-nil when a file cannot be read at all; it then wraps the reason, such as [io/fs.ErrNotExist]. What is
// wrong in a file is in the list, sorted, each finding with its place; the document is never nil then, but complete only
// when [diag.List.Err] is nil. Load may be called from several goroutines.
func Load(o Options) (*policy.Document, diag.List, error) {
	src := newSources()
	defer src.close()
	l := &loading{options: o, src: src, rep: &reporter{src: src, strict: o.Strict}, doc: &policy.Document{SpecFile: o.File, Overlays: o.Overlays},
		stoodFor: map[*yaml.Node]string{}, decided: map[*yaml.Node]bool{}, stands: map[*yaml.Node]string{}}
	l.refs = &resolver{src: src, rep: l.rep, told: map[*yaml.Node]int{}, swagger: map[*yaml.Node]string{}}
	if err := l.read(); err != nil {
		return nil, nil, err
	}
	if l.root != nil {
		l.resolve()
	}
	return l.doc, l.rep.finished(), nil
}

// loading is one call of Load.
type loading struct {
	options Options
	src     *sources
	rep     *reporter
	refs    *resolver
	conv    *converter
	main    *source
	root    *yaml.Node // of the main document, overlays applied
	doc     *policy.Document
	// profiles are those that the document can name.
	profiles extension.Profiles

	patterns map[string]*regexp.Regexp // of examples' schemas
	// stoodFor has the references in whose place an answer of a Swagger document was written.
	stoodFor map[*yaml.Node]string
	// written is the main document, overlays applied, before a Swagger document was rewritten.
	written *yaml.Node
	// decided are the values of x-idempotency that were read.
	decided map[*yaml.Node]bool
	// stands has the JSON Pointer of the path item that each of its members is written in.
	stands map[*yaml.Node]string
}

// read reads document and overlays into l.root, which stays nil when the document cannot be used.
func (l *loading) read() error {
	main, err := l.src.openMain(l.options.File, l.options.Root)
	if err != nil {
		return err
	}
	overlays := make([]*source, len(l.options.Overlays))
	for i, file := range l.options.Overlays {
		if overlays[i], err = l.src.openOverlay(file); err != nil {
			return err
		}
		overlays[i].overlays = main
	}
	if err := l.readProfiles(); err != nil {
		return err
	}
	l.main = main
	if failure := main.parse(); failure != nil {
		l.rep.syntax(main, failure)
		return nil
	}
	l.rep.duplicates(main)
	if !l.isOpenAPI(main.root) {
		return nil
	}
	for _, overlay := range overlays {
		if failure := overlay.parse(); failure != nil {
			l.rep.syntax(overlay, failure)
			continue
		}
		l.rep.duplicates(overlay)
		main.root = apply(main.root, readOverlay(overlay, l.rep), l.rep)
	}
	if len(overlays) > 0 && !l.isOpenAPI(main.root) {
		return nil
	}
	l.written = main.root
	if l.doc.OpenAPI == "2.0" {
		l.convert()
	}
	l.root = main.root
	return nil
}

var openAPIVersion = regexp.MustCompile(`^3\.[012]\.\d+(-.+)?$`)

// isOpenAPI looks whether a file is a document of a known version, and notes the version.
func (l *loading) isOpenAPI(root *yaml.Node) bool {
	if !isMap(root) {
		l.rep.fail(root, ruleNotOpenAPI, "", "an OpenAPI document must be an object with a member openapi")
		return false
	}
	if version := get(root, "swagger"); version != nil {
		if text(version) != "2.0" {
			l.rep.fail(version, ruleNotOpenAPI, "write swagger: \"2.0\", or convert the document to OpenAPI 3", "Swagger %s is not supported", quoteShort(text(version)))
			return false
		}
		l.doc.OpenAPI = "2.0"
		return true
	}
	version := get(root, "openapi")
	switch {
	case version == nil && get(root, "overlay") != nil:
		l.rep.fail(root, ruleNotOpenAPI, "name the document it is for as the document, and this file with --overlay or under overlays in idemgen.yaml", "the file is an OpenAPI Overlay, and no OpenAPI document")
		return false
	case version == nil:
		l.rep.fail(root, ruleNotOpenAPI, "write openapi: 3.1.0 at the top, if it is one", "the file has no member openapi or swagger, it is no OpenAPI document")
		return false
	case !openAPIVersion.MatchString(text(version)):
		l.rep.fail(version, ruleNotOpenAPI, "versions 2.0, 3.0, 3.1 and 3.2 are known", "the OpenAPI version %s is not known", quoteShort(text(version)))
		return false
	}
	l.doc.OpenAPI = version.Value
	return true
}

// siblings reports whether keywords beside a schema's $ref count: from OpenAPI 3.1 on.
func (l *loading) siblings() bool { return l.doc.OpenAPI >= "3.1" }

// resolve fills the document from l.root.
func (l *loading) resolve() {
	l.about()
	extensionRoot := l.rootExtension()
	operations := l.operations()
	for _, op := range operations {
		op.out.Declared, op.out.Outline = l.declared(op), l.outline(op)
		l.decide(op, extensionRoot)
	}
	l.sameIDs(operations)

	validation := l.startValidation(operations)
	l.conv = newConverter(l.src, l.refs, l.siblings(), walk(l.root, "components", "schemas"))
	for _, op := range operations {
		if op.out.Decision == policy.Keyed {
			op.out.Shape = l.shape(op)
		}
	}
	l.doc.Schemas = l.conv.schemas()
	for _, op := range operations {
		l.doc.Operations = append(l.doc.Operations, op.out)
	}
	for _, f := range l.src.files[1:] {
		if f.overlays == nil && !f.profile {
			l.refs.sweep(f.root)
			if f == l.main {
				l.strays(l.written)
			} else {
				l.strays(f.root)
			}
		}
	}
	l.rep.list = append(l.rep.list, extension.Check(l.doc)...)
	l.report(<-validation)
}

// about reads what the document says of itself.
func (l *loading) about() {
	l.isObject("info", "", l.rep.problem)
	if servers := get(l.root, "servers"); servers != nil && !isNull(servers) && !isList(servers) {
		l.rep.problem(servers, ruleStructure, "", "servers must be a list")
	}
	l.doc.Title, l.doc.Version = text(walk(l.root, "info", "title")), text(walk(l.root, "info", "version"))
	for _, server := range items(get(l.root, "servers")) {
		if url := text(get(server, "url")); url != "" {
			l.doc.Servers = append(l.doc.Servers, url)
		}
	}
}

// rootExtension reads x-idempotency at the root.
func (l *loading) rootExtension() *extension.Root {
	root, found := extension.DecodeRoot(l.extensionOf(l.root), l.src.at, &l.profiles)
	l.rep.list = append(l.rep.list, found...)
	l.doc.PageTitle, l.doc.Contact, l.doc.DocsURL = root.Title, root.Contact, root.DocsURL
	l.doc.Profile, l.doc.Consumers = root.Profile, root.Consumers
	return root
}

// extensionOf is n's x-idempotency, nil when it has none.
func (l *loading) extensionOf(n *yaml.Node) *yaml.Node {
	value := get(n, extension.Name)
	l.decided[value] = true
	return value
}

// decide reads what is said of an operation, by x-idempotency or in Fern's words.
func (l *loading) decide(op *operation, root *extension.Root) {
	members := func(n *yaml.Node, level policy.Level) *extension.Members {
		decoded, found := extension.DecodeMembers(l.extensionOf(n), l.src.at, &l.profiles, level)
		l.rep.list = append(l.rep.list, found...)
		return decoded
	}
	found := extension.Resolve(extension.ResolveInput{
		Operation:      &op.out,
		Root:           root,
		PathItem:       members(op.item, policy.LevelPathItem),
		Own:            members(op.node, policy.LevelOperation),
		FernIdempotent: get(op.node, "x-fern-idempotent"),
		FernHeaders:    get(l.root, "x-fern-idempotency-headers"),
		Profiles:       &l.profiles,
		AcceptDeclared: l.options.AcceptDeclared,
		Named:          func(place policy.Key) (policy.DeclaredKey, bool) { return l.named(op, place) },
		At:             l.src.at,
	})
	l.rep.list = append(l.rep.list, found...)
}
