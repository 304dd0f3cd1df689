package app_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// anotherNode returns the partner as it calls another node on the same database; the
// embedded database belongs to one node, so that one is restarted.
func anotherNode(t *testing.T, p *apptest.Partner) *apptest.Partner {
	t.Helper()
	there := *p
	if p.Database == "" {
		p.Stop()
	}
	there.Service = p.Beside(t)
	return &there
}

// TestSecretChangesTakeSignatureOnce sends recorded requests again, on another node.
func TestSecretChangesTakeSignatureOnce(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	partner.Call(t, "PUT", endpointPath, []byte(`{"url":"https://hooks.example.com"}`)).Must(t, 201)
	paths := []string{endpointPath + "/rotate-secret", endpointPath + "/activate-secret"}
	var recorded [][]string
	for _, path := range paths {
		headers := partner.Signed("POST", path, nil)
		partner.Do(t, "POST", path, nil, headers...).Must(t, 200)
		recorded = append(recorded, headers)
	}
	there := anotherNode(t, partner)
	before := there.Query(t, "SELECT secret, next_secret FROM webhook_endpoints")
	for i, path := range paths {
		again := there.Do(t, "POST", path, nil, recorded[i]...).Refused(t, 409, "conflict")
		if !strings.Contains(again.Text("error", "message"), "used already") {
			t.Errorf("%s: got %s, want a message that says that the signature was used", path, again.Body)
		}
		query := path + "?mode=live" // which is not signed
		there.Do(t, "POST", query, nil, recorded[i]...).Refused(t, 409, "conflict")
	}
	if after := there.Query(t,
		"SELECT secret, next_secret FROM webhook_endpoints"); strings.Join(after, "") != strings.Join(before, "") {
		t.Error("got other secrets after the requests were sent again, want the same")
	}
	there.Clock.Advance(time.Second)
	there.Call(t, "POST", paths[0], nil).Must(t, 200)
}

// TestSignatureTakenByOne sends the same request eight times at once to two nodes.
func TestSignatureTakenByOne(t *testing.T) {
	t.Parallel()
	nodes := []*apptest.Partner{apptest.Start(t).Register(t, "metro")}
	if nodes[0].Database != "" {
		nodes = append(nodes, anotherNode(t, nodes[0]))
	}
	nodes[0].Call(t, "PUT", endpointPath, []byte(`{"url":"https://hooks.example.com"}`)).Must(t, 201)
	for range 5 {
		nodes[0].Clock.Advance(time.Second)
		headers := nodes[0].Signed("POST", endpointPath+"/rotate-secret", nil)
		won := 0
		for _, got := range apptest.Together(8, func(i int) *apptest.Answer {
			return nodes[i%len(nodes)].Do(t, "POST", endpointPath+"/rotate-secret", nil, headers...)
		}) {
			if got.Status == 200 {
				won++
			} else {
				got.Refused(t, 409, "conflict")
			}
		}
		if won != 1 {
			t.Errorf("got %d rotations, want 1", won)
		}
	}
}

// TestFailedChangeLeavesSignature rotates the secret of an endpoint that does not exist,
// and with the same signature that of one that does.
func TestFailedChangeLeavesSignature(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	rotate := partner.Signed("POST", endpointPath+"/rotate-secret", nil)
	partner.Do(t, "POST", endpointPath+"/rotate-secret", nil, rotate...).Refused(t, 404, "not_found")
	partner.Call(t, "PUT", endpointPath, []byte(`{"url":"https://hooks.example.com"}`)).Must(t, 201)
	partner.Do(t, "POST", endpointPath+"/rotate-secret", nil, rotate...).Must(t, 200)
	partner.Do(t, "POST", endpointPath+"/rotate-secret", nil, rotate...).Refused(t, 409, "conflict")
}

