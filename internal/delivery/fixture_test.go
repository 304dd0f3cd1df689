package delivery_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

const (
	contactBody = `{"name":"Café du Port","phone":"+15145550100","email":"quai@example.com",
		"address":{"line1":"12 rue de la Commune","city":"Montréal","province":"QC","postal_code":"H2X 1Y4","country":"CA"},
		"time_window":{"start":"2026-03-02T09:00:00-05:00","end":"2026-03-02T12:00:00-05:00"}}`
	parcelBody = `{"parcel_id":"p1","description":"Books","length_cm":30,"width_cm":20.5,"height_cm":10,"weight_kg":2.25,"value_cents":5000}`
	orderBody  = `{"partner_order_id":"A-1","service_level":"standard","pickup":` + contactBody + `,"dropoff":` +
		contactBody + `,"parcels":[` + parcelBody + `]}`
)

func parse(t *testing.T, body string) form.Source {
	t.Helper()
	root, err := strictjson.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%.200s: %v", body, err)
	}
	return root
}

// read reads a document, and returns what is wrong with it.
func read[C any](root form.Source, reader func(*form.Form) C) (C, form.Problems) {
	var problems form.Problems
	command := reader(form.New(root, &problems))
	return command, problems
}

// set returns the body with a value, in JSON, at a path such as
// parcels[0].weight_kg. An empty value removes the member.
func set(t *testing.T, body, path, value string) string {
	t.Helper()
	const mark = `"<here>"`
	var root map[string]any
	decoder := json.NewDecoder(strings.NewReader(body))
	decoder.UseNumber()
	if err := decoder.Decode(&root); err != nil {
		t.Fatal(err)
	}
	steps := strings.FieldsFunc(path, func(r rune) bool { return strings.ContainsRune(".[]", r) })
	at := any(root)
	for _, step := range steps[:len(steps)-1] {
		at = inside(at, step)
	}
	last := steps[len(steps)-1]
	switch place := at.(type) {
	case []any:
		index, _ := strconv.Atoi(last)
		place[index] = "<here>"
	case map[string]any:
		if place[last] = "<here>"; value == "" {
			delete(place, last)
		}
	}
	var encoded strings.Builder
	encoder := json.NewEncoder(&encoded)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(root); err != nil {
		t.Fatal(err)
	}
	return strings.Replace(encoded.String(), mark, value, 1)
}

func inside(at any, step string) any {
	switch place := at.(type) {
	case []any:
		index, _ := strconv.Atoi(step)
		return place[index]
	case map[string]any:
		if place[step] == nil {
			place[step] = map[string]any{}
		}
		return place[step]
	}
	return nil
}

// refusalDetails are the details of a validation error, as a caller sees them.
type refusalDetails struct {
	form.Problem
	Errors form.Problems `json:"errors"`
}

// detailsOf encodes the validation error of the problems, and reads it back.
func detailsOf(t *testing.T, problems form.Problems) refusalDetails {
	t.Helper()
	var refused *refusal.Error
	if err := problems.Err(); !errors.As(err, &refused) || refused.Code != refusal.CodeValidation {
		t.Fatalf("got %v, want a validation_error", err)
	}
	encoded, err := strictjson.Marshal(refused.Details)
	if err != nil {
		t.Fatal(err)
	}
	var details refusalDetails
	if err := strictjson.Unmarshal(encoded, &details); err != nil {
		t.Fatal(err)
	}
	return details
}

func fieldsOf(problems form.Problems) []string {
	fields := make([]string, len(problems))
	for i, problem := range problems {
		fields[i] = problem.Field
	}
	return fields
}

// many returns a text of count characters, in JSON.
func many(character string, count int) string { return `"` + strings.Repeat(character, count) + `"` }

var fieldForm = regexp.MustCompile(`^([a-z_0-9]+(\[[0-9]+\])?(\.|$))*$`)

// parcels returns a list of count valid parcels, in JSON.
func parcels(count int) string {
	all := make([]string, count)
	for i := range all {
		all[i] = strings.Replace(parcelBody, "p1", fmt.Sprintf("p%d", i), 1)
	}
	return "[" + strings.Join(all, ",") + "]"
}
