package store

import (
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strconv"
	"strings"
)

// The reasons for which a copy is not made, or not trusted.
var (
	ErrOtherData  = errors.New("the target holds other data: copy into an empty database")
	ErrUnfinished = errors.New("the database is an unfinished copy of another: run dropyard copy again until it is complete")
	ErrDiffers    = errors.New("source and target differ, so the source was changed meanwhile: stop the service, empty the target, and copy again")
)

// Copy moves all that one database holds to another, of whatever engines.
// Each batch is committed together with how far it got, in the target's
// settings, so that a copy that was broken off goes on where it was. At the
// end both sides are read again and compared.
type Copy struct {
	From, To *Store
	// Batch is how many rows go into one transaction; 0 is a good number.
	Batch int
	// Told is told after every batch how many rows of a table are done; may be
	// nil.
	Told func(table string, rows int64)
}

// CopiedTable is a table that is the same on both sides.
type CopiedTable struct {
	Table    string
	Rows     int64
	Checksum string // of all rows, in any order
}

const (
	defaultBatch = 4000
	// batchBytes ends a batch early, because rows may be large.
	batchBytes = 4 << 20
)

// OpenSQLiteAlone opens an embedded database that must exist already, and that
// nobody else may have open.
func OpenSQLiteAlone(ctx context.Context, path string) (*Store, error) {
	held, err := seize(ctx, path)
	if err != nil {
		return nil, err
	}
	if err := held.Close(); err != nil {
		return nil, err
	}
	return OpenSQLite(ctx, path)
}

// Run copies what is still missing and compares everything.
func (c *Copy) Run(ctx context.Context) (copied []CopiedTable, err error) {
	defer func() {
		if err != nil && ctx.Err() != nil { // which engines call by other names
			err = ctx.Err()
		}
	}()
	tables, err := c.tables(ctx)
	if err != nil {
		return nil, err
	}
	err = c.From.hold(ctx, func(source conn) error {
		if err := c.begin(ctx, source, tables); err != nil {
			return err
		}
		for _, t := range tables {
			if err := c.copyTable(ctx, source, t); err != nil {
				return fmt.Errorf("copy %s: %w", t.name, err)
			}
		}
		return nil
	})
	if err != nil {
		return nil, err
	}
	if copied, err = c.compare(ctx, tables); err != nil {
		return copied, err
	}
	return copied, c.To.engine.write(ctx, func(target conn) error {
		_, err := target.exec(ctx, "DELETE FROM settings WHERE name LIKE $1", progressPrefix+"%")
		return err
	})
}

// CheckWhole refuses a database that a copy has begun to fill and not finished.
func (s *Store) CheckWhole(ctx context.Context) error {
	if begun, err := s.Setting(ctx, progressSource); err != nil || begun == "" {
		return err
	}
	return ErrUnfinished
}

// hold runs fn on a view of the database that stays as it is. Nobody can write
// to an embedded one meanwhile.
func (s *Store) hold(ctx context.Context, fn func(conn) error) error {
	if _, embedded := s.engine.(*sqliteEngine); embedded {
		return s.engine.write(ctx, fn)
	}
	return s.engine.read(ctx, fn)
}

// tables are the tables of both sides, which must be the same.
func (c *Copy) tables(ctx context.Context) ([]*storedTable, error) {
	source, err := c.From.schema(ctx)
	if err != nil {
		return nil, err
	}
	target, err := c.To.schema(ctx)
	if err != nil {
		return nil, err
	}
	if err := c.From.CheckWhole(ctx); err != nil {
		return nil, fmt.Errorf("the source: %w", err)
	}
	return source, sameSchema(source, target)
}

