package store

import (
	"context"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// randomWord returns a random word. Many begin alike.
func randomWord(random *rand.Rand) string {
	word := string([]rune("abé5")[random.IntN(4)])
	for range 4 + random.IntN(11) {
		word += string("ab5"[random.IntN(3)])
	}
	return word
}

// TestBoundaries adds and removes rows of the embedded index at random: no boundary of its pages names a word that is
// gone, the index is whole by its own check, and finds what it has.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	s, err := OpenSQLite(t.Context(), MigratedSQLite(t))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = s.Close() })
	for round := range testkit.Scaled(100, 8) {
		random := repeatable.Rand(t, fmt.Sprint("boundaries ", round))
		rows, next := map[int64]*foundBy{}, int64(0)
		write := func(fn func(ctx context.Context, c db.Conn) error) {
			if err := s.Write(context.Background(), func(c db.Conn) error {
				return fn(context.Background(), c)
			}); err != nil {
				t.Fatal(err)
			}
		}
		for range testkit.Scaled(12, 3) {
			write(func(ctx context.Context, c db.Conn) error {
				for range random.IntN(120) {
					next++
					row := &foundBy{order.OrderKey{PartnerID: "par_1", OrderID: fmt.Sprint("ord_", next)}, next,
						randomWord(random)}
					for range random.IntN(12) {
						row.words += " " + randomWord(random)
					}
					rows[next] = row
					if _, err := c.Exec(ctx, "INSERT INTO index_words (rowid, words) VALUES ($1, $2)", row.number,
						row.text()); err != nil {
						return err
					}
				}
				return nil
			})
			write(func(ctx context.Context, c db.Conn) error {
				var removed []*foundBy
				for number, row := range rows {
					if number%3 == next%3 {
						removed = append(removed, row)
						delete(rows, number)
					}
				}
				slices.SortFunc(removed, func(a, b *foundBy) int { return int(a.number - b.number) })
				for _, row := range removed {
					if err := forget(ctx, c, row); err != nil {
						return err
					}
				}
				return forgetBoundaries(ctx, c, removed)
			})
			write(func(ctx context.Context, c db.Conn) error {
				checkBoundaries(ctx, t, c, rows)
				return nil
			})
		}
		write(func(ctx context.Context, c db.Conn) error {
			for _, row := range rows {
				if err := forget(ctx, c, row); err != nil {
					return err
				}
			}
			return forgetBoundaries(ctx, c, slices.Collect(maps.Values(rows)))
		})
	}
}

// checkBoundaries compares an index with the rows that it has.
func checkBoundaries(ctx context.Context, t *testing.T, c db.Conn, rows map[int64]*foundBy) {
	t.Helper()
	having := map[string][]int64{}
	for number, row := range rows {
		for word := range strings.FieldsSeq(row.text()) {
			if !slices.Contains(having[word], number) {
				having[word] = append(having[word], number)
			}
		}
	}
	if err := c.Query(ctx, "SELECT term FROM index_words_idx", nil, func(r db.Row) error {
		var term []byte
		err := r.Scan(&term)
		word, whole := strings.CutPrefix(string(term), wholeWords)
		known := !whole || word == afterWords
		for one := range having {
			known = known || strings.HasPrefix(one, word)
		}
		if !known {
			t.Errorf("got the boundary %q, which no row has", word)
		}
		return err
	}); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Exec(ctx, "INSERT INTO index_words (index_words, rank) VALUES ('integrity-check', 0)"); err != nil {
		t.Fatal(err)
	}
	for word, numbers := range having {
		if len(numbers) == 1 && numbers[0]%8 > 0 {
			continue // the others show it
		}
		var got []int64
		if err := c.Query(ctx, "SELECT rowid FROM index_words WHERE index_words MATCH $1 ORDER BY rowid", []any{`"` + word + `"`},
			func(r db.Row) error {
				var number int64
				err := r.Scan(&number)
				got = append(got, number)
				return err
			}); err != nil {
			t.Fatal(err)
		}
		if slices.Sort(numbers); !slices.Equal(got, numbers) {
			t.Errorf("%q: got the rows %v, want %v", word, got, numbers)
		}
	}
}
