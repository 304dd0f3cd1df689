package store

import (
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
