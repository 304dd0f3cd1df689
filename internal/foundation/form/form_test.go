package form_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

func parse(t *testing.T, body string) form.Source {
	t.Helper()
	root, err := strictjson.Parse([]byte(body))
	if err != nil {
		t.Fatalf("%.200s: %v", body, err)
	}
	return root
}

// fieldOf returns an object with one field, or with none if the value is empty.
func fieldOf(value string) string {
	if value == "" {
		return `{}`
	}
	return `{"field":` + value + `}`
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

// readers has one reader of each kind, with values in JSON that it reads and that
// it refuses. An empty value stands for a missing field.
var readers = []struct {
	name    string
	read    func(*form.Form) any
	valid   map[string]any
	refused []string
}{
	{
		"Text", func(f *form.Form) any { return f.Text("field", form.Required, form.Length(1, 3)) },
		map[string]any{`"x"`: "x", `"éé字"`: "éé字"},
		[]string{``, `null`, `""`, `"four"`, `"a\u0000"`, `1`, `true`, `[]`, `{}`, many("x", 1<<20)},
	},
	{
		"optional Text", func(f *form.Form) any { return f.Text("field", form.Optional, form.OneOf("yes", "no")) },
		map[string]any{``: "", `null`: "", `"yes"`: "yes"},
		[]string{`""`, `"Yes"`, `1`, `{}`},
	},
	{
		"Decimal", func(f *form.Form) any { n, _ := f.Decimal("field", form.Required, 0.1, 300); return n },
		map[string]any{`0.1`: 0.1, `300`: 300.0, `3e2`: 300.0, `300.0`: 300.0, `1E-1`: 0.1},
		[]string{``, `null`, `"30"`, `0`, `0.09`, `300.01`, `-1`, `1e400`, `-1e400`, `1e-400`},
	},
	{
		"Integer", func(f *form.Form) any { n, _ := f.Integer("field", form.Required, 0, 1000); return n },
		map[string]any{`0`: int64(0), `-0`: int64(0), `100.0`: int64(100), `1e2`: int64(100), `1000`: int64(1000)},
		[]string{``, `null`, `10.5`, `-1`, `"100"`, `1e400`, `1001`, `1e-1`, `9223372036854775808`, `true`},
	},
	{
		"Flag", func(f *form.Form) any { return f.Flag("field") },
		map[string]any{``: false, `null`: false, `true`: true, `false`: false},
		[]string{`"true"`, `1`, `{}`},
	},
	{
		"Time", func(f *form.Form) any { return f.Time("field", form.Required) },
		map[string]any{`"2026-03-02T09:00:00-05:00"`: time.Date(2026, 3, 2, 14, 0, 0, 0, time.UTC)},
		[]string{``, `null`, `1767225600`, `"2026-03-02"`, `"2026-03-02T09:00:00"`, `"1969-12-31T23:59:59Z"`},
	},
	{
		"Raw", func(f *form.Form) any { return string(f.Raw("field", 20)) },
		map[string]any{``: "", `null`: "", `{ "b":1, "a":[ ] }`: `{ "b":1, "a":[ ] }`},
		[]string{`[]`, `"{}"`, `1`, `{"a":"12345678901234567890"}`},
	},
	{
		"Texts", func(f *form.Form) any { return f.Texts("field", form.Optional, 0, 2, form.Length(1, 3)) },
		map[string]any{``: []string{}, `[]`: []string{}, `["a","b"]`: []string{"a", "b"}},
		[]string{`"a"`, `{}`, `["a","b","c"]`},
	},
	{
		"Integers", func(f *form.Form) any { return f.Integers("field", form.Required, 1, 2, 1, 9) },
		map[string]any{`[1,9.0]`: []int64{1, 9}},
		[]string{``, `null`, `[]`, `1`, `[1,2,3]`},
	},
}

func TestReaders(t *testing.T) {
	t.Parallel()
	for _, reader := range readers {
		t.Run(reader.name, func(t *testing.T) {
			t.Parallel()
			for value, want := range reader.valid {
				var problems form.Problems
				got := reader.read(form.New(parse(t, fieldOf(value)), &problems))
				if len(problems) > 0 || !reflect.DeepEqual(got, want) {
					t.Errorf("%.60s: got %#v, problems %+v, want %#v", value, got, problems, want)
				}
			}
			for _, value := range reader.refused {
				var problems form.Problems
				reader.read(form.New(parse(t, fieldOf(value)), &problems))
				if got := fieldsOf(problems); !slices.Equal(got, []string{"field"}) || problems[0].Expected == "" {
					t.Errorf("%.60s: got problems %+v, want one at field with what is expected", value, problems)
				}
			}
		})
	}
}

func TestElementsAreChecked(t *testing.T) {
	t.Parallel()
	var problems form.Problems
	root := form.New(parse(t, `{"texts":["a",1,"long"],"numbers":[1,null,10],"objects":[{"x":1},7,{"x":"2"}]}`), &problems)
	root.Texts("texts", form.Required, 0, 3, form.Length(1, 3))
	root.Integers("numbers", form.Required, 0, 3, 1, 9)
	for _, object := range root.Objects("objects", form.Required, 0, 3) {
		object.Integer("x", form.Required, 1, 9)
	}
	want := []string{"texts[1]", "texts[2]", "numbers[1]", "numbers[2]", "objects[1]", "objects[2].x"}
	if got := fieldsOf(problems); !slices.Equal(got, want) {
		t.Errorf("got problems at %q, want %q", got, want)
	}
}

func TestTooLongListIsOneProblem(t *testing.T) {
	t.Parallel()
	var problems form.Problems
	root := form.New(parse(t, `{"texts":[1,2,3],"objects":[1,2,3]}`), &problems)
	texts := root.Texts("texts", form.Required, 0, 2, form.Length(1, 3))
	objects := root.Objects("objects", form.Required, 0, 2)
	if got, want := fieldsOf(problems), []string{"texts", "objects"}; !slices.Equal(got, want) ||
		len(texts)+len(objects) > 0 {
		t.Errorf("got problems at %q, elements %v and %v, want problems at %q and no elements", got, texts, objects, want)
	}
}

func TestMissingObjectIsOneProblem(t *testing.T) {
	t.Parallel()
	var problems form.Problems
	inner := form.New(parse(t, `{}`), &problems).Object("inner", form.Required)
	inner.Text("a", form.Required, form.Length(1, 3))
	inner.Secret("b", form.Required, form.Length(1, 3))
	inner.Object("c", form.Required).Objects("d", form.Required, 1, 2)
	inner.Only("e")
	inner.Fault("f", form.TrueOrFalse)
	if got := fieldsOf(problems); !slices.Equal(got, []string{"inner"}) || inner.Has("a") || inner.IsNull("a") {
		t.Errorf("got problems at %q, want one at inner", got)
	}
}

func TestRootMustBeAnObject(t *testing.T) {
	t.Parallel()
	for _, body := range []string{`null`, `[]`, `"x"`, `1`, `true`} {
		var problems form.Problems
		root := form.New(parse(t, body), &problems)
		if root != nil || len(problems) != 1 || problems[0].Field != "" || problems[0].Expected != "a JSON object" {
			t.Errorf("%s: got %+v, want a nil form and one problem of the body", body, problems)
		}
	}
}

func TestHasAndIsNull(t *testing.T) {
	t.Parallel()
	root := form.New(parse(t, `{"null":null,"false":false}`), new(form.Problems))
	for name, want := range map[string][2]bool{"null": {false, true}, "false": {true, false}, "missing": {false, false}} {
		if got := [2]bool{root.Has(name), root.IsNull(name)}; got != want {
			t.Errorf("%s: got Has %t, IsNull %t, want %t, %t", name, got[0], got[1], want[0], want[1])
		}
	}
}

func TestOnly(t *testing.T) {
	t.Parallel()
	var problems form.Problems
	long := strings.Repeat("x", 200)
	form.New(parse(t, `{"a":1,"A":2,"`+long+`":3}`), &problems).Only("a", "b")
	if got, want := fieldsOf(problems), []string{"A", long[:100] + "…"}; !slices.Equal(got, want) {
		t.Errorf("got problems at %q, want %q", got, want)
	}
}

func TestProblemEchoesValue(t *testing.T) {
	t.Parallel()
	for value, want := range map[string]any{
		``:                             nil,
		`null`:                         nil,
		`12.50`:                        "12.50",
		`9007199254740993`:             "9007199254740993",
		`1e400`:                        "1e400",
		"1" + strings.Repeat("0", 400): "1" + strings.Repeat("0", 99) + "…",
		`true`:                         true,
		`["secret"]`:                   "[…]",
		`{"a":"secret"}`:               "{…}",
		`"\u0000x"`:                    "\x00x",
		many("字", 100):                 strings.Repeat("字", 100),
		many("字", 5000):                strings.Repeat("字", 100) + "…",
		`"` + strings.Repeat("e\u0301", 51) + `"`: strings.Repeat("e\u0301", 50) + "…",
	} {
		var problems form.Problems
		form.New(parse(t, fieldOf(value)), &problems).Text("field", form.Required, form.OneOf("yes"))
		if len(problems) != 1 {
			t.Fatalf("%.40s: got %+v, want one problem", value, problems)
		}
		got := problems[0].Value
		if digits, ok := got.(json.RawMessage); ok {
			got = string(digits)
		}
		if got != want {
			t.Errorf("%.40s: got %v, want %v", value, got, want)
		}
	}
}

func TestSecretsAreNeverEchoed(t *testing.T) {
	t.Parallel()
	for _, value := range []string{
		`"hunter2"`, `1234567`, `["hunter2"]`, `{"p":"hunter2"}`, `true`, `null`, many("hunter2",
			100), `"hunter2hunter2\u0000"`,
	} {
		var problems form.Problems
		root := form.New(parse(t, `{"login":{"password":`+value+`}}`), &problems).Object("login", form.Required)
		if secret := root.Secret("password", form.Required, form.Length(8, 128)); secret != "" {
			t.Errorf("%.40s: got %q, want an empty text", value, secret)
		}
		if len(problems) != 1 || problems[0].Field != "login.password" || problems[0].Value != nil {
			t.Errorf("%.40s: got %+v, want one problem at login.password without a value", value, problems)
		}
		if err := problems.Err(); strings.Contains(fmt.Sprintf("%v %+v", err, err), "hunter2") {
			t.Errorf("%.40s: got %+v, want an error without the secret", value, err)
		}
	}
}

func TestSecret(t *testing.T) {
	t.Parallel()
	var problems form.Problems
	root := form.New(parse(t, `{"password":"correct horse","other":null}`), &problems)
	password := root.Secret("password", form.Required, form.Length(8, 128))
	other := root.Secret("other", form.Optional, form.Length(8, 128))
	if password != "correct horse" || other != "" || len(problems) > 0 {
		t.Errorf("got %q, %q, problems %+v, want the password, nothing and no problems", password, other, problems)
	}
}

var ruleOne, ruleTwo = form.Define("one", "one"), form.Define("two", "two")

// TestProblemsErr checks that all problems are in one error, in JSON as callers see
// it.
func TestProblemsErr(t *testing.T) {
	t.Parallel()
	if err := form.Problems(nil).Err(); err != nil {
		t.Errorf("without problems: got %v, want nil", err)
	}
	var problems form.Problems
	problems.Add("a", "x", ruleOne)
	problems.Add("b", nil, ruleTwo)
	var refused *refusal.Error
	if err := problems.Err(); !errors.As(err, &refused) || refused.Code != refusal.CodeValidation {
		t.Fatalf("got %v, want a validation_error", err)
	}
	if want := "a: expected one (and 1 more)"; refused.Message != want {
		t.Errorf("got message %q, want %q", refused.Message, want)
	}
	details, err := strictjson.Marshal(refused.Details)
	want := `{"field":"a","value":"x","expected":"one","errors":[` +
		`{"field":"a","value":"x","expected":"one"},{"field":"b","value":null,"expected":"two"}]}`
	if err != nil || string(details) != want {
		t.Errorf("got details %s, %v, want %s", details, err, want)
	}
}

func TestWithProblems(t *testing.T) {
	t.Parallel()
	more := form.Problems{{Field: "b", Value: 2, Expected: "two"}}
	got := form.WithProblems(form.Fault("a", nil, ruleOne), more)
	if !refusal.HasCode(got, refusal.CodeValidation) || !strings.Contains(got.Error(), "and 1 more") {
		t.Errorf(`got %v, want a validation_error with "and 1 more"`, got)
	}
	missing := refusal.NotFound("order")
	for _, err := range []error{nil, missing, errors.New("another")} {
		if got := form.WithProblems(err, more); !errors.Is(got, err) {
			t.Errorf("%v: got %v, want it unchanged", err, got)
		}
	}
}
