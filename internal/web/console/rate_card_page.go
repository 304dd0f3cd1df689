package console

import (
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/web/page"
)

// cardView is what the page of a rate card shows.
type cardView struct {
	*sheet
	Card       cardRow
	File       string
	Text       *cardText
	Unreadable bool // orders cannot be priced by it
	Tables     []levelTable
	Before     *cardRow // the card before it; nil if there is none
	Changes    []cardChange
}

// General are the prices that are the same in all zones.
func (cardView) General() []string {
	return []string{
		"parcel_cents", "included_grams", "fragile_cents", "insurance.basis_points", "insurance.minimum_cents",
		"cod.basis_points", "cod.minimum_cents", "fuel_basis_points", "cad_per_10000_usd",
	}
}

// Extra are the charges beside the prices of orders.
func (cardView) Extra() []string { return extraCells }

// StepKg are the weights of the parcels whose prices are shown.
func (cardView) StepKg() []float64 { return stepKg }

// rateCard shows a rate card.
func (pages *Pages) rateCard(s *sheet) (int, []byte, error) {
	row, err := pages.cardRow(s, s.ID("card_id"))
	if err != nil {
		return 0, nil, err
	}
	v := cardView{sheet: s, Card: *row, File: string(row.Document)}
	v.Text, _ = readCardText(row.Document)
	card, err := pricing.ReadStoredCard(row.Document, row.EffectiveFrom)
	if v.Unreadable = err != nil; v.Unreadable {
		card = nil
	}
	v.Tables = s.tablesOf(v.Text, card)
	if v.Before, err = pages.cardBefore(s, row); err != nil {
		return 0, nil, err
	}
	if v.Before != nil {
		before, _ := readCardText(v.Before.Document)
		v.Changes = s.changesBetween(before, v.Text)
	}
	shown := leaf{
		template: "rate-card", title: row.Version, data: v,
		back: &page.Link{Text: s.Text("rates.title"), Path: "/console/rate-cards"},
	}
	if s.IsAdmin() {
		shown.action = &page.Link{
			Text: s.Text("rates.preview.open"), Path: "/console/rate-cards/" + row.CardID + "/preview",
		}
	}
	return s.show(shown)
}

// cardRow returns a card as it is listed. It refuses with not_found.
func (pages *Pages) cardRow(s *sheet, cardID string) (*cardRow, error) {
	found, err := pages.config.RateCards.Get(s.Context(), cardID)
	if err != nil {
		return nil, err
	}
	rows, err := pages.cardRows(s, found.Name)
	if err != nil {
		return nil, err
	}
	at := slices.IndexFunc(rows, func(row cardRow) bool { return row.CardID == cardID })
	if at < 0 { // it was added after the list was read
		return &cardRow{Listed: found, State: found.StateAt(s.Site.Now())}, nil
	}
	return &rows[at], nil
}

// cardBefore returns the card that held before a card took effect: the one before it in
// its series, or else the one of the default series. It is nil for the first card.
func (pages *Pages) cardBefore(s *sheet, of *cardRow) (*cardRow, error) {
	for _, name := range []string{of.Name, partner.DefaultCard} {
		rows, err := pages.cardRows(s, name)
		if err != nil {
			return nil, err
		}
		for i, row := range rows {
			earlier := row.EffectiveFrom.Before(of.EffectiveFrom)
			if row.State != ratecard.StateReplaced && row.CardID != of.CardID && earlier {
				return &rows[i], nil
			}
		}
	}
	return nil, nil
}

// previewView is what the preview of a card shows.
type previewView struct {
	*sheet
	Card    cardRow
	Asked   previewAsked
	Preview *cardPreview
}

// previewCard prices real orders by a card, beside the one in force.
func (pages *Pages) previewCard(s *sheet) (int, []byte, error) {
	row, err := pages.cardRow(s, s.ID("card_id"))
	if err != nil {
		return 0, nil, err
	}
	v := previewView{sheet: s, Card: *row, Asked: previewAsked{Partner: s.asked("partner"), Orders: s.asked("orders")}}
	card, err := pricing.ReadStoredCard(row.Document, row.EffectiveFrom)
	if err != nil {
		return s.LeadTo("/console/rate-cards/"+row.CardID, page.Flash{Key: "rates.unreadable", Danger: true})
	}
	if v.Preview, err = pages.compare(s, row.Name, card, v.Asked); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		template: "rate-card-preview", title: s.Text("rates.preview.title", "version",
			row.Version), data: v, status: http.StatusOK,
		back: &page.Link{Text: row.Version, Path: "/console/rate-cards/" + row.CardID},
	})
}
