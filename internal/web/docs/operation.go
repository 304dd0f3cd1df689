package docs

import (
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/web/page"
)

// apiPath is the address of the pages of the interfaces.
const apiPath = root + "/api"

// surface is one of the two interfaces.
type surface struct {
	path string // of the page that lists its operations
	key  string // of the phrase of its name
	of   func() node
	// operations and events return those of the interface in their order.
	operations func() []operation
	events     func() []event
}

var surfaces = []surface{newSurface(apiPath, "docs.api.partners",
	openAPI), newSurface(apiPath+"/operators", "docs.api.operators", opsAPI)}

func newSurface(path, key string, of func() node) surface {
	return surface{
		path, key, of,
		sync.OnceValue(func() []operation {
			return operationsOf(of())
		}), sync.OnceValue(func() []event { return eventsOf(of()) }),
	}
}

// listing is a page as the lists of an interface have it, under a tag.
type listing struct{ address, title, tag string }

// listings returns the pages of a tag: those of its operations, then those of its events.
func (s surface) listings(tag string) (found []listing) {
	for _, one := range s.operations() {
		found = append(found, one.listing)
	}
	for _, one := range s.events() {
		found = append(found, one.listing)
	}
	return slices.DeleteFunc(found, func(one listing) bool { return one.tag != tag })
}

// operation is an operation of an interface.
type operation struct {
	node
	listing
	Method, Route string
	parameters    []node
}

// operationsOf returns the operations of a document in their order.
func operationsOf(document node) (all []operation) {
	for route, methods := range document.get("paths").members() {
		shared := methods.get("parameters").items()
		for method, found := range methods.members() {
			if method == "parameters" {
				continue
			}
			all = append(all, operation{
				node: found, Method: strings.ToUpper(method), Route: route,
				listing: listing{
					address: apiPath + "/" + found.get("operationId").text(), title: found.get("summary").text(),
					tag: found.get("tags").items()[0].text(),
				},
				parameters: slices.Concat(shared, found.get("parameters").items()),
			})
		}
	}
	return all
}

// interfacePages returns the pages of the operations and the events, and the lists of
// them.
var interfacePages = sync.OnceValue(func() map[string]*article {
	found := map[string]*article{eventsPath: newArticle(eventsPath, "Events", page.English, eventsMarkdown())}
	for _, s := range surfaces {
		for _, one := range s.operations() {
			written := newArticle(one.address, one.title, page.English, one.markdown())
			written.operation = &one
			found[written.Path] = written
		}
		for _, one := range s.events() {
			found[one.address] = newArticle(one.address, one.title, page.English, one.markdown())
		}
		title := s.of().get("info", "title").text()
		found[s.path] = newArticle(s.path, title, page.English, s.markdown())
	}
	return found
})

// markdown returns the description of an interface, and the list of its operations.
func (s surface) markdown() string {
	var text strings.Builder
	text.WriteString(s.of().get("info", "description").text() + "\n\n## Operations\n\n")
	for _, tag := range s.of().get("tags").items() {
		rows := ""
		for _, one := range s.operations() {
			if one.tag == tag.get("name").text() {
				rows += fmt.Sprintf("| [%s](%s) | `%s %s` |\n", one.title, one.address, one.Method, one.Route)
			}
		}
		if rows != "" {
			fmt.Fprintf(&text, "### %s\n\n%s\n\n| Operation | Request |\n|---|---|\n%s\n",
				tag.get("name").text(), tag.get("description").text(), rows)
		}
	}
	if events := s.events(); len(events) > 0 {
		fmt.Fprintf(&text,
			"## Events\n\nThe requests that the service sends to you ([headers, signatures, responses](%s)).\n\n", eventsPath)
		writeEvents(&text, events)
	}
	return text.String()
}

// markdown returns what stands on the page of an operation.
func (o operation) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "```http\n%s %s\n```\n\n%s\n\n%s\n", o.Method, o.Route, o.get("description").text(), o.access())
	o.writeParameters(&text)
	for kind, content := range o.get("requestBody", "content").members() {
		fmt.Fprintf(&text, "## Body\n\n`%s`\n\n", kind)
		writeContent(&text, content, request)
	}
	o.writeAnswers(&text)
	return text.String()
}

// access returns a sentence about the credentials that the operation needs.
func (o operation) access() string {
	var ways []string
	for _, way := range o.get("security").items() {
		for name := range way.members() {
			if text := credentials[name]; text != "" && !slices.Contains(ways, text) {
				ways = append(ways, text)
			}
		}
	}
	if len(ways) == 0 {
		return "**Credentials:** none.\n"
	}
	line := "**Credentials:** " + strings.Join(ways, ", or ") + "."
	if scope := o.get("x-permission").text(); scope != "" {
		line += " Permission: `" + scope + "`."
	}
	if roles := o.roles(); len(roles) > 0 {
		line += " Roles: `" + strings.Join(roles, "`, `") + "`."
	}
	return line + "\n"
}

// credentials are the schemes of the OpenAPI documents in words. Schemes that belong to
// another one are left out.
var credentials = map[string]string{
	"signedKey": "a [signature](/docs/api#signing)", "session": "a session",
	"partnerEmail": "e-mail address and password in headers", "token": "a token of an operator",
}

// roles returns the roles that may do the operation.
func (o operation) roles() (roles []string) {
	for _, way := range o.get("security").items() {
		roles = append(roles, way.get("token").texts()...)
	}
	return roles
}

// needs reports whether a security scheme admits to the operation.
func (o operation) needs(scheme string) bool {
	return slices.ContainsFunc(o.get("security").items(), func(way node) bool { return way.get(scheme).exists() })
}

func (o operation) writeParameters(text *strings.Builder) {
	if len(o.parameters) == 0 {
		return
	}
	text.WriteString("## Parameters\n\n| Name | In | Type | Meaning |\n|---|---|---|---|\n")
	for _, p := range o.parameters {
		schema := p.get("schema")
		fmt.Fprintf(text, "| `%s`%s | %s | %s | %s |\n", p.get("name").text(),
			marked(p.get("required").text() == "true", request), p.get("in").text(), kindOf(schema),
			cell(p.get("description").text()+" "+limitsOf(schema)))
	}
	text.WriteString("\n")
}

// writeAnswers writes the answers of success, and the errors as a table.
func (o operation) writeAnswers(text *strings.Builder) {
	var refused strings.Builder
	for status, answer := range o.get("responses").members() {
		if status >= "400" {
			fmt.Fprintf(&refused, "| %s | %s | %s |\n", status, strings.Join(codesOf(answer), " "),
				cell(answer.get("description").text()))
			continue
		}
		fmt.Fprintf(text, "## Answer %s\n\n%s\n\n", status, answer.get("description").text())
		for kind, content := range answer.get("content").members() {
			fmt.Fprintf(text, "`%s`\n\n", kind)
			writeContent(text, content, response)
		}
	}
	if refused.Len() > 0 {
		text.WriteString("## Errors\n\n| Status | Code | When |\n|---|---|---|\n" + refused.String() + "\n")
	}
}

// codesOf returns links to the codes that an answer may have.
func codesOf(answer node) (links []string) {
	for _, content := range answer.get("content").members() {
		failure := content.get("schema", "properties", "error")
		for _, one := range append(failure.get("oneOf").items(), failure) {
			if code := one.get("properties", "code", "enum").texts(); len(code) == 1 {
				links = append(links, fmt.Sprintf("[`%s`](%s/%s)", code[0], errorsPath, code[0]))
			}
		}
	}
	return links
}
