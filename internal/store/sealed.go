package store

import (
	"context"
	"slices"
)

// SealedColumn is a column whose values are sealed under the master key.
type SealedColumn struct{ table, key, column string }

// The sealed columns. The values of each are sealed for an owner that follows from the
// key of the row.
var (
	SealedAPIKeys     = SealedColumn{apiKeys.name, "key_id", "secret"}
	SealedEndpoints   = SealedColumn{endpoints.name, "partner_id", "secret"}
	SealedNextSecrets = SealedColumn{endpoints.name, "partner_id", "next_secret"}
	SealedTOTPSecrets = SealedColumn{signIns.name, "person_id", "totp_secret"}
	SealedMails       = SealedColumn{mails.name, "mail_id", "sealed"}
	sealedColumns     = []SealedColumn{SealedAPIKeys, SealedEndpoints, SealedNextSecrets, SealedTOTPSecrets, SealedMails}
)

// String returns the name of the column with its table.
func (c SealedColumn) String() string { return c.table + "." + c.column }

// SealedColumns lists all sealed columns.
func SealedColumns() []SealedColumn { return slices.Clone(sealedColumns) }

// SealedValue is a value of a sealed column.
type SealedValue struct {
	Key    string // of its row
	Sealed []byte
}

// Resealed is a value that has been sealed again.
type Resealed struct {
	SealedValue
	Again []byte
}

// SealedAfter lists values of a column, in the order of their keys, that come after
// one. Empty values are left out.
func (s *Store) SealedAfter(ctx context.Context, of SealedColumn, after string, limit int) (found []SealedValue, err error) {
	err = s.engine.read(ctx, func(c conn) error {
		found = nil
		return c.query(ctx, "SELECT "+of.key+", "+of.column+" FROM "+of.table+" WHERE "+of.key+" > $1 AND length("+of.column+") > 0 ORDER BY "+of.key+" LIMIT $2",
			[]any{after, limit}, func(r row) error {
				var value SealedValue
				err := r.scan(&value.Key, &value.Sealed)
				found = append(found, value)
				return err
			})
	})
	return found, err
}

// Reseal replaces values of a column, in one transaction, by what they were sealed to
// again. A value that has changed since it was read is left alone.
func (s *Store) Reseal(ctx context.Context, of SealedColumn, values []Resealed) (replaced int64, err error) {
	err = s.engine.write(ctx, func(c conn) error {
		replaced = 0
		for _, value := range values {
			rows, err := c.exec(ctx, "UPDATE "+of.table+" SET "+of.column+" = $1 WHERE "+of.key+" = $2 AND "+of.column+" = $3",
				value.Again, value.Key, value.Sealed)
			if err != nil {
				return err
			}
			replaced += rows
		}
		return nil
	})
	return replaced, err
}
