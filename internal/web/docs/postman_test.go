package docs_test

import (
	"encoding/json"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/api"
	"go.yaml.in/yaml/v4"
)

var inPath = regexp.MustCompile(`\{(\w+)\}`)

// TestPostman checks that the collection has each operation of the partners' interface once, with
// the headers of a signature where it takes one, and that its bytes are always the same. The
// tests of .ci/long send its requests.
func TestPostman(t *testing.T) {
	t.Parallel()
	server := site(t)
	status, text := read(server, "/docs/postman.json")
	if _, again := read(site(t), "/docs/postman.json"); status != 200 || again != text {
		t.Errorf("got status %d, and two texts of %d and %d bytes, want 200 and one", status, len(text), len(again))
	}
	var collection struct {
		Item []struct {
			Name string
			Item []struct {
				Request struct {
					Method string
					Header []struct{ Key, Value string }
					URL    struct{ Raw string }
					Body   struct{ Raw string }
				}
			}
		}
		Event    []struct{ Listen string }
		Variable []struct{ Key, Value string }
	}
	if err := json.Unmarshal([]byte(text), &collection); err != nil {
		t.Fatal(err)
	}
	var document map[string]any
	if err := yaml.Load(api.OpenAPI, &document); err != nil {
		t.Fatal(err)
	}
	got, want := map[string]bool{}, map[string]bool{} // whether an operation is signed
	for _, folder := range collection.Item {
		for _, item := range folder.Item {
			path, _, _ := strings.Cut(item.Request.URL.Raw, "?")
			name := folder.Name + " " + item.Request.Method + " " + strings.TrimPrefix(path, "{{base_url}}")
			if _, twice := got[name]; twice {
				t.Errorf("%s: got two requests", name)
			}
			got[name] = false
			for _, header := range item.Request.Header {
				got[name] = got[name] || header.Key == "X-Api-Key" && header.Value == "{{api_key}}"
				if header.Key == "Idempotency-Key" && header.Value != "{{$guid}}" {
					t.Errorf("%s: got the key %s, want a new one for each request", name, header.Value)
				}
			}
			if strings.Contains(item.Request.Body.Raw, "…") {
				t.Errorf("%s: got a body with …", name)
			}
		}
	}
	for path, methods := range document["paths"].(map[string]any) {
		for method, found := range methods.(map[string]any) {
			operation, ok := found.(map[string]any)
			if !ok { // the parameters of all methods
				continue
			}
			ways, _ := operation["security"].([]any)
			signed := slices.ContainsFunc(ways, func(way any) bool { return way.(map[string]any)["signedKey"] != nil })
			tag := operation["tags"].([]any)[0].(string)
			want[tag+" "+strings.ToUpper(method)+" "+inPath.ReplaceAllString(path, ":$1")] = signed
		}
	}
	for name, signed := range want {
		if found, ok := got[name]; !ok || found != signed {
			t.Errorf("%s: got a request %t, signed %t, want it signed %t", name, ok, found, signed)
		}
	}
	if len(got) != len(want) {
		t.Errorf("got %d requests, want %d", len(got), len(want))
	}
	variables := map[string]bool{}
	for _, variable := range collection.Variable {
		variables[variable.Key] = true
	}
	for _, name := range []string{"order_id", "label_token", "reset_token", "email_token", "invitations_token"} {
		if !variables[name] {
			t.Errorf("got the variables %v, want %s", variables, name)
		}
	}
	if len(collection.Event) != 2 || collection.Variable[0].Value != "https://api.dropyard.example" {
		t.Errorf("got the scripts %v and the variables %v, want two, and the address", collection.Event, collection.Variable)
	}
}
