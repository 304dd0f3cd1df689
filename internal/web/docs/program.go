package docs

import (
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/internal/web/samples"
)

// programs returns programs that send the operation to the service at an address. There
// are none for bodies that are pictures.
func (o operation) programs(address string) []samples.Program {
	kind, body, writable := o.sampleBody()
	if !writable {
		return nil
	}
	sample := samples.Request{
		File: "request", URL: address, Method: o.Method, Path: o.samplePath(), Query: o.sampleQuery(), Body: body,
		Signed: o.needs("signedKey"), Key: "pk_test_…", Secret: "sk_test_…", Headers: o.sampleHeaders(),
	}
	if body != "" {
		sample.Headers = append(sample.Headers, samples.Header{Name: "Content-Type", Value: kind})
	}
	return samples.Programs(sample)
}

// sampleBody returns the first example of a body. It reports whether a program can hold
// it as text.
func (o operation) sampleBody() (kind, body string, writable bool) {
	for kind, content := range o.get("requestBody", "content").members() {
		if found := examplesOf(content); len(found) > 0 {
			return kind, found[0].text, true
		}
		return kind, "", false
	}
	return "", "", true
}

// samplePath returns the path with the examples of its parameters.
func (o operation) samplePath() string {
	filled := o.Route
	for _, p := range o.parameters {
		if p.get("in").text() == "path" {
			filled = strings.ReplaceAll(filled, "{"+p.get("name").text()+"}", url.PathEscape(exampleOf(p)))
		}
	}
	return filled
}

// sampleQuery returns the query with the parameters that are required.
func (o operation) sampleQuery() string {
	query := url.Values{}
	for _, p := range o.parameters {
		if p.get("in").text() == "query" && p.get("required").text() == "true" {
			query.Set(p.get("name").text(), exampleOf(p))
		}
	}
	if len(query) == 0 {
		return ""
	}
	return "?" + query.Encode()
}

func (o operation) sampleHeaders() (headers []samples.Header) {
	switch {
	case o.needs("token"):
		headers = append(headers, samples.Header{Name: "Authorization", Value: "Bearer TOKEN"})
	case o.needs("session") && !o.needs("signedKey"):
		headers = append(headers, samples.Header{Name: "Cookie", Value: "dropyard_session=SESSION"})
	}
	for _, p := range o.parameters {
		if p.get("in").text() == "header" && p.get("required").text() == "true" {
			comment := ""
			if p.get("name").text() == "Idempotency-Key" {
				comment = "A new UUID for each operation; the same one to repeat it."
			}
			headers = append(headers, samples.Header{Name: p.get("name").text(), Value: exampleOf(p), Comment: comment})
		}
	}
	return headers
}

// exampleOf returns an example of a parameter.
func exampleOf(p node) string {
	for _, found := range []string{p.get("example").text(), p.get("schema",
		"example").text(), p.get("schema", "default").text()} {
		if found != "" {
			return found
		}
	}
	for _, one := range p.get("examples").members() {
		return one.get("value").text()
	}
	return "…"
}
