package requestlog

import (
	"bytes"
	"compress/flate"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
)

// Segment holds entries of one partner, which were written together.
type Segment struct {
	PartnerID string
	SegmentID string // sorts by time; not before any of its entries arrived
	// FirstAt and LastAt are when the first and the last of its requests arrived.
	FirstAt, LastAt time.Time
	Requests        int64
	Size            int64  // of Packed, in bytes
	Packed          []byte // the entries
}

// The format of a packed segment: format, the length of the rows, the rows, and the
// bodies, deflated, unless there are none. A row is
//   - the number of its shape; the next number introduces a new shape, which follows,
//   - the time of arrival as the difference from the row before, and the duration, in
//     microseconds,
//   - the random part of the request id, and that of the order id if the shape has one,
//   - the length of the body if the shape has one.
//
// Numbers are varints. Half of a row is random, so compressing rows would cost much and
// gain little.
const format = 1

const (
	requestPrefix = "req_"
	requestRandom = 10 // bytes, in hexadecimal
	orderPrefix   = "ord_"
	orderRandom   = 20 // bytes, in base32
	orderLength   = 36
)

// shape is what many entries of a partner have in common.
type shape struct {
	method, path string // the path up to the order id, if it holds that
	rest         string // of the path behind the order id
	code, keyID  string
	status       int
	flags        flags
}

type flags uint64

const (
	hasOrder  flags = 1 << iota // there is an order id
	inPath                      // it is in the path
	hasBody                     // there is a body
	oddID                       // the request id is not in the usual form, and stored as text
	flagsEnd                    // no flag
	knownBits = flagsEnd - 1
)

// Packer packs entries of one partner, one by one. It can be used again after Pack.
type Packer struct {
	rows     []byte
	bodies   []byte
	shapes   map[shape]uint64
	last     int64 // time of the last row, in microseconds
	first    int64 // the earliest time
	latest   int64
	count    int64
	deflated bytes.Buffer
	deflater *flate.Writer // nil until the first body
}

// Add appends an entry, whose PartnerID is not stored.
func (p *Packer) Add(e *Entry) {
	s, order, request := shapeOf(e)
	if p.shapes == nil {
		p.shapes = map[shape]uint64{}
	}
	number, known := p.shapes[s]
	if !known {
		number = uint64(len(p.shapes))
		p.shapes[s] = number
	}
	p.number(number)
	if !known {
		p.shape(&s)
	}
	at := e.At.UnixMicro()
	p.rows = binary.AppendVarint(p.rows, at-p.last)
	p.number(uint64(max(e.Took.Microseconds(), 0)))
	if s.flags&oddID != 0 {
		p.text(e.RequestID)
	} else {
		p.rows = append(p.rows, request[:]...)
	}
	if s.flags&hasOrder != 0 {
		p.rows = append(p.rows, order[:]...)
	}
	if s.flags&hasBody != 0 {
		p.number(uint64(len(e.Body)))
		p.bodies = append(p.bodies, e.Body...)
	}
	if p.count == 0 {
		p.first, p.latest = at, at
	}
	p.first, p.latest, p.last = min(p.first, at), max(p.latest, at), at
	p.count++
}

func shapeOf(e *Entry) (s shape, order [orderRandom]byte, request [requestRandom]byte) {
	s = shape{method: e.Method, path: e.Path, code: e.Code, keyID: e.KeyID, status: e.Status}
	if len(e.OrderID) == orderLength {
		if n, err := identifier.Encoding.Decode(order[:], []byte(e.OrderID[len(orderPrefix):])); err == nil &&
			n == orderRandom {
			s.flags |= hasOrder
			if before, after, found := strings.Cut(e.Path, e.OrderID); found {
				s.path, s.rest = before, after
				s.flags |= inPath
			}
		}
	}
	if len(e.Body) > 0 {
		s.flags |= hasBody
	}
	if len(e.RequestID) != len(requestPrefix)+2*requestRandom || !decodesTo(request[:], e.RequestID[len(requestPrefix):]) {
		s.flags |= oddID
	}
	return s, order, request
}

func decodesTo(random []byte, digits string) bool {
	_, err := hex.Decode(random, []byte(digits))
	return err == nil
}

func (p *Packer) number(n uint64) { p.rows = binary.AppendUvarint(p.rows, n) }

func (p *Packer) text(text string) {
	p.number(uint64(len(text)))
	p.rows = append(p.rows, text...)
}

func (p *Packer) shape(s *shape) {
	for _, text := range []string{s.method, s.path, s.rest, s.code, s.keyID} {
		p.text(text)
	}
	p.number(uint64(s.status))
	p.number(uint64(s.flags))
}

