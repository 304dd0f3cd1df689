package console

import (
	"math"
	"net/http"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) rateCardRoutes() []web.Route {
	check := pages.post("/rate-cards/new", administering, (*Pages).checkCard)
	check.ChangesNothing = true
	add := pages.post("/rate-cards", administering, (*Pages).addCard)
	preview := pages.get("/rate-cards/{card_id}/preview", administering, (*Pages).previewCard)
	check.Heavy, add.Heavy, preview.Heavy = true, true, true
	return []web.Route{
		pages.get("/rate-cards", bookkeeping, (*Pages).rateCards),
		pages.get("/rate-cards/new", administering, (*Pages).newCard),
		pages.get("/rate-cards/{card_id}", bookkeeping, (*Pages).rateCard),
		pages.get("/rate-cards/{card_id}/file", bookkeeping, (*Pages).cardFile),
		check, add, preview,
	}
}

// cardsOnPage is the number of rate cards on a page of the list.
const cardsOnPage = 50

// cardsView is what the list of rate cards shows.
type cardsView struct {
	*sheet
	Cards  []cardRow
	Name   string         // the series that is shown; empty for all
	State  ratecard.State // of the cards that are shown; empty for all
	Chips  []page.Link
	Shown  string
	Pages  page.Pages
	Holds  string // the partners that the series is for; empty if all are shown
	Others bool   // there are cards that the list does not show
}

// cardRow is a rate card in a list.
type cardRow struct {
	ratecard.Listed
	State ratecard.State
	By    string // who uploaded it
	For   int    // how many partners have the series
}

// stateKeys are the phrases for the states of cards.
var stateKeys = map[ratecard.State]string{
	ratecard.StateInForce: "rates.in_force", ratecard.StatePlanned: "rates.planned",
	ratecard.StatePast: "rates.past", ratecard.StateReplaced: "rates.replaced",
}

// CardState returns the name of a state.
func (s *sheet) CardState(state ratecard.State) string { return s.Text(stateKeys[state]) }

// rateCards lists the rate cards, by series and newest first.
func (pages *Pages) rateCards(s *sheet) (int, []byte, error) {
	v := cardsView{sheet: s, Name: s.asked("name"), State: ratecard.State(s.asked("state"))}
	if stateKeys[v.State] == "" {
		v.State = ""
	}
	all, err := pages.cardRows(s, v.Name)
	if err != nil {
		return 0, nil, err
	}
	found := all
	if v.State != "" {
		found = slices.DeleteFunc(slices.Clone(all), func(row cardRow) bool { return row.State != v.State })
	}
	v.Chips, v.Others = v.chips(), v.Name != "" || len(found) < len(all)
	if v.Name != "" && len(all) > 0 {
		v.Holds = s.Language.Count("rates.holds", all[0].For)
	}
	v.cut(found)
	shown := leaf{template: "rate-cards", title: s.Text("rates.title"), data: v}
	if s.IsAdmin() {
		shown.action = &page.Link{Text: s.Text("rates.new"), Path: s.Link("/console/rate-cards/new", "name", v.Name)}
	}
	return s.show(shown)
}

// cut keeps the page of the rows that follow the card of the parameter "after".
func (v *cardsView) cut(rows []cardRow) {
	after, key := v.asked("after"), "rates.shown"
	if at := slices.IndexFunc(rows, func(row cardRow) bool { return row.CardID == after }); at >= 0 {
		rows, key = rows[at+1:], "rates.shown.after"
		v.Pages.First = v.link(v.Name, v.State, "")
	}
	if len(rows) > cardsOnPage {
		rows, key = rows[:cardsOnPage], "rates.shown.more"
		v.Pages.Next = v.link(v.Name, v.State, rows[cardsOnPage-1].CardID)
	}
	v.Cards, v.Shown = rows, v.Language.Count(key, len(rows))
}

func (v *cardsView) link(name string, state ratecard.State, after string) string {
	return v.Link("/console/rate-cards", "name", name, "state", string(state), "after", after)
}

// chips returns the links that narrow the list.
func (v *cardsView) chips() []page.Link {
	chips := []page.Link{{Text: v.Text("rates.all"), Path: v.link("", "", ""), Current: v.State == "" && v.Name == ""}}
	for _, state := range []ratecard.State{
		ratecard.StateInForce, ratecard.StatePlanned, ratecard.StatePast, ratecard.StateReplaced,
	} {
		chips = append(chips, page.Link{Text: v.CardState(state), Path: v.link(v.Name, state, ""), Current: v.State == state})
	}
	if v.Name != "" {
		chips = append(chips,
			page.Link{Text: v.Text("rates.series.chip", "name", v.Name), Path: v.link("", v.State, ""), Current: true})
	}
	return chips
}

// cardRows returns the cards of a series, or all if the name is empty.
func (pages *Pages) cardRows(s *sheet, name string) ([]cardRow, error) {
	found, err := pages.config.RateCards.List(s.Context(), name, "", math.MaxInt)
	if err != nil {
		return nil, err
	}
	holders, err := pages.holders(s)
	if err != nil {
		return nil, err
	}
	by, err := pages.operatorNames(s)
	rows := make([]cardRow, 0, len(found.Cards))
	for _, card := range found.Cards {
		rows = append(rows, cardRow{card, card.StateAt(s.Site.Now()), by[card.OperatorID], holders[card.Name]})
	}
	return rows, err
}

// counted is how many partners or operators are read at a time.
const counted = 1000

// holders returns how many partners have each series of rate cards.
func (pages *Pages) holders(s *sheet) (map[string]int, error) {
	holders := map[string]int{}
	for after := ""; ; {
		found, err := pages.config.Partners.List(s.Context(), partner.ListFilter{After: after, Limit: counted})
		if err != nil {
			return nil, err
		}
		for _, p := range found.Partners {
			holders[cardOf(p.Settings)]++
		}
		if after = found.Next; after == "" {
			return holders, nil
		}
	}
}

// cardOf returns the series of rate cards that holds for a partner.
func cardOf(s partner.Settings) string {
	if s.RateCard == "" {
		return partner.DefaultCard
	}
	return s.RateCard
}

// operatorNames returns the addresses of operators by their ids.
func (pages *Pages) operatorNames(s *sheet) (map[string]string, error) {
	found, err := pages.config.Operators.List(s.Context(), "", counted)
	names := map[string]string{}
	for _, o := range found.Operators {
		names[o.OperatorID] = o.Email
	}
	return names, err
}

// cardFile downloads the file of a card as it was uploaded.
func (pages *Pages) cardFile(s *sheet) (int, []byte, error) {
	found, err := pages.config.RateCards.Get(s.Context(), s.ID("card_id"))
	if err != nil {
		return 0, nil, err
	}
	plain := func(r rune) rune {
		if r < ' ' || r > '~' || strings.ContainsRune(`"\/`, r) {
			return '_'
		}
		return r
	}
	s.Header.Set("Content-Type", "application/json")
	s.Header.Set("Content-Disposition", `attachment; filename="`+strings.Map(plain, found.Version)+`.json"`)
	s.Header.Set("Cache-Control", "no-store")
	return http.StatusOK, found.Document, nil
}
