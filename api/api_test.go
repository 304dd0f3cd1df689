package api_test

import (
	"maps"
	"reflect"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/api"
	"go.yaml.in/yaml/v4"
)

// read returns a document as values. It ends the test on an error of what derived it.
func read(t *testing.T, document []byte, err error) map[string]any {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
	var root map[string]any
	if err := yaml.Load(document, &root); err != nil {
		t.Fatal(err)
	}
	return root
}

// at returns the value at a path of members.
func at(value any, path ...string) any {
	for _, name := range path {
		members, _ := value.(map[string]any)
		value = members[name]
	}
	return value
}

// keywords are what a schema of OpenAPI 3.0.3 may have.
var keywords = []string{
	"$ref", "additionalProperties", "allOf", "anyOf", "default", "deprecated", "description", "discriminator", "enum",
	"example", "exclusiveMaximum", "exclusiveMinimum", "format", "items", "maxItems", "maxLength", "maxProperties",
	"maximum", "minItems", "minLength", "minProperties", "minimum", "multipleOf", "not", "nullable", "oneOf", "pattern",
	"properties", "readOnly", "required", "title", "type", "uniqueItems", "writeOnly",
}

// eachSchema calls fn with each schema of a document.
func eachSchema(document map[string]any, fn func(schema map[string]any)) {
	var within func(value any)
	within = func(value any) {
		schema, ok := value.(map[string]any)
		if !ok {
			return
		}
		fn(schema)
		for _, property := range properties(schema) {
			within(property)
		}
		for _, name := range []string{"items", "not", "additionalProperties"} {
			within(schema[name])
		}
		for _, name := range []string{"allOf", "anyOf", "oneOf"} {
			choices, _ := schema[name].([]any)
			for _, choice := range choices {
				within(choice)
			}
		}
	}
	var walk func(value any, isExample bool)
	walk = func(value any, isExample bool) {
		switch value := value.(type) {
		case map[string]any:
			for name, inner := range value {
				if name == "schema" && !isExample {
					within(inner)
				} else {
					walk(inner, isExample || strings.HasPrefix(name, "example") || name == "x-faulty")
				}
			}
		case []any:
			for _, inner := range value {
				walk(inner, isExample)
			}
		}
	}
	components := document["components"].(map[string]any)
	for _, schema := range components["schemas"].(map[string]any) {
		within(schema)
	}
	walk(document["paths"], false)
	for _, kind := range []string{"parameters", "headers", "responses", "requestBodies"} {
		walk(components[kind], false)
	}
}

func properties(schema map[string]any) map[string]any {
	found, _ := schema["properties"].(map[string]any)
	return found
}

// TestOpenAPI30 checks that the copies have all operations and components, and only what
// OpenAPI 3.0 has. The linters of .ci/long read them, too.
func TestOpenAPI30(t *testing.T) {
	t.Parallel()
	for name, source := range map[string][]byte{"openapi.yaml": api.OpenAPI, "ops.yaml": api.Ops} {
		want := read(t, source, nil)
		document, err := api.OpenAPI30(source)
		got := read(t, document, err)
		if version := got["openapi"]; version != "3.0.3" {
			t.Errorf("%s: got the version %v, want 3.0.3", name, version)
		}
		for _, member := range slices.Sorted(maps.Keys(got)) {
			if !slices.Contains([]string{"openapi", "info", "servers", "tags", "paths", "components"}, member) &&
				!strings.HasPrefix(member, "x-") {
				t.Errorf("%s: got the member %s, which OpenAPI 3.0 does not have", name, member)
			}
		}
		for path, methods := range want["paths"].(map[string]any) {
			if !reflect.DeepEqual(names(methods), names(at(got, "paths", path))) {
				t.Errorf("%s: %s: got the operations %v, want %v", name, path, names(at(got, "paths", path)), names(methods))
			}
		}
		for kind, components := range want["components"].(map[string]any) {
			for _, component := range names(components) {
				if at(got, "components", kind, component) == nil {
					t.Errorf("%s: got no component %s/%s", name, kind, component)
				}
			}
		}
		eachSchema(got, func(schema map[string]any) { checkSchema30(t, name, got, schema) })
	}
}

func names(value any) []string {
	members, _ := value.(map[string]any)
	return slices.Sorted(maps.Keys(members))
}

// checkSchema30 checks a schema of a copy.
func checkSchema30(t *testing.T, document string, root, schema map[string]any) {
	t.Helper()
	for _, keyword := range names(schema) {
		if !slices.Contains(keywords, keyword) && !strings.HasPrefix(keyword, "x-") {
			t.Errorf("%s: got the keyword %s in %v, want it converted or removed", document, keyword, schema)
		}
	}
	if _, isWord := schema["type"].(string); schema["type"] != nil && !isWord || schema["type"] == "null" {
		t.Errorf("%s: got the type %v in %v, want one word", document, schema["type"], schema)
	}
	if schema["nullable"] != nil && schema["type"] == nil {
		t.Errorf("%s: got nullable without a type in %v", document, schema)
	}
	target, refers := schema["$ref"].(string)
	if refers && (len(schema) > 1 || at(root, strings.Split(target, "/")[1:]...) == nil) {
		t.Errorf("%s: got the reference %v, want one that resolves, alone", document, schema)
	}
}

// small is a document with one schema of each kind that OpenAPI 3.0 writes in another way.
const small = `
openapi: 3.1.0
info: {title: T, version: '1', summary: S, license: {name: Apache-2.0, identifier: Apache-2.0}}
paths: {}
components:
  schemas:
    Word: {type: string, enum: [a, b]}
    Thing: {type: object, properties: {word: {anyOf: [{$ref: '#/components/schemas/Word'}, {type: 'null'}]}}}
    Case:
      %s
`

