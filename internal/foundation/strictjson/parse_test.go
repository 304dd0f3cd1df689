package strictjson_test

import (
	"bytes"
	"encoding/json"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/testkit"
)

func TestParseRefuses(t *testing.T) {
	t.Parallel()
	for name, body := range map[string]string{
		"empty":               "",
		"white space only":    " \n",
		"cut short":           `{"a":1`,
		"cut in a string":     `{"a":"b`,
		"trailing value":      `{"a":1} {}`,
		"trailing text":       `{"a":1}x`,
		"duplicate name":      `{"a":1,"a":2}`,
		"duplicate by escape": `{"a":1,"\u0061":2}`,
		"nested duplicate":    `{"o":{"b":1,"b":1}}`,
		"not a number":        `{"a":NaN}`,
		"infinity":            `{"a":Infinity}`,
		"leading zero":        `{"a":01}`,
		"invalid utf-8":       "{\"a\":\"\xff\"}",
		"lone surrogate":      `{"a":"\ud800"}`,
		"single quotes":       `{'a':1}`,
		"trailing comma":      `{"a":1,}`,
		"comment":             `{"a":1/**/}`,
		"100,000 deep":        strings.Repeat("[", 100_000) + strings.Repeat("]", 100_000),
		"too many values":     "[" + strings.Repeat("1,", 100_000) + "1]",
		"mismatched brackets": `{"a":[1}`,
		"byte order mark":     "\ufeff{}",
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if _, err := strictjson.Parse([]byte(body)); !refusal.HasCode(err, refusal.CodeBadRequest) {
				t.Errorf("got %v, want a bad_request", err)
			}
		})
	}
}

func TestParse(t *testing.T) {
	t.Parallel()
	body := ` { "n" : 100.0 , "s":"a\u00e9\n\"", "t":true, "z":null, "l":[1,"x",{}] , "m": { "b" : 1 ,"a":2 } }  `
	root, err := strictjson.Parse([]byte(body))
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []struct {
		name string
		kind form.Kind
		text string
	}{
		{"n", form.Number, "100.0"},
		{"s", form.Text, "aé\n\""},
		{"t", form.Bool, "true"},
		{"z", form.Null, "null"},
		{"m", form.Object, `{ "b" : 1 ,"a":2 }`},
		{"N", form.Absent, ""},
	} {
		got := root.Member(want.name)
		if got.Kind() != want.kind || got.Text() != want.text {
			t.Errorf("%s: got kind %d %q, want kind %d %q", want.name, got.Kind(), got.Text(), want.kind, want.text)
		}
	}
	if elements := root.Member("l").Elements(); len(elements) != 3 || elements[1].Text() != "x" {
		t.Errorf("list: got %v, want 3 elements, the second x", elements)
	}
}

func FuzzParse(f *testing.F) {
	f.Add([]byte(`{"a":[1,2,{"b":"c\u0000"}],"d":1e400}`))
	f.Add([]byte(`[[[[]]]]`))
	f.Fuzz(func(t *testing.T, data []byte) {
		root, err := strictjson.Parse(data)
		if err != nil {
			if !refusal.HasCode(err, refusal.CodeBadRequest) {
				t.Fatalf("%q: got %v, want a bad_request", data, err)
			}
			return
		}
		if !json.Valid(data) {
			t.Fatalf("%q: got accepted, want refused, because it is not JSON", data)
		}
		if !bytes.Equal(root.Raw(), bytes.TrimSpace(data)) {
			t.Fatalf("got raw %q, want %q", root.Raw(), data)
		}
	})
}

// FuzzParseTrusted also parses documents that Parse refuses. They must not make it
// panic.
func FuzzParseTrusted(f *testing.F) {
	for _, seed := range []string{`{"a":[1,2,{"b":"c\\\""}]}`, `{"a`, `[`, `{"a":"\`, `"\\\\"`, `[,,]`, `{:}`, ``, `}`} {
		f.Add([]byte(seed))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		trusted, err := strictjson.ParseTrusted(data)
		strict, refused := strictjson.Parse(data)
		if refused == nil && (err != nil || !same(trusted, strict)) {
			t.Fatalf("%q: got %v, %v, want the tree of Parse", data, trusted, err)
		}
	})
}

func same(a, b form.Source) bool {
	return a.Kind() == b.Kind() && bytes.Equal(a.Raw(), b.Raw()) && slices.EqualFunc(a.Elements(), b.Elements(), same)
}

func BenchmarkParse(b *testing.B) {
	document := testkit.OrderJSON("A-1", `[{"product_id":1,"quantity":2}]`)
	b.Run("strict", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = strictjson.Parse(document)
		}
	})
	b.Run("trusted", func(b *testing.B) {
		b.ReportAllocs()
		for b.Loop() {
			_, _ = strictjson.ParseTrusted(document)
		}
	})
}
