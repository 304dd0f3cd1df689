package console

import (
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/web/page"
)

// previewAsked is what a preview was asked for.
type previewAsked struct {
	Partner string // an id; empty for the partners of the card's series
	Orders  string // how many orders
}

// orderCounts are how many orders a preview may show, the usual number first.
var orderCounts = []int{20, 10, 5}

// count returns how many orders are shown.
func (a previewAsked) count() int {
	n, err := strconv.Atoi(a.Orders)
	if err != nil || n < 1 {
		return orderCounts[0]
	}
	return min(n, orderCounts[0])
}

// Counts returns how many orders may be chosen.
func (a previewAsked) Counts() (options []page.Option) {
	for _, n := range orderCounts {
		options = append(options, page.Option{Value: strconv.Itoa(n), Label: strconv.Itoa(n)})
	}
	return options
}

// Count returns how many orders are chosen, as the field holds it.
func (a previewAsked) Count() string { return strconv.Itoa(a.count()) }

// cardPreview is what orders cost by two cards.
type cardPreview struct {
	Rows     []previewRow
	Partners []partner.Listed // to choose from
	Unknown  bool             // there is no partner with the id
	// The sums are of the orders that both cards price.
	Current, Proposed int64
	Left              int // how many orders one of the cards does not price
}

// Difference returns how much more the orders cost by the proposed card.
func (p *cardPreview) Difference() int64 { return p.Proposed - p.Current }

// previewRow is an order with its prices. A price is nil if the card does not offer it.
type previewRow struct {
	Order             *delivery.Order
	Partner           string // its name
	Current, Proposed *pricing.Price
}

// Difference returns how much more the order costs by the proposed card.
func (r previewRow) Difference() int64 { return r.Proposed.RateCents - r.Current.RateCents }

// Both reports whether both cards price the order.
func (r previewRow) Both() bool { return r.Current != nil && r.Proposed != nil }

// Change returns a difference of cents with its sign.
func (s *sheet) Change(cents int64) string {
	if cents > 0 {
		return "+" + s.Language.Dollars(cents)
	}
	return s.Language.Dollars(cents)
}

// comparedPartners is the most partners whose latest orders a preview reads.
const comparedPartners = 100

// compare prices the latest orders of a partner, or of the partners of a series, by the
// card that holds for them now and by a proposed one.
func (pages *Pages) compare(s *sheet, series string, proposed *pricing.Card, asked previewAsked) (*cardPreview, error) {
	found, err := pages.config.Partners.List(s.Context(), partner.ListFilter{RateCard: series, Limit: comparedPartners})
	if err != nil {
		return nil, err
	}
	p := &cardPreview{Partners: found.Partners}
	of := p.Partners
	if asked.Partner != "" {
		one, err := pages.config.Partners.Overview(s.Context(), asked.Partner)
		if p.Unknown = refusal.HasCode(err, refusal.CodeNotFound); p.Unknown {
			return p, nil
		}
		if err != nil {
			return nil, err
		}
		of = []partner.Listed{one.Listed}
	}
	if p.Rows, err = pages.latestOf(s, of, asked.count()); err != nil {
		return nil, err
	}
	holds := map[string]string{}
	for _, one := range of {
		holds[one.PartnerID] = one.RateCard
	}
	for i := range p.Rows {
		if err := pages.priceRow(s, p, &p.Rows[i], holds[p.Rows[i].Order.PartnerID], proposed); err != nil {
			return nil, err
		}
	}
	return p, nil
}

// latestOf returns the latest orders of partners, newest first.
func (pages *Pages) latestOf(s *sheet, of []partner.Listed, count int) (rows []previewRow, err error) {
	each := max(3, (count+len(of)-1)/max(1, len(of)))
	for _, one := range of {
		found, err := pages.config.Orders.List(s.Context(), order.Filter{PartnerID: one.PartnerID, Limit: min(each, count)})
		if err != nil {
			return nil, err
		}
		for _, o := range found.Orders {
			rows = append(rows, previewRow{Order: o, Partner: one.Name})
		}
	}
	slices.SortStableFunc(rows, func(a, b previewRow) int { return b.Order.CreatedAt.Compare(a.Order.CreatedAt) })
	return rows[:min(len(rows), count)], nil
}

// priceRow prices an order by both cards, and adds it to the sums.
func (pages *Pages) priceRow(s *sheet, p *cardPreview, row *previewRow, series string, proposed *pricing.Card) error {
	prices, err := pages.config.RateCards.Compare(s.Context(), series, proposed, row.Order.Shipment)
	if err != nil {
		return err
	}
	row.Current, row.Proposed = prices.Current, prices.Proposed
	if !row.Both() {
		p.Left++
		return nil
	}
	p.Current += row.Current.RateCents
	p.Proposed += row.Proposed.RateCents
	return nil
}
