package sqlitefile

import (
	"encoding/binary"
	"math"
)

// parseRecord returns the columns of a row, as far as they are in the payload
// (section 2.1 of the format).
func parseRecord(payload []byte) (columns []any) {
	size, _, ok := varint(payload)
	if !ok || size > uint64(len(payload)) {
		return nil
	}
	_, types, _ := varint(payload[:size])
	values := payload[size:]
	for len(types) > 0 {
		var kind uint64
		if kind, types, ok = varint(types); !ok {
			return columns
		}
		length := lengthOf(kind)
		if length > uint64(len(values)) {
			return columns
		}
		columns = append(columns, valueOf(kind, values[:length]))
		values = values[length:]
	}
	return columns
}

// lengthOf returns the length in bytes of a value.
func lengthOf(kind uint64) uint64 {
	switch {
	case kind >= 12:
		return (kind - 12) / 2
	case kind == 5:
		return 6
	case kind == 6 || kind == 7:
		return 8
	case kind <= 4:
		return kind
	default: // 8 and 9 are the numbers 0 and 1
		return 0
	}
}

func valueOf(kind uint64, b []byte) any {
	switch {
	case kind == 0 || kind == 10 || kind == 11:
		return nil
	case kind == 7:
		return math.Float64frombits(binary.BigEndian.Uint64(b))
	case kind == 8 || kind == 9:
		return int64(kind - 8)
	case kind >= 12 && kind%2 == 0:
		return b
	case kind >= 12:
		return string(b)
	}
	value := int64(int8(b[0]))
	for _, next := range b[1:] {
		value = value<<8 | int64(next)
	}
	return value
}
