package client_test

import (
	"fmt"
	"maps"
	"path"
	"slices"
	"strings"
	"testing"

	documents "github.com/dropyard/dropyard/api"
	"go.yaml.in/yaml/v4"
)

// node is a node of one of the OpenAPI documents.
type node struct {
	file  string
	value any
}

// roots are the OpenAPI documents by file name.
type roots map[string]any

func readDocuments(t *testing.T) roots {
	t.Helper()
	all := roots{}
	for name, source := range map[string][]byte{"openapi.yaml": documents.OpenAPI, "ops.yaml": documents.Ops} {
		var root any
		if err := yaml.Load(source, &root); err != nil {
			t.Fatal(err)
		}
		all[name] = root
	}
	return all
}

// at returns a node below n, by the names and indexes of path, which it follows through
// references. The value is nil if there is none.
func (r roots) at(n node, path ...string) node {
	for _, step := range path {
		n = r.target(n)
		members, _ := n.value.(map[string]any)
		n.value = members[step]
	}
	return r.target(n)
}

// target follows references. Only a schema has other members beside one.
func (r roots) target(n node) node {
	members, _ := n.value.(map[string]any)
	reference, ok := members["$ref"].(string)
	if !ok {
		return n
	}
	return r.target(r.lookUp(n.file, reference))
}

// lookUp returns the node that a reference in a file names.
func (r roots) lookUp(file, reference string) node {
	other, pointer, _ := strings.Cut(reference, "#")
	if other != "" {
		file = path.Base(other)
	}
	found := node{file, r[file]}
	for _, step := range strings.Split(strings.TrimPrefix(pointer, "/"), "/") {
		step = strings.NewReplacer("~1", "/", "~0", "~").Replace(step)
		switch inner := found.value.(type) {
		case map[string]any:
			found.value = inner[step]
		default:
			found.value = nil
		}
	}
	return found
}

// each calls fn for the members of an object, by name.
func (r roots) each(n node, fn func(name string, member node)) {
	members, _ := r.target(n).value.(map[string]any)
	for _, name := range slices.Sorted(maps.Keys(members)) {
		fn(name, node{r.target(n).file, members[name]})
	}
}

// elements returns the elements of a list.
func elements(n node) []node {
	list, _ := n.value.([]any)
	nodes := make([]node, len(list))
	for i, value := range list {
		nodes[i] = node{n.file, value}
	}
	return nodes
}

// shape is what values of a schema may look like: the union of all its branches and
// references, however the schema is put together.
type shape struct {
	types    map[string]bool
	isTime   bool
	members  map[string][]node
	required map[string]bool
	items    []node
	words    []string // of enum and const; only strings
}

// shapeOf returns the shape of a value that matches the schemas.
func (r roots) shapeOf(schemas ...node) *shape {
	s := &shape{types: map[string]bool{}, members: map[string][]node{}, required: map[string]bool{}}
	for _, schema := range schemas {
		s.add(r, schema)
	}
	return s
}

func (s *shape) add(r roots, schema node) {
	members, ok := schema.value.(map[string]any)
	if !ok {
		return // true, false or absent
	}
	if reference, ok := members["$ref"].(string); ok {
		s.add(r, r.lookUp(schema.file, reference))
	}
	for _, branch := range []string{"allOf", "anyOf", "oneOf"} {
		for _, inner := range elements(node{schema.file, members[branch]}) {
			s.add(r, inner)
		}
	}
	for _, branch := range []string{"then", "else"} {
		s.add(r, node{schema.file, members[branch]})
	}
	s.addKeywords(r, schema.file, members)
}

// addKeywords adds what the schema itself says.
func (s *shape) addKeywords(r roots, file string, members map[string]any) {
	types, isList := members["type"].([]any)
	if !isList && members["type"] != nil {
		types = []any{members["type"]}
	}
	for _, name := range types {
		s.types[fmt.Sprint(name)] = true
	}
	s.isTime = s.isTime || members["format"] == "date-time"
	r.each(node{file, members["properties"]}, func(name string, member node) {
		if member.value != false {
			s.members[name] = append(s.members[name], member)
		}
	})
	required, _ := members["required"].([]any)
	for _, name := range required {
		s.required[fmt.Sprint(name)] = true
	}
	if members["items"] != nil {
		s.items = append(s.items, node{file, members["items"]})
	}
	words, _ := members["enum"].([]any)
	for _, word := range words {
		if text, ok := word.(string); ok && !slices.Contains(s.words, text) {
			s.words = append(s.words, text)
		}
	}
}

// described is an operation of a document.
type described struct {
	name       string // method and path
	responses  map[string]node
	body       node // of the request in JSON; without a value if there is none
	hasBody    bool // in JSON or not
	parameters map[string]node
	inQuery    []string
	signed     bool // accepts a signature
	session    bool // accepts a session
	token      bool // accepts an operator's token
}

// operations returns the operations of a document.
func (r roots) operations(file string) (all []described) {
	r.each(r.at(node{file, r[file]}, "paths"), func(path string, item node) {
		r.each(item, func(method string, operation node) {
			if !slices.Contains([]string{"get", "put", "post", "delete", "patch"}, method) {
				return
			}
			d := described{
				name: strings.ToUpper(method) + " " + path, responses: map[string]node{}, parameters: map[string]node{},
			}
			d.body = r.keepReference(operation, "requestBody", "content", "application/json", "schema")
			d.hasBody = r.at(operation, "requestBody").value != nil
			for _, parameter := range append(elements(r.at(item, "parameters")), elements(r.at(operation, "parameters"))...) {
				d.addParameter(r, parameter)
			}
			r.each(r.at(operation, "responses"), func(status string, response node) { d.responses[status] = response })
			for _, way := range elements(r.at(operation, "security")) {
				r.each(way, func(scheme string, _ node) {
					d.signed = d.signed || scheme == "signedKey"
					d.session = d.session || scheme == "session"
					d.token = d.token || scheme == "token"
				})
			}
			all = append(all, d)
		})
	})
	return all
}

// keepReference is at for a schema, whose reference may have other members beside it.
func (r roots) keepReference(n node, path ...string) node {
	last := len(path) - 1
	n = r.at(n, path[:last]...)
	members, _ := n.value.(map[string]any)
	return node{n.file, members[path[last]]}
}

func (d *described) addParameter(r roots, parameter node) {
	name, _ := r.at(parameter, "name").value.(string)
	if name == "mode" {
		return // it is for sessions; the client signs, and its key decides the mode
	}
	if name == "bom" || name == "separator" {
		return // ForSpreadsheet sends it with any call
	}
	if r.at(parameter, "in").value == "query" {
		d.inQuery = append(d.inQuery, name)
	}
	d.parameters[name] = r.keepReference(parameter, "schema")
}

// contents returns the media types of a response, and the schema of the one that is
// JSON.
func (r roots) contents(response node) (kinds []string, json node) {
	r.each(r.at(response, "content"), func(kind string, _ node) {
		kinds = append(kinds, kind)
		if kind == "application/json" {
			json = r.keepReference(response, "content", kind, "schema")
		}
	})
	return kinds, json
}