func sameSchema(a, b []*storedTable) error {
	describe := func(t *storedTable) string { return fmt.Sprint(*t) }
	for _, t := range append(slices.Clone(a), b...) {
		find := func(tables []*storedTable) string {
			at := slices.IndexFunc(tables, func(other *storedTable) bool { return other.name == t.name })
			if at < 0 {
				return "nothing"
			}
			return describe(tables[at])
		}
		if left, right := find(a), find(b); left != right {
			return fmt.Errorf("the databases differ in the table %s: %s here, %s there", t.name, left, right)
		}
		if len(t.keys) == 0 {
			return fmt.Errorf("the table %s has no primary key", t.name)
		}
	}
	return nil
}

func (c *Copy) batch() int {
	if c.Batch > 0 {
		return c.Batch
	}
	return defaultBatch
}

// copyTable copies the rows that the target does not have yet.
func (c *Copy) copyTable(ctx context.Context, source conn, t *storedTable) error {
	at, text, err := c.reached(ctx, t)
	if err != nil {
		return err
	}
	insert := newSet(insertNew, t.name, t.keys, t.rest)
	for !at.Done {
		rows, err := t.page(ctx, source, at.Last, c.batch())
		if err != nil {
			return err
		}
		next := progress{Rows: at.Rows + int64(len(rows)), Last: at.Last, Done: len(rows) == 0}
		if len(rows) > 0 {
			next.Last = t.keyOf(rows[len(rows)-1])
		}
		if text, err = c.commit(ctx, insert, text, next, t.own(rows)); err != nil {
			return err
		}
		at = next
		if c.Told != nil {
			c.Told(t.name, at.Rows)
		}
	}
	return nil
}

// value is what one column holds.
type value struct {
	kind    columnKind
	text    string
	integer int64
	bytes   []byte
}

func (v *value) bind(b binder) {
	switch v.kind {
	case textColumn:
		b.text(v.text)
	case integerColumn:
		b.integer(v.integer)
	case bytesColumn:
		b.bytes(v.bytes)
	}
}

// into is where a column is read to.
func (v *value) into() any {
	switch v.kind {
	case textColumn:
		return &v.text
	case integerColumn:
		return &v.integer
	default:
		return &v.bytes
	}
}

func (v *value) size() int { return len(v.text) + len(v.bytes) + 8 }

// String writes a value of a key so that parseValue can read it.
func (v *value) String() string {
	switch v.kind {
	case textColumn:
		return v.text
	case integerColumn:
		return strconv.FormatInt(v.integer, 10)
	default:
		return hex.EncodeToString(v.bytes)
	}
}

// parseValue reads what String has written, as a parameter.
func parseValue(kind columnKind, text string) (any, error) {
	switch kind {
	case textColumn:
		return text, nil
	case integerColumn:
		return strconv.ParseInt(text, 10, 64)
	default:
		return hex.DecodeString(text)
	}
}

// own leaves out of the settings what copies themselves keep there.
func (t *storedTable) own(rows [][]value) [][]value {
	if t.name != "settings" {
		return rows
	}
	return slices.DeleteFunc(rows, func(row []value) bool {
		return strings.HasPrefix(row[len(row)-1].text, progressPrefix)
	})
}

func (t *storedTable) keyOf(row []value) []string {
	key := make([]string, len(t.keys))
	for i := range t.keys {
		key[i] = row[len(t.rest)+i].String()
	}
	return key
}

// page reads the rows that follow a key, in the order of keys that this engine
// has: texts are not sorted alike everywhere.
func (t *storedTable) page(ctx context.Context, c conn, after []string, limit int) (rows [][]value, err error) {
	text := "SELECT " + names(t.columns()) + " FROM " + t.name
	var args []any
	if len(after) > 0 {
		numbers := each(t.keys, ", ", func(i int, _ columnSpec) string { return fmt.Sprintf("$%d", i+1) })
		text += " WHERE (" + names(t.keys) + ") > (" + numbers + ")"
		if len(after) != len(t.keys) {
			return nil, fmt.Errorf("%q is no key of %s", after, t.name)
		}
		for i, key := range t.keys {
			arg, err := parseValue(key.kind, after[i])
			if err != nil {
				return nil, err
			}
			args = append(args, arg)
		}
	}
	text += " ORDER BY " + names(t.keys) + " LIMIT " + strconv.Itoa(limit)
	room := batchBytes
	err = c.query(ctx, text, args, func(r row) error {
		if room <= 0 {
			return errPageFull
		}
		values, size, err := t.scan(r)
		rows, room = append(rows, values), room-size
		return err
	})
	if errors.Is(err, errPageFull) {
		err = nil
	}
	return rows, err
}

