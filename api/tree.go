package api

import (
	"bytes"
	"fmt"
	"slices"
	"strings"

	"go.yaml.in/yaml/v4"
)

// tree is an object or a list of a document that is derived from another. The node is
// shared with the document that it was read from, and belongs to the caller.
type tree struct{ *yaml.Node }

// parse returns the root of a document.
func parse(document []byte) (tree, error) {
	var root yaml.Node
	if err := yaml.Load(document, &root); err != nil {
		return tree{}, err
	}
	if root.Kind != yaml.DocumentNode || len(root.Content) != 1 || root.Content[0].Kind != yaml.MappingNode {
		return tree{}, fmt.Errorf("line %d: got no object", root.Line)
	}
	return tree{root.Content[0]}, nil
}

// text returns the document in YAML. The comments stay where they are.
func (t tree) text() ([]byte, error) {
	var out bytes.Buffer
	dumper, err := yaml.NewDumper(&out, yaml.WithIndent(2), yaml.WithCompactSeqIndent(false), yaml.WithLineWidth(-1))
	if err != nil {
		return nil, err
	}
	if err := dumper.Dump(t.Node); err != nil {
		return nil, err
	}
	return out.Bytes(), dumper.Close()
}

// at returns the member at a path of names; a tree without a node if there is none.
func (t tree) at(path ...string) tree {
	for _, name := range path {
		i := t.index(name)
		if i < 0 {
			return tree{}
		}
		t = tree{t.Content[i+1]}
	}
	return t
}

// index returns where the name of a member is among the nodes of an object; -1 if it is nowhere.
func (t tree) index(name string) int {
	if t.Node == nil || t.Kind != yaml.MappingNode {
		return -1
	}
	for i := 0; i < len(t.Content); i += 2 {
		if t.Content[i].Value == name {
			return i
		}
	}
	return -1
}

func (t tree) has(name string) bool { return t.index(name) >= 0 }

// word returns the text of a scalar; empty for everything else.
func (t tree) word() string {
	if t.Node == nil || t.Kind != yaml.ScalarNode {
		return ""
	}
	return t.Value
}

// members calls fn with each member of an object.
func (t tree) members(fn func(name string, member tree)) {
	if t.Node == nil || t.Kind != yaml.MappingNode {
		return
	}
	for i := 0; i < len(t.Content); i += 2 {
		fn(t.Content[i].Value, tree{t.Content[i+1]})
	}
}

// elements returns the elements of a list.
func (t tree) elements() []tree {
	if t.Node == nil || t.Kind != yaml.SequenceNode {
		return nil
	}
	found := make([]tree, len(t.Content))
	for i, n := range t.Content {
		found[i] = tree{n}
	}
	return found
}

// set replaces a member of an object, or adds it at the end.
func (t tree) set(name string, value tree) {
	if i := t.index(name); i >= 0 {
		t.Content[i+1] = value.Node
		return
	}
	t.Content = append(t.Content, word(name).Node, value.Node)
}

// remove removes members of an object.
func (t tree) remove(names ...string) {
	for _, name := range names {
		if i := t.index(name); i >= 0 {
			t.Content = slices.Delete(t.Content, i, i+2)
		}
	}
}

// lookUp returns what a reference within the document leads to.
func (t tree) lookUp(reference string) tree {
	return t.at(strings.Split(strings.TrimPrefix(reference, "#/"), "/")...)
}

// word returns a string.
func word(text string) tree {
	n := &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text}
	if text == "" || strings.Trim(text, "0123456789.") == "" {
		n.Style = yaml.SingleQuotedStyle
	}
	return tree{n}
}

// yes returns true.
func yes() tree { return tree{&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!bool", Value: "true"}} }

// null returns null.
func null() tree { return tree{&yaml.Node{Kind: yaml.ScalarNode, Tag: "!!null", Value: "null"}} }

// list returns a list.
func list(elements ...tree) tree {
	n := &yaml.Node{Kind: yaml.SequenceNode, Tag: "!!seq"}
	for _, element := range elements {
		n.Content = append(n.Content, element.Node)
	}
	return tree{n}
}

// object returns an object without members.
func object() tree { return tree{&yaml.Node{Kind: yaml.MappingNode, Tag: "!!map"}} }

// with sets a member of an object that exists, and returns the object.
func (t tree) with(name string, value tree) tree {
	if value.Node != nil {
		t.set(name, value)
	}
	return t
}

// reference returns a reference to a component of the document, or to what it is a part of.
func reference(place string) tree { return object().with("$ref", tree{quoted(place)}) }

func quoted(text string) *yaml.Node {
	return &yaml.Node{Kind: yaml.ScalarNode, Tag: "!!str", Value: text, Style: yaml.SingleQuotedStyle}
}
