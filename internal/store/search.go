package store

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"
	"unicode"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/search"
)

// Search is the store as package search sees it.
func (s *Store) Search() search.Store {
	return view[search.Reader, search.Writer]{s.Database,
		func(c db.Conn) search.Reader { return searchTx{c} }, func(c db.Conn) search.Writer { return searchTx{c} }}
}

// searchTx is a transaction of package search.
type searchTx struct{ conn db.Conn }

// foundBy is what an order is found by.
type foundBy struct {
	order.OrderKey
	number int64
	words  string
}

var (
	indexOrders = db.NewTable("index_orders",
		db.Key(
			db.Text("partner_id", func(r *foundBy) *string { return &r.PartnerID }),
			db.Text("order_id", func(r *foundBy) *string { return &r.OrderID })),
		db.Integer("number", func(r *foundBy) *int64 { return &r.number }),
		db.Text("words", func(r *foundBy) *string { return &r.words }))
	findIndexed = db.LookUpBy(byOrder, indexOrders)
	findNumbers = db.LookUpSome(db.Key(db.Integer("number", func(n *int64) *int64 { return n })), indexOrders,
		indexOrders.Pick("number"))
	// shareOrders keeps orders from being changed or erased while their words are written.
	shareOrders = db.LookUpBy(byOrder, orders).Locked(db.ForShare)
	saveIndexed = indexOrders.Upsert()
	dropIndexed = db.DeleteFrom(indexOrders, byOrder)

	indexTerms = db.NewTable[string]("index_terms", db.Key(db.Text("term", func(term *string) *string { return term })))
	addTerms   = indexTerms.Insert()
	dropTerms  = db.DeleteFrom(indexTerms, indexTerms.Key)
)

// FilledUntil returns the moment until which the index is known to have all orders.
func (tx searchTx) FilledUntil(ctx context.Context) (at time.Time, err error) {
	err = tx.conn.Query(ctx, "SELECT at FROM index_progress WHERE name = 'orders'", nil,
		func(r db.Row) error { return r.Scan(&at) })
	return at, err
}

// SetFilledUntil writes what FilledUntil returns.
func (tx searchTx) SetFilledUntil(ctx context.Context, at time.Time) error {
	_, err := tx.conn.Exec(ctx, `INSERT INTO index_progress (name, at) VALUES ('orders', $1)
		ON CONFLICT (name) DO UPDATE SET at = excluded.at`, at)
	return err
}

// Accounts lists all accounts that may have orders.
func (tx searchTx) Accounts(ctx context.Context) ([]string, error) {
	return retentionTx{auditing(tx)}.Accounts(ctx)
}

// Missing lists the orders of an account that the index lacks.
func (tx searchTx) Missing(ctx context.Context, account, after, end string, limit int) ([]string, error) {
	return db.IDs(ctx, tx.conn, `SELECT order_id FROM orders AS o WHERE partner_id = $1 AND order_id > $2 AND order_id < $3
		AND NOT EXISTS (SELECT 1 FROM index_orders AS i WHERE i.partner_id = $1 AND i.order_id = o.order_id)
		ORDER BY order_id LIMIT $4`, account, after, end, limit)
}

// EditedSince lists the orders on the board that have changed since a time, and all whose original record is
// kept. An edit leaves its order in one of the two.
func (tx searchTx) EditedSince(
	ctx context.Context, since time.Time, after search.Key, limit int,
) (found []search.Key, err error) {
	err = tx.conn.Query(ctx, `SELECT partner_id, order_id FROM (
			SELECT partner_id, order_id FROM open_orders WHERE updated_at >= $1 AND version > 1
			UNION SELECT partner_id, order_id FROM order_originals) AS changed
		WHERE (partner_id, order_id) > ($2, $3) ORDER BY partner_id, order_id LIMIT $4`,
		[]any{since, after.PartnerID, after.OrderID, limit}, func(r db.Row) error {
			var key search.Key
			err := r.Scan(&key.PartnerID, &key.OrderID)
			found = append(found, key)
			return err
		})
	return found, err
}

