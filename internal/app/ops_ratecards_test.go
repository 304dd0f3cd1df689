package app_test

import (
	"fmt"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/testkit"
)

// upload returns a request to add the built-in card with another price per parcel.
func upload(name, version, from string, parcelCents int) []byte {
	file := regexp.MustCompile(`"effective_from": "[^"]*",`).ReplaceAllString(string(pricing.DefaultCardFile()), "")
	file = strings.NewReplacer("default-1", version, `"parcel_cents": 150`,
		fmt.Sprintf(`"parcel_cents": %d`, parcelCents)).Replace(file)
	if from != "" {
		from = fmt.Sprintf(`"effective_from":%q,`, from)
	}
	return fmt.Appendf(nil, `{"name":%q,%s"card":%s}`, name, from, file)
}

// TestRateCardsTakeEffect adds a card for all from a time on, and one for a partner.
func TestRateCardsTakeEffect(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o, p, friend := s.Operate(t), s.Register(t, "metro"), s.Register(t, "friend")
	body := testkit.OrderJSON("A-1", "")
	price := func(p *apptest.Partner) any {
		t.Helper()
		return p.Call(t, "POST", "/v1/rates/quote", body).Must(t, 200).JSON("rate_cents")
	}
	usual := price(p)
	quote := p.Call(t, "POST", "/v1/rates/quote", body).Must(t, 200).Text("quote_id")
	first := p.Create(t, body).Must(t, 201)

	planned := o.Call(t, "POST", "/ops/v1/rate-cards", upload("default", "dear-1", "2026-01-14T16:00:00Z", 1150)).Must(t,
		201)
	if planned.Text("state") != "planned" || planned.Text("created_by") != o.OperatorID {
		t.Errorf("planned: got %s, want state planned, created by %s", planned.Body, o.OperatorID)
	}
	o.Call(t, "POST", "/ops/v1/rate-cards", upload("friends", "friends-1", "", 0)).Must(t, 201)
	if price(p) != usual || price(friend) != usual {
		t.Error("got another price before the card's time or for another partner, want the usual one")
	}
	o.Call(t, "PATCH", "/ops/v1/partners/"+friend.PartnerID, []byte(`{"rate_card":"unknown"}`)).Refused(t, 422,
		"validation_error")
	set(t, o, friend, `{"rate_card":"friends"}`)
	cheap := price(friend)
	s.Clock.Advance(time.Hour)
	dear := price(p)
	if cheap == usual || dear == usual || cheap == dear || price(friend) != cheap {
		t.Errorf("got the usual price %v, the dear %v and the cheap %v, want three different ones", usual, dear, cheap)
	}
	created := p.Create(t, testkit.OrderJSON("A-2", "")).Must(t, 201)
	honoured := p.Create(t, []byte(strings.Replace(string(testkit.OrderJSON("A-3", "")), "{",
		fmt.Sprintf(`{"quote_id":%q,`, quote), 1))).Must(t, 201)
	again := p.Call(t, "GET", "/v1/orders/"+first.Text("order_id"), nil).Must(t, 200)
	if created.JSON("rate_cents") != dear || honoured.JSON("rate_cents") != usual || again.JSON("rate_cents") != usual {
		t.Errorf("got %v for a new order, %v by quote, %v for an old order, want %v, %v, %v",
			created.JSON("rate_cents"), honoured.JSON("rate_cents"), again.JSON("rate_cents"), dear, usual, usual)
	}
	set(t, o, friend, `{"rate_card":null}`)
	if price(friend) != dear {
		t.Errorf("without a card of its own: got %v, want %v", price(friend), dear)
	}
	states := map[string]string{}
	list := o.Call(t, "GET", "/ops/v1/rate-cards", nil).Must(t, 200)
	for i := range list.Len("rate_cards") {
		states[list.Text("rate_cards", i, "version")] = list.Text("rate_cards", i, "state")
	}
	if fmt.Sprint(states) != "map[dear-1:in_force default-1:past friends-1:in_force]" {
		t.Errorf("got the states %v, want default-1 past and two in force: %s", states, list.Body)
	}
	whole := o.Call(t, "GET", "/ops/v1/rate-cards/"+planned.Text("card_id"), nil).Must(t, 200)
	if whole.JSON("card", "parcel_cents") != 1150.0 || whole.JSON("effective_until") != nil {
		t.Errorf("got %s, want the whole card", whole.Body)
	}
}

