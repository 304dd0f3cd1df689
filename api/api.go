// Package api holds the OpenAPI documents of the service. They are embedded, so that a
// running service serves the documents that it was built and tested with. What else
// describes the interfaces is derived from them: copies in OpenAPI 3.0, and an AsyncAPI
// document of the events.
package api

import (
	"bytes"
	_ "embed"
	"errors"
	"fmt"

	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
	"go.yaml.in/yaml/v4"
)

// OpenAPI describes the partner interface. GET /openapi.yaml serves it.
//
//go:embed openapi.yaml
var OpenAPI []byte

// Ops describes the operator interface below /ops/v1. GET /ops.yaml serves it. What
// both documents need is in both.
//
//go:embed ops.yaml
var Ops []byte

// anyServer is where the documents name the service that serves them.
const anyServer = "\nservers:\n  - url: /\n"

// At returns a document with the address of the service, as tools need it that read the
// document from a file.
func At(document []byte, address string) ([]byte, error) {
	before, after, found := bytes.Cut(document, []byte(anyServer))
	if !found {
		return nil, errors.New("the document does not name the server /")
	}
	server, err := yaml.Dump(address)
	if err != nil {
		return nil, err
	}
	return bytes.Join([][]byte{before, []byte("\nservers:\n  - url: "), server, after}, nil), nil
}

// AsJSON returns a YAML document in JSON. The members keep their order, in which tools
// show the operations.
func AsJSON(document []byte) ([]byte, error) {
	var root yaml.Node
	if err := yaml.Load(document, &root); err != nil {
		return nil, err
	}
	return NodeAsJSON(&root)
}

// NodeAsJSON returns a part of a document in JSON. The options are those of the encoder.
func NodeAsJSON(n *yaml.Node, options ...jsontext.Options) ([]byte, error) {
	var out bytes.Buffer
	if err := writeJSON(jsontext.NewEncoder(&out, options...), n); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

func writeJSON(out *jsontext.Encoder, n *yaml.Node) error {
	switch n.Kind {
	case yaml.DocumentNode:
		return writeJSON(out, n.Content[0])
	case yaml.MappingNode:
		return writeAll(out, n.Content, jsontext.BeginObject, jsontext.EndObject)
	case yaml.SequenceNode:
		return writeAll(out, n.Content, jsontext.BeginArray, jsontext.EndArray)
	case yaml.ScalarNode:
		var value any
		if err := n.Load(&value); err != nil {
			return err
		}
		return json.MarshalEncode(out, value)
	default:
		return fmt.Errorf("line %d: anchors and aliases are not supported", n.Line)
	}
}

// writeAll writes the nodes between two tokens. Of an object these are names and
// values by turns, which is what the encoder expects.
func writeAll(out *jsontext.Encoder, nodes []*yaml.Node, begin, end jsontext.Token) error {
	if err := out.WriteToken(begin); err != nil {
		return err
	}
	for _, n := range nodes {
		if err := writeJSON(out, n); err != nil {
			return err
		}
	}
	return out.WriteToken(end)
}
