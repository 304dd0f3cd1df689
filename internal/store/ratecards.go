package store

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/ratecard"
)

var (
	_ ratecard.Reader = (*Tx)(nil)
	_ ratecard.Writer = (*Tx)(nil)
)

// RateCardStore is the store as the rate card room sees it.
func (s *Store) RateCardStore() ratecard.Store { return View[ratecard.Reader, ratecard.Writer]{s} }

var (
	cardKeys    = texts("card_id")
	cardColumns = slices.Concat(texts("card_id", "name", "version", "operator_id", "document"), integers("effective_from", "created_at"))
	findCards   = newSet(lookUp, "rate_cards", cardKeys, cardColumns)
)

// RateCardIDs lists the ids of all rate cards.
func (tx *Tx) RateCardIDs(ctx context.Context) (ids []string, err error) {
	err = tx.conn.query(ctx, "SELECT card_id FROM rate_cards", nil, func(r row) error {
		var id string
		err := r.scan(&id)
		ids = append(ids, id)
		return err
	})
	return ids, err
}

// RateCards reads rate cards.
func (tx *Tx) RateCards(ctx context.Context, ids []string) (found []*ratecard.Entry, err error) {
	key := func(i int, b binder) { b.text(ids[i]) }
	err = tx.conn.find(ctx, findCards, len(ids), key, func(r row) error {
		e := &ratecard.Entry{}
		err := r.scan(&e.CardID, &e.Name, &e.Version, &e.OperatorID, &e.Document, &e.EffectiveFrom, &e.CreatedAt)
		found = append(found, e)
		return err
	})
	return found, err
}

// AddRateCard adds a rate card. It is false if its version is in use.
func (tx *Tx) AddRateCard(ctx context.Context, e *ratecard.Entry) (added bool, err error) {
	rows, err := tx.conn.exec(ctx, `INSERT INTO rate_cards (card_id, name, version, effective_from, created_at, operator_id, document)
		VALUES ($1, $2, $3, $4, $5, $6, $7) ON CONFLICT (version) DO NOTHING`,
		e.CardID, e.Name, e.Version, e.EffectiveFrom, e.CreatedAt, e.OperatorID, string(e.Document))
	return rows == 1, err
}
