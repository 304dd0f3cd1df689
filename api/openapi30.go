package api

import (
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// OpenAPI30 returns a document of OpenAPI 3.1 in OpenAPI 3.0, for tools that cannot read
// 3.1. It has the same operations and schemas, but not what 3.0 has no words for:
// the webhooks, the conditions of schemas (if, dependentRequired) and the roles of a token.
func OpenAPI30(document []byte) ([]byte, error) {
	root, err := parse(document)
	if err != nil {
		return nil, err
	}
	source := tree{copied(root.Node)}
	root.set("openapi", word("3.0.3"))
	root.remove("jsonSchemaDialect", "webhooks", "x-webhook-headers")
	info := root.at("info")
	info.remove("summary")
	if license := info.at("license"); license.has("identifier") {
		url := "https://spdx.org/licenses/" + license.at("identifier").word() + ".html"
		license.remove("identifier")
		license.set("url", word(url))
	}
	(&downgrade{source, root}).walk(root, "")
	return root.text()
}

// downgrade rewrites what a document of OpenAPI 3.1 has in its words.
type downgrade struct {
	source tree // the document as it was
	root   tree
}

// walk rewrites the schemas and the security requirements in a part of the document,
// which is the member name of another.
func (d *downgrade) walk(t tree, name string) {
	for _, element := range t.elements() {
		d.walk(element, "")
	}
	t.members(func(inner string, member tree) {
		switch {
		case inner == "example" || inner == "examples" || inner == "x-faulty": // values
		case inner == "schema":
			d.schema(member)
		case name == "components" && inner == "schemas":
			for _, schema := range slices.Clone(member.Content) { // orNull adds others
				d.schema(tree{schema})
			}
		case inner == "security":
			for _, way := range member.elements() {
				way.members(func(_ string, roles tree) { roles.Content = nil })
			}
		default:
			d.walk(member, inner)
		}
	})
}

// only31 are the keywords that schemas of OpenAPI 3.0 do not have, and that only narrow
// what a schema accepts.
var only31 = []string{"if", "then", "else", "dependentRequired", "dependentSchemas", "propertyNames",
	"patternProperties", "contains", "minContains", "maxContains", "unevaluatedProperties", "unevaluatedItems",
	"contentEncoding", "contentMediaType", "$comment"}

// schema rewrites a schema and those in it.
func (d *downgrade) schema(t tree) {
	t.remove(only31...)
	t.at("properties").members(func(_ string, property tree) { d.schema(property) })
	for _, name := range []string{"items", "not", "additionalProperties"} {
		if inner := t.at(name); inner.Node != nil {
			d.schema(inner)
		}
	}
	for _, name := range []string{"allOf", "anyOf", "oneOf"} {
		d.choices(t, name)
	}
	d.types(t)
	if constant := t.at("const"); constant.Node != nil {
		t.remove("const")
		t.set("enum", list(constant))
	}
	if examples := t.at("examples").elements(); len(examples) > 0 {
		t.remove("examples")
		t.set("example", examples[0])
	}
	for _, bound := range []struct{ exclusive, inclusive string }{
		{"exclusiveMinimum", "minimum"}, {"exclusiveMaximum", "maximum"},
	} {
		if value := t.at(bound.exclusive); value.Node != nil {
			t.set(bound.inclusive, value)
			t.set(bound.exclusive, yes())
		}
	}
}

// types rewrites the type of a schema, which is one word in OpenAPI 3.0.
func (d *downgrade) types(t tree) {
	kinds := t.at("type").elements()
	if t.at("type").word() == "null" {
		kinds = []tree{t.at("type")}
	}
	if kinds == nil {
		return
	}
	if i := slices.IndexFunc(kinds, isNull); i >= 0 {
		kinds = slices.Delete(kinds, i, i+1)
		t.set("nullable", yes())
	}
	switch len(kinds) {
	case 0:
		onlyNull().members(t.set)
	case 1:
		t.set("type", kinds[0])
	default: // no one word means several types; without any the schema accepts all
		t.remove("type", "nullable")
	}
}

func isNull(kind tree) bool { return kind.word() == "null" }

// choices rewrites the schemas of allOf, anyOf or oneOf. If one of the choices is null, the
// first of the others becomes nullable.
func (d *downgrade) choices(t tree, name string) {
	choices := t.at(name).elements()
	rest := slices.DeleteFunc(slices.Clone(choices), func(one tree) bool {
		return name != "allOf" && isNull(one.at("type"))
	})
	orNull := len(rest) < len(choices)
	for _, one := range rest {
		d.schema(one)
	}
	some := slices.DeleteFunc(slices.Clone(rest), acceptsAll)
	switch {
	case len(some) == len(choices):
		return
	case len(some) == 0 || len(some) < len(rest) && name != "allOf":
		t.remove(name) // one choice accepts all
		return
	case orNull:
		some = d.orNull(some)
	}
	switch one := some[0]; {
	case len(some) > 1:
		t.set(name, list(some...))
	case len(t.Content) == 2: // nothing stands beside it
		*t.Node = *one.Node
	case one.has("$ref") || overlap(t, one):
		t.remove(name)
		t.set("allOf", list(one))
	default:
		t.remove(name)
		one.members(func(keyword string, value tree) {
			if !t.has(keyword) {
				t.set(keyword, value)
			}
		})
	}
}

// acceptsAll reports whether a schema is empty, as one becomes that had only a condition.
func acceptsAll(schema tree) bool { return len(schema.Content) == 0 }

// overlap reports whether two schemas have a keyword in common, other than a description.
func overlap(a, b tree) (found bool) {
	a.members(func(keyword string, _ tree) { found = found || keyword != "description" && b.has(keyword) })
	return found
}

// orNull returns choices of which the first accepts null, too. It cannot refer to a component,
// because nullable extends the type that stands beside it and no other: the content of a
// component is copied, that of an object into a component of its own.
func (d *downgrade) orNull(choices []tree) []tree {
	first := choices[0]
	target := first.at("$ref").word()
	if target != "" {
		first = tree{copied(d.source.lookUp(target).Node)}
		d.schema(first)
	}
	switch kind := first.at("type").word(); {
	case kind == "": // itself a choice
		return append(choices, onlyNull())
	case kind == "object" && target != "":
		name := "Nullable" + target[strings.LastIndexByte(target, '/')+1:]
		d.root.at("components", "schemas").set(name, allowNull(first))
		choices[0] = reference("#/components/schemas/" + name)
	default:
		choices[0] = allowNull(first)
	}
	return choices
}

// onlyNull returns the schema of null.
func onlyNull() tree {
	return object().with("type", word("string")).with("nullable", yes()).with("enum", list(null()))
}

// allowNull lets a schema with a type accept null, too.
func allowNull(t tree) tree {
	t.set("nullable", yes())
	if words := t.at("enum"); words.Node != nil {
		words.Content = append(words.Content, null().Node)
	}
	return t
}

// copied returns a copy of a node that shares nothing with it.
func copied(n *yaml.Node) *yaml.Node {
	result := *n
	result.Content = make([]*yaml.Node, len(n.Content))
	for i, inner := range n.Content {
		result.Content[i] = copied(inner)
	}
	return &result
}
