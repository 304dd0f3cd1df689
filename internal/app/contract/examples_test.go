package contract_test

import (
	"strconv"
	"testing"
)

// TestDocumentedRequests sends every documented request, each to its own service.
// The status is the documented one.
func TestDocumentedRequests(t *testing.T) {
	t.Parallel()
	for _, o := range read(t).operations {
		examples := o.examples()
		if o.hasBody() && len(examples) == 0 {
			t.Errorf("%s: got a body without examples, want at least one", o.id)
		}
		for _, example := range examples {
			t.Run(o.id+"/"+example.name, func(t *testing.T) {
				t.Parallel()
				o.tryExample(t, example)
			})
		}
	}
}

// tryExample sends an example and compares the result with the schema of the request.
func (o *operation) tryExample(t *testing.T, example example) {
	f := newFixture(t, roomy)
	request := call{operation: o.id, body: encode(t, example.value), path: f.prepare(t, o)}
	if o.takesType() != "application/json" {
		request.body = []byte(example.value.(string))
	}
	answer := f.send(t, request)
	if got := strconv.Itoa(answer.Status); got != example.answers {
		t.Errorf("got status %s, want %s: %s", got, example.answers, answer.Body)
	}
	if o.takesType() != "application/json" {
		return // the schema has no rules
	}
	valid := len(o.refusedPlaces(t, decode(t, request.body))) == 0
	if good := answer.Status < 300; good && !valid {
		t.Errorf("got status %d for a request that the schema refuses", answer.Status)
	}
	if answer.Status >= 400 && answer.Code() == "validation_error" && valid {
		t.Errorf("got an error for a request that the schema accepts: %s", answer.Body)
	}
}
