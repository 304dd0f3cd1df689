package record

import (
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// ValuesOf returns what fields of an order hold, as a request would have it: JSON, or null for
// what the order does not have. Fields are paths such as dropoff.phone.
func ValuesOf(o *delivery.OrderRequest, fields []string) ([][]byte, error) {
	if len(fields) == 0 {
		return nil, nil
	}
	content, err := strictjson.ParseTrusted(EncodeRequest(o))
	if err != nil {
		return nil, err
	}
	values := make([][]byte, len(fields))
	for i, field := range fields {
		var at form.Source = content
		for name := range strings.SplitSeq(field, ".") {
			at = at.Member(name)
		}
		if values[i] = at.Raw(); len(values[i]) == 0 {
			values[i] = []byte("null")
		}
	}
	return values, nil
}
