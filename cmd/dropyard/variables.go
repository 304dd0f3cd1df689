package main

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/alecthomas/kong"
)

const variablePrefix = "DROPYARD_"

// knownVariables returns the variables of the environment that a command reads.
func knownVariables(ctx context.Context) []string {
	var known []string
	var collect func(node *kong.Node)
	collect = func(node *kong.Node) {
		for _, flag := range node.Flags {
			known = append(known, flag.Envs...)
		}
		for _, child := range node.Children {
			collect(child)
		}
	}
	collect(newParser(ctx, &commands{}).Model.Node)
	for _, variable := range secretVariables {
		known = append(known, strings.Split(variable.Name, ", ")...)
	}
	slices.Sort(known)
	return slices.Compact(known)
}

// unknownVariables describes the variables in the environment that are named like settings
// and are none, each with the setting that is spelt most like it.
func unknownVariables(environment, known []string) (found []string) {
	for _, entry := range environment {
		name, _, _ := strings.Cut(entry, "=")
		if !strings.HasPrefix(strings.ToUpper(name), variablePrefix) || slices.Contains(known, name) || isLink(name) ||
			strings.HasPrefix(name, "DROPYARD_TEST_") {
			continue
		}
		found = append(found,
			fmt.Sprintf("%s is set, and is not a setting: did you mean %s?", name, nearest(strings.ToUpper(name), known)))
	}
	slices.Sort(found)
	return found
}

// isLink reports whether Kubernetes sets the variable for a service of the name dropyard, or
// of one that begins so, in all containers beside it.
func isLink(name string) bool {
	rest := strings.TrimPrefix(name, variablePrefix)
	return strings.HasPrefix(rest, "PORT_") || rest == "PORT" || strings.Contains(rest, "SERVICE_HOST") ||
		strings.Contains(rest, "SERVICE_PORT") ||
		strings.Contains(rest, "_PORT_") && (strings.Contains(rest, "_TCP") || strings.Contains(rest, "_UDP"))
}

// nearest returns the first of the known names that takes the fewest changes of a letter to
// get from the name.
func nearest(name string, known []string) string {
	return slices.MinFunc(known, func(a, b string) int { return changes(name, a) - changes(name, b) })
}

// changes returns how many letters have to be added, removed or replaced to make one text of
// another (the distance of Levenshtein).
func changes(from, to string) int {
	row := make([]int, len(to)+1)
	for j := range row {
		row[j] = j
	}
	for i := range len(from) {
		diagonal := row[0]
		row[0] = i + 1
		for j := range len(to) {
			replaced := diagonal
			if from[i] != to[j] {
				replaced++
			}
			diagonal = row[j+1]
			row[j+1] = min(replaced, row[j]+1, row[j+1]+1)
		}
	}
	return row[len(to)]
}