func TestOpenAPI30OfSchemas(t *testing.T) {
	t.Parallel()
	for _, test := range []struct{ schema, want string }{
		{"{type: [string, 'null'], minLength: 1}", "{type: string, minLength: 1, nullable: true}"},
		{"{type: [string, integer]}", "{}"},
		{"{type: 'null'}", "{type: string, enum: [null], nullable: true}"},
		{"{const: a}", "{enum: [a]}"},
		{"{type: string, examples: [x, y]}", "{type: string, example: x}"},
		{"{type: number, exclusiveMinimum: 2}", "{type: number, minimum: 2, exclusiveMinimum: true}"},
		{
			"{type: object, properties: {if: {type: string}}, if: {required: [if]}, then: {required: [b]}}",
			"{type: object, properties: {if: {type: string}}}",
		},
		{
			"{type: object, properties: {a: {type: string}}, allOf: [{if: {required: [a]}}, {properties: {b: {type: string}}}]}",
			"{type: object, properties: {a: {type: string}}, allOf: [{properties: {b: {type: string}}}]}",
		},
		{"{type: object, anyOf: [{if: {required: [a]}, then: {required: [b]}}, {required: [c]}]}", "{type: object}"},
		{"{type: object, allOf: [{if: {required: [a]}, then: {required: [b]}}]}", "{type: object}"},
		{
			"{anyOf: [{$ref: '#/components/schemas/Word'}, {type: 'null'}], description: D}",
			"{type: string, enum: [a, b, null], nullable: true, description: D}",
		},
		{"{anyOf: [{$ref: '#/components/schemas/Thing'}, {type: 'null'}]}", "{$ref: '#/components/schemas/NullableThing'}"},
		{
			"{anyOf: [{$ref: '#/components/schemas/Thing'}, {type: 'null'}], description: D}",
			"{allOf: [{$ref: '#/components/schemas/NullableThing'}], description: D}",
		},
		{
			"{anyOf: [{type: string}, {type: integer}, {type: 'null'}]}",
			"{anyOf: [{type: string, nullable: true}, {type: integer}]}",
		},
	} {
		document, err := api.OpenAPI30([]byte(strings.Replace(small, "%s", test.schema, 1)))
		got := at(read(t, document, err), "components", "schemas", "Case")
		if want := read(t, []byte(test.want), nil); !reflect.DeepEqual(got, any(want)) {
			t.Errorf("%s: got %v, want %v", test.schema, got, want)
		}
	}
}

// TestAsyncAPI checks that the document has a message and an operation for each webhook of
// the OpenAPI document, with its payload and headers, and that its references resolve.
func TestAsyncAPI(t *testing.T) {
	t.Parallel()
	source := read(t, api.OpenAPI, nil)
	document, err := api.AsyncAPI(api.OpenAPI)
	got := read(t, document, err)
	hooks := source["webhooks"].(map[string]any)
	for _, place := range [][]string{
		{"operations"}, {"components", "messages"}, {"channels", "endpoint", "messages"},
	} {
		if types := names(at(got, place...)); len(hooks) < 10 || !slices.Equal(types, names(hooks)) {
			t.Errorf("%v: got %v, want the types of events %v", place, types, names(hooks))
		}
	}
	for name, hook := range hooks {
		content := at(hook, "post", "requestBody", "content", "application/json")
		message := at(got, "components", "messages", name)
		if !reflect.DeepEqual(at(message, "payload"), at(content, "schema")) {
			t.Errorf("%s: got the payload %v, want %v", name, at(message, "payload"), at(content, "schema"))
		}
		examples, _ := at(message, "examples").([]any)
		if len(examples) != len(names(at(content, "examples"))) || len(examples) == 0 {
			t.Errorf("%s: got %d examples, want those of the webhook", name, len(examples))
		}
	}
	sent := names(source["x-webhook-headers"])
	if got := names(at(got, "components", "schemas", "WebhookHeaders", "properties")); !slices.Equal(got, sent) {
		t.Errorf("got the headers %v, want %v", got, sent)
	}
	checkReferences(t, got, got)
}

func checkReferences(t *testing.T, root map[string]any, value any) {
	t.Helper()
	switch value := value.(type) {
	case map[string]any:
		if target, ok := value["$ref"].(string); ok && at(root, strings.Split(target, "/")[1:]...) == nil {
			t.Errorf("got a reference to %s, which does not exist", target)
		}
		if _, ok := value["discriminator"].(map[string]any); ok {
			t.Errorf("got the discriminator of OpenAPI in %v", value)
		}
		for _, inner := range value {
			checkReferences(t, root, inner)
		}
	case []any:
		for _, inner := range value {
			checkReferences(t, root, inner)
		}
	}
}

// TestAt checks where the address of the service stands.
func TestAt(t *testing.T) {
	t.Parallel()
	for name, source := range map[string][]byte{"openapi.yaml": api.OpenAPI, "ops.yaml": api.Ops} {
		document, err := api.At(source, "https://delivery.example")
		servers, _ := read(t, document, err)["servers"].([]any)
		if len(servers) != 1 || at(servers[0], "url") != "https://delivery.example" || at(servers[0], "description") == nil {
			t.Errorf("%s: got the servers %v, want the address with the description", name, servers)
		}
	}
	if document, err := api.At([]byte("openapi: 3.1.0\n"), "https://delivery.example"); err == nil {
		t.Errorf("a document without a server: got %q, want an error", document)
	}
}
