package contract_test

import (
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"go.yaml.in/yaml/v4"

	documents "github.com/dropyard/dropyard/api"
)

func TestDocumentIsServedAsItIs(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	got := service.Do(t, "GET", "/openapi.yaml", nil).Must(t, 200)
	if string(got.Body) != string(documents.OpenAPI) {
		t.Error("GET /openapi.yaml answers another document than the embedded one")
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
			if _, found := c.lookUp(d, target); !found {
				t.Errorf("%s refers to %s, which does not exist", n, target)
			}
			if len(members) > 1 && !strings.Contains(n.pointer, "/schema") {
				t.Errorf("%s: what stands beside this $ref is ignored by OpenAPI", n)
			}
		})
	}
}

// schemaPlace matches where OpenAPI has schemas.
var schemaPlace = regexp.MustCompile(`^/components/schemas/[^/]+$|/(parameters|headers)/[^/]+/schema$|/content/[^/]+/schema$`)

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
		t.Errorf("only %d schemas were found", count)
	}
}

func TestOperationsAreComplete(t *testing.T) {
	t.Parallel()
	c, seen := read(t), map[string]bool{}
	for _, o := range c.operations {
		if o.id == "" || seen[o.id] {
			t.Errorf("%s %s: operationId %q is missing or taken", o.method, o.path, o.id)
		}
		seen[o.id] = true
		known := o.document.node(c).at("tags").elements()
		for _, tag := range o.at("tags").elements() {
			if !slices.ContainsFunc(known, func(n node) bool { return n.at("name").text() == tag.text() }) {
				t.Errorf("%s: unknown tag %q", o.id, tag.text())
			}
		}
		if len(o.at("tags").elements()) != 1 || o.at("summary").text() == "" || len(o.statuses()) == 0 {
			t.Errorf("%s needs one tag, a summary and responses", o.id)
		}
		o.lintResponses(t)
		o.lintParameters(t)
		o.lintSecurity(t)
	}
}

var statusForm = regexp.MustCompile(`^[1-5][0-9][0-9]$`)

// lintResponses holds every response to what all of them have.
func (o *operation) lintResponses(t *testing.T) {
	for _, status := range o.statuses() {
		response := o.response(status)
		if !statusForm.MatchString(status) || response.at("description").text() == "" || len(response.at("content").members()) == 0 {
			t.Errorf("%s: the response %q lacks a description or content", o.id, status)
		}
		if response.at("headers", "X-Request-Id").value == nil {
			t.Errorf("%s: the response %s has no X-Request-Id", o.id, status)
		}
	}
}

// lintParameters finds parameters without what they need, and path parameters
// that the path does not have.
func (o *operation) lintParameters(t *testing.T) {
	inPath := 0
	for _, p := range o.parameters() {
		name, in := p.at("name").text(), p.at("in").text()
		if name == "" || p.at("description").text() == "" || p.at("schema").value == nil {
			t.Errorf("%s: the parameter %q lacks a description or a schema", o.id, name)
		}
		if in == "path" {
			inPath++
			if !p.at("required").flag() || !strings.Contains(o.path, "{"+name+"}") {
				t.Errorf("%s: the path parameter %q is not required, or not in the path", o.id, name)
			}
		}
	}
	if inPath != strings.Count(o.path, "{") {
		t.Errorf("%s: %d path parameters for %s", o.id, inPath, o.path)
	}
}

func (o *operation) lintSecurity(t *testing.T) {
	schemes := o.document.node(o.contract).at("components", "securitySchemes")
	for _, way := range o.security() {
		for _, name := range way.schemes {
			if schemes.at(name).value == nil {
				t.Errorf("%s: there is no security scheme %q", o.id, name)
			}
		}
	}
}

// TestDocumentedValuesFitTheirSchemas holds examples and defaults against the
// schemas that they stand beside.
func TestDocumentedValuesFitTheirSchemas(t *testing.T) {
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

// checkExamples looks at the examples of a media type, a parameter or a header.
func (n node) checkExamples(t *testing.T) {
	schema := n.contract.mustSchema(t, n.at("schema"))
	values := map[string]any{}
	if one, ok := n.value.(map[string]any)["example"]; ok {
		values["example"] = one
	}
	for _, name := range n.at("examples").members() {
		example := n.at("examples", name)
		if example.at("x-answers").text() == "" { // requests are sent elsewhere
			values[name] = example.at("value").value
		}
	}
	for name, value := range values {
		if err := schema.Validate(value); err != nil {
			t.Errorf("%s: the example %s does not fit: %v", n, name, err)
		}
	}
}

// checkKeyword looks at the examples that a schema itself has.
func (n node) checkKeyword(t *testing.T) {
	schema := n.contract.mustSchema(t, n)
	for _, example := range n.at("examples").elements() {
		if err := schema.Validate(example.value); err != nil {
			t.Errorf("%s does not fit: %v", example, err)
		}
	}
}

// yamlBoolean matches what YAML 1.1 reads as true or false: ON is a province,
// NO could be a country.
var yamlBoolean = regexp.MustCompile(`^(?i:y|n|yes|no|on|off)$`)

// TestScalarsMeanTheSameEverywhere walks the text of the documents: a plain
// scalar that readers of YAML 1.1 and 1.2 take for different things must be
// quoted.
func TestScalarsMeanTheSameEverywhere(t *testing.T) {
	t.Parallel()
	for _, d := range read(t).documents {
		var root yaml.Node
		if err := yaml.Load(d.source, &root); err != nil {
			t.Fatal(err)
		}
		walkYAML(&root, func(n *yaml.Node) {
			plain := n.Kind == yaml.ScalarNode && n.Style == 0
			if plain && (yamlBoolean.MatchString(n.Value) || n.Tag == "!!timestamp") {
				t.Errorf("%s:%d: quote %s", d.name, n.Line, n.Value)
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

// TestEnumeratedWordsAreStrings finds an enum or const of another type than
// its schema has.
func TestEnumeratedWordsAreStrings(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			members, ok := n.value.(map[string]any)
			if !ok || !takesType(members["type"], "string") {
				return
			}
			words, _ := members["enum"].([]any)
			if constant, ok := members["const"]; ok {
				words = append(words, constant)
			}
			for _, word := range words {
				_, text := word.(string)
				if !text && (word != nil || !takesType(members["type"], "null")) {
					t.Errorf("%s lists %v, which is no string", n, word)
				}
			}
		})
	}
}

// takesType reports whether the keyword type, a word or a list, holds a word.
func takesType(keyword any, name string) bool {
	list, _ := keyword.([]any)
	return keyword == name || slices.Contains(list, any(name))
}
