package contract_test

import (
	"encoding/json"
	"fmt"
	"maps"
	"slices"
	"strings"
)

// spot is a place in a JSON value that can be changed: a member of an object,
// or an element of a list.
type spot struct {
	object map[string]any // nil for an element
	name   string
	list   []any
	index  int
	path   string
}

func (s spot) get() any {
	if s.object != nil {
		return s.object[s.name]
	}
	return s.list[s.index]
}

func (s spot) set(value any) {
	if s.object != nil {
		s.object[s.name] = value
		return
	}
	s.list[s.index] = value
}

// spots returns the places in a value. Of a list it returns those in the first
// element, because the others have the same schema.
func spots(value any, path string) (all []spot) {
	visit := func(s spot) {
		all = append(all, s)
		all = append(all, spots(s.get(), s.path)...)
	}
	switch value := value.(type) {
	case map[string]any:
		for _, name := range slices.Sorted(maps.Keys(value)) {
			visit(spot{object: value, name: name, path: path + "/" + name})
		}
	case []any:
		if len(value) > 0 {
			visit(spot{list: value, path: path + "/0"})
		}
	}
	return all
}

// mutation changes a request at one spot.
type mutation struct {
	name  string
	apply func(spot)
}

// mutationsOf returns the mutations of the value at a spot.
func mutationsOf(s spot) []mutation {
	all := slices.Clone(everywhere)
	if s.object != nil {
		all = append(all, membersOnly...)
	}
	switch value := s.get().(type) {
	case json.Number:
		all = append(all, numbers...)
	case string:
		all = append(all, texts...)
		if formed[s.name] {
			all = append(all, forms...)
		}
	case map[string]any:
		if s.name == "metadata" {
			all = append(all, metadataSizes...)
		}
		all = append(all, mutation{"add a member", func(s spot) { s.get().(map[string]any)["unknown"] = []any{nil, "x"} }})
	case []any:
		for _, length := range []int{0, 1, 50, 51, 1000, 1001} {
			all = append(all, mutation{fmt.Sprint("length ", length), func(s spot) { s.set(resized(value, length)) }})
		}
	}
	return all
}

// metadataSizes replace metadata by 16 KiB, which is the limit, and by one byte more.
var metadataSizes = []mutation{
	put(map[string]any{"x": strings.Repeat("y", 16<<10-len(`{"x":""}`))}),
	put(map[string]any{"x": strings.Repeat("y", 16<<10-len(`{"x":""}`)+1)}),
}

// put returns the mutation that replaces a value.
func put(value any) mutation {
	return mutation{fmt.Sprintf("put %.60q", fmt.Sprint(value)), func(s spot) { s.set(value) }}
}

// resized repeats the first element of a list. Each parcel gets its own id.
func resized(list []any, length int) []any {
	resized := make([]any, length)
	for i := range resized {
		if len(list) == 0 {
			resized[i] = map[string]any{}
			continue
		}
		resized[i] = list[0]
		if object, ok := list[0].(map[string]any); ok {
			object = maps.Clone(object)
			if _, named := object["parcel_id"].(string); named {
				object["parcel_id"] = fmt.Sprint("P", i)
			}
			resized[i] = object
		}
	}
	return resized
}

// everywhere are mutations of any value: they replace it by values of every kind.
var everywhere = []mutation{
	put(nil), put(true), put(json.Number("7")), put("7"),
	{"put a list", func(s spot) { s.set([]any{}) }},
	{"put a list of null", func(s spot) { s.set([]any{nil}) }},
	{"put a list of objects", func(s spot) { s.set([]any{map[string]any{}}) }},
	{"put an object", func(s spot) { s.set(map[string]any{}) }},
}

// membersOnly are mutations of the members of objects.
var membersOnly = []mutation{
	{"remove", func(s spot) { delete(s.object, s.name) }},
	{"change case", func(s spot) {
		s.object[strings.ToUpper(s.name)] = s.object[s.name]
		delete(s.object, s.name)
	}},
	{"add a name in another case", func(s spot) { s.object[strings.ToUpper(s.name)] = json.Number("7") }},
}

var numbers = all(func(digits string) mutation { return put(json.Number(digits)) },
	"0", "-0", "-0.0", "1", "-1", "0.1", "0.09", "0.01", "0.009", "300", "300.0001", "3e2", "70", "70.0001",
	"100.0", "1e2", "10.5", "1.05e1", "1e400", "-1e400", "1e-3",
	"1000000000", "1000000001", "100000000000", "100000000001", "9007199254740992", "9007199254740993", "1e19")

// texts are mutations of every string: lengths around every limit, in characters of
// four bytes (two UTF-16 code units), NUL, and invisible characters, alone and around
// others.
var texts = append(all(putText, "", " ", "\u00a0\u200b\u2800\ufe0f", " a", "a\u200b", "a\x00b", "<&>\u2028\"\\"),
	all(putLength, 64, 65, 100, 101, 255, 256, 500, 501, 1000, 1001)...)

func putText(text string) mutation { return put(text) }

func putLength(characters int) mutation {
	return mutation{fmt.Sprint(characters, " characters"), func(s spot) { s.set(strings.Repeat("😀", characters)) }}
}

// all returns the mutations that of makes of values.
func all[T any](of func(T) mutation, values ...T) []mutation {
	mutations := make([]mutation, len(values))
	for i, value := range values {
		mutations[i] = of(value)
	}
	return mutations
}

// formed are the members whose texts have a syntax.
var formed = map[string]bool{
	"phone": true, "email": true, "password": true, "province": true, "postal_code": true, "country": true,
	"start": true, "end": true, "eta": true, "next_attempt": true,
	"service_level": true, "currency": true, "status": true, "type": true, "state": true, "since": true, "cursor": true,
	"url": true, "role": true, "effective_from": true, "cut_off": true, "version": true, "rate_card": true,
}

