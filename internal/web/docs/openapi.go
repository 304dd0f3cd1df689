package docs

import (
	"bytes"
	"iter"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/api"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// node is a part of an OpenAPI document. The zero node stands for what is not there; it
// has no members and no text.
type node struct{ at, root *yaml.Node }

// openAPI and opsAPI are the documents of the two interfaces.
var (
	openAPI = sync.OnceValue(func() node { return parseNode(api.OpenAPI) })
	opsAPI  = sync.OnceValue(func() node { return parseNode(api.Ops) })
)

func parseNode(document []byte) node {
	var root yaml.Node
	if err := yaml.Load(document, &root); err != nil {
		panic("docs: " + err.Error()) // the documents are embedded, and tested
	}
	return node{root.Content[0], root.Content[0]}
}

func (n node) exists() bool { return n.at != nil }

// get returns the member by a path of names. References are followed.
func (n node) get(names ...string) node {
	for _, name := range names {
		found := node{root: n.root}
		for key, member := range n.members() {
			if key == name {
				found = member
			}
		}
		n = found
	}
	return n
}

// members returns the members of an object in their order. References are followed.
func (n node) members() iter.Seq2[string, node] {
	return func(yield func(string, node) bool) {
		if n.at == nil || n.at.Kind != yaml.MappingNode {
			return
		}
		for i := 0; i+1 < len(n.at.Content); i += 2 {
			if !yield(n.at.Content[i].Value, node{n.at.Content[i+1], n.root}.followed()) {
				return
			}
		}
	}
}

// items returns the items of an array. References are followed.
func (n node) items() (found []node) {
	if n.at == nil || n.at.Kind != yaml.SequenceNode {
		return nil
	}
	for _, item := range n.at.Content {
		found = append(found, node{item, n.root}.followed())
	}
	return found
}

// texts returns the texts of an array.
func (n node) texts() (found []string) {
	for _, item := range n.items() {
		found = append(found, item.text())
	}
	return found
}

// followed returns what a reference leads to, or the node itself.
func (n node) followed() node {
	if n.at.Kind != yaml.MappingNode || len(n.at.Content) != 2 || n.at.Content[0].Value != "$ref" {
		return n
	}
	path := strings.TrimPrefix(n.at.Content[1].Value, "#/")
	return node{n.root, n.root}.get(strings.Split(path, "/")...)
}

// text returns the text of a scalar; empty for others.
func (n node) text() string {
	if n.at == nil || n.at.Kind != yaml.ScalarNode {
		return ""
	}
	return n.at.Value
}

// json returns the node as indented JSON.
func (n node) json() string { return string(n.encoded(jsontext.WithIndent("  "))) }

// compact returns the node as JSON without spaces.
func (n node) compact() []byte { return n.encoded() }

func (n node) encoded(options ...jsontext.Options) []byte {
	encoded, err := api.NodeAsJSON(n.at, options...)
	if err != nil {
		panic("docs: " + err.Error()) // the documents are embedded, and tested
	}
	return bytes.TrimSpace(encoded)
}