// Fill writes the words of orders, which stay as they are until the transaction ends.
func (tx searchTx) Fill(ctx context.Context, keys []search.Key) error {
	byKey := make([]order.OrderKey, len(keys))
	for i, key := range keys {
		byKey[i] = order.OrderKey(key)
	}
	slices.SortFunc(byKey, func(a, b order.OrderKey) int {
		return cmp.Or(cmp.Compare(a.PartnerID, b.PartnerID), cmp.Compare(a.OrderID, b.OrderID))
	})
	rows, err := db.FindNow(ctx, tx.conn, shareOrders, slices.Compact(byKey)...)
	if err != nil {
		return err
	}
	orders := make([]*delivery.Order, len(rows))
	for i, row := range rows {
		orders[i] = row.order()
	}
	return fillIndex(ctx, tx.conn, orders)
}

// fillIndex writes the words of orders, which are locked.
func fillIndex(ctx context.Context, c db.Conn, orders []*delivery.Order) error {
	wanted := make([]*foundBy, len(orders))
	keys := make([]order.OrderKey, len(orders))
	for i, o := range orders {
		keys[i] = order.OrderKey{PartnerID: o.PartnerID, OrderID: o.OrderID}
		wanted[i] = &foundBy{keys[i], numberOf(o.OrderID), search.Of(o)}
	}
	indexed, err := db.FindNow(ctx, c, findIndexed, keys...)
	if err != nil {
		return err
	}
	before := make(map[order.OrderKey]*foundBy, len(indexed))
	for _, row := range indexed {
		before[row.OrderKey] = row
	}
	var added, changed []*foundBy
	for _, row := range wanted {
		switch is := before[row.OrderKey]; {
		case is == nil:
			added = append(added, row)
		case is.words != row.words:
			row.number = is.number
			changed = append(changed, row)
		}
	}
	if err := number(ctx, c, added); err != nil {
		return err
	}
	written := slices.Concat(added, changed)
	if err := db.WriteAllNow(ctx, c, saveIndexed, written...); err != nil || !c.WritesAlone() {
		return err
	}
	replaced := make([]*foundBy, len(changed))
	for i, row := range changed {
		replaced[i] = before[row.OrderKey]
		if err := forget(ctx, c, replaced[i]); err != nil {
			return err
		}
	}
	// FTS5 writes a segment whenever a row's number is not above the one before.
	slices.SortFunc(written, func(a, b *foundBy) int { return cmp.Compare(a.number, b.number) })
	for _, row := range written {
		_, err := c.Exec(ctx, "INSERT INTO index_words (rowid, words) VALUES ($1, $2)", row.number, row.text())
		if err != nil {
			return err
		}
	}
	if err := keepTerms(ctx, c, written, replaced); err != nil {
		return err
	}
	return forgetBoundaries(ctx, c, replaced)
}

// text returns what the embedded index has of a row.
func (r *foundBy) text() string { return r.PartnerID + " " + r.words }

// forget removes a row, as it was written, from the embedded index.
func forget(ctx context.Context, c db.Conn, row *foundBy) error {
	_, err := c.Exec(ctx, "INSERT INTO index_words (index_words, rowid, words) VALUES ('delete', $1, $2)", row.number,
		row.text())
	return err
}

// dropIndex removes the words of orders.
func dropIndex(ctx context.Context, c db.Conn, keys []order.OrderKey) error {
	indexed, err := db.FindNow(ctx, c, findIndexed, keys...)
	if err != nil {
		return err
	}
	if _, err := db.WriteNow(ctx, c, dropIndexed, db.Pointers(keys)...); err != nil || !c.WritesAlone() {
		return err
	}
	for _, row := range indexed {
		if err := forget(ctx, c, row); err != nil {
			return err
		}
	}
	if err := keepTerms(ctx, c, nil, indexed); err != nil {
		return err
	}
	return forgetBoundaries(ctx, c, indexed)
}

