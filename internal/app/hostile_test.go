package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// untouched calls fn. It fails the test if anything was stored meanwhile, or if the
// service does not accept a good order afterwards.
func untouched(t *testing.T, partner *apptest.Partner, fn func()) {
	t.Helper()
	before := partner.Content(t)
	fn()
	partner.Unchanged(t, before)
	partner.Create(t, testkit.OrderJSON("good-"+uuid.NewString(), "")).Must(t, 201)
}

// order returns a valid order in which one text is replaced.
func order(old, replacement string) string {
	return strings.Replace(string(testkit.OrderJSON("A-1", "")), old, replacement, 1)
}

// TestMalformedBodies sends bodies that are not valid JSON.
func TestMalformedBodies(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	good := order("", "")
	deep := func(open, end string) string { return strings.Repeat(open, 100_000) + strings.Repeat(end, 100_000) }
	malformed := map[string]string{
		"white space only":   " \n",
		"cut short":          good[:len(good)/2],
		"last brace missing": good[:len(good)-1],
		"trailing object":    good + "{}",
		"trailing text":      good + "x",
		"trailing comma":     good[:len(good)-1] + ",}",
		"trailing NUL":       good + "\x00",
		"byte order mark":    "\ufeff" + good,
		"UTF-16":             "\xff\xfe{\x00}\x00",
		"duplicate key":      order(`"service_level":"express"`, `"service_level":"express","service_level":"express"`),
		"duplicate, escaped": order(`"service_level":"express"`,
			`"service_level":"express","service\u005flevel":"standard"`),
		"duplicate inside":    order(`"n":1.0`, `"n":1.0,"n":2`),
		"duplicate in parcel": order(`"weight_kg":2.5`, `"weight_kg":2.5,"weight_kg":1`),
		"invalid UTF-8":       order("Métro", "M\xe9tro"),
		"overlong UTF-8":      order("Métro", "M\xc0\xaf"),
		"half a surrogate":    order("Métro", `M\ud83d`),
		"raw control":         order("Métro", "M\x01"),
		"raw newline":         order("Métro", "M\n"),
		"unknown escape":      order("Métro", `M\x41`),
		"NaN":                 order(`"weight_kg":2.5`, `"weight_kg":NaN`),
		"Infinity":            order(`"weight_kg":2.5`, `"weight_kg":-Infinity`),
		"leading zero":        order(`"weight_kg":2.5`, `"weight_kg":02.5`),
		"leading plus":        order(`"weight_kg":2.5`, `"weight_kg":+2.5`),
		"no digits behind":    order(`"weight_kg":2.5`, `"weight_kg":2.`),
		"hexadecimal":         order(`"weight_kg":2.5`, `"weight_kg":0x2`),
		"single quotes":       strings.ReplaceAll(good, `"`, `'`),
		"comment":             "/* order */" + good,
		"bare word":           "order",
		"True":                order(`"fragile":true`, `"fragile":True`),
		"deep lists":          deep("[", "]"),
		"deep objects":        strings.Repeat(`{"a":`, 100_000) + "1" + strings.Repeat("}", 100_000),
		"deep in metadata":    order(`"n":1.0`, `"n":`+deep("[", "]")),
		"deep and unclosed":   strings.Repeat("[", 500_000),
		"many values":         order(`"n":1.0`, `"n":[`+strings.Repeat("0,", 400_000)+"0]"),
	}
	untouched(t, partner, func() {
		for name, body := range malformed {
			t.Run(name, func(t *testing.T) {
				partner.Create(t, []byte(body)).Refused(t, 400, "bad_request")
			})
		}
	})
}

// TestBodiesThatAreNotObjects sends JSON values other than objects.
func TestBodiesThatAreNotObjects(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	untouched(t, partner, func() {
		for _, body := range []string{`[]`, `[{}]`, `null`, `true`, `0`, `1e999`, `"order"`} {
			for _, target := range []string{"/v1/orders", "/v1/rates/quote"} {
				got := partner.Call(t, "POST", target, []byte(body), "Idempotency-Key", uuid.NewString()).Refused(t, 422,
					"validation_error")
				if got.Len("error", "details", "errors") != 1 || got.JSON("error", "details", "field") != "" {
					t.Errorf("%s of %s: got %s, want one error of the whole body", target, body, got.Body)
				}
			}
		}
	})
}

