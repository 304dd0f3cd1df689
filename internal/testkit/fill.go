package testkit

import (
	"encoding/json"
	"fmt"
	"iter"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"
)

// Fill sets every field of a value to something of its own, however deep: texts
// hold their path, numbers and times count up, lists have two elements. Tests use
// it to find the places that a new field has been forgotten in. It returns the
// values of the text fields by path, such as "Dropoff.Address.City".
func Fill(value any) map[string]string {
	f := filler{texts: map[string]string{}}
	f.fill(reflect.ValueOf(value).Elem(), "")
	return f.texts
}

type filler struct {
	count int64
	texts map[string]string
}

func (f *filler) fill(v reflect.Value, path string) {
	f.count++
	switch v.Interface().(type) {
	case time.Time:
		v.Set(reflect.ValueOf(Epoch.Add(time.Duration(f.count) * time.Second)))
		return
	case []byte:
		f.texts[path] = fmt.Sprintf(`{"in":%q}`, path)
		v.SetBytes(json.RawMessage(f.texts[path]))
		return
	}
	switch v.Kind() {
	case reflect.String:
		f.texts[path] = "in " + path
		v.SetString(f.texts[path])
	case reflect.Int64:
		v.SetInt(f.count)
	case reflect.Float64:
		v.SetFloat(float64(f.count))
	case reflect.Bool:
		v.SetBool(true)
	case reflect.Pointer:
		v.Set(reflect.New(v.Type().Elem()))
		f.fill(v.Elem(), path)
	case reflect.Slice:
		v.Set(reflect.MakeSlice(v.Type(), 2, 2))
		for i := range v.Len() {
			f.fill(v.Index(i), fmt.Sprintf("%s[%d]", path, i))
		}
	case reflect.Interface: // an error, which is not part of the value
	case reflect.Struct:
		for i := range v.NumField() {
			f.fill(v.Field(i), pathOf(v.Type().Field(i), path))
		}
	default:
		panic(fmt.Sprintf("testkit: %s is a %s, which Fill does not know", path, v.Type()))
	}
}

// Texts returns the text fields of a value by path, as Fill names them.
func Texts(value any) map[string]string {
	texts := map[string]string{}
	collect(reflect.ValueOf(value).Elem(), "", texts)
	return texts
}

func collect(v reflect.Value, path string, texts map[string]string) {
	switch held := v.Interface().(type) {
	case time.Time:
		return
	case []byte:
		texts[path] = string(held)
		return
	}
	switch v.Kind() {
	case reflect.String:
		texts[path] = v.String()
	case reflect.Pointer:
		if !v.IsNil() {
			collect(v.Elem(), path, texts)
		}
	case reflect.Slice:
		for i := range v.Len() {
			collect(v.Index(i), fmt.Sprintf("%s[%d]", path, i), texts)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			collect(v.Field(i), pathOf(v.Type().Field(i), path), texts)
		}
	default: // not a text
	}
}

// pathOf returns the path of a field of the struct at a path. An embedded struct has that of the struct itself.
func pathOf(field reflect.StructField, path string) string {
	switch {
	case field.Anonymous:
		return path
	case path == "":
		return field.Name
	default:
		return path + "." + field.Name
	}
}

// Differences returns the paths of the fields in which two values of a type differ, as Fill names them.
func Differences(a, b any) (paths []string) {
	differ(reflect.ValueOf(a).Elem(), reflect.ValueOf(b).Elem(), "", func(path string) { paths = append(paths, path) })
	return paths
}

