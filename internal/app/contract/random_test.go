package contract_test

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// Generators of valid requests. Every optional member is present, null or missing.

var provinces = []string{"AB", "BC", "MB", "NB", "NL", "NS", "NT", "NU", "ON", "PE", "QC", "SK", "YT"}

// lineOf draws a text of least to most characters, without NUL.
func lineOf(t *rapid.T, name string, least, most int) string {
	text := rapid.StringN(least, most, -1).Draw(t, name)
	return strings.ReplaceAll(text, "\x00", "0")
}

func emailOf(t *rapid.T) string {
	return rapid.StringMatching(`[a-zA-Z0-9!#$%&'*+/=?^_{|}~-]{1,30}(\.[a-zA-Z0-9!#$%&'*+/=?^_{|}~-]{1,10}){0,3}@[a-z0-9]([a-z0-9-]{0,20}[a-z0-9])?(\.[A-Z0-9]{1,8}){0,3}`).Draw(t, "email")
}

func phoneOf(t *rapid.T) string {
	return rapid.StringMatching(`\+[1-9][0-9]{6,14}`).Draw(t, "phone")
}

func postalCodeOf(t *rapid.T) string {
	return rapid.StringMatching(`[ABCEGHJ-NPRSTVXYabceghj-nprstvxy][0-9][ABCEGHJ-NPRSTV-Zabceghj-nprstv-z] ?[0-9][ABCEGHJ-NPRSTV-Zabceghj-nprstv-z][0-9]`).Draw(t, "postal code")
}

// numberOf draws a number in a range, often one of its bounds, in one of its notations.
func numberOf(t *rapid.T, name string, least, most float64) json.Number {
	number := rapid.OneOf(rapid.Just(least), rapid.Just(most), rapid.Float64Range(least, most)).Draw(t, name)
	format := rapid.SampledFrom([]byte{'f', 'e', 'g'}).Draw(t, "notation")
	return json.Number(strconv.FormatFloat(number, format, -1, 64))
}

func integerOf(t *rapid.T, name string, least, most int64) json.Number {
	digits := strconv.FormatInt(rapid.Int64Range(least, most).Draw(t, name), 10)
	return json.Number(digits + rapid.SampledFrom([]string{"", ".0", "e0"}).Draw(t, "notation"))
}

// maybe adds an optional member, adds it as null, or leaves it out.
func maybe(t *rapid.T, object map[string]any, name string, value func() any) {
	switch rapid.IntRange(0, 3).Draw(t, "presence of "+name) {
	case 0:
	case 1:
		object[name] = nil
	default:
		object[name] = value()
	}
}

func timeOf(t *rapid.T, minutes int64) string {
	zone := time.FixedZone("", 60*rapid.IntRange(-1439, 1439).Draw(t, "offset"))
	layout := rapid.SampledFrom([]string{time.RFC3339, "2006-01-02T15:04:05.000Z07:00"}).Draw(t, "layout")
	return time.Unix(60*minutes, 0).In(zone).Format(layout)
}

func windowOf(t *rapid.T) any {
	start := rapid.Int64Range(2000, 4_000_000_000).Draw(t, "start") // minutes since 1970, thousands of years
	length := rapid.Int64Range(1, 100_000).Draw(t, "length")
	return map[string]any{"start": timeOf(t, start), "end": timeOf(t, start+length)}
}

// contactOf draws a contact. Members that only orders require are optional unless
// whole is set.
func contactOf(t *rapid.T, whole bool) any {
	address := map[string]any{
		"city":        lineOf(t, "city", 1, 255),
		"province":    rapid.SampledFrom(provinces).Draw(t, "province"),
		"postal_code": postalCodeOf(t),
		"country":     "CA",
	}
	maybe(t, address, "line2", func() any { return lineOf(t, "line2", 0, 255) })
	maybe(t, address, "notes", func() any { return lineOf(t, "notes", 0, 1000) })
	contact := map[string]any{"address": address}
	add := adder(t, whole)
	add(address, "line1", func() any { return lineOf(t, "line1", 1, 255) })
	add(contact, "name", func() any { return lineOf(t, "name", 1, 255) })
	add(contact, "phone", func() any { return phoneOf(t) })
	add(contact, "email", func() any { return emailOf(t) })
	add(contact, "time_window", func() any { return windowOf(t) })
	return contact
}

// adder returns a function that always adds members, or maybe.
func adder(t *rapid.T, always bool) func(object map[string]any, name string, value func() any) {
	return func(object map[string]any, name string, value func() any) {
		if always {
			object[name] = value()
			return
		}
		maybe(t, object, name, value)
	}
}

