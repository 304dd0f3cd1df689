// Package contract_test compares the OpenAPI documents with running services: the
// routes, every documented example, every documented status, and, by random
// requests, the schemas of requests.
package contract_test

import (
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	documents "github.com/dropyard/dropyard/api"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"go.yaml.in/yaml/v4"
)

// host is the base URL by which the documents are compiled. Nothing is requested
// from it.
const host = "https://contract.invalid/api/"

// document is one OpenAPI document.
type document struct {
	name   string
	source []byte
	root   map[string]any
}

// contract is the content of both documents.
type contract struct {
	documents  map[string]*document // by file name
	operations []*operation

	mu     sync.Mutex
	closed *jsonschema.Compiler // of the documents whose answers and events take no other members; guarded by mu
	served *jsonschema.Compiler // of the documents as they are served, open to new members; guarded by mu
}

// theContract is read once and not changed.
var theContract = sync.OnceValues(readContract)

// read returns the contract. It ends the test if the documents are invalid.
func read(t testing.TB) *contract {
	t.Helper()
	c, err := theContract()
	if err != nil {
		t.Fatal(err)
	}
	return c
}

func readContract() (*contract, error) {
	c := &contract{documents: map[string]*document{}, closed: newCompiler(), served: newCompiler()}
	for name, source := range map[string][]byte{"openapi.yaml": documents.OpenAPI, "ops.yaml": documents.Ops} {
		d := &document{name: name, source: source}
		if err := yaml.Load(source, &d.root); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		assertForms(d.root)
		var served any
		if err := yaml.Load(source, &served); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		d.closeAnswers()
		if err := errors.Join(c.closed.AddResource(host+name, d.root), c.served.AddResource(host+name, served)); err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		c.documents[name] = d
	}
	for _, name := range slices.Sorted(maps.Keys(c.documents)) {
		c.operations = append(c.operations, c.operationsOf(c.documents[name])...)
	}
	return c, nil
}

func newCompiler() *jsonschema.Compiler {
	compiler := jsonschema.NewCompiler()
	compiler.DefaultDraft(jsonschema.Draft2020)
	compiler.RegisterFormat(&jsonschema.Format{Name: "date-time", Validate: validDate})
	compiler.AssertFormat()
	return compiler
}

// validDate checks that the date of a date-time exists. The rest of it, which may have more
// forms than RFC 3339, is for x-pattern.
func validDate(value any) error {
	text, ok := value.(string)
	if !ok {
		return nil
	}
	_, err := time.Parse(time.DateOnly, text[:min(len(text), len(time.DateOnly))])
	return err
}

// closeAnswers lets objects of answers and events have documented members only. The
// documents leave them open, because a release may add members (docs/versions.md); the
// service that is tested has none that is undocumented.
func (d *document) closeAnswers() {
	asked := map[string]bool{} // references that requests reach
	var ask func(value any)
	ask = func(value any) {
		switch value := value.(type) {
		case map[string]any:
			if target, ok := value["$ref"].(string); ok && !asked[target] {
				asked[target] = true
				if found, ok := d.lookUp(nil, target); ok {
					ask(found.value)
				}
			}
			for _, inner := range value {
				ask(inner)
			}
		case []any:
			for _, inner := range value {
				ask(inner)
			}
		}
	}
	paths, _ := d.root["paths"].(map[string]any)
	for _, methods := range paths {
		operations, _ := methods.(map[string]any)
		for _, operation := range operations {
			if members, ok := operation.(map[string]any); ok {
				ask(members["requestBody"])
			}
		}
	}
	var shut func(value any, pointer string)
	shut = func(value any, pointer string) {
		switch value := value.(type) {
		case map[string]any:
			_, object := value["properties"].(map[string]any)
			if object && value["additionalProperties"] == nil {
				value["additionalProperties"] = false
			}
			for name, inner := range value {
				refines := object && slices.Contains([]string{"allOf", "anyOf", "oneOf", "if", "then", "else"}, name)
				place := pointer + "/" + escapePointer.Replace(name)
				if !refines && !strings.HasPrefix(name, "example") && !asked["#"+place] {
					shut(inner, place)
				}
			}
		case []any:
			for i, inner := range value {
				shut(inner, fmt.Sprintf("%s/%d", pointer, i))
			}
		}
	}
	components, _ := d.root["components"].(map[string]any)
	shut(components["schemas"], "/components/schemas")
	shut(components["responses"], "/components/responses")
	shut(d.root["webhooks"], "/webhooks")
	for path, methods := range paths {
		operations, _ := methods.(map[string]any)
		for method, operation := range operations {
			if members, ok := operation.(map[string]any); ok {
				shut(members["responses"], "/paths/"+escapePointer.Replace(path)+"/"+method+"/responses")
			}
		}
	}
}