func differ(a, b reflect.Value, path string, found func(path string)) {
	if reflect.DeepEqual(a.Interface(), b.Interface()) {
		return
	}
	_, isTime := a.Interface().(time.Time)
	_, isText := a.Interface().([]byte)
	switch kind := a.Kind(); {
	case kind == reflect.Struct && !isTime:
		for i := range a.NumField() {
			differ(a.Field(i), b.Field(i), pathOf(a.Type().Field(i), path), found)
		}
	case kind == reflect.Pointer && !a.IsNil() && !b.IsNil():
		differ(a.Elem(), b.Elem(), path, found)
	case kind == reflect.Slice && !isText && a.Len() == b.Len():
		for i := range a.Len() {
			differ(a.Index(i), b.Index(i), fmt.Sprintf("%s[%d]", path, i), found)
		}
	default:
		found(path)
	}
}

// Ignored returns the paths of the fields of a value that output does not depend on, without the
// positions in lists, in the order of the fields. It calls output again for each field, with another value
// in it: texts, numbers, times and flags. Output must be able to read what Fill fills in. Tests compare the
// result with a list, so that a new field needs a decision.
func Ignored(value any, output func() any) (ignored []string) {
	before := output()
	vary(reflect.ValueOf(value).Elem(), "", func(path string) {
		if reflect.DeepEqual(output(), before) {
			ignored = append(ignored, path)
		}
	})
	return slices.Compact(ignored)
}

// vary calls changed once for each field, while that has another value.
func vary(v reflect.Value, path string, changed func(path string)) {
	if v.Kind() == reflect.Slice && v.Type().Elem().Kind() != reflect.Uint8 {
		if v.Len() > 0 { // the elements of a list are alike
			vary(v.Index(0), path, changed)
		}
		return
	}
	if other := otherValue(v); other != nil {
		old := reflect.ValueOf(v.Interface())
		v.Set(reflect.ValueOf(other).Convert(v.Type()))
		changed(path)
		v.Set(old)
		return
	}
	switch v.Kind() {
	case reflect.Pointer:
		if !v.IsNil() {
			vary(v.Elem(), path, changed)
		}
	case reflect.Struct:
		for i := range v.NumField() {
			vary(v.Field(i), pathOf(v.Type().Field(i), path), changed)
		}
	default: // an error, which is not part of the value
	}
}

// otherValue returns a value that v does not have; nil if v has parts, or none.
func otherValue(v reflect.Value) any {
	switch held := v.Interface().(type) {
	case time.Time:
		return held.Add(26 * time.Hour)
	case []byte:
		return []byte(`{"another":1}`)
	}
	switch v.Kind() {
	case reflect.String:
		return v.String() + " another"
	case reflect.Int64:
		return v.Int() + 1000
	case reflect.Float64:
		return v.Float() + 1000
	case reflect.Bool:
		return !v.Bool()
	default:
		return nil
	}
}

// CompareIgnored compares the fields that a place leaves out with those that it may leave out. It names only those in
// which they differ, because the lists are long.
func CompareIgnored(t testing.TB, place string, got, want []string) {
	t.Helper()
	for _, path := range got {
		if !slices.Contains(want, path) {
			t.Errorf("%s: got no %s: add it there, or to the list of this test", place, path)
		}
	}
	for _, path := range want {
		if !slices.Contains(got, path) {
			t.Errorf("%s: got %s, which the list of this test leaves out", place, path)
		}
	}
}

// Members returns the paths of the values in an object of JSON, sorted, such as parcels[0].weight_kg. Of a list it
// has those of the first element.
func Members(t testing.TB, object []byte) []string {
	t.Helper()
	var value any
	if err := json.Unmarshal(object, &value); err != nil {
		t.Fatal(err)
	}
	return slices.Sorted(members(value, ""))
}

func members(value any, path string) iter.Seq[string] {
	return func(yield func(string) bool) {
		switch held := value.(type) {
		case map[string]any:
			for name, member := range held {
				for inner := range members(member, strings.TrimPrefix(path+"."+name, ".")) {
					if !yield(inner) {
						return
					}
				}
			}
		case []any:
			if len(held) > 0 {
				members(held[0], path+"[0]")(yield)
			}
		default:
			yield(path)
		}
	}
}
