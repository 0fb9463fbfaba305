package gocode

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"

	"github.com/idemgen/idemgen/generator/diag"
	"github.com/idemgen/idemgen/generator/media"
	"github.com/idemgen/idemgen/runtime/policy"
)

// operation is one keyed operation.
type operation struct {
	op *policy.Operation
	// name is the method of the interface; the other names are derived from it.
	name, request, response, handler string
	// docsURL is where the operation's published policy stands, if anywhere.
	docsURL string
	// variable holds the runtime.Operation, reader is the function that decodes a request.
	variable, reader string
	// encoder is the function that makes a response of what the handler returned.
	encoder string
	// lease is the type by which a handler in lease mode works, and steps are its steps.
	lease string
	steps []*step
	// current is the method of the interface that rebuilds an answer; empty where the stored one is replayed.
	current string
	// shared is the policy that the operation has with others, nil when it has one of its own.
	shared *shared
	// wildcards are the names of the path's parameters for http.Request.PathValue, in the order of the template.
	wildcards []string

	params []*param
	bodies []*body
	// contentType is true when the request type says which media type was sent.
	contentType bool
	answers     []*answer
}

// encode is the method by which an answer becomes a response.
func (o *operation) encode() string { return "Encode" + o.name }

// param is one parameter, or one header of an answer.
type param struct {
	*policy.Parameter
	name string // the Go field
	slot slot
}

// body is one media type of a request.
type body struct {
	*policy.Content
	kind media.Kind
	name string // the Go field
	slot slot
}

// answer is one documented status in one media type.
type answer struct {
	*policy.Response
	content *policy.Content // nil without a body
	kind    media.Kind
	name    string // the Go type
	slot    slot
	headers []*param
	// anyStatus is true for "default" and classes, anyType for media type ranges: the handler says which.
	anyStatus, anyType bool
}

// nameOperations names the operations and what is derived from them first: a schema of the same name has to give way,
// because the interface is what people program against.
func (p *plan) nameOperations() {
	methods := newScope()
	urls := p.doc.DocsURLs()
	for i := range p.doc.Operations {
		op := &p.doc.Operations[i]
		if op.Decision != policy.Keyed {
			continue
		}
		name := methods.claim(exported(op.ID), exported(op.Method+" "+op.ID))
		p.operations = append(p.operations, &operation{
			op:       op,
			docsURL:  urls[i],
			name:     name,
			request:  p.names.claim(name + "Request"),
			response: p.names.claim(name + "Response"),
			handler:  p.names.claim(name + "Handler"),
			variable: p.names.claim("op" + name),
			reader:   p.names.claim("read" + name + "Request"),
			encoder:  p.names.claim("encode" + name),
		})
	}
	for _, o := range p.operations {
		if o.leased() {
			o.lease = p.names.claim(o.name + "Lease")
		}
		if o.op.Policy.Replay.As == policy.Current {
			o.current = methods.claim("Current" + o.name)
		}
		o.planSteps(methods)
		p.nameAnswers(o)
	}
}

// planRequest decides the fields of an operation's request.
func (p *plan) planRequest(o *operation) {
	if o.op.Shape == nil {
		return
	}
	fields := newScope("Key", "Principal", "Body", "ContentType")
	p.planBodies(o, fields)
	for _, parameter := range p.parameters(o) {
		name := exported(parameter.Name)
		f := &param{Parameter: parameter, name: fields.claim(name, exported(parameter.In+" "+parameter.Name))}
		f.slot = p.typeOf(parameter.Schema, o.name+f.name, "a parameter of "+o.name).place(parameter.Schema, parameter.Required, false)
		o.params = append(o.params, f)
	}
}

// parameters are the parameters that a request has fields for, not the key, which the runtime reads,
// nor what has no effect. A path's parameter that the document does not describe is a string.
func (p *plan) parameters(o *operation) []*policy.Parameter {
	var found []*policy.Parameter
	inPath := templateParams(o.op.Path)
	described := map[string]bool{}
	for i := range o.op.Shape.Parameters {
		parameter := &o.op.Shape.Parameters[i]
		switch {
		case parameter.IsKey, ignoredHeader(parameter):
			continue
		case parameter.In == "path" && !slices.Contains(inPath, parameter.Name):
			p.warnings = append(p.warnings, diag.Diagnostic{
				Pos: parameter.Pos, Rule: "path-parameter-unknown", Severity: diag.Warning,
				Message: fmt.Sprintf("the path has no parameter %s, so the request has no field for it", quoted(parameter.Name)),
				Hint:    "write {" + cleanLine(parameter.Name) + "} into the path, or take the parameter away",
			})
			continue
		case parameter.In == "path":
			described[parameter.Name] = true
		}
		found = append(found, parameter)
	}
	for _, name := range inPath {
		if !described[name] && !o.op.Webhook {
			described[name] = true
			found = append(found, &policy.Parameter{
				Name: name, In: "path", Required: true, Style: "simple", Schema: &policy.Schema{Kind: policy.String},
			})
		}
	}
	return found
}

