package main

import (
	"encoding/json"
	"strings"
	"testing"
)

func TestAssign(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct{ base, sets, want string }{
		"text":         {`{}`, `reference=a=b:=c`, `{"reference":"a=b:=c"}`},
		"empty text":   {`{"a":"b"}`, `a=`, `{"a":""}`},
		"number":       {`{}`, `a:=2.5`, `{"a":2.5}`},
		"nested":       {`{"a":{"x":1}}`, `a.b.c=d`, `{"a":{"b":{"c":"d"},"x":1}}`},
		"list":         {`{"p":[{"w":1}]}`, `p[0].w:=2|p[1].w:=3`, `{"p":[{"w":2},{"w":3}]}`},
		"new list":     {`{}`, `p[0].w:=2`, `{"p":[{"w":2}]}`},
		"object":       {`{}`, `m:={"b":true}`, `{"m":{"b":true}}`},
		"not a path":   {`{}`, `a b=c`, `error: a b: " b" is not a path`},
		"no sign":      {`{}`, `abc`, `error: "abc" is not PATH=TEXT`},
		"not JSON":     {`{}`, `a:=b`, `error: a: the value is not JSON`},
		"gap":          {`{"p":[]}`, `p[1]=x`, `error: p[1]: [1]: the list has 0 elements`},
		"not a list":   {`{"p":{}}`, `p[0]=x`, `error: p[0]: [0] is not in a list`},
		"not in it":    {`{"p":"s"}`, `p.a=x`, `error: p.a: "a" is not in an object`},
		"endless list": {`{}`, `p[9999]=x`, `error: p[9999]: "[9999]" is not a path`},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			var value any
			if err := json.Unmarshal([]byte(c.base), &value); err != nil {
				t.Fatal(err)
			}
			var err error
			for _, set := range strings.Split(c.sets, "|") {
				if value, err = assign(value, set); err != nil {
					break
				}
			}
			text, _ := json.Marshal(value)
			got := string(text)
			if err != nil {
				got = "error: " + err.Error()
			}
			if !strings.HasPrefix(got, c.want) {
				t.Errorf("%s with %s: got %s, want %s", c.base, c.sets, got, c.want)
			}
		})
	}
}
