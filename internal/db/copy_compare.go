package db

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"fmt"
	"math/bits"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/foundation/progress"
)

// compare reads both databases again and returns the tables that are the same.
// If there are others, it returns ErrDiffers.
func (c *Copy) compare(ctx context.Context, tables []*StoredTable) (same []CopiedTable, err error) {
	from, to, err := c.digests(ctx, tables)
	if err != nil {
		return nil, err
	}
	var differ []string
	for i, t := range tables {
		if *from[i] != *to[i] {
			differ = append(differ, fmt.Sprintf("%s (%d rows and %d)", t.Name, from[i].rows, to[i].rows))
			continue
		}
		same = append(same, CopiedTable{t.Name, from[i].rows, from[i].String()})
	}
	if len(differ) > 0 {
		return same, fmt.Errorf("%w: %s", ErrDiffers, strings.Join(differ, ", "))
	}
	return same, nil
}

// digests reads both databases, side by side. If reading one of them fails, it
// stops reading the other, which may take minutes, and returns the first error.
func (c *Copy) digests(ctx context.Context, tables []*StoredTable) (from, to []*digest, err error) {
	ctx, stop := context.WithCancelCause(ctx)
	defer stop(nil)
	var reading sync.WaitGroup
	read := func(ctx context.Context, digests *[]*digest, view func(context.Context, func(Conn) error) error) {
		reading.Go(func() {
			err := view(ctx, func(of Conn) (err error) {
				*digests, err = c.digestAll(ctx, of, tables)
				return err
			})
			if err != nil {
				stop(err)
			}
		})
	}
	read(ctx, &from, c.From.engine.hold)
	read(progress.With(ctx, nil), &to, c.To.engine.read) // one of the two reports
	reading.Wait()
	return from, to, context.Cause(ctx)
}

func (c *Copy) digestAll(ctx context.Context, of Conn, tables []*StoredTable) ([]*digest, error) {
	digests := make([]*digest, len(tables))
	done := int64(0)
	for i, t := range tables {
		var err error
		if digests[i], err = digestOf(ctx, of, t, c.batch()); err != nil {
			return nil, fmt.Errorf("read %s again: %w", t.Name, err)
		}
		done += digests[i].rows
		progress.Report(ctx, "comparing", done, c.total)
	}
	return digests, nil
}

// digest is a checksum of rows that does not depend on their order: the sum of
// their SHA-256, as numbers of 256 bits. Rows differ by their primary keys, so
// that none can make up for another.
type digest struct {
	rows int64
	sum  [4]uint64 // the most significant word last
}

// digestOf returns the checksum of a table, without what copies keep there.
func digestOf(ctx context.Context, c Conn, t *StoredTable, batch int) (*digest, error) {
	d := &digest{}
	var last keyText
	for {
		rows, err := t.page(ctx, c, last, batch)
		if err != nil || len(rows) == 0 {
			return d, err
		}
		last = t.keyOf(rows[len(rows)-1])
		for _, row := range withoutProgress(t, rows) {
			d.add(t.encode(row))
		}
	}
}

func (d *digest) add(encoded []byte) {
	hash := sha256.Sum256(encoded)
	carry := uint64(0)
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.BigEndian.Uint64(hash[8*i:]), carry)
	}
	d.rows++
}

// encode writes a row so that no two rows of a table look the same.
func (t *StoredTable) encode(row *storedRow) []byte {
	var encoded []byte
	for i, column := range t.Columns {
		switch v := row.values[i]; column.Kind {
		case IntegerKind:
			encoded = binary.BigEndian.AppendUint64(encoded, uint64(v.integer))
		case TextKind:
			encoded = append(binary.AppendUvarint(encoded, uint64(len(v.text))), v.text...)
		case BytesKind:
			encoded = append(binary.AppendUvarint(encoded, uint64(len(v.bytes))), v.bytes...)
		}
	}
	return encoded
}

func (d *digest) String() string {
	return fmt.Sprintf("%016x%016x%016x%016x", d.sum[0], d.sum[1], d.sum[2], d.sum[3])
}