// ignoredHeader reports whether OpenAPI says that a header parameter of this name has no effect.
func ignoredHeader(p *policy.Parameter) bool {
	if p.In != "header" {
		return false
	}
	switch http.CanonicalHeaderKey(p.Name) {
	case "Accept", "Content-Type", "Authorization":
		return true
	}
	return false
}

// markUsed marks the types that the operation's request is read into.
func (o *operation) markUsed() {
	for _, param := range o.params {
		param.slot.typ.markUsed()
	}
	for _, body := range o.bodies {
		body.slot.typ.markUsed()
	}
}

// planBodies gives each media type of a request a field: Body when there is one, else one named after each kind.
func (p *plan) planBodies(o *operation, fields scope) {
	request := o.op.Shape.Body
	if request == nil {
		return
	}
	for _, content := range distinct(request.Contents) {
		o.bodies = append(o.bodies, &body{Content: content, kind: media.OfContent(content)})
		o.contentType = o.contentType || strings.Contains(content.MediaType, "*")
	}
	slices.SortStableFunc(o.bodies, func(a, b *body) int { return cmp.Compare(a.kind, b.kind) })
	alone := len(o.bodies) == 1
	o.contentType = o.contentType || !alone
	for _, b := range o.bodies {
		b.name = "Body"
		if !alone {
			b.name = fields.claim(b.kind.String(), exported(b.MediaType))
		}
		b.slot = p.bodySlot(b.kind, b.Schema, o.name+b.name, "a body of "+o.name, alone && request.Required)
	}
}

// bodySlot is how a whole body is kept. What is neither JSON, form nor text is bytes.
func (p *plan) bodySlot(kind media.Kind, s *policy.Schema, owner, what string, required bool) slot {
	switch kind {
	case media.Binary:
		return scalar(octets).place(nil, required, false)
	case media.Text:
		if s != nil && (shapeOf(s, false) == text || shapeOf(s, false) == enum) {
			return p.typeOf(s, owner, what).place(s, required, false)
		}
		return scalar(text).place(nil, required, false)
	}
	return p.typeOf(s, owner, what).place(s, required, false)
}

// nameAnswers names the type of each documented status and media type.
func (p *plan) nameAnswers(o *operation) {
	if o.op.Shape == nil {
		return
	}
	for i := range o.op.Shape.Responses {
		response := &o.op.Shape.Responses[i]
		anyStatus := !isCode(response.Status)
		name := o.name + statusName(response.Status)
		contents := distinct(response.Contents)
		if len(contents) == 0 {
			o.answers = append(o.answers, &answer{Response: response, name: p.names.claim(name), anyStatus: anyStatus})
		}
		for _, content := range contents {
			a := &answer{
				Response: response, content: content, kind: answerKind(content), anyStatus: anyStatus,
			}
			a.anyType = strings.Contains(content.MediaType, "*") && a.kind != media.JSON
			if len(contents) == 1 {
				a.name = p.names.claim(name)
			} else {
				a.name = p.names.claim(name+a.kind.String(), name+exported(content.MediaType))
			}
			o.answers = append(o.answers, a)
		}
	}
}

// statusName is the end of an answer's type name: "201", "4XX", "Default".
func statusName(status string) string {
	if isCode(status) || isClass(status) {
		return strings.ToUpper(status)
	}
	return "Default"
}

// isCode reports whether a documented status is one code.
func isCode(status string) bool {
	return len(status) == 3 && strings.Trim(status, "0123456789") == ""
}

// isClass reports whether a documented status is a class of codes, such as "4XX".
func isClass(status string) bool {
	return len(status) == 3 && status[0] >= '1' && status[0] <= '5' && strings.EqualFold(status[1:], "XX")
}

// planAnswers decides the fields of each answer's type.
func (p *plan) planAnswers(o *operation) {
	for _, a := range o.answers {
		fields := newScope("Body", "StatusCode", "ContentType", o.encode())
		for i := range a.Headers {
			header := &a.Headers[i]
			if setByRuntime(o.op, header.Name) {
				continue
			}
			h := &param{Parameter: header, name: fields.claim(exported(header.Name), exported("header "+header.Name))}
			h.slot = headerType(header.Schema).place(nil, header.Required, false)
			a.headers = append(a.headers, h)
		}
		if a.content != nil {
			a.slot = p.bodySlot(a.kind, a.content.Schema, a.name+"Body", "the body of "+a.name, true)
		}
	}
}

// setByRuntime reports whether a documented header of an answer is not a handler's business.
func setByRuntime(op *policy.Operation, name string) bool {
	switch canonical := http.CanonicalHeaderKey(name); canonical {
	case "Content-Type", "Content-Length", "Date", "Transfer-Encoding":
		return true
	default:
		return op.Policy.Replay.Header != "" && canonical == http.CanonicalHeaderKey(op.Policy.Replay.Header)
	}
}

// headerType is the type of an answer's header: a scalar, a list of texts, or else text that is written as it is.
func headerType(s *policy.Schema) *typ {
	if s == nil {
		return scalar(text)
	}
	switch found := shapeOf(s, false); found {
	case boolean, int32s, int64s, float32s, float64s, number, timestamp, date:
		return scalar(found)
	case list:
		t := scalar(list)
		t.item = scalar(text).place(nil, true, false)
		return t
	}
	return scalar(text)
}
