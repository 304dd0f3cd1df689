package db

import (
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

type postgresRow struct{ rows pgx.Rows }

func (r postgresRow) Scan(dest ...any) error {
	for i, d := range dest {
		switch d := d.(type) {
		case *time.Time:
			dest[i] = (*microsTime)(d)
		case *bool:
			dest[i] = (*integerFlag)(d)
		case textScanner:
			dest[i] = scannedText{d}
		}
	}
	return r.rows.Scan(dest...)
}

// integerFlag is a bool that is read from 1 or 0.
type integerFlag bool

// ScanInt64 implements pgtype.Int64Scanner.
func (f *integerFlag) ScanInt64(n pgtype.Int8) error {
	*f = n.Int64 != 0
	return nil
}

// scannedText passes a text on to a textScanner.
type scannedText struct{ to textScanner }

// ScanText implements pgtype.TextScanner.
func (t scannedText) ScanText(stored pgtype.Text) error { return t.to.scanText(stored.String) }

// ScanBytes implements pgtype.BytesScanner.
func (p fixedBytes) ScanBytes(stored []byte) error {
	copy(p, stored)
	return nil
}

// microsTime is a time that is read from microseconds.
type microsTime time.Time

// ScanInt64 implements pgtype.Int64Scanner.
func (t *microsTime) ScanInt64(us pgtype.Int8) error {
	*t = microsTime(fromMicros(us.Int64))
	return nil
}
