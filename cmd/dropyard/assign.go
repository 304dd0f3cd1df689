package main

import (
	"encoding/json"
	"fmt"
	"regexp"
	"strconv"
	"strings"
)

// assignmentForm is PATH=TEXT or PATH:=JSON.
var assignmentForm = regexp.MustCompile(`(?s)^([^=:]+)(:?=)(.*)$`)

// step is one step of a path: the name of a member, or an index of a list.
var step = regexp.MustCompile(`^(?:\.?([A-Za-z_][A-Za-z0-9_]*)|\[([0-9]{1,3})\])`)

// assign returns a JSON value with a member set, such as parcels[0].weight_kg:=2.5.
// Objects and lists on the way are created; a list may grow by one element.
func assign(to any, assignment string) (any, error) {
	parts := assignmentForm.FindStringSubmatch(assignment)
	if parts == nil {
		return nil, fmt.Errorf("%q is not PATH=TEXT or PATH:=JSON", assignment)
	}
	var value any = parts[3]
	if parts[2] == ":=" {
		if err := json.Unmarshal([]byte(parts[3]), &value); err != nil {
			return nil, fmt.Errorf("%s: the value is not JSON (example: weight_kg:=2.5)", parts[1])
		}
	}
	set, err := assignAt(to, strings.TrimSpace(parts[1]), value)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", parts[1], err)
	}
	return set, nil
}

func assignAt(to any, path string, value any) (any, error) {
	if path == "" {
		return value, nil
	}
	found := step.FindStringSubmatch(path)
	if found == nil {
		return nil, fmt.Errorf("%q is not a path (example: parcels[0].weight_kg)", path)
	}
	rest := path[len(found[0]):]
	if found[2] == "" {
		object, ok := to.(map[string]any)
		if !ok && to != nil {
			return nil, fmt.Errorf("%q is not in an object", found[1])
		}
		if object == nil {
			object = map[string]any{}
		}
		inner, err := assignAt(object[found[1]], rest, value)
		object[found[1]] = inner
		return object, err
	}
	elements, ok := to.([]any)
	at, _ := strconv.Atoi(found[2]) // three digits at most
	switch {
	case !ok && to != nil:
		return nil, fmt.Errorf("%s is not in a list", found[0])
	case at > len(elements):
		return nil, fmt.Errorf("%s: the list has %d elements", found[0], len(elements))
	case at == len(elements):
		elements = append(elements, nil)
	}
	inner, err := assignAt(elements[at], rest, value)
	elements[at] = inner
	return elements, err
}
