package contract_test

import (
	"bytes"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/google/uuid"
)

// TestOperatorsChangesTakeKeys compares the documented header with the routes.
func TestOperatorsChangesTakeKeys(t *testing.T) {
	t.Parallel()
	taking := map[string]bool{}
	for _, route := range api.Routes() {
		taking[route.Method+" "+route.Pattern] = route.TakesKey()
	}
	for _, o := range read(t).operations {
		if got, want := o.takes("header", "Idempotency-Key"), taking[o.method+" "+o.path]; o.document.name == "ops.yaml" &&
			got != want {
			t.Errorf("%s %s: got the header Idempotency-Key documented: %t, want %t", o.method, o.path, got, want)
		}
	}
}

// keyed are the operations of operators that take an Idempotency-Key.
func keyed(t *testing.T) (found []*operation) {
	for _, o := range read(t).operations {
		if o.document.name == "ops.yaml" && o.takes("header", "Idempotency-Key") {
			found = append(found, o)
		}
	}
	return found
}

// endsItself are the operations after which the caller of the tests cannot repeat its
// request, as its token is gone.
var endsItself = []string{"revokeToken", "changeOperator"}

// TestRepeatedChanges sends every documented change of operators twice under one
// Idempotency-Key. It takes effect once, and both responses have the same bytes. The same
// key with another body is refused.
func TestRepeatedChanges(t *testing.T) {
	t.Parallel()
	repeated := 0
	for _, o := range keyed(t) {
		if slices.Contains(endsItself, o.id) {
			continue
		}
		for _, example := range o.examples() {
			if example.answers >= "300" {
				continue
			}
			repeated++
			t.Run(o.id+"/"+example.name, func(t *testing.T) {
				t.Parallel()
				f := newFixture(t, roomy)
				request := call{operation: o.id, path: f.prepare(t, o), headers: []string{"Idempotency-Key", uuid.NewString()}}
				request.body = encode(t, example.value)
				if o.takesType() != "application/json" {
					request.body = []byte(example.value.(string))
				}
				o.tryTwice(t, f, request)
			})
		}
	}
	if repeated < 12 {
		t.Errorf("got %d documented changes, want at least 12", repeated)
	}
}

func (o *operation) tryTwice(t *testing.T, f *fixture, request call) {
	first := f.send(t, request)
	if first.Status >= 300 {
		t.Fatalf("got %d %s, want a change", first.Status, first.Body)
	}
	before := f.Content(t)
	f.Clock.Advance(time.Minute)
	second := f.send(t, request)
	if second.Status != first.Status || !bytes.Equal(second.Body, first.Body) ||
		second.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %d %s, replayed %q, want %d %s", second.Status, second.Body, second.Header.Get("Idempotent-Replayed"),
			first.Status, first.Body)
	}
	request.body = append(bytes.Clone(request.body), ' ')
	f.send(t, request).Refused(t, 422, "idempotency_key_reused")
	f.Unchanged(t, before)
}

// interrupted keeps the receipt of a request that was carried out some time ago, without
// its answer.
func (f *fixture) interrupted(t *testing.T, o *operation, c call, body []byte, ago time.Duration) *apptest.Answer {
	t.Helper()
	key := uuid.New()
	c.headers = append(c.headers, "Idempotency-Key", key.String())
	path, _, _ := strings.Cut(f.target(o, c), "?")
	change := idempotency.NewChange(f.senderOf(t, o).OperatorID, key, o.method+" "+path, body)
	change.RequestID, change.Action, change.ObjectID = "req_earlier", "courier.created", "cou_tgdseke2b3hgmwdz"
	change.CreatedAt = f.Clock.Now().Add(-ago)
	err := f.InStore(t.Context(), func(s *store.Store) error {
		_, err := s.Receipts().Claim(t.Context(), change)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return f.send(t, c)
}

func driveCarriedOut(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.interrupted(t, o, call{operation: o.id, body: validBody(o)}, validBody(o), time.Hour)
}

func driveKeyReused(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.interrupted(t, o, call{operation: o.id}, []byte("another body"), time.Hour)
}

// driveRunning repeats a request that another node may still be carrying out.
func driveRunning(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.interrupted(t, o, call{operation: o.id, body: validBody(o)}, validBody(o), time.Second)
}
