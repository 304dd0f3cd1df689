package testkit

import (
	"encoding/json"
	"fmt"
	"reflect"
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
			field := v.Type().Field(i)
			if field.Anonymous { // its fields are the outer's
				f.fill(v.Field(i), path)
				continue
			}
			name := field.Name
			if path != "" {
				name = path + "." + name
			}
			f.fill(v.Field(i), name)
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
			field := v.Type().Field(i)
			name := field.Name
			switch {
			case field.Anonymous:
				name = path
			case path != "":
				name = path + "." + name
			}
			collect(v.Field(i), name, texts)
		}
	default: // not a text
	}
}
