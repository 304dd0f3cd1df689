package browser

import (
	"encoding/json"
	"fmt"
	"regexp"
	"slices"
	"strings"

	"github.com/chromedp/cdproto/accessibility"
	"github.com/chromedp/cdproto/cdp"
	"github.com/chromedp/cdproto/dom"
	"github.com/chromedp/chromedp"
)

// Tree returns the page as screen readers get it: the accessibility tree, a line for each
// node, indented below the one that holds it. A line has the role, the name, the value, the
// description, and the states that a reader says: (heading level 2), (selected), (current).
// Texts that follow each other are one line, and are left out if the node above has them as
// its name.
func Tree(v *Visit) (string, error) {
	found, err := chromedp.Call(v.Page, accessibility.GetFullAXTree, accessibility.GetFullAXTreeParams{})
	if err != nil || len(found.Nodes) == 0 {
		return "", err
	}
	w := treeWriter{visit: v, nodes: make(map[accessibility.NodeID]*accessibility.Node,
		len(found.Nodes)), current: map[cdp.BackendNodeID]bool{}}
	for _, node := range found.Nodes {
		w.nodes[node.NodeID] = node
		for _, property := range node.Properties {
			if property.Name == accessibility.PropertyNameActivedescendant && len(property.Value.RelatedNodes) > 0 {
				w.current[property.Value.RelatedNodes[0].BackendDOMNodeID] = true
			}
		}
	}
	w.write(found.Nodes[0], 0, "")
	w.endText()
	return w.text.String(), w.err
}

type treeWriter struct {
	visit   *Visit
	nodes   map[accessibility.NodeID]*accessibility.Node
	current map[cdp.BackendNodeID]bool // the nodes at which composite ones are
	text    strings.Builder
	words   string // of texts that are not written yet
	at      int    // the depth of these
	err     error
}

var (
	// unspoken are the roles of nodes that only hold others, or set off a part of a text.
	unspoken = []string{
		"none", "generic", "InlineTextBox", "RootWebArea", "ListMarker", "LineBreak", "LabelText", "strong", "time",
		"MenuListPopup",
	}
	// whole are the roles of nodes whose name, value and states say all: what is below is
	// the browser's own.
	whole = []string{"searchbox", "textbox", "DateTime"}
	// counted are the roles of nodes that may have a place among others that are not in the page.
	counted = []string{"grid", "row"}
)

// write writes a node and those below it. above is the name of the node that holds it.
func (w *treeWriter) write(node *accessibility.Node, depth int, above string) {
	role, name := textOf(node.Role), textOf(node.Name)
	switch role {
	case "StaticText":
		w.add(name, depth, above)
		return
	case "LabelText": // its text is the name of a control, which may be in it
		above = w.textBelow(node)
	}
	if !node.Ignored && !slices.Contains(unspoken, role) {
		w.endText()
		fmt.Fprintf(&w.text, "%s%s\n", strings.Repeat("  ", depth), w.line(node, role, name))
		depth, above = depth+1, name
	}
	for _, id := range node.ChildIDs {
		if child := w.nodes[id]; child != nil && !slices.Contains(whole, role) {
			w.write(child, depth, above)
		}
	}
	if !node.Ignored && !slices.Contains(unspoken, role) {
		w.endText()
	}
}

// textBelow returns all texts below a node.
func (w *treeWriter) textBelow(node *accessibility.Node) (text string) {
	for _, id := range node.ChildIDs {
		if child := w.nodes[id]; child != nil && textOf(child.Role) == "StaticText" {
			text += textOf(child.Name) + "\n"
		} else if child != nil {
			text += w.textBelow(child)
		}
	}
	return text
}

// add adds a text to those that follow each other. Between words there is always a space:
// the page may have a gap in its place.
func (w *treeWriter) add(text string, depth int, above string) {
	if trimmed := strings.TrimSpace(text); trimmed != "" && strings.Contains(above, trimmed) {
		return
	}
	if endsWord.MatchString(w.words) && beginsWord.MatchString(text) {
		w.words += " "
	}
	w.words, w.at = w.words+text, depth
}

var endsWord, beginsWord = regexp.MustCompile(`[\pL\pN]$`), regexp.MustCompile(`^[\pL\pN]`)

// endText writes the texts that follow each other.
func (w *treeWriter) endText() {
	if words := strings.Join(strings.Fields(w.words), " "); words != "" {
		fmt.Fprintf(&w.text, "%s%q\n", strings.Repeat("  ", w.at), words)
	}
	w.words = ""
}

// line describes a node.
func (w *treeWriter) line(node *accessibility.Node, role, name string) string {
	line := role
	if name != "" {
		line += fmt.Sprintf(" %q", name)
	}
	if value := textOf(node.Value); value != "" && value != name {
		line += fmt.Sprintf(" = %q", value)
	}
	if description := textOf(node.Description); description != "" && description != name {
		line += fmt.Sprintf(", described as %q", description)
	}
	for _, property := range node.Properties {
		line += stateOf(property, role)
	}
	if w.current[node.BackendDOMNodeID] {
		line += " (current)"
	}
	if slices.Contains(counted, role) {
		line += w.counts(node)
	}
	return line
}

// counts returns how many rows a grid has, or which one a row is: the protocol's tree
// does not hold that.
func (w *treeWriter) counts(node *accessibility.Node) (said string) {
	found, err := chromedp.Call(w.visit.Page, dom.DescribeNode,
		dom.DescribeNodeParams{BackendNodeID: node.BackendDOMNodeID})
	if err != nil {
		w.err = err
		return ""
	}
	for i := 0; i+1 < len(found.Node.Attributes); i += 2 {
		switch name, value := found.Node.Attributes[i], found.Node.Attributes[i+1]; name {
		case "aria-rowcount":
			said += " (" + value + " rows)"
		case "aria-rowindex":
			said += " (row " + value + ")"
		}
	}
	return said
}

// states are the properties that readers say if they are set, and valued those that they
// say with a value.
var (
	states = []string{
		"focused", "selected", "checked", "pressed", "disabled", "expanded", "modal", "multiselectable", "required", "busy",
	}
	valued = []string{"level", "live", "hasPopup", "keyshortcuts"}
)

// stateOf returns what a property adds to a line; empty for nothing.
func stateOf(property *accessibility.Property, role string) string {
	name, value := string(property.Name), textOf(property.Value)
	switch {
	case role == "listitem" && name == "level", role == "combobox" && name == "hasPopup": // all have it
		return ""
	case slices.Contains(states, name) && value == "true":
		return " (" + name + ")"
	case slices.Contains(states, name) && value == "mixed",
		slices.Contains(valued, name) && value != "" && value != "false":
		return " (" + name + " " + value + ")"
	}
	return ""
}

// textOf returns a value as a text; empty for none.
func textOf(value *accessibility.Value) string {
	if value == nil {
		return ""
	}
	var text any
	if json.Unmarshal(value.Value, &text) != nil || text == nil {
		return ""
	}
	return fmt.Sprint(text)
}