// TestOvertakenChangesAreRefused sends changes of the endpoint that were signed before the
// last one, also after the endpoint was removed.
func TestOvertakenChangesAreRefused(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	first, second := []byte(`{"url":"https://hooks.example.com/1"}`), []byte(`{"url":"https://hooks.example.com/2"}`)
	put := partner.Signed("PUT", endpointPath, first)
	remove := partner.Signed("DELETE", endpointPath, nil)
	partner.Do(t, "PUT", endpointPath, first, put...).Must(t, 201)

	partner.Clock.Advance(2 * time.Second)
	partner.Call(t, "PUT", endpointPath, second).Must(t, 200)
	there := anotherNode(t, partner)
	late := there.Do(t, "PUT", endpointPath, first, put...).Refused(t, 409, "conflict")
	for _, part := range []string{
		"2026-01-14T15:00:00.000Z", "2026-01-14T15:00:02.000Z", "set your clock", "sign the request again",
	} {
		if !strings.Contains(late.Text("error", "message"), part) {
			t.Errorf("got %s, want a message with %q", late.Body, part)
		}
	}
	there.Do(t, "DELETE", endpointPath, nil, remove...).Refused(t, 409, "conflict")
	if got := there.Call(t, "GET", endpointPath, nil).Must(t, 200).Text("url"); got != "https://hooks.example.com/2" {
		t.Errorf("got the URL %s, want that of the last change", got)
	}

	there.Clock.Advance(2 * time.Second)
	there.Call(t, "DELETE", endpointPath, nil).Must(t, 200)
	there.Do(t, "PUT", endpointPath, first, put...).Refused(t, 409, "conflict")
	there.Call(t, "GET", endpointPath, nil).Refused(t, 404, "not_found")
	there.Call(t, "PUT", endpointPath, first).Must(t, 201)
}

// TestOvertakenBySession sends a recorded change again after a person has made another
// one. People are not refused, whatever was signed before.
func TestOvertakenBySession(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	owner, body := partner.Owner(t), []byte(`{"url":"https://hooks.example.com/1"}`)
	ahead := partner.SignedAt(partner.Clock.Now().Add(10*time.Second), "PUT", endpointPath, body)
	put := partner.Signed("PUT", endpointPath, body)
	partner.Do(t, "PUT", endpointPath, body, put...).Must(t, 201)
	partner.Clock.Advance(time.Second)
	owner.Call(t, "PUT", endpointPath, []byte(`{"url":"https://hooks.example.com/2"}`)).Must(t, 200)
	partner.Do(t, "PUT", endpointPath, body, put...).Refused(t, 409, "conflict")
	partner.Do(t, "PUT", endpointPath, body, ahead...).Must(t, 200)
	owner.Call(t, "POST", endpointPath+"/rotate-secret", nil).Must(t, 200)
	owner.Call(t, "POST", endpointPath+"/rotate-secret", nil).Must(t, 200)
	owner.Call(t, "DELETE", endpointPath, nil).Must(t, 200)
}

// TestFastClockIsOvertakenBySession sends a recorded change again that was signed by a clock
// that is two minutes fast, after a person has made another one.
func TestFastClockIsOvertakenBySession(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	body := []byte(`{"url":"https://hooks.example.com/1"}`)
	fast := partner.SignedAt(partner.Clock.Now().Add(2*time.Minute), "PUT", endpointPath, body)
	partner.Do(t, "PUT", endpointPath, body, fast...).Must(t, 201)
	partner.Clock.Advance(3 * time.Second)
	partner.Owner(t).Call(t, "PUT", endpointPath, []byte(`{"url":"https://hooks.example.com/2"}`)).Must(t, 200)
	partner.Clock.Advance(3 * time.Second)
	partner.Do(t, "PUT", endpointPath, body, fast...).Refused(t, 409, "conflict")
}

// TestChangesInOneSecond makes many changes with one X-Timestamp, some of them alike.
func TestChangesInOneSecond(t *testing.T) {
	t.Parallel()
	partner := apptest.Start(t).Register(t, "metro")
	first, second := []byte(`{"url":"https://hooks.example.com/1"}`), []byte(`{"url":"https://hooks.example.com/2"}`)
	for range 2 {
		partner.Call(t, "PUT", endpointPath, first).Must(t, 201)
		partner.Call(t, "PUT", endpointPath, first).Must(t, 200)
		partner.Call(t, "PUT", endpointPath, second).Must(t, 200)
		partner.Call(t, "PUT", endpointPath, first).Must(t, 200)
		partner.Call(t, "DELETE", endpointPath, nil).Must(t, 200)
	}
}
