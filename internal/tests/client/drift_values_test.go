package client_test

import (
	"encoding/json"
	"go/ast"
	"go/parser"
	"go/token"
	"io"
	"net/http"
	"path/filepath"
	"reflect"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
)

// recorder is a transport that records the last request and answers 200.
type recorder struct{ request *http.Request }

func (r *recorder) RoundTrip(request *http.Request) (*http.Response, error) {
	r.request = request
	header := http.Header{"Set-Cookie": {"dropyard_session=x", "dropyard_ops_session=x"}}
	return &http.Response{StatusCode: http.StatusOK, Header: header, Body: io.NopCloser(strings.NewReader("{}"))}, nil
}

// receiver returns a service, session, client or operator that sends through a transport,
// an operator with a token or a session.
func receiver(kind reflect.Type, transport http.RoundTripper, token bool) reflect.Value {
	service := client.NewService("http://service.test")
	service.HTTP = &http.Client{Transport: transport}
	switch kind {
	case reflect.TypeFor[*client.Session]():
		return reflect.ValueOf(&client.Session{Service: *service, Cookie: "x"})
	case reflect.TypeFor[*client.Operator]():
		o := &client.Operator{Service: *service, Token: "x"}
		if !token {
			o.Cookie = "x"
		}
		return reflect.ValueOf(o)
	case reflect.TypeFor[*client.Client]():
		return reflect.ValueOf(&client.Client{Service: *service, PublicKey: "pk_x", SecretKey: "sk_x"})
	default:
		return reflect.ValueOf(service)
	}
}

// filled returns a value of which nothing is zero.
func filled(kind reflect.Type) reflect.Value {
	value := reflect.New(kind).Elem()
	switch {
	case kind == reflect.TypeFor[time.Time]():
		value.Set(reflect.ValueOf(time.Unix(1767225600, 0)))
	case kind == reflect.TypeFor[json.RawMessage]():
		value.SetBytes([]byte("{}"))
	case kind.Kind() == reflect.Pointer:
		value.Set(reflect.New(kind.Elem()))
		value.Elem().Set(filled(kind.Elem()))
	case kind.Kind() == reflect.Map:
		value.Set(reflect.MakeMap(kind))
		value.SetMapIndex(filled(kind.Key()), filled(kind.Elem()))
	case kind.Kind() == reflect.Slice:
		value.Set(reflect.Append(value, filled(kind.Elem())))
	case kind.Kind() == reflect.Struct:
		for i := range kind.NumField() {
			value.Field(i).Set(filled(kind.Field(i).Type))
		}
	case kind.Kind() == reflect.String:
		value.SetString("x")
	case kind.Kind() == reflect.Bool:
		value.SetBool(true)
	case value.CanInt():
		value.SetInt(1)
	case value.CanFloat():
		value.SetFloat(1)
	}
	return value
}

// readConstants returns the values of the package's constants by the names of their
// types.
func readConstants(t *testing.T) map[string][]string {
	t.Helper()
	constants := map[string][]string{}
	files, err := filepath.Glob("../../../client/*.go")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		if strings.HasSuffix(file, "_test.go") {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(parsed, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok || spec.Type == nil || len(spec.Values) != 1 {
				return true
			}
			kind, named := spec.Type.(*ast.Ident)
			literal, plain := spec.Values[0].(*ast.BasicLit)
			if named && plain && literal.Kind == token.STRING {
				word, _ := strconv.Unquote(literal.Value)
				constants[kind.Name] = append(constants[kind.Name], word)
			}
			return true
		})
	}
	return constants
}