func TestRateCardRefusals(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o := s.Operate(t)
	good := string(upload("default", "v-1", "", 200))
	before := o.Call(t, "GET", "/ops/v1/audit", nil).Must(t, 200).Len("entries")
	for name, c := range map[string]struct{ old, new, field string }{
		"unknown member":      {`"parcel_cents"`, `"discount":1,"parcel_cents"`, "card.discount"},
		"another case":        {`"parcel_cents"`, `"Parcel_cents"`, "card.Parcel_cents"},
		"a text for a charge": {`"parcel_cents"`, `"attempt_cents":"3.00","parcel_cents"`, "card.attempt_cents"},
		"out of bounds":       {`"parcel_cents": 200`, `"parcel_cents": -1`, "card.parcel_cents"},
		"unknown zone":        {`"remote"`, `"lunar"`, "card.levels.standard.zones.lunar"},
		"beside the card":     {`"name"`, `"note":"x","name"`, "note"},
		"no name":             {`"name":"default"`, `"name":""`, "name"},
		"in the past":         {`"name"`, `"effective_from":"2026-01-14T14:59:59Z","name"`, "effective_from"},
		"another time":        {`"version"`, `"effective_from":"2027-01-01T00:00:00Z","version"`, "card.effective_from"},
		"the built-in's":      {`"v-1"`, `"default-1"`, "card.version"},
		"no card":             {`"card":{`, `"carte":{`, "carte"},
		"transit time of 20":  {`"transit_days": 5`, `"transit_days": 20`, "card.levels.standard.zones.national.transit_days"},
	} {
		t.Run(name, func(t *testing.T) {
			body := []byte(strings.Replace(good, c.old, c.new, 1))
			for _, target := range []string{"/ops/v1/rate-cards", "/ops/v1/rate-cards/validate"} {
				refused := o.Call(t, "POST", target, body).Refused(t, 422, "validation_error")
				if refused.Text("error", "details", "field") != c.field {
					t.Errorf("%s: got %s, want an error of %s", target, refused.Body, c.field)
				}
			}
		})
	}
	twice := []byte(strings.Replace(good, `"parcel_cents"`, `"parcel_cents":1,"parcel_cents"`, 1))
	o.Call(t, "POST", "/ops/v1/rate-cards", twice).Refused(t, 400, "bad_request")
	o.Call(t, "POST", "/ops/v1/rate-cards/validate", []byte(good)).Must(t, 200)
	if list := o.Call(t, "GET", "/ops/v1/rate-cards", nil).Must(t, 200); list.Len("rate_cards") != 1 {
		t.Errorf("got %s, want one card", list.Body)
	}
	if after := o.Call(t, "GET", "/ops/v1/audit", nil).Must(t, 200).Len("entries"); after != before {
		t.Errorf("got %d new entries in the audit log, want none", after-before)
	}
	o.Call(t, "POST", "/ops/v1/rate-cards", []byte(good)).Must(t, 201)
	for _, target := range []string{"/ops/v1/rate-cards", "/ops/v1/rate-cards/validate"} {
		o.Call(t, "POST", target, []byte(good)).Refused(t, 409, "conflict")
	}
}

func TestRateCardPreview(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	o, p := s.Operate(t), s.Register(t, "metro")
	order := p.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	dear := o.Call(t, "POST", "/ops/v1/rate-cards", upload("dear", "dear-1", "", 1150)).Must(t, 201).Text("card_id")
	before := s.Content(t)
	for name, body := range map[string]string{
		"order, by id": fmt.Sprintf(`{"order_id":%q,"card_id":%q}`, order.Text("order_id"), dear),
		"quote, by id": fmt.Sprintf(`{"quote":%s,"card_id":%q,"partner_id":%q}`, testkit.OrderJSON("A-1", ""), dear,
			p.PartnerID),
		"quote, at hand": fmt.Sprintf(`{"quote":%s,%s`, testkit.OrderJSON("A-1", ""),
			string(upload("x", "y", "", 1150))[len(`{"name":"x",`):]),
	} {
		got := o.Call(t, "POST", "/ops/v1/rate-cards/preview", []byte(body)).Must(t, 200)
		current, _ := got.JSON("current", "rate_cents").(float64)
		proposed, _ := got.JSON("proposed", "rate_cents").(float64)
		if got.JSON("current", "rate_cents") != order.JSON("rate_cents") || proposed <= current {
			t.Errorf("%s: got %s, want the current price and a higher one", name, got.Body)
		}
		if ordered := got.JSON("ordered_rate_cents"); strings.HasPrefix(name, "order") != (ordered != nil) {
			t.Errorf("%s: got %s, want ordered_rate_cents for orders only", name, got.Body)
		}
	}
	for body, field := range map[string]string{
		`{}`: "card", `{"card_id":"crd_none","order_id":"x"}`: "card_id",
		`{"card_id":"crd_builtin","quote":{}}`: "quote.service_level",
		fmt.Sprintf(`{"card_id":"crd_builtin","order_id":%q,"partner_id":"x"}`, order.Text("order_id")): "partner_id",
	} {
		refused := o.Call(t, "POST", "/ops/v1/rate-cards/preview", []byte(body)).Refused(t, 422, "validation_error")
		if refused.Text("error", "details", "field") != field {
			t.Errorf("%s: got %s, want an error of %s", body, refused.Body, field)
		}
	}
	s.Unchanged(t, before)
}
