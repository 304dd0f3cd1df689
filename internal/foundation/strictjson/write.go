package strictjson

import (
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/go-json-experiment/json"
	"github.com/go-json-experiment/json/jsontext"
)

// Marshal encodes a value by its json tags. Nil slices become [], and times what
// timestamp.Format returns.
func Marshal(value any) ([]byte, error) { return json.Marshal(value, times) }

var times = json.WithMarshalers(json.MarshalToFunc(func(to *jsontext.Encoder, at time.Time) error {
	return to.WriteToken(jsontext.String(timestamp.Format(at)))
}))

// Unmarshal decodes JSON that this service has written.
func Unmarshal(data []byte, value any) error { return json.Unmarshal(data, value) }

// Writer appends JSON to a buffer, member by member. It exists for order records,
// which are written thousands of times per second and hold metadata that must keep
// every byte; an encoder would format it. In a list, the name of every element is
// "".
type Writer struct{ Buffer []byte }

// key writes what comes before a value: a comma if needed, and the name.
func (w *Writer) key(name string) {
	if n := len(w.Buffer); n > 0 {
		switch w.Buffer[n-1] {
		case '{', '[', ':':
		default:
			w.Buffer = append(w.Buffer, ',')
		}
	}
	if name != "" {
		w.Buffer = append(w.Buffer, '"')
		w.Buffer = append(w.Buffer, name...)
		w.Buffer = append(w.Buffer, '"', ':')
	}
}

// Object begins an object.
func (w *Writer) Object(name string) {
	w.key(name)
	w.Buffer = append(w.Buffer, '{')
}

// EndObject ends the object that Object began.
func (w *Writer) EndObject() { w.Buffer = append(w.Buffer, '}') }

// List begins a list.
func (w *Writer) List(name string) {
	w.key(name)
	w.Buffer = append(w.Buffer, '[')
}

// EndList ends the list that List began.
func (w *Writer) EndList() { w.Buffer = append(w.Buffer, ']') }

// Text writes a string. Invalid UTF-8 becomes U+FFFD.
func (w *Writer) Text(name, value string) {
	w.key(name)
	// AppendQuote fails only on invalid UTF-8, which it has replaced then.
	w.Buffer, _ = jsontext.AppendQuote(w.Buffer, value)
}

// OptionalText writes a string unless it is empty.
func (w *Writer) OptionalText(name, value string) {
	if value != "" {
		w.Text(name, value)
	}
}

// Integer writes a whole number.
func (w *Writer) Integer(name string, value int64) {
	w.key(name)
	w.Buffer = strconv.AppendInt(w.Buffer, value, 10)
}

// Decimal writes a number with the fewest digits that give the same float64.
func (w *Writer) Decimal(name string, value float64) {
	w.key(name)
	w.Buffer = strconv.AppendFloat(w.Buffer, value, 'f', -1, 64)
}

// Flag writes true or false.
func (w *Writer) Flag(name string, value bool) {
	w.key(name)
	w.Buffer = strconv.AppendBool(w.Buffer, value)
}

// Time writes a time as timestamp.Format does.
func (w *Writer) Time(name string, value time.Time) {
	w.key(name)
	w.Buffer = append(w.Buffer, '"')
	w.Buffer = timestamp.Append(w.Buffer, value)
	w.Buffer = append(w.Buffer, '"')
}

// TimeWithOffset writes a time as Time does, at its own offset.
func (w *Writer) TimeWithOffset(name string, value time.Time) {
	w.key(name)
	w.Buffer = append(w.Buffer, '"')
	w.Buffer = timestamp.AppendWithOffset(w.Buffer, value)
	w.Buffer = append(w.Buffer, '"')
}

// Raw writes a value that is already JSON, byte for byte.
func (w *Writer) Raw(name string, value []byte) {
	w.key(name)
	w.Buffer = append(w.Buffer, value...)
}

// OrNull returns nil for the zero value, which is null in JSON.
func OrNull[T comparable](value T) *T {
	var none T
	if value == none {
		return nil
	}
	return &value
}
