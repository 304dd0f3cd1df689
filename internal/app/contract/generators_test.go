package contract_test

import (
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/api"
	"go.yaml.in/yaml/v4"
)

// TestGeneratorsCanRead checks that the documents keep to what generators of clients
// read. Each rule stands for something that at least one of them refused, or read as
// less than it says.
func TestGeneratorsCanRead(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			members, _ := n.value.(map[string]any)
			if members == nil || instancePlace.MatchString(n.pointer) {
				return
			}
			for _, fault := range faultsForGenerators(n, members) {
				t.Errorf("%s: got %s", n, fault)
			}
		})
		var root yaml.Node
		if err := yaml.Load(d.source, &root); err != nil {
			t.Fatal(err)
		}
		walkYAML(&root, func(n *yaml.Node) {
			for i := 0; n.Kind == yaml.MappingNode && i < len(n.Content); i += 2 {
				if n.Content[i].Value == "pattern" && strings.ContainsAny(n.Content[i+1].Value, unreadable) {
					t.Errorf("%s:%d: got a pattern with a line end or a backtick, want x-pattern or \\x60", d.name, n.Line)
				}
			}
			if n.Anchor != "" || n.Kind == yaml.AliasNode {
				t.Errorf("%s:%d: got an anchor or an alias, want the content itself", d.name, n.Line)
			}
			if n.Kind == yaml.ScalarNode && n.Style == 0 && n.Value == "" {
				t.Errorf("%s:%d: got a member without a value: is a comma unquoted?", d.name, n.Line)
			}
		})
	}
}

// instancePlace matches what is not a schema, or anything else of OpenAPI, but a value.
var instancePlace = regexp.MustCompile(`/(example|value|x-faulty)(/|$)|/examples/[0-9]+(/|$)`)

var (
	component = regexp.MustCompile(`^#/components/[a-zA-Z]+/[^/]+$`)
	hookPlace = regexp.MustCompile(`^/webhooks/[^/]+/[a-z]+$`)
	// memberPlace matches the schemas of members of objects that have a name.
	memberPlace = regexp.MustCompile(`^/components/schemas/.*/properties/[^/]+$`)
	parsedForms = []any{"date-time", "uuid", "uri", "binary"}
)

func faultsForGenerators(n node, members map[string]any) (faults []string) {
	add := func(wrong bool, fault string) {
		if wrong {
			faults = append(faults, fault)
		}
	}
	target, refers := members["$ref"].(string)
	add(refers && len(members) > 1, "members beside $ref, want allOf")
	add(refers && !component.MatchString(target),
		"a reference to "+target+", want one to a component of the same document")
	add(hookPlace.MatchString(n.pointer) && members["parameters"] != nil,
		"parameters of a webhook, want them in x-webhook-headers")
	add(memberPlace.MatchString(n.pointer) && members["default"] != nil,
		"a default, which makes the member required, want it in the description")
	_, formed := members["pattern"]
	add(formed && members["x-pattern"] == nil && slices.Contains(parsedForms, members["format"]),
		"a pattern for a value that is not kept as text, want x-pattern")
	add(members["format"] == "date-time" && members["x-pattern"] == nil,
		"a date-time without an x-pattern, of which the tests check no more than the date")
	add(members["const"] != nil && members["x-const"] == nil, "a const, want an enum of one value")
	add(members["enum"] != nil && members["type"] == nil && !conditional.MatchString(n.pointer), "an enum without a type")
	words, _ := members["enum"].([]any)
	add(len(words) > 0 && members["type"] == "boolean" && !conditional.MatchString(n.pointer),
		"an enum of booleans, want x-const")
	add(slices.Contains(words, nil), "null in an enum, want anyOf")
	add(members["exclusiveMinimum"] != nil || members["exclusiveMaximum"] != nil,
		"an exclusive bound, which is a boolean in OpenAPI 3.0, want minimum or maximum")
	add(members["format"] == "binary" && (members["minLength"] != nil || members["maxLength"] != nil),
		"a length of a binary")
	for _, keyword := range []string{"anyOf", "oneOf", "allOf"} {
		for _, choice := range n.at(keyword).elements() {
			schema, _ := choice.value.(map[string]any)
			add(len(schema) == 0, "an empty schema in "+keyword)
		}
	}
	for _, keyword := range []string{"properties", "items", "not", "if", "then", "else"} {
		_, boolean := members[keyword].(bool)
		add(boolean, "a boolean as the schema "+keyword)
	}
	properties, _ := members["properties"].(map[string]any)
	for name, schema := range properties {
		_, boolean := schema.(bool)
		add(boolean, "a boolean as the schema of "+name)
	}
	return faults
}

