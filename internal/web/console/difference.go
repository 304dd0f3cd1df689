package console

import (
	"bytes"
	"encoding/json"
	"fmt"
	"maps"
	"slices"
)

// difference is a value that a change has changed.
type difference struct {
	Name          string // such as limits.orders_per_day
	Before, After string // empty if there was or is nothing
}

// differences compares two documents in JSON, of which each may be empty. Values that
// are the same are left out.
func differences(before, after []byte) []difference {
	was, is := map[string]string{}, map[string]string{}
	flatten(was, "", before)
	flatten(is, "", after)
	all := maps.Clone(was)
	maps.Copy(all, is)
	var found []difference
	for _, name := range slices.Sorted(maps.Keys(all)) {
		if was[name] != is[name] {
			found = append(found, difference{name, was[name], is[name]})
		}
	}
	return found
}

// flatten adds the values of a document by their names.
func flatten(values map[string]string, name string, document []byte) {
	document = bytes.TrimSpace(document)
	if len(document) == 0 || string(document) == "null" {
		return
	}
	members := map[string]json.RawMessage{}
	if document[0] == '{' && json.Unmarshal(document, &members) == nil {
		for member, value := range members {
			flatten(values, join(name, member), value)
		}
		return
	}
	var elements []json.RawMessage
	if document[0] == '[' && json.Unmarshal(document, &elements) == nil && len(elements) > 0 && elements[0][0] == '{' {
		for i, value := range elements {
			flatten(values, fmt.Sprintf("%s[%d]", name, i), value)
		}
		return
	}
	text := string(document)
	if document[0] == '"' {
		_ = json.Unmarshal(document, &text) // what is not JSON is shown as it is
	}
	values[name] = text
}

func join(name, member string) string {
	if name == "" {
		return member
	}
	return name + "." + member
}
