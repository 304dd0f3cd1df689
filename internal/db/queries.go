package db

import "context"

// ByID looks rows up by one column of text.
func ByID(name string) []Column[*string] {
	return Key(Text(name, func(id *string) *string { return id }))
}

// IDs returns the one column of text that a query reads.
func IDs(ctx context.Context, c Conn, sql string, args ...any) (found []string, err error) {
	err = c.Query(ctx, sql, args, func(r Row) error {
		var id string
		err := r.Scan(&id)
		found = append(found, id)
		return err
	})
	return found, err
}

// Exists reports whether a query finds a row.
func Exists(ctx context.Context, c Conn, sql string, args ...any) (known bool, err error) {
	err = c.Query(ctx, sql, args, func(Row) error {
		known = true
		return nil
	})
	return known, err
}