// Pack returns the segment of the entries that were added since the last Pack, and
// forgets them.
func (p *Packer) Pack(partnerID, segmentID string) (*Segment, error) {
	p.deflated.Reset()
	if len(p.bodies) > 0 {
		if err := p.deflate(); err != nil {
			return nil, err
		}
	}
	packed := make([]byte, 0, 1+binary.MaxVarintLen64+len(p.rows)+p.deflated.Len())
	packed = binary.AppendUvarint(append(packed, format), uint64(len(p.rows)))
	packed = append(append(packed, p.rows...), p.deflated.Bytes()...)
	s := &Segment{
		PartnerID: partnerID, SegmentID: segmentID, Requests: p.count,
		FirstAt: time.UnixMicro(p.first).UTC(), LastAt: time.UnixMicro(p.latest).UTC(),
		Size: int64(len(packed)), Packed: packed,
	}
	p.rows, p.bodies, p.last, p.count = p.rows[:0], p.bodies[:0], 0, 0
	clear(p.shapes)
	return s, nil
}

func (p *Packer) deflate() (err error) {
	if p.deflater == nil {
		if p.deflater, err = flate.NewWriter(nil, flate.BestSpeed); err != nil {
			return err
		}
	}
	p.deflater.Reset(&p.deflated)
	if _, err := p.deflater.Write(p.bodies); err != nil {
		return err
	}
	return p.deflater.Close()
}

// ErrDamaged means that a segment cannot be read.
var ErrDamaged = errors.New("the segment of the request log is damaged")

// maxBodies is the most that the bodies of a segment may inflate to, in bytes.
const maxBodies = 64 << 20

// Entries returns the entries of a segment, in the order in which they were answered.
func (s *Segment) Entries() ([]Entry, error) {
	r := &reader{left: s.Packed}
	if r.byte() != format {
		return nil, fmt.Errorf("%w: unknown format", ErrDamaged)
	}
	rows := r.bytes(r.number())
	bodies, err := inflate(r.left)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrDamaged, err)
	}
	r.left, r.bodies = rows, bodies
	var entries []Entry
	for len(r.left) > 0 && !r.failed {
		entries = append(entries, r.entry(s.PartnerID))
	}
	if r.failed {
		return nil, ErrDamaged
	}
	return entries, nil
}

func inflate(deflated []byte) ([]byte, error) {
	if len(deflated) == 0 {
		return nil, nil
	}
	return io.ReadAll(io.LimitReader(flate.NewReader(bytes.NewReader(deflated)), maxBodies))
}

// reader reads rows. After the end it returns zeros, and failed is set.
type reader struct {
	left   []byte
	bodies []byte
	shapes []shape
	last   int64
	failed bool
}

func (r *reader) byte() byte {
	if read := r.bytes(1); len(read) == 1 {
		return read[0]
	}
	return 0
}

func (r *reader) bytes(n uint64) []byte { return r.from(&r.left, n) }

func (r *reader) from(source *[]byte, n uint64) []byte {
	if n > uint64(len(*source)) {
		r.failed = true
		return nil
	}
	read := (*source)[:n:n]
	*source = (*source)[n:]
	return read
}

func (r *reader) number() uint64 {
	n, size := binary.Uvarint(r.left)
	r.bytes(uint64(max(size, 0)))
	r.failed = r.failed || size <= 0
	return n
}

func (r *reader) signed() int64 {
	n, size := binary.Varint(r.left)
	r.bytes(uint64(max(size, 0)))
	r.failed = r.failed || size <= 0
	return n
}

func (r *reader) text() string { return string(r.bytes(r.number())) }

func (r *reader) shape() shape {
	number := r.number()
	if number == uint64(len(r.shapes)) && !r.failed {
		r.shapes = append(r.shapes, shape{
			method: r.text(), path: r.text(), rest: r.text(), code: r.text(), keyID: r.text(),
			status: int(r.number()), flags: flags(r.number()) & knownBits,
		})
	}
	if number >= uint64(len(r.shapes)) {
		r.failed = true
		return shape{}
	}
	return r.shapes[number]
}

func (r *reader) entry(partnerID string) Entry {
	s := r.shape()
	r.last += r.signed()
	e := Entry{
		PartnerID: partnerID, At: time.UnixMicro(r.last).UTC(), Took: time.Duration(r.number()) * time.Microsecond,
		Method: s.method, Path: s.path, Status: s.status, Code: s.code, KeyID: s.keyID,
	}
	if s.flags&oddID != 0 {
		e.RequestID = r.text()
	} else {
		e.RequestID = requestPrefix + hex.EncodeToString(r.bytes(requestRandom))
	}
	if s.flags&hasOrder != 0 {
		e.OrderID = orderPrefix + identifier.Encoding.EncodeToString(r.bytes(orderRandom))
	}
	if s.flags&inPath != 0 {
		e.Path += e.OrderID + s.rest
	}
	if s.flags&hasBody != 0 {
		e.Body = r.from(&r.bodies, r.number())
	}
	return e
}