// forms are texts around the limits of every syntax.
var forms = all(putText,
	"standard", "Standard", "same_day", "overnight", "CAD", "USD", "cad", "EUR", "CA", "ca", "US", "QC", "ON", "on", "XX",
	"true", "accepted", "cancelled", "courier_assigned", "teleported", "active", "inactive", "IN", "OUT", "TRANSFER",
	"ADJUSTMENT", "in", strings.Repeat("é", 7), strings.Repeat("é", 8), strings.Repeat("é", 128),
	strings.Repeat("é", 129), "Password1", "+15145550100", "15145550100", "+05145550100", "+123456", "+1234567",
	"+123456789012345", "+1234567890123456", "+1 514 555 0100", "+1514555010x", "+1５１４５５５０１００", "+15145550100\n",
	"tel:+15145550100", "a@b", "a@b.c", "A@B.C", "a..b@c.d", ".a@c.d", "a+b@c.d", "a b@c.d", "@b.c", "a@", "a@b..c",
	"a@-b.c", "a@b-.c", "a@b_c.d", "Anne <a@b.ca>", "a@b.ca,c@d.ca", "a@b@c.d", "é@b.ca", "a@é.ca", "\"a\"@b.c",
	"a@[127.0.0.1]", "a@b.ca\n", strings.Repeat("a", 64)+"@b.c", strings.Repeat("a", 65)+"@b.c",
	"a@"+strings.Repeat("b", 63)+".c", "a@"+strings.Repeat("b", 64)+".c", strings.Repeat("a", 250)+"@b.c",
	strings.Repeat("a", 251)+"@b.c", "H2X 1Y4", "H2X1Y4", "h2x 1y4", "H2X  1Y4", "H2X-1Y4", " H2X 1Y4", "H2X 1Y4\n",
	"H2X 1Y", "D2X 1Y4", "W2X 1Y4", "Z2X 1Y4", "V2W 1Z4", "H2D 1Y4", "H2O 1Y4", "H2X 1U4", "Ｈ2X 1Y4", "12345",

	"2026-01-14T10:00:00-05:00", "2026-01-14T10:00:00Z", "2026-01-14T10:00:00z", "2026-01-14t10:00:00Z",
	"2026-01-14T10:00Z", "2026-01-14T10:00:00", "2026-01-14 10:00:00Z", "2026-01-14", "2026-02-30T10:00:00Z",
	"2025-02-29T10:00:00Z", "2028-02-29T10:00:00Z", "2026-01-14T24:00:00Z", "2026-01-14T23:59:60Z",
	"2026-12-31T23:59:60Z", "2026-01-14T10:60:00Z", "2026-01-14T1:00:00Z", "2026-1-14T10:00:00Z", "2026-01-00T10:00:00Z",
	"2026-13-01T10:00:00Z", "2026-01-14T10:00:00.1Z", "2026-01-14T10:00:00.1234567891Z", "2026-01-14T10:00:00.Z",
	"2026-01-14T10:00:00,5Z", "2026-01-14T10:00:00+23:59", "2026-01-14T10:00:00+24:00", "2026-01-14T10:00:00-05:60",
	"2026-01-14T10:00:00-0500", "2026-01-14T10:00:00.5-05", "2026-01-14t10:00-0500", "2026-01-14T10:00.5Z",
	"2026-01-14T10Z", "2026-01-14T10:00:00-500", "2026-01-14T10:00:60.5+05:30", "2026-01-14T10:00:61Z",
	"9999-12-31T23:59:60Z", "1969-12-31T23:59:60Z", "1969-12-31T23:59-0001", "2026-01-14T10:00:00-00:00",
	"2026-01-14T10:00:00Z\n", "+2026-01-14T10:00:00Z", "1969-12-31T23:59:59-00:01", "1969-12-31T23:59:59Z",
	"1970-01-01T00:00:00Z", "1970-01-01T00:00:00+00:01", "1968-12-31T23:59:59-00:01", "9999-12-31T23:59:59Z",
	"9999-12-31T23:59:59-00:01", "10000-01-01T00:00:00Z", "0001-01-01T00:00:00Z", "admin", "owner", "docks", "docks-1",
	"default", "default-1", "00:00", "23:59", "24:00", "9:00", "13:60", "13:00:00", "13h00", "order.accepted",
	"webhook.test", "pending", "skipped", "019bbd14-8a00-7000-8000-000000000000", "019BBD14-8A00-7000-8000-000000000000",
	"019bbd14-8a00-4000-8000-000000000000", "019bbd14-8a00-7000-c000-000000000000", "019bbd148a0070008000000000000000",

	"https://a.example", "HTTPS://A.Example/x?y=%20z;", "https://a.example?y", "https://a.example:443",
	"https://a.example:8443/", "https://203.0.112.7/", "https://", "https:///x", "https:/a.example", "//a.example",
	"a.example", "ftp://a.example", "https://a.example:80/", "https://a.example:x/", "https://a.example:",
	"https://u@a.example/", "https://u:p@a.example/", "https://a.example/#", "https://a.example/ x",
	"https://a.example/é", "https://é.example/", "https://a.example\n", "https://a%2eexample/", "https://a_b.example/",
	"https://a..example/", "https://10.0.0.7/", "https://[fe80::1]/", "https://[::ffff:10.0.0.7]/", "https://2130706433/",
	"https://a.example/"+strings.Repeat("x", 2048-len("https://a.example/")),
	"https://a.example/"+strings.Repeat("x", 2049-len("https://a.example/")),
)
