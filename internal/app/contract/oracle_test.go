package contract_test

import (
	"encoding/json"
	"errors"
	"fmt"
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

// wrongPlaces are where a schema finds a value wrong, as JSON pointers.
// A member that is missing is wrong itself, not the object that lacks it.
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

// wrongInside gathers the causes. Of "this or null" only this counts: that a
// value is not null is not what is wrong with it.
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

// placeOf turns the field of a reported problem, parcels[0].weight_kg, into
// the JSON pointer /parcels/0/weight_kg.
func placeOf(field string) string {
	if field == "" {
		return ""
	}
	return "/" + fieldToPlace.Replace(field)
}

// covers reports whether a place is at, or under, one of the others.
func covers(others []string, place string) bool {
	for _, other := range others {
		if place == other || strings.HasPrefix(place, other+"/") {
			return true
		}
	}
	return false
}

// The rules that a schema cannot say. Each function is given a request that may
// be wrong in any way, and lists the places where it breaks such a rule; places
// that the schema finds wrong anyway do no harm.

// member goes down by names; nil if there is nothing.
func member(value any, path ...string) any {
	for _, name := range path {
		object, _ := value.(map[string]any)
		value = object[name]
	}
	return value
}

func text(value any, path ...string) (string, bool) {
	s, ok := member(value, path...).(string)
	return s, ok
}

// elements numbers the elements of a list with their places.
func elements(value any, name string) map[string]any {
	list, _ := member(value, name).([]any)
	numbered := map[string]any{}
	for i, element := range list {
		numbered[fmt.Sprintf("/%s/%d", name, i)] = element
	}
	return numbered
}

// brokenShipment looks at what orders and quotes share.
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

// brokenWindow: both times lie between 1970 and 9999 in UTC, the end after the
// start, counted in milliseconds.
func brokenWindow(window any, place string) (places []string) {
	var times []time.Time
	for _, name := range []string{"start", "end"} {
		places = append(places, brokenTime(window, name, place)...)
		written, _ := text(window, name)
		if at, err := time.Parse(time.RFC3339, written); err == nil {
			times = append(times, at.Truncate(time.Millisecond))
		}
	}
	if len(times) == 2 && !times[1].After(times[0]) {
		places = append(places, place+"/end")
	}
	return places
}

func brokenTime(object any, name, place string) []string {
	written, _ := text(object, name)
	at, err := time.Parse(time.RFC3339, written)
	if year := at.UTC().Year(); err == nil && (year < 1970 || year > 9999) {
		return []string{place + "/" + name}
	}
	return nil
}

// brokenOrder: products exist (product 1 alone does), metadata is small, and
// a quote was given to this partner (none was).
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

// ordered is how much of all products an order asks for.
func ordered(body any) (sum float64) {
	for _, item := range elements(body, "items") {
		number, _ := integer(item, "quantity")
		sum += number
	}
	return sum
}

func integer(value any, name string) (float64, bool) {
	digits, ok := member(value, name).(json.Number)
	if !ok {
		return 0, false
	}
	number, err := digits.Float64()
	return number, err == nil
}

// brokenRegistration: the password is none of the most common. Its length is
// the schema's matter.
func brokenRegistration(body any) []string {
	password, _ := text(body, "password")
	length := utf8.RuneCountInString(password)
	if length >= 8 && length <= 128 && !credential.NewPasswordRule.Allows(password) {
		return []string{"/password"}
	}
	return nil
}

// brokenProduct: stock_max is not less than stock_min.
func brokenProduct(body any) []string {
	least, _ := integer(body, "stock_min")
	if most, ok := integer(body, "stock_max"); ok && most < least {
		return []string{"/stock_max"}
	}
	return nil
}

// brokenCount: each product is counted once.
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

// brokenMovement: the product exists, and a transfer leads elsewhere.
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

// brokenChange: times lie between 1970 and 9999, and a courier who is assigned
// exists.
func brokenChange(body any) (places []string) {
	places = append(brokenTime(body, "eta", ""), brokenTime(body, "next_attempt", "")...)
	if status, _ := text(body, "status"); status == "courier_assigned" {
		places = append(places, "/courier_id")
	}
	return places
}

// brokenChanges: there are as many versions as orders, where both lists are in
// bounds.
func brokenChanges(body any) []string {
	places := brokenChange(body)
	ids, _ := member(body, "order_ids").([]any)
	versions, _ := member(body, "versions").([]any)
	inBounds := func(list []any) bool { return len(list) >= 1 && len(list) <= 200 }
	if inBounds(ids) && inBounds(versions) && len(ids) != len(versions) {
		places = append(places, "/versions")
	}
	return places
}

// brokenEndpoint: the host is one that the public can reach. What else a URL
// must be, the schema says.
func brokenEndpoint(body any) []string {
	url, ok := text(body, "url")
	if ok && (outbound.Policy{Insecure: true}).CheckURL(url) != nil {
		return []string{"/url"}
	}
	return nil
}

// brokenRedelivery: the time lies between 1970 and 9999.
func brokenRedelivery(body any) []string { return brokenTime(body, "since", "") }

// brokenOperator looks at the rules of operators: a good password, and a courier
// who exists, which none of the requests' does.
func brokenOperator(body any) (places []string) {
	places = brokenRegistration(body)
	if courier, ok := text(body, "courier_id"); ok && courier != "" {
		places = append(places, "/courier_id")
	}
	return places
}

// brokenSettings looks at what is set for a partner: a reason goes with a
// suspension, and a rate card must have been uploaded.
func brokenSettings(body any) (places []string) {
	if reason := member(body, "suspended_reason"); reason != nil && member(body, "suspended") != true {
		places = append(places, "/suspended_reason")
	}
	if card, ok := text(body, "rate_card"); ok && card != "docks" && card != "default" {
		places = append(places, "/rate_card")
	}
	return places
}

// brokenUpload looks at the times of a rate card, which must agree and not be
// past, and at its version, which must not be the built-in card's.
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
