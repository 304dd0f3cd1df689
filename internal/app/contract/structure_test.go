package contract_test

import (
	"bytes"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"go.yaml.in/yaml/v4"

	documents "github.com/dropyard/dropyard/api"
)

// TestDocumentsAreServed compares the served documents with the embedded ones, apart from the
// address of the service: the YAML byte for byte, the JSON by its content.
func TestDocumentsAreServed(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.BaseURL = "https://delivery.example/" })
	for name, embedded := range map[string][]byte{"/openapi": documents.OpenAPI, "/ops": documents.Ops} {
		source := bytes.Replace(embedded, []byte("\n  - url: /\n"), []byte("\n  - url: https://delivery.example\n"), 1)
		if got := service.Do(t, "GET", name+".yaml", nil).Must(t, 200); string(got.Body) != string(source) {
			t.Errorf("GET %s.yaml: got another document than the embedded one", name)
		}
		var want any
		if err := yaml.Load(source, &want); err != nil {
			t.Fatal(err)
		}
		got := service.Do(t, "GET", name+".json", nil).Must(t, 200)
		if !reflect.DeepEqual(decode(t, got.Body), decode(t, encode(t, want))) {
			t.Errorf("GET %s.json: got another document than %[1]s.yaml", name)
		}
	}
}

func TestReferencesResolve(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			members, _ := n.value.(map[string]any)
			target, ok := members["$ref"].(string)
			if !ok {
				return
			}
			if _, found := d.lookUp(c, target); !found {
				t.Errorf("%s: got a reference to %s, which does not exist", n, target)
			}
		})
	}
}

// schemaPlace matches the places where OpenAPI has schemas.
var schemaPlace = regexp.MustCompile(
	`^/components/schemas/[^/]+$|/(parameters|headers)/[^/]+/schema$|/content/[^/]+/schema$`,
)

func TestSchemasCompile(t *testing.T) {
	t.Parallel()
	c, count := read(t), 0
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			if !schemaPlace.MatchString(n.pointer) {
				return
			}
			count++
			if _, err := c.schema(n); err != nil {
				t.Error(err)
			}
		})
	}
	if count < 150 {
		t.Errorf("got %d schemas, want more", count)
	}
}

func TestOperationsAreComplete(t *testing.T) {
	t.Parallel()
	c, seen := read(t), map[string]bool{}
	for _, o := range c.operations {
		if o.id == "" || seen[o.id] {
			t.Errorf("%s %s: got operationId %q, want a unique one", o.method, o.path, o.id)
		}
		seen[o.id] = true
		known := o.document.node(c).at("tags").elements()
		for _, tag := range o.at("tags").elements() {
			if !slices.ContainsFunc(known, func(n node) bool { return n.at("name").text() == tag.text() }) {
				t.Errorf("%s: got an unknown tag %q", o.id, tag.text())
			}
		}
		if len(o.at("tags").elements()) != 1 || o.at("summary").text() == "" || len(o.statuses()) == 0 {
			t.Errorf("%s: want one tag, a summary and responses", o.id)
		}
		o.lintResponses(t)
		o.lintParameters(t)
		o.lintSecurity(t)
	}
}

var statusForm = regexp.MustCompile(`^[1-5][0-9][0-9]$`)

// lintResponses checks that every response has what all of them need.
func (o *operation) lintResponses(t *testing.T) {
	for _, status := range o.statuses() {
		response := o.response(status)
		if !statusForm.MatchString(status) || response.at("description").text() == "" ||
			len(response.at("content").members()) == 0 {
			t.Errorf("%s: response %q: got no description or no content", o.id, status)
		}
		if response.at("headers", "X-Request-Id").value == nil {
			t.Errorf("%s: response %s: got no X-Request-Id", o.id, status)
		}
	}
}

