package contract_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/santhosh-tekuri/jsonschema/v6"
	"github.com/santhosh-tekuri/jsonschema/v6/kind"
)

// wrongPlaces returns the places where a value violates a schema, as JSON pointers.
// For a missing member that is its own place, not that of the object.
func wrongPlaces(err error) []string {
	var invalid *jsonschema.ValidationError
	if !errors.As(err, &invalid) {
		return nil
	}
	if len(invalid.Causes) > 0 {
		return wrongInside(invalid)
	}
	place := ""
	for _, step := range invalid.InstanceLocation {
		place += "/" + step
	}
	if strange, ok := invalid.ErrorKind.(*kind.AdditionalProperties); ok {
		var places []string
		for _, name := range strange.Properties {
			places = append(places, place+"/"+name)
		}
		return places
	}
	required, ok := invalid.ErrorKind.(*kind.Required)
	if !ok {
		return []string{place}
	}
	var places []string
	for _, name := range required.Missing {
		places = append(places, place+"/"+name)
	}
	return places
}

// judged are the parts of requests whose faults are the result of a successful
// request, by operation: the places that begin so.
var judged = map[string]string{"createOrderBatch": "/orders/", "validateOrder": ""}

// refusedPlaces returns the places where a request violates its schema so that it must
// be refused.
func (o *operation) refusedPlaces(t reporter, body any) []string {
	t.Helper()
	places := wrongPlaces(o.contract.mustSchema(t, o.requestSchema()).Validate(body))
	part, exempt := judged[o.id]
	return slices.DeleteFunc(places, func(place string) bool { return exempt && strings.HasPrefix(place, part) })
}

// wrongInside returns the places of all causes. For "this or null", that the value
// is not null is left out.
func wrongInside(invalid *jsonschema.ValidationError) (places []string) {
	_, either := invalid.ErrorKind.(*kind.AnyOf)
	for _, cause := range invalid.Causes {
		wanted, ok := cause.ErrorKind.(*kind.Type)
		if either && len(invalid.Causes) > 1 && ok && slices.Equal(wanted.Want, []string{"null"}) {
			continue
		}
		places = append(places, wrongPlaces(cause)...)
	}
	return places
}

var fieldToPlace = strings.NewReplacer("[", "/", "]", "", ".", "/")

// placeOf returns the JSON pointer of a field: /parcels/0/weight_kg for
// parcels[0].weight_kg.
func placeOf(field string) string {
	if field == "" {
		return ""
	}
	return "/" + fieldToPlace.Replace(field)
}

// covers reports whether one of the others is the place or contains it.
func covers(others []string, place string) bool {
	for _, other := range others {
		if place == other || strings.HasPrefix(place, other+"/") {
			return true
		}
	}
	return false
}

// Rules that a schema cannot express. Each function gets a request that may be
// invalid in any way, and returns the places where it breaks such a rule. It may
// also return places that violate the schema.