func TestContentTypes(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	send := func(kind, body string) *apptest.Answer {
		headers := append(partner.Signed("POST", "/v1/orders", []byte(body)), "Idempotency-Key", uuid.NewString(),
			"Content-Type", kind)
		return service.Do(t, "POST", "/v1/orders", []byte(body), headers...)
	}
	untouched(t, partner, func() {
		for _, kind := range []string{
			"", "text/plain", "text/json", "application/jsonx", "application/json2", "application/x-www-form-urlencoded",
			"multipart/form-data; boundary=x", "application", "json", ";", "application/json; charset",
		} {
			send(kind, order("", "")).Refused(t, 415, "unsupported_media_type")
		}
		send("application/json", "").Refused(t, 400, "bad_request")
		partner.Create(t, nil).Refused(t, 415, "unsupported_media_type") // neither a body nor a type
	})
	for i, kind := range []string{"application/json", "application/json; charset=utf-8", "Application/JSON"} {
		send(kind, order("A-1", fmt.Sprint("T-", i))).Must(t, 201)
	}
}

// TestNamesAreCaseSensitive writes members in another case. They are unknown members,
// which are ignored.
func TestNamesAreCaseSensitive(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	both := order(`"service_level":"express"`,
		`"SERVICE_LEVEL":"same_day","service_level":"express","Service_Level":5,"ſervice_level":"standard"`)
	if got := partner.Create(t, []byte(both)).Must(t, 201); got.Text("service_level") != "express" ||
		got.JSON("SERVICE_LEVEL") != nil {
		t.Errorf("order: got %s, want service_level express", got.Body)
	}
	untouched(t, partner, func() {
		got := partner.Create(t, []byte(order(`"service_level"`, `"SERVICE_LEVEL"`))).Refused(t, 422, "validation_error")
		if got.Text("error", "details", "field") != "service_level" || got.JSON("error", "details", "value") != nil {
			t.Errorf("got %s, want service_level missing", got.Body)
		}
	})
}

// TestAllErrorsInOneResponse sends an order with 30 faulty parcels of 50. Each
// error has the place, the value and what is expected.
func TestAllErrorsInOneResponse(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	partner := service.Register(t, "metro")
	faults := []struct{ member, value, shown, expected string }{
		{"weight_kg", "70.1", "70.1", "a number from 0.01 to 70"},
		{"length_cm", "0", "0", "a number from 0.1 to 300"},
		{"width_cm", `"wide"`, "wide", "a number from 0.1 to 300"},
		{"height_cm", "null", "<nil>", "a number from 0.1 to 300"},
		{"value_cents", "-1", "-1", "an integer from 0 to 100000000000"},
		{"value_cents", "10.5", "10.5", "an integer from 0 to 100000000000"},
		{"fragile", `"yes"`, "yes", "true or false"},
		{"description", "{}", "{…}", "a string of 1 to 1000 characters, without NUL"},
		{"barcode", "[1]", "[…]", "a string of at most 255 characters, without NUL"},
		{"parcel_id", `""`, "", "a string of 1 to 255 characters, without NUL"},
	}
	var parcels, want []string
	for i := range 50 {
		members := map[string]string{"parcel_id": fmt.Sprintf(`"P-%d"`,
			i), "description": `"x"`, "length_cm": "1", "width_cm": "1", "height_cm": "1", "weight_kg": "1", "value_cents": "0"}
		if i < 30 {
			f := faults[i%len(faults)]
			members[f.member] = f.value
			want = append(want, fmt.Sprintf("parcels[%d].%s %s %s", i, f.member, f.shown, f.expected))
		}
		parcels = append(parcels, object(members))
	}
	_, rest, _ := strings.Cut(order("", ""), `"pickup"`)
	body := fmt.Sprintf(`{"partner_order_id":"A-1","service_level":"express","parcels":[%s],"pickup"%s`,
		strings.Join(parcels, ","), rest)
	body = strings.Replace(body, `"parcels":[{"parcel_id":"P-1","description":"Books"`,
		`"others":[{"parcel_id":"P-1","description":"Books"`, 1)
	untouched(t, partner, func() {
		got := partner.Create(t, []byte(body)).Refused(t, 422, "validation_error")
		if n := got.Len("error", "details", "errors"); n != len(want) {
			t.Errorf("got %d errors, want %d: %s", n, len(want), got.Body)
		}
		for i, line := range want {
			at := func(name string) any { return got.JSON("error", "details", "errors", i, name) }
			if got := fmt.Sprintf("%v %v %v", at("field"), at("value"), at("expected")); got != line {
				t.Errorf("got %s\nwant %s", got, line)
			}
		}
		if got.JSON("error", "details", "field") != "parcels[0].weight_kg" || got.JSON("error", "details", "value") != 70.1 {
			t.Errorf("got %s, want the first error in details", got.Body)
		}
	})
}