func parcelOf(t *rapid.T, number int, whole bool) any {
	parcel := map[string]any{"weight_kg": numberOf(t, "weight", 0.01, 70)}
	add := adder(t, whole)
	add(parcel, "parcel_id", func() any { return fmt.Sprintf("%d/%s", number, lineOf(t, "parcel id", 0, 200)) })
	add(parcel, "description", func() any { return lineOf(t, "description", 1, 1000) })
	for _, side := range []string{"length_cm", "width_cm", "height_cm"} {
		add(parcel, side, func() any { return numberOf(t, side, 0.1, 300) })
	}
	add(parcel, "value_cents", func() any { return integerOf(t, "value", 0, 100_000_000_000) })
	maybe(t, parcel, "fragile", func() any { return rapid.Bool().Draw(t, "fragile") })
	maybe(t, parcel, "barcode", func() any { return lineOf(t, "barcode", 0, 255) })
	return parcel
}

func moneyOf(t *rapid.T) any {
	return map[string]any{
		"amount_cents": integerOf(t, "amount", 0, 100_000_000_000),
		"currency":     rapid.SampledFrom([]string{"CAD", "USD"}).Draw(t, "currency"),
	}
}

func shipmentOf(t *rapid.T, whole bool) map[string]any {
	shipment := map[string]any{
		"service_level": rapid.SampledFrom([]string{"standard", "express", "same_day"}).Draw(t, "service level"),
		"pickup":        contactOf(t, whole),
		"dropoff":       contactOf(t, whole),
	}
	parcels := make([]any, rapid.SampledFrom([]int{1, 1, 2, 3, 50}).Draw(t, "parcels"))
	for i := range parcels {
		parcels[i] = parcelOf(t, i, whole)
		if i == 2 { // further parcels have the same schema
			parcels = resized(parcels[:1], len(parcels))
			break
		}
	}
	shipment["parcels"] = parcels
	maybe(t, shipment, "cod", func() any { return moneyOf(t) })
	maybe(t, shipment, "insurance", func() any { return moneyOf(t) })
	return shipment
}

// orders counts generated orders. It makes their references unique.
var orders atomic.Int64

func orderOf(t *rapid.T) any {
	order := shipmentOf(t, true)
	order["partner_order_id"] = fmt.Sprint(orders.Add(1), lineOf(t, "reference", 0, 200))
	maybe(t, order, "reference", func() any { return lineOf(t, "other reference", 0, 100) })
	maybe(t, order, "instructions", func() any { return lineOf(t, "instructions", 0, 1000) })
	maybe(t, order, "metadata", func() any { return metadataOf(t) })
	maybe(t, order, "items", func() any { return itemsOf(t) })
	maybe(t, order, "quote_id", func() any { return nil })
	return order
}

func metadataOf(t *rapid.T) any {
	metadata := map[string]any{}
	for range rapid.IntRange(0, 3).Draw(t, "members") {
		metadata[lineOf(t, "member", 0,
			20)] = rapid.SampledFrom([]any{nil, true, json.Number("1.50"), "x", []any{map[string]any{}}}).Draw(t, "value")
	}
	return metadata
}

func itemsOf(t *rapid.T) any {
	items := make([]any, rapid.IntRange(0, 3).Draw(t, "lines"))
	for i := range items {
		items[i] = map[string]any{"product_id": json.Number("1"), "quantity": integerOf(t, "quantity", 1, 100)}
	}
	return items
}

func quoteOf(t *rapid.T) any { return shipmentOf(t, false) }

func registrationOf(t *rapid.T) any {
	return map[string]any{
		"name":     lineOf(t, "name", 1, 255),
		"email":    fmt.Sprint(orders.Add(1), ".", emailOf(t)),
		"password": lineOf(t, "password", 7, 127) + "é",
	}
}

// TestRandomRequests draws valid requests, changes each in up to three ways, and
// compares the handler with the schema.
func TestRandomRequests(t *testing.T) {
	t.Parallel()
	for operation, generate := range map[string]func(*rapid.T) any{
		"createOrder": orderOf, "createQuote": quoteOf, "createQuotes": quoteOf, "registerPartner": registrationOf,
	} {
		t.Run(operation, func(t *testing.T) {
			t.Parallel()
			r := subjectFor(operation).start(t)
			repeatable.Check(t, func(rt *rapid.T) {
				for range 3 {
					body := generate(rt)
					mutate(rt, body)
					r.judge(rt, body)
				}
			})
		})
	}
}

// subjectFor returns the first subject of an operation.
func subjectFor(operation string) subject {
	for _, s := range subjects {
		if s.operation == operation {
			return s
		}
	}
	panic("no subject " + operation)
}

// mutate changes a request in up to three ways.
func mutate(t *rapid.T, body any) {
	for range rapid.IntRange(0, 3).Draw(t, "mutations") {
		places := spots(body, "")
		if len(places) == 0 {
			return
		}
		place := rapid.SampledFrom(places).Draw(t, "place")
		m := rapid.SampledFrom(mutationsOf(place)).Draw(t, "mutation")
		t.Logf("%s at %s", m.name, place.path)
		m.apply(place)
	}
}
