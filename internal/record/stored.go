package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

// AppendListed appends the record that a list has of an order, after a comma unless it is the
// first. It has the fields that docs/contract.md, Orders in responses, gives for lists, with which
// the stored record begins, so it is copied rather than decoded and encoded. It replaces what may
// have changed since. A document that Encode has not written is an error, or is copied as it is.
func AppendListed(buffer []byte, o *delivery.Stored) ([]byte, error) {
	w := strictjson.Writer{Buffer: buffer}
	if _, err := copyListed(&w, o); err != nil {
		return buffer, err
	}
	w.EndObject()
	return w.Buffer, nil
}

// Current returns the complete record of an order as it is now, which is what EncodeCurrent
// returns of the decoded order. It copies the stored record as AppendListed does.
func Current(o *delivery.Stored) ([]byte, error) {
	w := strictjson.Writer{Buffer: make([]byte, 0, len(o.Document)+256+128*len(o.Moves))}
	rest, err := copyListed(&w, o)
	if err != nil {
		return nil, err
	}
	// Metadata may have members of any name, but they come before it.
	at := bytes.LastIndex(rest, []byte(`,"status_history":[`))
	history, whole := bytes.CutSuffix(rest[max(at, 0):], []byte("]}"))
	if at < 0 || !whole {
		return nil, errors.New("the record of an order lacks its history")
	}
	w.Buffer = append(append(w.Buffer, afterListed...), rest[:at]...)
	writeCourier(&w, o.Courier)
	w.Buffer = append(w.Buffer, history...)
	writeEntries(&w, o.Moves, o.Course.Collected, false)
	w.EndList()
	writeCancellation(&w, o.Cancellation)
	writeCourse(&w, o.Version, &o.Course, false)
	writeCancellationRequest(&w, o.Course.Request)
	writeReturn(&w, o.Course.Return)
	w.EndObject()
	return w.Buffer, nil
}

const (
	afterParcels = `],"rate_cents":`
	// afterListed is where a record goes on after the members that lists have.
	afterListed = `,"livemode":`
)

// copyListed writes the members that lists have, in an object that it leaves open, and
// returns what follows afterListed in the stored record.
func copyListed(w *strictjson.Writer, o *delivery.Stored) (rest []byte, err error) {
	c := cutter{rest: o.Document}
	head := c.before(`,"status":"`)
	c.before(`"`)
	parcels := c.before(afterParcels) // has few brackets, so that this is found sooner than the next mark
	rate := c.before(`,"estimated_delivery":"`)
	c.before(`"`)
	created := c.before(`,"updated_at":"`)
	c.before(afterListed)
	if c.missing != "" || len(head) == 0 || head[0] != '{' || !bytes.HasSuffix(c.rest, []byte{'}'}) {
		return nil, fmt.Errorf("the record of an order lacks %s or is cut off", c.missing)
	}
	w.Raw("", head)
	w.Text("status", string(o.Status))
	w.Buffer = append(w.Buffer, parcels...)
	w.Buffer = append(w.Buffer, afterParcels...)
	w.Buffer = append(w.Buffer, rate...)
	w.Time("estimated_delivery", o.EstimatedDelivery)
	w.Buffer = append(w.Buffer, created...)
	w.Time("updated_at", o.UpdatedAt)
	return c.rest, nil
}

// cutter cuts a record before the members that are searched for, in their order.
//
// The text of a mark is only found where the member is: inside of a string, every
// quotation mark follows a backslash, and in a mark none does.
type cutter struct {
	rest    []byte
	missing string // the first mark that was not found
}

// before returns what is before a mark, and goes on behind it.
func (c *cutter) before(mark string) []byte {
	at := bytes.Index(c.rest, []byte(mark))
	if at < 0 {
		c.lacks(mark)
		return nil
	}
	found := c.rest[:at]
	c.rest = c.rest[at+len(mark):]
	return found
}

// lacks notes that a mark is not there, or not what should follow it.
func (c *cutter) lacks(mark string) { c.missing = cmp.Or(c.missing, mark) }
