package db

import "context"

// SealedColumn is a column whose values are sealed under the master key. The values of
// each are sealed for an owner that follows from the key of the row.
type SealedColumn struct{ Table, Key, Column string }

// String returns the name of the column with its table.
func (c SealedColumn) String() string { return c.Table + "." + c.Column }

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
func (d *Database) SealedAfter(
	ctx context.Context, of SealedColumn, after string, limit int,
) (found []SealedValue, err error) {
	err = d.engine.read(ctx, func(c Conn) error {
		found = nil
		return c.Query(ctx, "SELECT "+of.Key+", "+of.Column+" FROM "+of.Table+" WHERE "+of.Key+
			" > $1 AND length("+of.Column+") > 0 ORDER BY "+of.Key+" LIMIT $2",
			[]any{after, limit}, func(r Row) error {
				var value SealedValue
				err := r.Scan(&value.Key, &value.Sealed)
				found = append(found, value)
				return err
			})
	})
	return found, err
}

// Reseal replaces values of a column, in one transaction, by what they were sealed to
// again. A value that has changed since it was read is left alone.
func (d *Database) Reseal(ctx context.Context, of SealedColumn, values []Resealed) (replaced int64, err error) {
	err = d.engine.write(ctx, func(c Conn) error {
		replaced = 0
		for _, value := range values {
			rows, err := c.Exec(ctx, "UPDATE "+of.Table+" SET "+of.Column+" = $1 WHERE "+of.Key+" = $2 AND "+of.Column+" = $3",
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
