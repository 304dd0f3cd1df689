package form_test

import (
	"net/url"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

func TestIsNumber(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]bool{
		"0": true, "-12.50": true, "7": true, "": false, "07": false, "1.": false, ".5": false, "1e3": false, "1,5": false,
		"+1": false,
	} {
		if got := form.IsNumber(text); got != want {
			t.Errorf("IsNumber(%q): got %t, want %t", text, got, want)
		}
	}
}

// TestTypedKinds: a field is read as what it holds, and refused if it does not hold that.
func TestTypedKinds(t *testing.T) {
	t.Parallel()
	values := url.Values{
		"text": {"7"}, "decimal": {"-1.50"}, "integer": {"7"}, "flag": {"true"}, "off": {"false"},
		"time": {"2026-03-02T14:00:00Z"}, "empty": {""},
	}
	var problems form.Problems
	f := form.New(form.FromValues(values, nil), &problems)
	decimal, _ := f.Decimal("decimal", form.Required, -2, 2)
	integer, _ := f.Integer("integer", form.Required, 1, 9)
	_, given := f.Integer("empty", form.Optional, 1, 9)
	got := []any{
		f.Text("text", form.Required, form.Length(1, 3)), decimal, integer, f.Flag("flag"), f.Flag("off"),
		f.Time("time", form.Required), f.Secret("text", form.Required, form.Length(1, 3)),
		f.Text("empty", form.Optional, form.Length(1, 3)), given, f.Has("empty"), f.IsNull("empty"),
	}
	want := []any{"7", -1.5, int64(7), true, false, time.Date(2026, 3, 2, 14, 0, 0, 0,
		time.UTC), "7", "", false, false, false}
	if !reflect.DeepEqual(got, want) || len(problems) > 0 {
		t.Errorf("got %v, problems %+v, want %v", got, problems, want)
	}

	values = url.Values{
		"decimal": {"1,5"}, "integer": {"07"}, "flag": {"yes"}, "object": {"{}"}, "raw": {"{}"}, "secret": {"long"},
		"text": {"long"}, "empty": {""},
	}
	f = form.New(form.FromValues(values, nil), &problems)
	f.Decimal("decimal", form.Optional, 0, 9)
	f.Integer("integer", form.Optional, 0, 9)
	f.Flag("flag")
	f.Object("object", form.Optional)
	f.Raw("raw", 20)
	f.Secret("secret", form.Optional, form.Length(1, 3))
	f.Text("text", form.Optional, form.Length(1, 3))
	f.Text("empty", form.Required, form.Length(0, 3))
	if want := []string{
		"decimal", "integer", "flag", "object", "raw", "secret", "text", "empty",
	}; !slices.Equal(fieldsOf(problems), want) {
		t.Fatalf("got problems at %q, want %q", fieldsOf(problems), want)
	}
	for i, want := range []any{"1,5", "07", "yes", "{}", "{}", nil, "long", nil} {
		if got := problems[i].Value; got != want {
			t.Errorf("%s: got the value %v, want %v", problems[i].Field, got, want)
		}
	}
}

// TestTypedLists: rows are read in the order of their positions, whatever these are, and a
// field with several values is a list of them.
func TestTypedLists(t *testing.T) {
	t.Parallel()
	values := url.Values{
		"lines[10].name": {"last"}, "lines[2].name": {"first"}, "lines[2].counts[1]": {"8"}, "lines[2].counts[0]": {"7"},
		"lines[4].name": {""}, "lines[x].name": {"no row"}, "lines[-1].name": {"no row"}, "lines[02].name": {"no row"},
		"lines[3": {"no row"}, "lineup[1].name": {"other"}, "ids": {"a", "toolong", ""}, "one": {"b"},
	}
	if got := form.Rows(values, "lines"); !slices.Equal(got, []int{2, 4, 10}) {
		t.Errorf("got rows %v, want 2, 4 and 10", got)
	}
	var problems form.Problems
	f := form.New(form.FromValues(values, nil), &problems)
	var names []string
	var counts [][]int64
	for _, line := range f.Objects("lines", form.Required, 1, 3) {
		names = append(names, line.Text("name", form.Required, form.Length(1, 9)))
		counts = append(counts, line.Integers("counts", form.Optional, 0, 2, 1, 7))
	}
	if !slices.Equal(names, []string{"first", "", "last"}) || !reflect.DeepEqual(counts, [][]int64{{7, 8}, {}, {}}) {
		t.Errorf("got names %q, counts %v", names, counts)
	}
	ids, one := f.Texts("ids", form.Required, 1, 3,
		form.Length(1, 3)), f.Texts("one", form.Required, 1, 3, form.Length(1, 3))
	if !slices.Equal(ids, []string{"a", "toolong", ""}) || !slices.Equal(one, []string{"b"}) {
		t.Errorf("got %q and %q", ids, one)
	}
	none := f.Texts("none", form.Optional, 1, 3, form.Length(1, 3))
	f.Objects("one", form.Optional, 1, 3)
	f.Texts("lines", form.Optional, 1, 2, form.Length(1, 3))
	want := []string{"lines[0].counts[1]", "lines[1].name", "ids[1]", "ids[2]", "one[0]", "lines"}
	if got := fieldsOf(problems); !slices.Equal(got, want) || len(none) > 0 {
		t.Errorf("got problems at %q, want %q", got, want)
	}
}

