package model_test

import (
	"cmp"
	"encoding/json"
	"fmt"
	"maps"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"pgregory.net/rapid"
)

// neverSucceeds and neverRefused are the operations that the model does not call with success,
// or without, each with the reason.
var (
	neverSucceeds = map[string]string{
		"beginBackup":    "the settings name no place: see internal/app/backups_test.go",
		"beginExport":    "the settings name no place: see internal/app/exports_test.go",
		"beginOpenID":    "there is no provider: see TestOpenID in internal/app",
		"finishOpenID":   "there is no provider: see TestOpenID in internal/app",
		"changeEmail":    "there is no mail: see internal/app/users_test.go",
		"confirmEmail":   "there is no mail: see internal/app/users_test.go",
		"chooseMail":     "there is no mail: see internal/app/recipient_mail_test.go",
		"createRateCard": "it would change the prices of all partners, for good: see internal/app/ops_ratecards_test.go",

		"getStatement":        "no month ends that has entries: see internal/app/statements_test.go",
		"getPartnerStatement": "no month ends that has entries: see internal/app/statements_test.go",

		"approvePartner": "registration is open: see internal/app/registration_test.go",
	}
	neverRefused = map[string]string{
		"getHealth": "it refuses nothing", "getReady": "it refuses only while the service is not ready",
		"getOpenAPI": "it refuses nothing", "getOpenAPIAsJSON": "it refuses nothing", "getOps": "it refuses nothing",
		"getOpenAPI30": "it refuses nothing", "getAsyncAPI": "it refuses nothing", "getOps30": "it refuses nothing",
		"getOpsAsJSON": "it refuses nothing", "logout": "it is 200 without a session, too",
		"logoutByPost": "it is 200 without a session, too", "operatorLogout": "it is 200 without a session, too",
	}
)

// operation is a method of a path of the OpenAPI documents.
type operation struct {
	id, method    string
	path          *regexp.Regexp
	template      string
	closed        bool // it needs credentials
	done, refused int  // how often it was called with success, and without
}

// surface counts what becomes of the calls of each operation.
type surface struct {
	mu         sync.Mutex
	operations []*operation // guarded by mu
}

var parameter = regexp.MustCompile(`\\\{[a-z_]+\\\}`)

// readSurface reads the documents of a service.
func readSurface(t *testing.T, service *apptest.Service) *surface {
	t.Helper()
	s := &surface{}
	for _, name := range []string{"/openapi.json", "/ops.json"} {
		var document struct {
			Paths    map[string]map[string]json.RawMessage
			Security []any
		}
		if err := json.Unmarshal(service.Do(t, "GET", name, nil).Must(t, 200).Body, &document); err != nil {
			t.Fatal(err)
		}
		for path, methods := range document.Paths {
			pattern := regexp.MustCompile("^" + parameter.ReplaceAllString(regexp.QuoteMeta(path), `[^/]+`) + "$")
			for method, content := range methods {
				described := struct {
					ID       string `json:"operationId"`
					Security []any
				}{Security: document.Security}
				if json.Unmarshal(content, &described) == nil && described.ID != "" {
					s.operations = append(s.operations, &operation{
						id: described.ID, method: strings.ToUpper(method), path: pattern, template: path,
						closed: len(described.Security) > 0,
					})
				}
			}
		}
	}
	// A path without parameters comes before one whose parameter it would be.
	slices.SortFunc(s.operations, func(a, b *operation) int {
		return cmp.Or(strings.Count(a.template, "{")-strings.Count(b.template, "{"), strings.Compare(a.id, b.id))
	})
	return s
}

// saw counts a response.
func (s *surface) saw(method, target string, status int) {
	path, _, _ := strings.Cut(target, "?")
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, o := range s.operations {
		if o.method == method && o.path.MatchString(path) {
			if status < 400 {
				o.done++
			} else {
				o.refused++
			}
			return
		}
	}
}

var anyParameter = regexp.MustCompile(`\{[a-z_]+\}`)

// strangers sends a request without credentials to every operation that needs some.
func (w *world) strangers(t *rapid.T) {
	for _, o := range w.surface.operations {
		if !o.closed || neverRefused[o.id] != "" {
			continue
		}
		target := anyParameter.ReplaceAllString(o.template, "none")
		expect(t, w.send(t, w.service, o.method, target, nil), 401, "unauthorized")
	}
}

// check reports the operations that were never called with success, or never refused.
func (s *surface) check(t *testing.T, report func(string, ...any)) {
	t.Helper()
	s.mu.Lock()
	defer s.mu.Unlock()
	exceptions := map[string]bool{}
	for id := range neverSucceeds {
		exceptions[id] = true
	}
	for id := range neverRefused {
		exceptions[id] = true
	}
	var missing []string
	for _, o := range s.operations {
		delete(exceptions, o.id)
		if o.done == 0 && neverSucceeds[o.id] == "" {
			missing = append(missing, o.id+" with success")
		}
		if o.refused == 0 && neverRefused[o.id] == "" {
			missing = append(missing, o.id+" in a way that is refused")
		}
		if o.done > 0 && neverSucceeds[o.id] != "" || o.refused > 0 && neverRefused[o.id] != "" {
			t.Errorf("%s is among the exceptions, but was called with success %d times, and refused %d times", o.id, o.done,
				o.refused)
		}
	}
	for _, id := range slices.Sorted(maps.Keys(exceptions)) {
		t.Errorf("%s is among the exceptions, but not in the documents", id)
	}
	if slices.Sort(missing); len(missing) > 0 {
		report("%s", fmt.Sprintf("%d of %d operations were not called in every way:\n%s", len(missing), len(s.operations),
			strings.Join(missing, "\n")))
	}
}
