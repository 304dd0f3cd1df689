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

// Unmarshal decodes what this service itself has written.
func Unmarshal(data []byte, value any) error { return json.Unmarshal(data, value) }

// Writer appends JSON to a buffer, member by member. It exists for the order
// record: written a thousand times a second, and holding metadata that must
// come back byte for byte, which no encoder that formats its input can do.
// Inside a list the name of every element is "".
type Writer struct{ Buffer []byte }

// key writes the comma and the name that come before a value.
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

// Object opens an object; EndObject closes it.
func (w *Writer) Object(name string) {
	w.key(name)
	w.Buffer = append(w.Buffer, '{')
}

// EndObject closes what Object opened.
func (w *Writer) EndObject() { w.Buffer = append(w.Buffer, '}') }

// List opens a list; EndList closes it.
func (w *Writer) List(name string) {
	w.key(name)
	w.Buffer = append(w.Buffer, '[')
}

// EndList closes what List opened.
func (w *Writer) EndList() { w.Buffer = append(w.Buffer, ']') }

// Text writes a string. Text that is no UTF-8 is mended with U+FFFD.
func (w *Writer) Text(name, value string) {
	w.key(name)
	// AppendQuote fails on invalid UTF-8 only, and then has mended it.
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

// Decimal writes a number in the fewest digits that read back the same.
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

// Raw writes a value that is JSON already, byte for byte.
func (w *Writer) Raw(name string, value []byte) {
	w.key(name)
	w.Buffer = append(w.Buffer, value...)
}
