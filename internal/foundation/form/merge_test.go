package form_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// TestMerged has the examples of RFC 7396, appendix A, that begin with objects, and members
// that are replaced whole.
func TestMerged(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ object, patch, want string }{
		{`{"a":"b"}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"b"}`, `{"b":"c"}`, `{"a":"b","b":"c"}`},
		{`{"a":"b"}`, `{"a":null}`, `{}`},
		{`{"a":"b","b":"c"}`, `{"a":null}`, `{"b":"c"}`},
		{`{"a":["b"]}`, `{"a":"c"}`, `{"a":"c"}`},
		{`{"a":"c"}`, `{"a":["b"]}`, `{"a":["b"]}`},
		{`{"a":{"b":"c"}}`, `{"a":{"b":"d","c":null}}`, `{"a":{"b":"d"}}`},
		{`{"a":[{"b":"c"}]}`, `{"a":[1]}`, `{"a":[1]}`},
		{`{"e":null}`, `{"a":1}`, `{"a":1,"e":null}`},
		{`{}`, `{"a":{"bb":{"ccc":null}}}`, `{"a":{"bb":{}}}`},
		{`{"a":"b"}`, `{"a":{"b":"c"}}`, `{"a":{"b":"c"}}`},
		{`{"whole":{"a":1}}`, `{"whole":{ "b":null, "c" : 1.0 }}`, `{"whole":{ "b":null, "c" : 1.0 }}`},
		{`{"in":{"whole":{"a":1},"x":1}}`, `{"in":{"whole":{"b":2}}}`, `{"in":{"whole":{"b":2},"x":1}}`},
	} {
		object, patch := parsed(t, c.object), parsed(t, c.patch)
		if got := written(form.Merged(object, patch, "whole", "in.whole")); got != c.want {
			t.Errorf("%s merged with %s: got %s, want %s", c.object, c.patch, got, c.want)
		}
	}
}

func parsed(t *testing.T, document string) form.Source {
	t.Helper()
	source, err := strictjson.Parse([]byte(document))
	if err != nil {
		t.Fatal(err)
	}
	return source
}

// written returns a source as JSON, its members by name.
func written(source form.Source) string {
	if source.Kind() != form.Object || len(source.Raw()) > 0 {
		return string(source.Raw())
	}
	text := "{"
	for i, name := range source.Names() {
		if i > 0 {
			text += ","
		}
		text += `"` + name + `":` + written(source.Member(name))
	}
	return text + "}"
}
