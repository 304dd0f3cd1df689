package docs

import (
	"fmt"
	"maps"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/web/page"
)

// errorsPath is the address of the list of errors, and that of the page of a code begins
// with it. Errors of the interfaces have it as doc_url.
const errorsPath = root + "/errors"

// statuses are the HTTP statuses of all codes of errors.
type statuses map[refusal.Code]int

// pages returns the pages of the codes of errors in a language, and the list of them.
func (all statuses) pages(l page.Language) map[string]*article {
	found := map[string]*article{}
	var list strings.Builder
	list.WriteString(l.Text("docs.errors.what") + "\n\n")
	fmt.Fprintf(&list, "| %s | HTTP | %s |\n|---|---|---|\n", l.Text("docs.error.code"), l.Text("docs.error.means"))
	for _, code := range all.sorted() {
		one := all.page(code, l)
		found[one.Path] = one
		fmt.Fprintf(&list, "| [`%s`](%s) | %d | %s |\n", code, one.Path, all[code],
			l.Text("docs.error."+string(code)+".means"))
	}
	found[errorsPath] = newArticle(errorsPath, l.Text("docs.errors"), l, list.String())
	return found
}

// sorted returns the codes in the order of their statuses.
func (all statuses) sorted() []refusal.Code {
	return slices.SortedFunc(maps.Keys(all), func(a, b refusal.Code) int {
		if all[a] != all[b] {
			return all[a] - all[b]
		}
		return strings.Compare(string(a), string(b))
	})
}

// page returns the page of a code: what it means, what to do, and examples.
func (all statuses) page(code refusal.Code, l page.Language) *article {
	var text strings.Builder
	key := "docs.error." + string(code)
	fmt.Fprintf(&text, "**HTTP %d %s**\n\n", all[code], http.StatusText(all[code]))
	fmt.Fprintf(&text, "## %s\n\n%s\n\n", l.Text("docs.error.means"), l.Text(key+".means"))
	fmt.Fprintf(&text, "## %s\n\n%s\n\n", l.Text("docs.error.do"), l.Text(key+".do"))
	fmt.Fprintf(&text, "## %s\n\n", l.Text("docs.error.example"))
	for _, body := range errorExamples()[code] {
		text.WriteString(fenced("json", withPage(body, code)))
	}
	return newArticle(errorsPath+"/"+string(code), string(code), l, text.String())
}

// withPage returns the example of an error with the address of its page, which the
// service adds to every error: the OpenAPI documents leave it out of their examples.
func withPage(body string, code refusal.Code) string {
	line := fmt.Sprintf("\"doc_url\": %q", exampleHost+errorsPath+"/"+string(code))
	return messageLine.ReplaceAllString(body, "${1}${2},${1}"+line+"${3}")
}

// exampleHost is the address of the service in examples.
const exampleHost = "https://api.dropyard.example"

// messageLine matches the line of the message, and the comma after it if there is one.
var messageLine = regexp.MustCompile(`(\n +)("message": "(?:[^"\\]|\\.)*")(,?)`)

// fenced returns a block of code in Markdown.
func fenced(language, code string) string { return "```" + language + "\n" + code + "\n```\n\n" }

// mostExamples is how many examples a page of an error shows.
const mostExamples = 4

// foremost are the paths whose examples come first, because most readers meet an error
// there.
var foremost = []string{"/v1/orders", "/v1/rates/quote", "/v1/orders/{order_id}", "/v1/orders/{order_id}/cancel"}

// errorExamples returns the examples of errors in the OpenAPI documents, by their codes.
var errorExamples = sync.OnceValue(func() map[refusal.Code][]string {
	found := map[refusal.Code][]string{}
	var gather func(n node)
	gather = func(n node) {
		if code := refusal.Code(n.get("error", "code").text()); code != "" && n.get("request_id").text() != "" {
			if body := n.json(); len(found[code]) < mostExamples && !slices.Contains(found[code], body) {
				found[code] = append(found[code], body)
			}
			return
		}
		for name, member := range n.members() {
			if name != "schemas" && name != "schema" { // schemas contain themselves
				gather(member)
			}
		}
	}
	for _, path := range foremost {
		gather(openAPI().get("paths", path))
	}
	for _, document := range []node{openAPI(), opsAPI()} {
		gather(document.get("components"))
		gather(document.get("paths"))
	}
	return found
})
