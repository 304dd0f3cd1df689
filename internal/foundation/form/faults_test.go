package form_test

import (
	"reflect"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// rename is a command that keeps its faults.
type rename struct {
	form.Faults
	Name string
}

func readRename(f *form.Form) rename {
	return rename{Name: f.Text("name", form.Required, form.Length(1, 3))}
}

// TestFaultsAreKept decodes a command that keeps its faults. Decode reports none of them,
// not even for a root that is not an object.
func TestFaultsAreKept(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][]string{
		`{"name":"x"}`: nil, `{"name":"long"}`: {"name"}, `{}`: {"name"}, `[]`: {""},
	} {
		command, err := form.Decode(parse(t, body), readRename)
		if err != nil {
			t.Errorf("%s: got %v, want no error", body, err)
		}
		if got := fieldsOf(command.Problems()); !slices.Equal(got, want) {
			t.Errorf("%s: got faults at %q, want %q", body, got, want)
		}
	}
}

// TestFaultsDoNotChange adds faults to those that a command keeps, twice.
func TestFaultsDoNotChange(t *testing.T) {
	t.Parallel()
	command, _ := form.Decode(parse(t, `{}`), readRename)
	one, other := command.Problems(), command.Problems()
	one.Add("one", nil, form.TrueOrFalse)
	other.Add("other", nil, form.TrueOrFalse)
	if want := []string{"name", "one"}; !slices.Equal(fieldsOf(one), want) || len(command.Problems()) != 1 {
		t.Errorf("got faults at %q, and %d in the command, want %q and 1", fieldsOf(one), len(command.Problems()), want)
	}
}

// TestChangesTellAbsentFromNull reads fields that a change may leave out.
func TestChangesTellAbsentFromNull(t *testing.T) {
	t.Parallel()
	for body, want := range map[string][2]any{
		`{}`:                         {(*string)(nil), (*bool)(nil)},
		`{"text":null,"flag":null}`:  {new(""), (*bool)(nil)},
		`{"text":"a","flag":false}`:  {new("a"), new(false)},
		`{"text":"b","flag":true}`:   {new("b"), new(true)},
		`{"text":null,"flag":false}`: {new(""), new(false)},
	} {
		var problems form.Problems
		f := form.New(parse(t, body), &problems)
		got := [2]any{f.NullableText("text", form.Length(1, 3)), f.FlagIfSent("flag")}
		if !reflect.DeepEqual(got, want) || len(problems) != 0 {
			t.Errorf("%s: got %v, %v, want %v", body, got, problems, want)
		}
	}
}
