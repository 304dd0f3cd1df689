package contract_test

import (
	"strconv"
	"testing"
)

// TestDocumentedRequests sends every documented request, each to a service of
// its own, and expects the status that is documented beside it.
func TestDocumentedRequests(t *testing.T) {
	t.Parallel()
	for _, o := range read(t).operations {
		examples := o.examples()
		if o.hasBody() && len(examples) == 0 {
			t.Errorf("%s takes a body but shows none", o.id)
		}
		for _, example := range examples {
			t.Run(o.id+"/"+example.name, func(t *testing.T) {
				t.Parallel()
				o.tryExample(t, example)
			})
		}
	}
}

func (o *operation) tryExample(t *testing.T, example example) {
	f := newFixture(t, roomy)
	request := call{operation: o.id, body: encode(t, example.value), path: f.prepare(t, o)}
	if o.takesType() != "application/json" {
		request.body = []byte(example.value.(string))
	}
	answer := f.send(t, request)
	if got := strconv.Itoa(answer.Status); got != example.answers {
		t.Errorf("got %s, documented is %s: %s", got, example.answers, answer.Body)
	}
	if o.takesType() != "application/json" {
		return // its schema says nothing
	}
	valid := o.contract.mustSchema(t, o.requestSchema()).Validate(decode(t, request.body)) == nil
	if good := answer.Status < 300; good && !valid {
		t.Errorf("the request's schema refuses what is answered with %d", answer.Status)
	}
	if answer.Status >= 400 && answer.Code() == "validation_error" && valid {
		t.Errorf("the request's schema takes what is refused: %s", answer.Body)
	}
}