// keepTerms keeps the list of all words of the embedded database: it adds those of rows that are written, and
// removes those of rows as they were before that no order has any more.
func keepTerms(ctx context.Context, c db.Conn, written, before []*foundBy) error {
	terms := termsOf(written)
	added := make([]*string, 0, len(terms))
	for term := range terms {
		added = append(added, &term)
	}
	if _, err := db.WriteNow(ctx, c, addTerms, added...); err != nil {
		return err
	}
	for term := range termsOf(before) {
		if terms[term] {
			continue
		}
		has, err := db.Exists(ctx, c, "SELECT 'one' FROM index_words WHERE index_words MATCH $1 LIMIT 1", `"`+term+`"`)
		if err != nil {
			return err
		}
		if !has {
			if _, err := db.WriteNow(ctx, c, dropTerms, &term); err != nil {
				return err
			}
		}
	}
	return nil
}

// termsOf returns the words of rows that have a letter.
func termsOf(rows []*foundBy) map[string]bool {
	terms := map[string]bool{}
	for _, row := range rows {
		for word := range strings.FieldsSeq(row.words) {
			if hasLetter(word) {
				terms[word] = true
			}
		}
	}
	return terms
}

func hasLetter(word string) bool { return strings.ContainsFunc(word, unicode.IsLetter) }

// numberBits are the bits of a number below the milliseconds of the order's creation.
const numberBits = 22

// numberOf returns a number that sorts by the time of an order's creation, and that it shares with hardly
// any other.
func numberOf(orderID string) int64 {
	at, _ := delivery.TimeOfOrder(orderID)
	var random int64
	for _, letter := range []byte(orderID[max(0, len(orderID)-8):]) {
		random = random*31 + int64(letter)
	}
	return at.UnixMilli()<<numberBits | random&(1<<numberBits-1)
}

// number gives rows that are added the next free numbers. The embedded database needs them to be unique, and
// has one writer.
func number(ctx context.Context, c db.Conn, added []*foundBy) error {
	if !c.WritesAlone() {
		return nil
	}
	taken := map[int64]bool{}
	for unsure := added; len(unsure) > 0; {
		numbers := make([]int64, len(unsure))
		for i, row := range unsure {
			numbers[i] = row.number
		}
		found, err := db.FindNow(ctx, c, findNumbers, numbers...)
		if err != nil {
			return err
		}
		for _, row := range found {
			taken[row.number] = true
		}
		var moved []*foundBy
		for _, row := range unsure {
			if taken[row.number] {
				row.number++
				moved = append(moved, row)
				continue
			}
			taken[row.number] = true
		}
		unsure = moved
	}
	return nil
}

// index is how an engine finds the rows of index_orders, named i, by their words.
type index struct {
	from      string
	condition string // with one parameter
	newest    string // sorts by the time of creation
}

var (
	embeddedIndex = index{
		"index_words CROSS JOIN index_orders AS i ON i.number = index_words.rowid", "index_words MATCH ?", "index_words.rowid",
	}
	serverIndex = index{
		"index_orders AS i", "array_to_tsvector(string_to_array(i.words, ' ')) @@ ?::text::tsquery", "i.number",
	}
)

// find returns the index of an engine, and the conditions that an order has all words, and is of a partner
// if one is given.
func find(
	ctx context.Context, c db.Conn, words search.Words, partnerID string,
) (by index, condition string, args []any, err error) {
	terms := make([]string, len(words), len(words)+1)
	if !c.WritesAlone() {
		for i, word := range words {
			terms[i] = beginning(word, "'", ":*")
		}
		condition, args = serverIndex.condition, []any{strings.Join(terms, " & ")}
		if partnerID != "" {
			condition, args = condition+" AND i.partner_id = ?", append(args, partnerID)
		}
		return serverIndex, condition, args, nil
	}
	for i, word := range words {
		if terms[i], err = embeddedTerm(ctx, c, word); err != nil {
			return by, "", nil, err
		}
	}
	if partnerID != "" {
		terms = append(terms, `"`+partnerID+`"`)
	}
	return embeddedIndex, embeddedIndex.condition, []any{strings.Join(terms, " AND ")}, nil
}

