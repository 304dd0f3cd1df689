package apptest

import (
	"bytes"
	"net/url"
	"strings"
	"testing"

	"golang.org/x/net/html"
)

// Open requests a page in the user's session, as a browser does.
func (u *User) Open(t testing.TB, path string) *Answer {
	t.Helper()
	return u.Do(t, "GET", path, nil, "Cookie", u.Cookie, "Accept", "text/html")
}

// Send sends the form on a page that is sent to a path, with all that the page has in its
// fields but the given values, which are pairs of name and value. It ends the test if the
// page has no such form.
func (u *User) Send(t testing.TB, page *Answer, to string, values ...string) *Answer {
	t.Helper()
	return u.Do(t, "POST", to, page.Form(t, to, values...), "Cookie", u.Cookie, "Accept", "text/html", "Content-Type",
		"application/x-www-form-urlencoded")
}

// Form returns the body of the form on a page that is sent to a path, as Send sends it.
func (a *Answer) Form(t testing.TB, to string, values ...string) []byte {
	t.Helper()
	root, err := html.Parse(bytes.NewReader(a.Body))
	if err != nil {
		t.Fatal(err)
	}
	for node := range root.Descendants() {
		if node.Data == "form" && attribute(node, "action") == to {
			fields := fieldsOf(node)
			for i := 0; i+1 < len(values); i += 2 {
				fields.Set(values[i], values[i+1])
			}
			return []byte(fields.Encode())
		}
	}
	t.Fatalf("got a page without a form to %q:\n%s", to, a.Body)
	return nil
}

// FieldOf returns what the form on a page that is sent to a path holds in a field.
func FieldOf(t testing.TB, page *Answer, to, name string) string {
	t.Helper()
	fields, err := url.ParseQuery(string(page.Form(t, to)))
	if err != nil {
		t.Fatal(err)
	}
	return fields.Get(name)
}

// fieldsOf returns what a browser sends of a form as it was shown.
func fieldsOf(form *html.Node) url.Values {
	fields := url.Values{}
	for node := range form.Descendants() {
		name := attribute(node, "name")
		switch {
		case name == "":
		case node.Data == "input" && unchecked(node):
		case node.Data == "input":
			fields.Add(name, attribute(node, "value"))
		case node.Data == "textarea":
			fields.Add(name, strings.TrimPrefix(textOf(node), "\n"))
		case node.Data == "select":
			fields.Add(name, selected(node))
		}
	}
	return fields
}

func unchecked(input *html.Node) bool {
	kind := attribute(input, "type")
	return (kind == "checkbox" || kind == "radio") && !has(input, "checked")
}

// selected returns the value of the option that is selected, or else of the first one.
func selected(list *html.Node) string {
	first, found := "", false
	for node := range list.Descendants() {
		if node.Data != "option" {
			continue
		}
		if has(node, "selected") {
			return attribute(node, "value")
		}
		if !found {
			first, found = attribute(node, "value"), true
		}
	}
	return first
}

func has(node *html.Node, name string) bool {
	for _, a := range node.Attr {
		if a.Key == name {
			return true
		}
	}
	return false
}

func attribute(node *html.Node, name string) string {
	for _, a := range node.Attr {
		if a.Key == name {
			return a.Val
		}
	}
	return ""
}

func textOf(node *html.Node) string {
	var text strings.Builder
	for child := range node.Descendants() {
		if child.Type == html.TextNode {
			text.WriteString(child.Data)
		}
	}
	return text.String()
}