// member returns the value at the member names of path, or nil if there is none.
func member(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

// text is like member for a string.
func text(value any, path ...string) (string, bool) {
	s, ok := member(value, path...).(string)
	return s, ok
}

// elements returns the elements of a list by their places.
func elements(value any, name string) map[string]any {
	list, _ := member(value, name).([]any)
	numbered := map[string]any{}
	for i, element := range list {
		numbered[fmt.Sprintf("/%s/%d", name, i)] = element
	}
	return numbered
}

// brokenShipment checks what orders and quotes have in common.
func brokenShipment(body any) (places []string) {
	for _, end := range []string{"pickup", "dropoff"} {
		places = append(places, brokenWindow(member(body, end, "time_window"), "/"+end+"/time_window")...)
	}
	list, _ := member(body, "parcels").([]any)
	seen := map[string]bool{}
	for i, parcel := range list {
		if id, ok := text(parcel, "parcel_id"); ok && id != "" {
			if seen[id] {
				places = append(places, fmt.Sprintf("/parcels/%d/parcel_id", i))
			}
			seen[id] = true
		}
	}
	return places
}

// brokenWindow checks that both times are between 1970 and 9999 in UTC, and that
// the end is after the start, in milliseconds.
func brokenWindow(window any, place string) (places []string) {
	var times []time.Time
	for _, name := range []string{"start", "end"} {
		places = append(places, brokenTime(window, name, place)...)
		written, _ := text(window, name)
		if at, ok := readTime(written); ok {
			times = append(times, at.Truncate(time.Millisecond))
		}
	}
	if len(times) == 2 && !times[1].After(times[0]) {
		places = append(places, place+"/end")
	}
	return places
}

// brokenTime checks that a time is between 1970 and 9999 in UTC.
func brokenTime(object any, name, place string) []string {
	written, _ := text(object, name)
	at, ok := readTime(written)
	if year := at.UTC().Year(); ok && (year < 1970 || year > 9999) {
		return []string{place + "/" + name}
	}
	return nil
}

// readTime reads a date-time in any form that requests may have.
func readTime(written string) (time.Time, bool) {
	written = strings.ToUpper(written)
	regular := leapSecond.ReplaceAllString(written, "${1}59")
	for _, clock := range []string{"2006-01-02T15:04:05", "2006-01-02T15:04"} {
		for _, offset := range []string{"Z07:00", "Z0700", "Z07"} {
			if at, err := time.Parse(clock+offset, regular); err == nil {
				if regular != written {
					at = at.Add(time.Second)
				}
				return at, true
			}
		}
	}
	return time.Time{}, false
}

// leapSecond matches the 60 of a time, and what precedes it.
var leapSecond = regexp.MustCompile(`(T\d\d:\d\d:)60`)

// brokenOrder checks that products exist, which only product 1 does, that metadata
// is small, and that there is no quote, because none was given to the partner.
func brokenOrder(body any) []string {
	places := brokenShipment(body)
	for place, item := range elements(body, "items") {
		if number, ok := integer(item, "product_id"); ok && number != 1 {
			places = append(places, place+"/product_id")
		}
	}
	if _, ok := text(body, "quote_id"); ok {
		places = append(places, "/quote_id")
	}
	if metadata, ok := member(body, "metadata").(map[string]any); ok {
		if written, err := json.Marshal(metadata); err != nil || len(written) > 16<<10 {
			places = append(places, "/metadata")
		}
	}
	return places
}

// ordered returns the sum of the quantities in an order.
func ordered(body any) (sum float64) {
	for _, item := range elements(body, "items") {
		number, _ := integer(item, "quantity")
		sum += number
	}
	return sum
}

// integer is like member for a number.
func integer(value any, name string) (float64, bool) {
	digits, ok := member(value, name).(json.Number)
	if !ok {
		return 0, false
	}
	number, err := digits.Float64()
	return number, err == nil
}

// brokenRegistration checks that the password is not one that attackers try first. The
// schema checks its length.
func brokenRegistration(body any) []string {
	password, _ := text(body, "password")
	name, _ := text(body, "name")
	email, _ := text(body, "email")
	length := utf8.RuneCountInString(password)
	if length >= 8 && length <= 128 &&
		!credential.NewPasswordRule(credential.MinUserPassword, name, email).Allows(password) {
		return []string{"/password"}
	}
	return nil
}

// brokenAdjustment checks that no order is named, because the partner was charged for none.
func brokenAdjustment(body any) []string {
	if _, given := text(body, "order_id"); given {
		return []string{"/order_id"}
	}
	return nil
}

// brokenProduct checks that stock_max is not less than stock_min.
func brokenProduct(body any) []string {
	least, _ := integer(body, "stock_min")
	if most, ok := integer(body, "stock_max"); ok && most < least {
		return []string{"/stock_max"}
	}
	return nil
}

// brokenCount checks that each product is counted once.
func brokenCount(body any) (places []string) {
	list, _ := member(body, "lines").([]any)
	seen := map[float64]bool{}
	for i, line := range list {
		id, ok := integer(line, "product_id")
		if ok && seen[id] {
			places = append(places, fmt.Sprintf("/lines/%d/product_id", i))
		}
		seen[id] = ok
	}
	return places
}

// brokenPick checks that there are lines, or that the order is packed, and that lines have a location.
func brokenPick(body any) (places []string) {
	lines, _ := member(body, "lines").([]any)
	if len(lines) == 0 && member(body, "packed") != true {
		places = append(places, "/lines")
	}
	if len(lines) > 0 && member(body, "location") == nil {
		places = append(places, "/location")
	}
	return places
}

// brokenErasure checks that either orders or a recipient is named.
func brokenErasure(body any) []string {
	if (member(body, "order_ids") == nil) == (member(body, "recipient") == nil) {
		return []string{"/order_ids"}
	}
	return nil
}

// brokenClosing checks that the month has ended.
func brokenClosing(body any) []string {
	if period, ok := text(body, "period"); ok && period >= testkit.Epoch.Format("2006-01") {
		return []string{"/period"}
	}
	return nil
}

// brokenMovement checks that the product exists, and that a transfer has two locations.
func brokenMovement(body any) (places []string) {
	if number, ok := integer(body, "product_id"); ok && number != 1 {
		places = append(places, "/product_id")
	}
	from, _ := text(body, "location")
	if to, ok := text(body, "to_location"); ok && to == from {
		places = append(places, "/to_location")
	}
	return places
}

// brokenChange checks that times are between 1970 and 9999, and that an assigned
// courier exists.
func brokenChange(body any) (places []string) {
	places = append(brokenTime(body, "eta", ""), brokenTime(body, "next_attempt", "")...)
	if status, _ := text(body, "status"); status == "courier_assigned" {
		places = append(places, "/courier_id")
	}
	return places
}

// brokenChanges checks that there are as many versions as orders, if both lists
// have valid lengths.
func brokenChanges(body any) []string {
	places := brokenChange(body)
	ids, _ := member(body, "order_ids").([]any)
	versions, _ := member(body, "versions").([]any)
	inBounds := func(list []any) bool { return len(list) >= 1 && len(list) <= 200 }
	if inBounds(ids) && inBounds(versions) && len(ids) != len(versions) {
		places = append(places, "/versions")
	}
	return append(places, brokenCollected(body, ids)...)
}

// brokenCollected checks that the orders of which something was collected are moved, each once.
func brokenCollected(body any, ids []any) (places []string) {
	collected, _ := member(body, "collected").([]any)
	seen := []any{}
	for i, entry := range collected {
		id := member(entry, "order_id")
		if !slices.Contains(ids, id) || slices.Contains(seen, id) {
			places = append(places, fmt.Sprintf("/collected/%d/order_id", i))
		}
		seen = append(seen, id)
	}
	return places
}

// brokenSequence lists the orders, because none of those in requests exists.
func brokenSequence(body any) (places []string) {
	ids, _ := member(body, "order_ids").([]any)
	for i := range ids {
		places = append(places, fmt.Sprintf("/order_ids/%d", i))
	}
	return places
}

// brokenEndpoint checks that the host is public. The schema checks the rest of the URL.
func brokenEndpoint(body any) []string {
	url, ok := text(body, "url")
	if ok && (outbound.Policy{Insecure: true}).CheckURL(url) != nil {
		return []string{"/url"}
	}
	return nil
}

// brokenOpenID checks that the issuer is public, that no role has the value of another, that the
// secret of a new client is there, and what does not go with the claim of roles.
func brokenOpenID(body any) (places []string) {
	issuer, ok := text(body, "issuer")
	if ok && ((outbound.Policy{Insecure: true}).CheckURL(issuer) != nil || strings.Contains(issuer, "/.well-known/")) {
		places = append(places, "/issuer")
	}
	if member(body, "client_secret") == nil {
		places = append(places, "/client_secret")
	}
	if password, ok := text(body, "password"); !ok || password != examplePassword {
		places = append(places, "/password")
	}
	values, _ := member(body, "role_values").(map[string]any)
	seen := map[any]bool{}
	for _, role := range []string{"owner", "developer", "clerk", "reader"} {
		if value, named := values[role].(string); named && seen[value] {
			places = append(places, "/role_values/"+role)
		} else if named {
			seen[value] = true
		}
	}
	_, named := text(body, "role_claim")
	if named && member(body, "default_role") != nil {
		places = append(places, "/default_role")
	} else if !named && len(seen) > 0 {
		places = append(places, "/role_values")
	}
	return places
}

// brokenRedelivery checks that the time is between 1970 and 9999.
func brokenRedelivery(body any) []string { return brokenTime(body, "since", "") }

// brokenOperator checks the password, and that there is no courier, because none of
// those in requests exists.
func brokenOperator(body any) (places []string) {
	places = brokenRegistration(body)
	if courier, ok := text(body, "courier_id"); ok && courier != "" {
		places = append(places, "/courier_id")
	}
	return places
}

// brokenSettings checks that a reason comes with a suspension, and that the rate
// card exists.
func brokenSettings(body any) (places []string) {
	if reason := member(body, "suspended_reason"); reason != nil && member(body, "suspended") != true {
		places = append(places, "/suspended_reason")
	}
	if card, ok := text(body, "rate_card"); ok && card != "docks" && card != "default" {
		places = append(places, "/rate_card")
	}
	return places
}

// brokenUpload checks that the times of a rate card are equal and not in the past,
// and that its version is not that of the built-in card.
func brokenUpload(body any) (places []string) {
	beside, ok := text(body, "effective_from")
	at, valid := timestamp.Parse(beside)
	if ok && (!valid || at.Before(testkit.Epoch)) {
		places = append(places, "/effective_from")
	}
	if member(body, "card", "version") == "default-1" {
		places = append(places, "/card/version")
	}
	inside, there := text(body, "card", "effective_from")
	if own, valid := timestamp.Parse(inside); there && (!valid || !own.Equal(at)) {
		places = append(places, "/card/effective_from")
	}
	return places
}
