package contract_test

import (
	"bytes"
	"mime"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/santhosh-tekuri/jsonschema/v6"
)

// check compares an answer with what is documented for its status: headers,
// Content-Type and body. signed reports whether the request had credentials.
func (o *operation) check(t reporter, answer *apptest.Answer, signed bool) {
	t.Helper()
	status := strconv.Itoa(answer.Status)
	if !o.documents(status) {
		t.Errorf("%s: got status %s, which is not documented: %s", o.id, status, answer.Body)
		return
	}
	checkAnswer(t, o.id+" "+status, o.response(status), answer)
	// An error before the signature is checked does not concern a partner.
	early := []int{401, 413}
	if o.access() == httpd.AccessPartner {
		early = append(early, 403)
	}
	if signed && o.isSigned() && !slices.Contains(early, answer.Status) {
		for _, name := range []string{"RateLimit", "RateLimit-Policy"} {
			if answer.Header.Get(name) == "" || o.response(status).at("headers", name).value == nil {
				t.Errorf("%s %s: got header %s sent or documented, want both or neither", o.id, status, name)
			}
		}
	}
}

// checkAnswer compares an answer with a documented response.
func checkAnswer(t reporter, name string, response node, answer *apptest.Answer) {
	t.Helper()
	messages.add(answer)
	checkHeaders(t, name, response, answer)
	kind, _, err := mime.ParseMediaType(answer.Header.Get("Content-Type"))
	content := response.at("content", kind)
	if err != nil || content.value == nil {
		t.Errorf("%s: got Content-Type %q, which is not documented", name, answer.Header.Get("Content-Type"))
		return
	}
	schema := response.contract.mustSchema(t, content.at("schema"))
	if kind != "application/json" {
		if err := schema.Validate(string(answer.Body)); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		return
	}
	if err := schema.Validate(decode(t, answer.Body)); err != nil {
		t.Errorf("%s: %v\n%s", name, err, answer.Body)
	}
	if id := answer.Header.Get("X-Request-Id"); answer.Status >= 400 && answer.Code() != "" &&
		answer.Text("request_id") != id {
		t.Errorf("%s: got X-Request-Id %s, want that of the body: %s", name, id, answer.Body)
	}
	if page := "/docs/errors/" + answer.Code(); answer.Code() != "" &&
		!strings.HasSuffix(answer.Text("error", "doc_url"), page) {
		t.Errorf("%s: got doc_url %q, want one that ends in %s", name, answer.Text("error", "doc_url"), page)
	}
}

// checkHeaders compares the headers of an answer with those that are documented.
func checkHeaders(t reporter, name string, response node, answer *apptest.Answer) {
	t.Helper()
	headers := response.at("headers")
	for _, header := range headers.members() {
		documented, sent := headers.at(header), answer.Header.Get(header)
		if sent == "" {
			if documented.at("required").flag() {
				t.Errorf("%s: got no header %s, which is documented as required", name, header)
			}
			continue
		}
		var value any = sent
		if number, err := strconv.Atoi(sent); err == nil && documented.at("schema", "type").text() == "integer" {
			value = number
		}
		if err := response.contract.mustSchema(t, documented.at("schema")).Validate(value); err != nil {
			t.Errorf("%s: header %s: %v", name, header, err)
		}
	}
	for _, header := range []string{
		"RateLimit", "RateLimit-Policy", "Retry-After", "Idempotent-Replayed", "Allow", "Set-Cookie",
	} {
		if answer.Header.Get(header) != "" && headers.at(header).value == nil {
			t.Errorf("%s: got header %s, which is not documented", name, header)
		}
	}
}

// decode parses JSON with exact numbers.
func decode(t reporter, body []byte) any {
	t.Helper()
	value, err := jsonschema.UnmarshalJSON(bytes.NewReader(body))
	if err != nil {
		t.Fatalf("%v: %s", err, body)
	}
	return value
}

// checkNewMembers adds a member to every object of a valid answer, one at a time. The
// service must not answer it today: the closed schema refuses each. A later release may:
// the schema that is served accepts each. The partner's metadata is exempt.
func (o *operation) checkNewMembers(t reporter, answer *apptest.Answer) {
	t.Helper()
	name := o.id + " " + strconv.Itoa(answer.Status)
	content := o.response(strconv.Itoa(answer.Status)).at("content", "application/json")
	if content.value == nil || answer.Header.Get("Content-Type") != "application/json" ||
		strings.HasSuffix(o.path, ".json") {
		return // a document is not described member by member
	}
	o.contract.checkNewMembers(t, name, content.at("schema"), decode(t, answer.Body))
}

// checkNewMembers does so with a value that matches the schema at n. A rate card is what
// an operator uploaded, and stays closed: its members mean money.
func (c *contract) checkNewMembers(t reporter, name string, n node, body any) {
	t.Helper()
	const stranger = "undocumented"
	closed, served := c.mustSchema(t, n), c.mustServed(t, n)
	var visit func(value any, place string)
	visit = func(value any, place string) {
		switch value := value.(type) {
		case map[string]any:
			value[stranger] = true
			if closed.Validate(body) == nil {
				t.Errorf("%s: got an undocumented member in %q accepted by the schema", name, place)
			}
			keyed := place == "/operators" || place == "/couriers" // by ids, so a new member is one more of them
			if err := served.Validate(body); err != nil && !keyed && !strings.Contains(place+"/", "/card/") {
				t.Errorf("%s: a new member in %q breaks generated clients: %v", name, place, err)
			}
			delete(value, stranger)
			for member, inner := range value {
				if !slices.Contains([]string{"metadata", "before", "after"}, member) {
					visit(inner, place+"/"+member)
				}
			}
		case []any:
			for i, inner := range value[:min(len(value), 3)] {
				visit(inner, place+"/"+strconv.Itoa(i))
			}
		}
	}
	visit(body, "")
}

// reporter is what checks use of a test. Both *testing.T and *rapid.T have it.
type reporter interface {
	Helper()
	Errorf(format string, args ...any)
	Fatalf(format string, args ...any)
}
