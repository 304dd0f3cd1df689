package contract_test

import (
	"slices"
	"strings"
)

// operation is one method of one path.
type operation struct {
	node
	id     string
	method string
	path   string
	// shared holds what all methods of the path have: its parameters.
	shared node
}

var methods = []string{"get", "put", "post", "delete", "options", "head", "patch", "trace"}

// operationsOf returns the operations of a document.
func (c *contract) operationsOf(d *document) (all []*operation) {
	paths := d.node(c).at("paths")
	for _, path := range paths.members() {
		shared := paths.at(path)
		for _, name := range shared.members() {
			if !slices.Contains(methods, name) {
				continue
			}
			n := shared.at(name)
			all = append(all,
				&operation{node: n, id: n.at("operationId").text(), method: strings.ToUpper(name), path: path, shared: shared})
		}
	}
	return all
}

// operation returns the operation with an id. It panics if there is none.
func (c *contract) operation(id string) *operation {
	i := slices.IndexFunc(c.operations, func(o *operation) bool { return o.id == id })
	if i < 0 {
		panic("no operation " + id)
	}
	return c.operations[i]
}

// response returns the documented response of a status. Its value is nil if there
// is none.
func (o *operation) response(status string) node { return o.at("responses", status) }

// statuses returns the documented statuses.
func (o *operation) statuses() []string { return o.at("responses").members() }

func (o *operation) documents(status string) bool {
	return slices.Contains(o.statuses(), status)
}

// parameters returns the parameters of the operation and of its path.
func (o *operation) parameters() []node {
	return append(o.at("parameters").elements(), o.shared.at("parameters").elements()...)
}

// takes reports whether there is a parameter of this kind and name.
func (o *operation) takes(in, name string) bool {
	return slices.ContainsFunc(o.parameters(), func(p node) bool {
		return p.at("in").text() == in && p.at("name").text() == name
	})
}

// requires reports whether such a parameter must be sent.
func (o *operation) requires(in, name string) bool {
	return slices.ContainsFunc(o.parameters(), func(p node) bool {
		return p.at("in").text() == in && p.at("name").text() == name && p.at("required").flag()
	})
}

// requestSchema returns the schema of the body. Its value is nil if there is no body.
func (o *operation) requestSchema() node {
	return o.at("requestBody", "content", o.takesType(), "schema")
}

// takesType returns the Content-Type of requests: JSON, or else the first one that
// is documented.
func (o *operation) takesType() string {
	kinds := o.at("requestBody", "content").members()
	if len(kinds) == 0 || slices.Contains(kinds, "application/json") {
		return "application/json"
	}
	return kinds[0]
}

// hasBody reports whether a body is documented.
func (o *operation) hasBody() bool { return o.at("requestBody").value != nil }

// example is a documented request.
type example struct {
	name    string
	answers string // the documented status
	value   any
}

// examples returns the documented requests, and after them those that the schema
// refuses, each in the order of their names.
func (o *operation) examples() (all []example) {
	for _, member := range []string{"examples", "x-faulty"} {
		examples := o.at("requestBody", "content", o.takesType(), member)
		for _, name := range examples.members() {
			n := examples.at(name)
			all = append(all, example{name, n.at("x-answers").text(), n.at("value").value})
		}
	}
	return all
}

// alternative is one way to authenticate: the security schemes that are needed
// together, and the roles that are allowed.
type alternative struct {
	schemes []string
	roles   []string
}

// security returns the ways to authenticate. Public operations have none.
func (o *operation) security() (all []alternative) {
	declared := o.at("security")
	if declared.value == nil {
		declared = o.document.node(o.contract).at("security")
	}
	for _, n := range declared.elements() {
		way := alternative{schemes: n.members()}
		for _, scheme := range way.schemes {
			for _, role := range n.at(scheme).elements() {
				way.roles = append(way.roles, role.text())
			}
		}
		all = append(all, way)
	}
	return all
}

// asksFor reports whether a security scheme is one of the ways to authenticate.
func (o *operation) asksFor(scheme string) bool {
	return slices.ContainsFunc(o.security(), func(way alternative) bool { return slices.Contains(way.schemes, scheme) })
}
