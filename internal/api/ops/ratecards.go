package ops

import (
	"regexp"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/go-json-experiment/json/jsontext"
)

type rateCardAnswer struct {
	CardID         string         `json:"card_id"`
	Name           string         `json:"name"`
	Version        string         `json:"version"`
	EffectiveFrom  time.Time      `json:"effective_from"`
	EffectiveUntil *time.Time     `json:"effective_until"` // null if no later card is known
	State          ratecard.State `json:"state"`
	CreatedAt      *time.Time     `json:"created_at"` // null for the built-in card
	CreatedBy      *string        `json:"created_by"` // null for the built-in card
}

func (s *Server) rateCardOf(l ratecard.Listed) rateCardAnswer {
	return rateCardAnswer{
		CardID: l.CardID, Name: l.Name, Version: l.Version, EffectiveFrom: l.EffectiveFrom,
		EffectiveUntil: strictjson.OrNull(l.EffectiveUntil), State: l.StateAt(s.config.Now()),
		CreatedAt: strictjson.OrNull(l.CreatedAt), CreatedBy: strictjson.OrNull(l.OperatorID),
	}
}

type wholeRateCard struct {
	rateCardAnswer
	Card jsontext.Value `json:"card"` // as it was uploaded
}

// rateCardCursor accepts the id of the last card before the page.
var rateCardCursor = form.TextRule{
	Rule:   httpd.CursorRule,
	Allows: regexp.MustCompile(`^crd_([0-9abcdefghjkmnpqrstvwxyz]{16}|builtin)$`).MatchString,
}

func (s *Server) handleRateCardList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	name, cursor := q.Text("name"), q.OneOf("cursor", rateCardCursor)
	limit := q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.config.RateCards.List(c.Context(), name, cursor, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	cards := make([]rateCardAnswer, len(page.Cards))
	for i, card := range page.Cards {
		cards[i] = s.rateCardOf(card)
	}
	return httpd.OK(struct {
		RateCards  []rateCardAnswer `json:"rate_cards"`
		NextCursor string           `json:"next_cursor,omitzero"`
	}{cards, page.Next})
}

func (s *Server) handleRateCardGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.RateCards.Get(c.Context(), c.PathID("card_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(wholeRateCard{s.rateCardOf(found), jsontext.Value(found.Document)})
}

func (s *Server) handleRateCardCreate(c *httpd.Call) (httpd.Reply, error) {
	card, err := httpd.Decode(c, s.config.RateCards.ReadUpload)
	if err != nil {
		return httpd.Reply{}, err
	}
	added, err := s.config.RateCards.Add(c.Context(), card)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(s.rateCardOf(added))
}

func (s *Server) handleRateCardCheck(c *httpd.Call) (httpd.Reply, error) {
	card, err := httpd.Decode(c, s.config.RateCards.ReadUpload)
	if err == nil {
		err = s.config.RateCards.Check(c.Context(), card)
	}
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Valid         bool      `json:"valid"`
		Name          string    `json:"name"`
		Version       string    `json:"version"`
		EffectiveFrom time.Time `json:"effective_from"`
	}{true, card.Name, card.Version, card.EffectiveFrom})
}

type priceAnswer struct {
	CardVersion       string            `json:"card_version"`
	RateCents         int64             `json:"rate_cents"`
	Currency          delivery.Currency `json:"currency"`
	Zone              pricing.Zone      `json:"zone"`
	TransitDays       int               `json:"transit_days"`
	EstimatedDelivery time.Time         `json:"estimated_delivery"`
	Charges           []chargeAnswer    `json:"charges"`
}

type chargeAnswer struct {
	Name        string `json:"name"`
	AmountCents int64  `json:"amount_cents"`
}

// priceOf returns a price in JSON; nil if there is no price.
func priceOf(p *pricing.Price) *priceAnswer {
	if p == nil {
		return nil
	}
	charges := make([]chargeAnswer, len(p.Charges))
	for i, charge := range p.Charges {
		charges[i] = chargeAnswer{charge.Name, charge.Cents}
	}
	return &priceAnswer{
		CardVersion: p.CardVersion, RateCents: p.RateCents, Currency: p.Currency, Zone: p.Zone, TransitDays: p.TransitDays,
		EstimatedDelivery: p.EstimatedDelivery, Charges: charges,
	}
}

func (s *Server) handleRateCardPreview(c *httpd.Call) (httpd.Reply, error) {
	request, err := httpd.Decode(c, ratecard.ReadPreview)
	if err != nil {
		return httpd.Reply{}, err
	}
	proposed, err := s.config.RateCards.Proposed(c.Context(), request)
	if err != nil {
		return httpd.Reply{}, err
	}
	var orderedCents *int64
	if request.OrderID != "" {
		if delivery.IsTestOrder(request.OrderID) {
			return httpd.Reply{}, refusal.NotFound("order")
		}
		found, err := s.config.Orders.Track(c.Context(), request.OrderID)
		if err != nil {
			return httpd.Reply{}, err
		}
		request.PartnerID, request.Shipment, orderedCents = found.PartnerID, found.Shipment, &found.RateCents
	}
	series := ""
	if request.PartnerID != "" {
		settings, err := s.config.Partners.Overview(c.Context(), request.PartnerID)
		if err != nil {
			return httpd.Reply{}, err
		}
		series = settings.RateCard
	}
	preview, err := s.config.RateCards.Compare(c.Context(), series, proposed, request.Shipment)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(struct {
		Current   *priceAnswer `json:"current"`  // null if the card does not offer the level
		Proposed  *priceAnswer `json:"proposed"` // null if the card does not offer the level
		RateCents *int64       `json:"ordered_rate_cents"`
	}{priceOf(preview.Current), priceOf(preview.Proposed), orderedCents})
}
