package docs

import (
	"encoding/base64"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/signature"
)

// eventsPath is the address of the page about all events; that of a type begins with it.
const eventsPath = root + "/events"

// event is a type of events that an interface sends.
type event struct {
	node
	listing
}

// eventsOf returns the events of a document in their order.
func eventsOf(document node) (all []event) {
	for name, found := range document.get("webhooks").members() {
		post := found.get("post")
		all = append(all,
			event{post, listing{address: eventsPath + "/" + name, title: name, tag: post.get("tags").items()[0].text()}})
	}
	return all
}

// writeEvents writes a table of events.
func writeEvents(text *strings.Builder, all []event) {
	text.WriteString("| Type | Means |\n|---|---|\n")
	for _, one := range all {
		fmt.Fprintf(text, "| [`%s`](%s) | %s |\n", one.title, one.address, cell(one.get("summary").text()))
	}
	text.WriteString("\n")
}

// eventsMarkdown returns what stands on the page about all events: the types, and what
// their requests have in common.
func eventsMarkdown() string {
	var text strings.Builder
	all := eventsOf(openAPI())
	for _, tag := range openAPI().get("tags").items() {
		if tag.get("name").text() == all[0].tag {
			text.WriteString(tag.get("description").text() + "\n")
		}
	}
	text.WriteString("## Types\n\n")
	writeEvents(&text, all)
	text.WriteString("## Headers\n\n| Name | Type | Meaning |\n|---|---|---|\n")
	for name, header := range openAPI().get("x-webhook-headers").members() {
		fmt.Fprintf(&text, "| `%s` | %s | %s |\n", name, kindOf(header.get("schema")), cell(header.get("description").text()))
	}
	text.WriteString("\n## Your response\n\n| Status | Effect |\n|---|---|\n")
	for status, answer := range all[0].get("responses").members() {
		fmt.Fprintf(&text, "| %s | %s |\n", strings.Replace(status, "default", "anything else, or none", 1),
			cell(answer.get("description").text()))
	}
	return text.String()
}

// markdown returns what stands on the page of a type: when it is sent, its fields, and a
// request.
func (e event) markdown() string {
	var text strings.Builder
	fmt.Fprintf(&text, "**%s.** %s\n\n", e.get("summary").text(), e.get("description").text())
	fmt.Fprintf(&text, "The service posts it to your endpoint: how to [verify and answer it](%s#verify), and when it is "+
		"[sent again](%s#retries).\n\n## Body\n\n", eventsPath, eventsPath)
	content := e.get("requestBody", "content", "application/json")
	writeContent(&text, content, response)
	fmt.Fprintf(&text,
		"## Request\n\nThe same as it is sent, signed with the secret `%s` ([what the headers mean](%s#headers)). "+
			"The body is one line, without a newline at its end:\n\n%s", exampleSecret, eventsPath,
		fenced("http", sentRequest(content)))
	return text.String()
}

// exampleSecret is the secret that signs the requests in the documentation.
const exampleSecret = "whsec_a3oCbJfTOBEWaoJ1x0MWg2Y9yCLJZ5DRnHBvPvNhRmSp"

// sentRequest returns the request of a content's first example, as an endpoint gets it
// in the second of the event.
func sentRequest(content node) string {
	for _, one := range content.get("examples").members() {
		value := one.get("value")
		body, id := value.compact(), value.get("id").text()
		created, err := time.Parse(time.RFC3339, value.get("created_at").text())
		if err != nil {
			panic("docs: " + err.Error()) // the documents are embedded, and tested
		}
		return signedRequest(id, strconv.FormatInt(created.Unix(), 10), body)
	}
	return ""
}

// signedRequest returns a request with an event, which was sent at a time in Unix seconds.
func signedRequest(id, at string, body []byte) string {
	key, err := base64.StdEncoding.DecodeString(strings.TrimPrefix(exampleSecret, "whsec_"))
	if err != nil {
		panic("docs: " + err.Error()) // a constant
	}
	lines := []string{
		"POST /hooks HTTP/1.1", "Host: shop.example.org", "Content-Type: application/json",
		"Drop-Event-Id: " + id, "Drop-Event-Timestamp: " + at, "Drop-Signature: " + signature.SignEvent([]byte(exampleSecret),
			body),
		"Webhook-Id: " + id, "Webhook-Timestamp: " + at, "Webhook-Signature: " + signature.SignStandard(key, id, at, body),
	}
	return strings.Join(lines, "\n") + "\n\n" + string(body)
}