func (t *storedTable) scan(r row) (values []value, size int, err error) {
	columns := t.columns()
	values = make([]value, len(columns))
	dest := make([]any, len(columns))
	for i, c := range columns {
		values[i].kind = c.kind
		dest[i] = values[i].into()
	}
	err = r.scan(dest...)
	for i := range values {
		size += values[i].size()
	}
	return values, size, err
}

// digest sums up rows in any order: the sum of their SHA-256, as numbers of
// 256 bits. Primary keys make all rows different.
type digest struct {
	rows int64
	sum  [4]uint64
}

func (d *digest) add(row []value) {
	var encoded []byte
	for i := range row {
		switch v := &row[i]; v.kind {
		case integerColumn:
			encoded = binary.BigEndian.AppendUint64(encoded, uint64(v.integer))
		case textColumn:
			encoded = append(binary.AppendUvarint(encoded, uint64(len(v.text))), v.text...)
		case bytesColumn:
			encoded = append(binary.AppendUvarint(encoded, uint64(len(v.bytes))), v.bytes...)
		}
	}
	hash := sha256.Sum256(encoded)
	carry := uint64(0)
	for i := range d.sum {
		d.sum[i], carry = bits.Add64(d.sum[i], binary.BigEndian.Uint64(hash[8*i:]), carry)
	}
	d.rows++
}

func (d *digest) String() string {
	return fmt.Sprintf("%016x%016x%016x%016x", d.sum[0], d.sum[1], d.sum[2], d.sum[3])
}

func digestOf(ctx context.Context, c conn, t *storedTable, batch int) (*digest, error) {
	d := &digest{}
	var last []string
	for {
		rows, err := t.page(ctx, c, last, batch)
		if err != nil || len(rows) == 0 {
			return d, err
		}
		last = t.keyOf(rows[len(rows)-1])
		for _, row := range t.own(rows) {
			d.add(row)
		}
	}
}

// compare reads both sides again, at once. When one of them fails there is no
// reason to read the other to its end.
func (c *Copy) compare(ctx context.Context, tables []*storedTable) ([]CopiedTable, error) {
	ctx, giveUp := context.WithCancelCause(ctx)
	defer giveUp(nil)
	digests := func(reading func(context.Context, func(conn) error) error) <-chan side {
		result := make(chan side, 1)
		go func() {
			var found side
			found.err = reading(ctx, func(of conn) error {
				found.digests = nil
				for _, t := range tables {
					d, err := digestOf(ctx, of, t, c.batch())
					if err != nil {
						return fmt.Errorf("read %s again: %w", t.name, err)
					}
					found.digests = append(found.digests, d)
				}
				return nil
			})
			if found.err != nil {
				giveUp(found.err)
			}
			result <- found
		}()
		return result
	}
	fromSide, toSide := digests(c.From.hold), digests(c.To.engine.read)
	from, to := <-fromSide, <-toSide
	if from.err != nil || to.err != nil {
		return nil, context.Cause(ctx) // what failed first; the other was stopped for it
	}
	var same []CopiedTable
	var differ []string
	for i, t := range tables {
		a, b := from.digests[i], to.digests[i]
		if *a != *b {
			differ = append(differ, fmt.Sprintf("%s (%d rows and %d)", t.name, a.rows, b.rows))
			continue
		}
		same = append(same, CopiedTable{t.name, a.rows, a.String()})
	}
	if len(differ) > 0 {
		return same, fmt.Errorf("%w: %s", ErrDiffers, strings.Join(differ, ", "))
	}
	return same, nil
}

// side is one side of a comparison.
type side struct {
	digests []*digest
	err     error
}