// beginning returns a term of an engine's query for a word or, if that is long enough, for those that begin with
// it. A word has letters and digits only, so that it needs no escapes.
func beginning(word, quote, mark string) string {
	if search.ByBeginning(word) {
		return quote + word + quote + mark
	}
	return quote + word + quote
}

const (
	// indexedBeginning is the length of the longest beginnings that the embedded index has itself.
	indexedBeginning = 4
	// mostTerms bounds the words that a beginning stands for: beyond it they are rare ones, such as numbers.
	mostTerms = 100
)

// embeddedTerm returns what the embedded index is asked for a word. Of words with the same beginning it would read
// all orders before it returns the first.
func embeddedTerm(ctx context.Context, c db.Conn, word string) (string, error) {
	if utf8.RuneCountInString(word) <= indexedBeginning || !hasLetter(word) {
		return beginning(word, `"`, "*"), nil
	}
	rows, err := indexTerms.All(ctx, c, "WHERE term >= $1 AND term < $2 ORDER BY term LIMIT $3", word, word+"\U0010ffff",
		mostTerms+1)
	switch {
	case err != nil:
		return "", err
	case len(rows) > mostTerms:
		return beginning(word, `"`, "*"), nil
	case len(rows) == 0:
		return `"` + word + `"`, nil
	}
	terms := make([]string, len(rows))
	for i, row := range rows {
		terms[i] = `"` + *row + `"`
	}
	return "(" + strings.Join(terms, " OR ") + ")", nil
}

// mostMatching bounds the orders of a partner that a page of a list is chosen from.
const mostMatching = 1000

// addWords adds the condition that orders of a partner have all words of a search. Of those that have, it
// takes the newest mostMatching before the given one.
func addWords(ctx context.Context, selected *db.Conditions, c db.Conn, filter order.Filter) error {
	words := search.Parse(filter.Search)
	if len(words) == 0 {
		selected.Add("1 = 0")
		return nil
	}
	by, condition, args, err := find(ctx, c, words, filter.PartnerID)
	if err != nil {
		return err
	}
	if filter.Before != "" {
		condition, args = condition+" AND "+by.newest+" <= ?", append(args, numberOf(filter.Before)+mostMatching)
	}
	selected.Add("order_id IN (SELECT order_id FROM (SELECT i.order_id AS order_id FROM "+by.from+" WHERE "+condition+
		" ORDER BY "+by.newest+" DESC LIMIT ?) AS matching)", append(args, mostMatching)...)
	return nil
}

// OrdersWith returns orders that have all words, newest first, with their histories: of one partner, or of any if
// partnerID is empty, but not those of test accounts.
func (tx dispatchTx) OrdersWith(
	ctx context.Context, partnerID string, words search.Words, limit int,
) ([]*delivery.Order, error) {
	by, condition, args, err := find(ctx, tx.conn, words, partnerID)
	if err != nil {
		return nil, err
	}
	selected := &db.Conditions{}
	selected.Add(condition, args...)
	selected.Add("i.partner_id < ?", delivery.FirstTestID)
	tail, args := selected.Clause("ORDER BY "+by.newest+" DESC LIMIT ?", limit)
	var keys []order.OrderKey
	err = tx.conn.Query(ctx, "SELECT i.partner_id, i.order_id FROM "+by.from+" "+tail, args, func(r db.Row) error {
		var key order.OrderKey
		err := r.Scan(&key.PartnerID, &key.OrderID)
		keys = append(keys, key)
		return err
	})
	if err != nil {
		return nil, err
	}
	byKey, err := ordersByKey(ctx, tx.conn, findOrders, keys)
	found := make([]*delivery.Order, 0, len(keys))
	for _, key := range keys {
		if o := byKey[key]; o != nil {
			found = append(found, o)
		}
	}
	return found, err
}