// TestTypedEmptyObject: an object whose members are all empty is there, so that each that is
// missing is a fault; one without members is not.
func TestTypedEmptyObject(t *testing.T) {
	t.Parallel()
	var problems form.Problems
	f := form.New(form.FromValues(url.Values{"address.city": {""}, "address.contact.name": {""}, "addressee": {"x"}}, nil),
		&problems)
	address := f.Object("address", form.Required)
	address.Text("city", form.Required, form.Length(1, 9))
	address.Object("contact", form.Required).Text("name", form.Required, form.Length(1, 9))
	f.Object("payer", form.Optional).Text("name", form.Required, form.Length(1, 9))
	f.Object("sender", form.Required).Text("name", form.Required, form.Length(1, 9))
	if got, want := fieldsOf(problems),
		[]string{"address.city", "address.contact.name", "sender"}; !slices.Equal(got, want) {
		t.Errorf("got problems at %q, want %q", got, want)
	}
}

// TestTypedNames: the members are those that hold something, each once; the fields of the
// page are not among them.
func TestTypedNames(t *testing.T) {
	t.Parallel()
	root := form.FromValues(url.Values{
		"b": {"1"}, "a.y": {"1"}, "a.x": {""}, "a.z.q": {""}, "c[0].n": {""}, "c[1].n": {"1"}, "empty": {""}, "_key": {"1"},
		"ab": {"1"},
	}, nil)
	for _, of := range []struct {
		source form.Source
		want   []string
	}{
		{
			root, []string{"a", "ab", "b", "c"},
		}, {root.Member("a"), []string{"y", "z"}}, {root.Member("c").Elements()[0], nil}, {root.Member("b"), nil},
	} {
		if got := of.source.Names(); !slices.Equal(got, of.want) {
			t.Errorf("got names %q, want %q", got, of.want)
		}
	}
	if kinds := []form.Kind{
		root.Kind(), root.Member("a").Kind(), root.Member("c").Kind(), root.Member("b").Kind(), root.Member("empty").Kind(),
	}; !slices.Equal(
		kinds, []form.Kind{form.Object, form.Object, form.List, form.Typed, form.Absent},
	) {
		t.Errorf("got kinds %v", kinds)
	}
}

// TestTypedConversion: a text is converted before it is read, by the path of its field. What
// becomes empty is absent, and an empty field is not converted.
func TestTypedConversion(t *testing.T) {
	t.Parallel()
	values := url.Values{
		"money.price": {" 12,50 "}, "names": {" a ", "b"}, "lines[7].price": {"x"}, "blank": {"  "}, "empty": {""},
	}
	var problems form.Problems
	f := form.New(form.FromValues(values, func(path, text string) string {
		if text = strings.TrimSpace(text); strings.HasSuffix(path, ".price") {
			return strings.Replace(text, ",", ".", 1)
		}
		if path == "empty" {
			return "converted"
		}
		return text
	}), &problems)
	price, _ := f.Object("money", form.Required).Decimal("price", form.Required, 0, 99)
	names := f.Texts("names", form.Required, 1, 2, form.Length(1, 1))
	f.Objects("lines", form.Required, 1, 1)[0].Decimal("price", form.Required, 0, 99)
	if price != 12.5 || !slices.Equal(names, []string{"a", "b"}) || f.Has("blank") || f.Has("empty") {
		t.Errorf("got %v, %q, %t, %t", price, names, f.Has("blank"), f.Has("empty"))
	}
	if got := fieldsOf(problems); !slices.Equal(got, []string{"lines[0].price"}) || problems[0].Value != "x" {
		t.Errorf("got problems %+v, want one at lines[0].price", problems)
	}
}

// TestChangedFields: a changed field that is empty holds the empty text, which is not a number.
func TestChangedFields(t *testing.T) {
	t.Parallel()
	var problems form.Problems
	f := form.New(form.FromChanges(url.Values{"note": {""}, "blank": {" "}, "count": {""}},
		func(_, text string) string { return strings.TrimSpace(text) }), &problems)
	if note := f.Text("note", form.Required, form.Length(0, 3)); note != "" || !f.Has("note") || !f.Has("blank") ||
		f.Has("other") {
		t.Errorf("got %q, %t, %t, %t", note, f.Has("note"), f.Has("blank"), f.Has("other"))
	}
	f.Integer("count", form.Optional, 0, 9)
	if got := fieldsOf(problems); !slices.Equal(got, []string{"count"}) || problems[0].Value != "" {
		t.Errorf("got problems %+v, want one at count with the empty text", problems)
	}
}

func TestDecode(t *testing.T) {
	t.Parallel()
	read := func(f *form.Form) [2]string {
		return [2]string{f.Text("a", form.Required, form.Length(1, 3)), f.Text("b", form.Required, form.Length(1, 3))}
	}
	for body, want := range map[string][]string{
		`{"a":"x","b":"y"}`: {}, `{"b":"long"}`: {"a", "b"}, `[]`: {""}, `null`: {""},
	} {
		got, err := form.Decode(parse(t, body), read)
		if fields := fieldsOf(form.ProblemsOf(err)); !slices.Equal(fields, want) ||
			(err == nil) != (got == [2]string{"x", "y"}) {
			t.Errorf("%s: got %q, %v, want problems at %q", body, got, err, want)
		}
	}
}
