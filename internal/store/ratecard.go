package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/ratecard"
)

var (
	rateCards = db.NewTable("rate_cards",
		db.Key(db.Text("card_id", func(e *ratecard.Entry) *string { return &e.CardID })),
		db.Text("name", func(e *ratecard.Entry) *string { return &e.Name }),
		db.Text("version", func(e *ratecard.Entry) *string { return &e.Version }),
		db.Text("operator_id", func(e *ratecard.Entry) *string { return &e.OperatorID }),
		db.Moment("effective_from", func(e *ratecard.Entry) *time.Time { return &e.EffectiveFrom }),
		db.Moment("created_at", func(e *ratecard.Entry) *time.Time { return &e.CreatedAt }),
		db.Document("document", func(e *ratecard.Entry) *[]byte { return &e.Document }),
	)
	addRateCards  = rateCards.Insert()
	findRateCards = db.LookUpBy(db.ByID("card_id"), rateCards)
)

// RateCards is the store as package ratecard sees it.
func (s *Store) RateCards() ratecard.Store {
	return view[ratecard.Reader, ratecard.Writer]{s.Database,
		func(c db.Conn) ratecard.Reader { return ratecardTx{auditing{c}} },
		func(c db.Conn) ratecard.Writer { return ratecardTx{auditing{c}} }}
}

// ratecardTx is a transaction of package ratecard.
type ratecardTx struct{ auditing }

// CardIDs lists the ids of all rate cards.
func (tx ratecardTx) CardIDs(ctx context.Context) ([]string, error) {
	return db.IDs(ctx, tx.conn, "SELECT card_id FROM rate_cards")
}

// Cards returns rate cards, in no order, without Card.
func (tx ratecardTx) Cards(ctx context.Context, cardIDs []string) ([]*ratecard.Entry, error) {
	return db.FindNow(ctx, tx.conn, findRateCards, cardIDs...)
}

// AddCard adds a rate card. It is false if its version is in use.
func (tx ratecardTx) AddCard(ctx context.Context, entry *ratecard.Entry) (added bool, err error) {
	rows, err := db.WriteNow(ctx, tx.conn, addRateCards, entry)
	return rows == 1, err
}