// unreadable are characters that a pattern must not have: line ends, which no regular expression in
// JavaScript has, and the backtick, which ends tags in Go.
const unreadable = "\n\r\u2028\u2029`"

// conditional matches schemas that only compare, which generators leave out.
var conditional = regexp.MustCompile(`/(if|then|else|not)(/|$)`)

// TestTagsAreUnique checks that no tag stands twice, and that webhooks have a tag of
// their own: openapi-generator writes one file for each tag, and webhooks with the tag of
// operations over those.
func TestTagsAreUnique(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		seen := map[string]bool{}
		for _, tag := range d.node(c).at("tags").elements() {
			if name := tag.at("name").text(); seen[name] {
				t.Errorf("%s: got the tag %s twice", d.name, name)
			} else {
				seen[name] = true
			}
		}
	}
	for name, hook := range c.webhooks() {
		for _, o := range c.operations {
			if tag := hook.at("tags").elements()[0].text(); o.at("tags").elements()[0].text() == tag {
				t.Fatalf("webhook %s: got the tag %s, which %s has", name, tag, o.id)
			}
		}
	}
}

// TestDocumentsAgree checks that a component that both documents have is the same in
// both. Each document has all that it needs, so that a generator needs no other file.
func TestDocumentsAgree(t *testing.T) {
	t.Parallel()
	c, shared := read(t), 0
	partners, operators := c.documents["openapi.yaml"].node(c).at("components"),
		c.documents["ops.yaml"].node(c).at("components")
	for _, kind := range operators.members() {
		for _, name := range operators.at(kind).members() {
			theirs := partners.at(kind).value.(map[string]any)[name]
			if theirs == nil || kind == "securitySchemes" {
				continue
			}
			shared++
			if ours := operators.at(kind).value.(map[string]any)[name]; !reflect.DeepEqual(ours, theirs) {
				t.Errorf("%s %s: got two contents, want the same in both documents, or another name", kind, name)
			}
		}
	}
	if shared < 50 {
		t.Errorf("got %d components in both documents, want more", shared)
	}
}

// TestErrorsByCode checks that each code of an error has one schema, by which
// generated clients tell errors apart, and that every code of the service is there.
func TestErrorsByCode(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		detail := d.node(c).at("components", "schemas", "ErrorDetail")
		mapping := detail.at("discriminator", "mapping")
		for _, code := range mapping.members() {
			schema, ok := d.lookUp(c, mapping.value.(map[string]any)[code].(string))
			if !ok || !reflect.DeepEqual(schema.at("properties", "code", "enum").value, []any{code}) {
				t.Errorf("%s: got a schema of %s for another code", d.name, code)
			}
		}
		if got, want := len(detail.at("oneOf").elements()), len(mapping.members()); got != want {
			t.Errorf("%s: got %d alternatives for %d codes", d.name, got, want)
		}
		for _, code := range api.Codes() {
			if mapping.at(string(code)).value == nil {
				t.Errorf("%s: got no schema for the code %s", d.name, code)
			}
		}
	}
}

// takenNames are names that code generated from the documents has for something else: an HTTP
// library's method, java.lang.System, and the key in the configuration of a client.
var takenNames = []string{"RequestMethod", "System", "APIKey", "ApiKey"}

// TestNamesOfSchemas checks that no generator has another use for the name of a schema. In Go the
// constructor of X is NewX.
func TestNamesOfSchemas(t *testing.T) {
	t.Parallel()
	c := read(t)
	for _, d := range c.documents {
		names := d.node(c).at("components", "schemas").members()
		for _, name := range names {
			constructed, constructor := strings.CutPrefix(name, "New")
			if slices.Contains(takenNames, name) || constructor && slices.Contains(names, constructed) {
				t.Errorf("%s: got a schema %s, want another name", d.name, name)
			}
		}
	}
}