// object returns a JSON object with members whose values are JSON.
func object(members map[string]string) string {
	var parts []string
	for name, text := range members {
		parts = append(parts, fmt.Sprintf("%q:%s", name, text))
	}
	return "{" + strings.Join(parts, ",") + "}"
}

// TestPasswordsAreNotRevealed sends passwords in faulty requests. Neither the responses
// nor the log contain them.
func TestPasswordsAreNotRevealed(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	const secret = "hush-hush-1907"
	requests := []struct{ method, target, body string }{
		{"POST", "/v1/auth/register", `{"name":"x","email":"nonsense","password":"` + secret + `"}`},
		{"POST", "/v1/auth/register", `{"name":"x","email":"a@example.com","password":["` + secret + `"]}`},
		{"POST", "/v1/auth/register", `{"name":"x","email":"a@example.com","password":{"` + secret + `":1}}`},
		{"POST", "/v1/auth/register", `{"name":"x","email":"a@example.com","password":"` + strings.Repeat(secret, 10) + `"}`},
		{"POST", "/v1/auth/register", `{"name":"x","email":"a@example.com","password":"` + secret + `"`},
		{"POST", "/v1/auth/register", `{"password":"` + secret + `","password":"` + secret + `"}`},
		{"POST", "/v1/auth/login", `{"email":"nonsense","password":"` + secret + `"}`},
		{"POST", "/v1/auth/login", `{"email":"a@example.com","password":"` + secret + `"}`},
		{"POST", "/v1/auth/login", `{"email":"a@example.com","password":"` + strings.Repeat(secret, 10) + `"}`},
		{"POST", "/v1/auth/api-keys", `{"name":5,"email":"a@example.com","password":"` + secret + `"}`},
		{"POST", "/v1/auth/api-keys", `{"email":"a@example.com","password":["` + secret + `"]}`},
		{"POST", "/ops/v1/tokens", `{"email":"boss@example.com","password":"` + secret + `"}`},
		{"POST", "/ops/v1/tokens", `{"email":"boss@example.com","password":["` + secret + `"]}`},
	}
	before := service.Content(t)
	for _, r := range requests {
		got := service.Do(t, r.method, r.target, []byte(r.body), "X-Partner-Email", "a@example.com", "X-Partner-Password",
			secret)
		if got.Status < 400 || got.Status >= 500 || strings.Contains(string(got.Body), "hush") {
			t.Errorf("%s %s: got status %d, want an error without the password: %s", r.target, r.body, got.Status, got.Body)
		}
	}
	service.Unchanged(t, before)
	service.Stop()
	if log := service.Log.String(); strings.Contains(log, "hush") || strings.Contains(log, apptest.OperatorPassword) {
		t.Errorf("got a password in the log, want none: %s", log)
	}
}