// lintParameters checks that parameters have what they need, and that the path has
// the path parameters.
func (o *operation) lintParameters(t *testing.T) {
	inPath := 0
	for _, p := range o.parameters() {
		name, in := p.at("name").text(), p.at("in").text()
		if name == "" || p.at("description").text() == "" || p.at("schema").value == nil {
			t.Errorf("%s: parameter %q: got no description or no schema", o.id, name)
		}
		if in == "path" {
			inPath++
			if !p.at("required").flag() || !strings.Contains(o.path, "{"+name+"}") {
				t.Errorf("%s: path parameter %q: want it required, and in the path", o.id, name)
			}
		}
	}
	if inPath != strings.Count(o.path, "{") {
		t.Errorf("%s: got %d path parameters for %s", o.id, inPath, o.path)
	}
}

func (o *operation) lintSecurity(t *testing.T) {
	schemes := o.document.node(o.contract).at("components", "securitySchemes")
	for _, way := range o.security() {
		for _, name := range way.schemes {
			if schemes.at(name).value == nil {
				t.Errorf("%s: got security scheme %q, which does not exist", o.id, name)
			}
		}
	}
}

// TestExamplesMatchSchemas compares examples and defaults with their schemas.
func TestExamplesMatchSchemas(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			members, _ := n.value.(map[string]any)
			if members["schema"] != nil {
				n.checkExamples(t)
			}
			if schemaPlace.MatchString(n.pointer) {
				n.checkKeyword(t)
			}
		})
	}
}

// checkExamples checks the examples of a media type, a parameter or a header.
func (n node) checkExamples(t *testing.T) {
	schema := n.contract.mustSchema(t, n.at("schema"))
	values := map[string]any{}
	if one, ok := n.value.(map[string]any)["example"]; ok {
		values["example"] = one
	}
	for _, name := range n.at("examples").members() {
		values[name] = n.at("examples", name, "value").value
	}
	for _, name := range n.at("x-faulty").members() {
		if schema.Validate(n.at("x-faulty", name, "value").value) == nil {
			t.Errorf("%s: got the faulty example %s accepted by the schema, want it under examples", n, name)
		}
	}
	for name, value := range values {
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: example %s: %v", n, name, err)
		}
	}
}

// checkKeyword checks the examples in a schema.
func (n node) checkKeyword(t *testing.T) {
	schema := n.contract.mustSchema(t, n)
	for _, example := range n.at("examples").elements() {
		if err := schema.Validate(example.value); err != nil {
			t.Errorf("%s: %v", example, err)
		}
	}
}

// yamlBoolean matches what YAML 1.1 reads as a boolean. ON is a province, and NO
// could be a country.
var yamlBoolean = regexp.MustCompile(`^(?i:y|n|yes|no|on|off)$`)

// TestAmbiguousScalarsAreQuoted checks that plain scalars mean the same in YAML 1.1
// and 1.2.
func TestAmbiguousScalarsAreQuoted(t *testing.T) {
	t.Parallel()
	for _, d := range read(t).documents {
		var root yaml.Node
		if err := yaml.Load(d.source, &root); err != nil {
			t.Fatal(err)
		}
		walkYAML(&root, func(n *yaml.Node) {
			plain := n.Kind == yaml.ScalarNode && n.Style == 0
			if plain && (yamlBoolean.MatchString(n.Value) || n.Tag == "!!timestamp") {
				t.Errorf("%s:%d: got %s, want it quoted", d.name, n.Line, n.Value)
			}
		})
	}
}

func walkYAML(n *yaml.Node, fn func(*yaml.Node)) {
	fn(n)
	for _, inner := range n.Content {
		walkYAML(inner, fn)
	}
}

// TestEnumerationTypes checks that the values of enum have the type of
// their schema.
func TestEnumerationTypes(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			members, ok := n.value.(map[string]any)
			if !ok || !takesType(members["type"], "string") {
				return
			}
			words, _ := members["enum"].([]any)
			for _, word := range words {
				_, text := word.(string)
				if !text && (word != nil || !takesType(members["type"], "null")) {
					t.Errorf("%s: got %v in the list, want a string", n, word)
				}
			}
		})
	}
}

// takesType reports whether the value of the keyword type, a word or a list,
// contains a type.
func takesType(keyword any, name string) bool {
	list, _ := keyword.([]any)
	return keyword == name || slices.Contains(list, any(name))
}