// assertForms turns x-pattern into pattern, in which generators of clients would
// meet a pattern for a value that they do not keep as text, such as a time, or one that
// not all of them can read. The tests hold those values to it like to any pattern. If
// there is a pattern, too, a value must match both. In the same way it turns x-const, of a boolean
// that has one value only, into const.
func assertForms(value any) {
	switch value := value.(type) {
	case map[string]any:
		if constant, ok := value["x-const"]; ok {
			value["const"] = constant
		}
		if form, ok := value["x-pattern"]; ok && value["pattern"] == nil {
			value["pattern"] = form
		} else if ok {
			parts, _ := value["allOf"].([]any)
			value["allOf"] = append(parts, map[string]any{"pattern": form})
		}
		for _, inner := range value {
			assertForms(inner)
		}
	case []any:
		for _, inner := range value {
			assertForms(inner)
		}
	}
}

// schema compiles the schema at a node. Objects of answers and events are closed in it.
func (c *contract) schema(n node) (*jsonschema.Schema, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.closed.Compile(host + n.document.name + "#" + n.pointer)
}

// mustServed returns the schema at a node as it is served. It ends the test on an error.
func (c *contract) mustServed(t reporter, n node) *jsonschema.Schema {
	t.Helper()
	c.mu.Lock()
	defer c.mu.Unlock()
	s, err := c.served.Compile(host + n.document.name + "#" + n.pointer)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// mustSchema is like schema, but ends the test on an error.
func (c *contract) mustSchema(t reporter, n node) *jsonschema.Schema {
	t.Helper()
	s, err := c.schema(n)
	if err != nil {
		t.Fatalf("%v", err)
	}
	return s
}

// node is a value in a document and its place.
type node struct {
	contract *contract
	document *document
	pointer  string // a JSON pointer
	value    any
}

func (d *document) node(c *contract) node { return node{contract: c, document: d, value: d.root} }

var escapePointer = strings.NewReplacer("~", "~0", "/", "~1")

// at returns the node at the member names of path. It follows references on the
// way. The value of the result is nil if there is no such node.
func (n node) at(path ...string) node {
	for _, name := range path {
		members, _ := n.value.(map[string]any)
		n.pointer += "/" + escapePointer.Replace(name)
		n.value = members[name]
		n = n.follow()
	}
	return n
}

// follow returns the node that a reference points to, or the node itself.
func (n node) follow() node {
	members, _ := n.value.(map[string]any)
	target, ok := members["$ref"].(string)
	if !ok {
		return n
	}
	found, ok := n.document.lookUp(n.contract, target)
	if !ok {
		return node{}
	}
	return found.follow()
}

var unescapePointer = strings.NewReplacer("~1", "/", "~0", "~")

// lookUp returns the node that a reference points to.
func (d *document) lookUp(c *contract, target string) (node, bool) {
	pointer, ok := strings.CutPrefix(target, "#")
	if !ok {
		return node{}, false
	}
	n := node{contract: c, document: d, pointer: pointer, value: d.root}
	for step := range strings.SplitSeq(strings.TrimPrefix(pointer, "/"), "/") {
		members, _ := n.value.(map[string]any)
		n.value = members[unescapePointer.Replace(step)]
	}
	return n, n.value != nil
}

// members returns the sorted names of the members of an object.
func (n node) members() []string {
	members, _ := n.value.(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

// elements returns the elements of a list.
func (n node) elements() []node {
	list, _ := n.value.([]any)
	all := make([]node, len(list))
	for i, value := range list {
		all[i] = node{n.contract, n.document, fmt.Sprintf("%s/%d", n.pointer, i), value}.follow()
	}
	return all
}

// text returns the value if it is a string.
func (n node) text() string {
	text, _ := n.value.(string)
	return text
}

// flag returns the value if it is a boolean.
func (n node) flag() bool {
	flag, _ := n.value.(bool)
	return flag
}

func (n node) String() string { return n.document.name + "#" + n.pointer }

// walk calls fn with the node and all nodes inside it. It does not follow references.
func (n node) walk(fn func(node)) {
	fn(n)
	switch value := n.value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			node{n.contract, n.document, n.pointer + "/" + escapePointer.Replace(name), value[name]}.walk(fn)
		}
	case []any:
		for i, element := range value {
			node{n.contract, n.document, fmt.Sprintf("%s/%d", n.pointer, i), element}.walk(fn)
		}
	}
}
