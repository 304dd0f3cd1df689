package docs

import (
	"fmt"
	"iter"
	"slices"
	"strings"
)

// direction says who writes a body.
type direction int

// The directions.
const (
	request direction = iota
	response
)

// deepest is how many objects within each other are shown.
const deepest = 6

// writeContent writes the fields and the examples of a body.
func writeContent(text *strings.Builder, content node, d direction) {
	rows := fieldRows(nil, content.get("schema"), "", d, 0)
	var top strings.Builder
	var folded []string
	for group, inner := range grouped(rows) {
		if len(rows) > mostUnfolded && len(inner) > 1 {
			top.WriteString(inner[0].text)
			folded = append(folded, fmt.Sprintf("#### Fields of `%s`\n\n%s", group, fieldTable(textOf(inner[1:]))))
			continue
		}
		top.WriteString(textOf(inner))
	}
	if top.Len() > 0 {
		text.WriteString(fieldTable(top.String()) + strings.Join(folded, ""))
	}
	for i, one := range examplesOf(content) {
		heading := ""
		if i > 0 {
			heading = "#### " // which are folded
		}
		fmt.Fprintf(text, "%s%s\n\n%s", heading, one.summary, fenced(one.language, one.text))
	}
}

// mostUnfolded is how many fields of a body are shown in one table. In a larger body each
// object has a table of its own.
const mostUnfolded = 16

// fieldRow is a row of a table of fields. Its group is the field of the body that it
// belongs to.
type fieldRow struct{ group, text string }

// grouped returns the rows by groups, in their order.
func grouped(rows []fieldRow) iter.Seq2[string, []fieldRow] {
	return func(yield func(string, []fieldRow) bool) {
		for begin := 0; begin < len(rows); {
			end := begin
			for end < len(rows) && rows[end].group == rows[begin].group {
				end++
			}
			if !yield(rows[begin].group, rows[begin:end]) {
				return
			}
			begin = end
		}
	}
}

func textOf(rows []fieldRow) (text string) {
	for _, one := range rows {
		text += one.text
	}
	return text
}

func fieldTable(rows string) string {
	return "| Field | Type | Meaning |\n|---|---|---|\n" + rows + "\n"
}

// bodyExample is an example of a body.
type bodyExample struct{ summary, language, text string }

// examplesOf returns the examples of a body.
func examplesOf(content node) (found []bodyExample) {
	add := func(summary string, value node) {
		if !value.exists() {
			return
		}
		one := bodyExample{summary + ":", "json", ""}
		if one.text = value.text(); one.text == "" {
			one.text = value.json()
		} else {
			one.language = ""
		}
		found = append(found, one)
	}
	add("Example", content.get("example"))
	for name, one := range content.get("examples").members() {
		summary := one.get("summary").text()
		if summary == "" {
			summary = "Example " + strings.ReplaceAll(name, "_", " ")
		}
		add(summary, one.get("value"))
	}
	return found
}

// fieldRows appends a row for each field of a schema, and of the objects in it.
func fieldRows(rows []fieldRow, schema node, prefix string, d direction, depth int) []fieldRow {
	if depth > deepest {
		return rows
	}
	if items := within(schema, "items"); items.exists() {
		return fieldRows(rows, items, prefix+"[]", d, depth)
	}
	for _, part := range parts(schema) {
		required := part.get("required").texts()
		for name, field := range part.get("properties").members() {
			full := strings.TrimPrefix(prefix+"."+name, ".")
			group, _, _ := strings.Cut(full, ".")
			rows = append(rows, fieldRow{strings.TrimSuffix(group, "[]"), fmt.Sprintf("| `%s`%s | %s | %s |\n",
				full, marked(slices.Contains(required, name), d), kindOf(field),
				cell(within(field, "description").text()+" "+limitsOf(field)))})
			rows = fieldRows(rows, field, full, d, depth+1)
		}
	}
	return rows
}

// parts returns a schema and those that it puts together.
func parts(schema node) []node {
	found := []node{schema}
	for _, combined := range []string{"allOf", "anyOf"} {
		for _, part := range schema.get(combined).items() {
			found = append(found, parts(part)...)
		}
	}
	return found
}

// within returns a member of a schema, or of one that it puts together.
func within(schema node, name string) node {
	for _, part := range parts(schema) {
		if found := part.get(name); found.exists() {
			return found
		}
	}
	return node{}
}

// marked returns the mark of a field: required in requests, or not always there in
// responses.
func marked(required bool, d direction) string {
	switch {
	case required && d == request:
		return " (required)"
	case !required && d == response:
		return " (optional)"
	}
	return ""
}

// kindOf returns the type of a value in words.
func kindOf(schema node) string {
	kind := within(schema, "type")
	names := append(kind.texts(), kind.text())
	names = slices.DeleteFunc(names, func(name string) bool { return name == "" })
	if items := within(schema, "items"); items.exists() {
		return "array of " + kindOf(items)
	}
	if format := within(schema, "format").text(); format != "" {
		names[0] += ", " + format
	}
	if slices.ContainsFunc(schema.get("anyOf").items(), func(way node) bool { return way.get("type").text() == "null" }) &&
		!slices.Contains(names, "null") {
		names = append(names, "null")
	}
	return strings.Join(names, " or ")
}

// limits are the members of a schema that bound a value.
var limits = []struct{ name, text string }{
	{"minLength", "At least %s characters."}, {"maxLength", "At most %s characters."},
	{"minimum", "At least %s."}, {"maximum", "At most %s."},
	{"minItems", "At least %s items."}, {"maxItems", "At most %s items."}, {"default", "Default: `%s`."}, {"x-const", "Always `%s`."},
}

// limitsOf returns the values that a schema allows, as far as its description does not.
func limitsOf(schema node) string {
	described := within(schema, "description").text()
	var found []string
	switch values := within(schema, "enum").texts(); {
	case len(values) > 1:
		found = append(found, "One of `"+strings.Join(values, "`, `")+"`.")
	case len(values) == 1 && !strings.Contains(described, values[0]):
		found = append(found, "Always `"+values[0]+"`.")
	}
	for _, limit := range limits {
		value := within(schema, limit.name).text()
		obvious := value == "" || value == "0" || value == "1" && strings.HasPrefix(limit.name, "min")
		if !obvious && !strings.Contains(described, value) {
			found = append(found, fmt.Sprintf(limit.text, value))
		}
	}
	return strings.Join(found, " ")
}

// cell returns a text that fits into a cell of a table in Markdown.
func cell(text string) string {
	return strings.ReplaceAll(strings.Join(strings.Fields(text), " "), "|", `\|`)
}
