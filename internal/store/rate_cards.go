package store

import (
	"time"

	"github.com/dropyard/dropyard/internal/ratecard"
)

var (
	rateCards = newTable("rate_cards",
		key(text("card_id", func(e *ratecard.Entry) *string { return &e.CardID })),
		text("name", func(e *ratecard.Entry) *string { return &e.Name }),
		text("version", func(e *ratecard.Entry) *string { return &e.Version }),
		text("operator_id", func(e *ratecard.Entry) *string { return &e.OperatorID }),
		moment("effective_from", func(e *ratecard.Entry) *time.Time { return &e.EffectiveFrom }),
		moment("created_at", func(e *ratecard.Entry) *time.Time { return &e.CreatedAt }),
		document("document", func(e *ratecard.Entry) *[]byte { return &e.Document }),
	)
	addRateCards  = rateCards.insert()
	findRateCards = lookUpBy(byID("card_id"), rateCards)
)
