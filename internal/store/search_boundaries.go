package store

import (
	"context"
	"strings"

	"github.com/dropyard/dropyard/internal/db"
)

// FTS5 knows the first word of each of its pages, or the beginning of it, by index_words_idx: a boundary. When it
// overwrites an erased word in its pages, it leaves the boundary as it is, until the pages are merged. Any boundary
// serves that is greater than the last word of the page before and at most the first of its own. So one that is the
// beginning of no word any more becomes the next word that there is.
// The format is that of sqlite.org/fts5.html, "FTS5 Data Structures".

// boundary is one of whole words, of a segment.
type boundary struct {
	segment int64
	word    string // or the beginning of one
}

const (
	wholeWords = "0" // begins the boundaries of whole words; "1" and "2" begin those of their beginnings
	afterWords = "\U0010ffff"
)

// forgetBoundaries replaces boundaries that are a word, or the beginning of one, which only rows as they were before
// have.
func forgetBoundaries(ctx context.Context, c db.Conn, before []*foundBy) error {
	if len(before) == 0 {
		return nil
	}
	// Reading the words has FTS5 write what waits in memory, which must happen before boundaries change.
	if _, err := c.Exec(ctx,
		"CREATE VIRTUAL TABLE IF NOT EXISTS temp.index_vocabulary USING fts5vocab(main, index_words, row)"); err != nil {
		return err
	}
	if _, err := nextWord(ctx, c, ""); err != nil {
		return err
	}
	boundaries, err := boundariesOf(ctx, c, before)
	if err != nil {
		return err
	}
	for _, is := range boundaries {
		next, err := nextWord(ctx, c, is.word)
		if err != nil {
			return err
		}
		if strings.HasPrefix(next, is.word) {
			continue
		}
		if _, err := c.Exec(ctx, "UPDATE index_words_idx SET term = $1 WHERE segid = $2 AND term = $3",
			[]byte(wholeWords+next), is.segment, []byte(wholeWords+is.word)); err != nil {
			return err
		}
	}
	return nil
}

// nextWord returns the first word that the index has, at or behind another one; afterWords behind the last.
func nextWord(ctx context.Context, c db.Conn, from string) (next string, err error) {
	next = afterWords
	err = c.Query(ctx, "SELECT term FROM temp.index_vocabulary WHERE term >= $1 ORDER BY term LIMIT 1", []any{from},
		func(r db.Row) error { return r.Scan(&next) })
	return next, err
}

// boundariesOf returns the boundaries that are one of the words of some rows, or begin it.
func boundariesOf(ctx context.Context, c db.Conn, rows []*foundBy) (found []boundary, err error) {
	beginnings := map[string]bool{}
	for _, row := range rows {
		for word := range strings.FieldsSeq(row.text()) {
			for end := range len(word) {
				beginnings[word[:end+1]] = true
			}
		}
	}
	err = c.Query(ctx, "SELECT segid, term FROM index_words_idx", nil, func(r db.Row) error {
		var segment int64
		var term []byte
		err := r.Scan(&segment, &term)
		if word, whole := strings.CutPrefix(string(term), wholeWords); whole && beginnings[word] {
			found = append(found, boundary{segment, word})
		}
		return err
	})
	return found, err
}
