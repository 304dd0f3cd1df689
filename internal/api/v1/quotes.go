package v1

import (
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/pricing"
)

type quoteAnswer struct {
	QuoteID           *string               `json:"quote_id"`
	ServiceLevel      delivery.ServiceLevel `json:"service_level"`
	RateCents         int64                 `json:"rate_cents"`
	Currency          delivery.Currency     `json:"currency"`
	EstimatedDelivery time.Time             `json:"estimated_delivery"`
	TransitDays       int                   `json:"transit_days"` // business days
	ValidUntil        time.Time             `json:"valid_until"`
	Warnings          []delivery.Warning    `json:"warnings,omitzero"`
	Assumed           assumedAnswer         `json:"assumed,omitzero"`
}

type assumedAnswer struct {
	Pickup  placeAnswer `json:"pickup,omitzero"`
	Dropoff placeAnswer `json:"dropoff,omitzero"`
}

type placeAnswer struct {
	City     string `json:"city,omitempty"`
	Province string `json:"province,omitempty"`
}

func answerQuote(quote pricing.Quote) quoteAnswer {
	var id *string
	if quote.QuoteID != "" {
		id = &quote.QuoteID
	}
	return quoteAnswer{
		QuoteID:           id,
		ServiceLevel:      quote.ServiceLevel,
		RateCents:         quote.RateCents,
		Currency:          quote.Currency,
		EstimatedDelivery: quote.EstimatedDelivery,
		TransitDays:       quote.TransitDays,
		ValidUntil:        quote.ValidUntil,
		Warnings:          quote.Warnings,
		Assumed:           assumedAnswer{placeAnswer(quote.Assumed.Pickup), placeAnswer(quote.Assumed.Dropoff)},
	}
}

func (s *Server) handleQuote(c *httpd.Call) (httpd.Reply, error) {
	shipment, err := httpd.Decode(c, delivery.ReadQuoteRequest)
	if err != nil {
		return httpd.Reply{}, err
	}
	quote, err := s.config.Orders.Quote(c.Context(), c.Account, shipment)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(answerQuote(quote))
}

type quotesAnswer struct {
	Quotes     []quoteAnswer `json:"quotes"`
	NotOffered form.Problems `json:"not_offered,omitempty"`
}

func (s *Server) handleQuotes(c *httpd.Call) (httpd.Reply, error) {
	shipment, err := httpd.Decode(c, delivery.ReadQuotesRequest)
	if err != nil {
		return httpd.Reply{}, err
	}
	quotes, notOffered, err := s.config.Orders.Quotes(c.Context(), c.Account, shipment)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer := quotesAnswer{Quotes: make([]quoteAnswer, len(quotes)), NotOffered: notOffered}
	for i, quote := range quotes {
		answer.Quotes[i] = answerQuote(quote)
	}
	return httpd.OK(answer)
}
