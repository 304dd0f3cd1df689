package console

import (
	"cmp"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/web/page"
)

// newCardView is the page on which a rate card is uploaded.
type newCardView struct {
	*sheet
	Form     *page.Form
	Problems []cardProblem
	Series   []string // whose cards may be followed by another one
	Asked    previewAsked
	// What follows is set if the card may be added: when it takes effect, for which partners,
	// what it changes, what orders cost by it, and the form that adds it.
	Checked *ratecard.Entry
	For     int
	Before  *cardRow
	Changes []cardChange
	Preview *cardPreview
	Sure    *page.Form
}

// cardProblem is what is wrong in the file of a card.
type cardProblem struct {
	Line               int
	Path, Found, Wants string
}

// field returns a field of the form.
func (v newCardView) field(name, kind, label, hint string) page.Field {
	return v.Form.With(page.Field{Name: name, Type: kind, Label: v.Text(label), Hint: v.Text(hint), Autocomplete: "off"})
}

// NameField returns the field of the name of the series.
func (v newCardView) NameField() page.Field {
	field := v.field("name", "text", "rates.name", "rates.name.hint")
	field.Required = true
	return field
}

// TimeField returns the field of the time from which the card holds.
func (v newCardView) TimeField() page.Field {
	return v.field("effective_from", "datetime-local", "rates.from.field", "rates.from.hint")
}

// FileField returns the field of the text of the file.
func (v newCardView) FileField() page.Field {
	return v.field("document", "textarea", "rates.document", "rates.document.hint")
}

// cardFields are the fields that describe a card.
var cardFields = []string{"name", "effective_from", "document"}

// newCard shows the form for a new card, with another card to begin with.
func (pages *Pages) newCard(s *sheet) (int, []byte, error) {
	f, err := s.form("/console/rate-cards/new", 0)
	if err != nil {
		return 0, nil, err
	}
	f.Values.Set("name", s.asked("name"))
	if from := s.asked("from"); from != "" {
		found, err := pages.config.RateCards.Get(s.Context(), from)
		if err != nil {
			return 0, nil, err
		}
		f.Values.Set("name", found.Name)
		f.Values.Set("document", string(found.Document))
	}
	if f.Values.Get("name") == "" {
		f.Values.Set("name", partner.DefaultCard)
	}
	return pages.showNewCard(newCardView{sheet: s, Form: f}, http.StatusOK)
}

func (pages *Pages) showNewCard(v newCardView, status int) (int, []byte, error) {
	series, err := pages.seriesNames(v.sheet)
	if err != nil {
		return 0, nil, err
	}
	v.sheet, v.Series = v.on("/console/rate-cards/new"), append([]string{partner.DefaultCard}, series...)
	v.Form.Action = "/console/rate-cards/new"
	return v.show(leaf{
		template: "rate-card-new", title: v.Text("rates.new"), data: v, status: status,
		back: &page.Link{Text: v.Text("rates.title"), Path: "/console/rate-cards"},
	})
}

// checkCard shows what is wrong with a card, or what it would change, and asks.
func (pages *Pages) checkCard(s *sheet) (int, []byte, error) {
	sent, err := readCardForm(s)
	if err != nil {
		return 0, nil, err
	}
	body, problems := readUpload(s, sent)
	if len(problems) > 0 {
		return pages.showNewCard(newCardView{sheet: s, Form: sent, Problems: problems}, http.StatusUnprocessableEntity)
	}
	checked, err := form.Decode(body, pages.config.RateCards.ReadUpload)
	if err == nil {
		err = pages.config.RateCards.Check(s.Context(), checked)
	}
	if err != nil {
		return pages.refuseCard(s, sent, err)
	}
	v := newCardView{sheet: s, Form: sent, Checked: checked, Asked: previewAsked{
		Partner: strings.TrimSpace(sent.Values.Get("partner")), Orders: sent.Values.Get("orders"),
	}}
	if err := pages.addEffects(&v); err != nil {
		return 0, nil, err
	}
	return pages.showNewCard(v, http.StatusOK)
}

// addEffects adds what a card that may be added would change.
func (pages *Pages) addEffects(v *newCardView) error {
	holders, err := pages.holders(v.sheet)
	if err != nil {
		return err
	}
	v.For = holders[v.Checked.Name]
	if v.Before, err = pages.cardBefore(v.sheet, &cardRow{Listed: ratecard.Listed{Entry: v.Checked}}); err != nil {
		return err
	}
	text, _ := readCardText(v.Checked.Document)
	if v.Before != nil {
		before, _ := readCardText(v.Before.Document)
		v.Changes = v.changesBetween(before, text)
	}
	card, err := pricing.ReadStoredCard(v.Checked.Document, v.Checked.EffectiveFrom)
	if err != nil {
		return fmt.Errorf("read a card that was checked: %w", err)
	}
	if v.Preview, err = pages.compare(v.sheet, v.Checked.Name, card, v.Asked); err != nil {
		return err
	}
	version, err := pages.versionOfSeries(v.sheet, v.Checked.Name)
	if err != nil {
		return err
	}
	v.Sure, err = v.form("/console/rate-cards", version)
	return err
}

// CardValues returns the fields of the card with what they hold.
func (v newCardView) CardValues() map[string]string {
	values := map[string]string{}
	for _, name := range cardFields {
		values[name] = v.Form.Values.Get(name)
	}
	return values
}

// versionOfSeries differs once another card was added to a series.
func (pages *Pages) versionOfSeries(s *sheet, name string) (int64, error) {
	found, err := pages.cardRows(s, name)
	ids := append(make([]string, 0, 1+len(found)), name)
	for _, card := range found {
		ids = append(ids, card.CardID)
	}
	return page.VersionOf(ids...), err
}

// addCard adds a card that was checked.
func (pages *Pages) addCard(s *sheet) (int, []byte, error) {
	sent, err := readCardForm(s)
	if err != nil {
		return 0, nil, err
	}
	now, err := pages.versionOfSeries(s, sent.Values.Get("name"))
	if err != nil {
		return 0, nil, err
	}
	if sent.Version != now {
		return s.Stale(s.Link("/console/rate-cards", "name", sent.Values.Get("name")))
	}
	body, problems := readUpload(s, sent)
	if len(problems) > 0 {
		return pages.showNewCard(newCardView{sheet: s, Form: sent, Problems: problems}, http.StatusUnprocessableEntity)
	}
	card, err := form.Decode(body, pages.config.RateCards.ReadUpload)
	if err != nil {
		return pages.refuseCard(s, sent, err)
	}
	added, err := pages.config.RateCards.Add(s.Context(), card)
	if err != nil {
		return pages.refuseCard(s, sent, err)
	}
	return s.LeadTo("/console/rate-cards/"+added.CardID,
		page.Flash{Key: "rates.added", Arguments: []string{"version", added.Version, "name", added.Name}})
}

// readCardForm reads the form of a card. A file that was chosen replaces the text.
func readCardForm(s *sheet) (*page.Form, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return nil, err
	}
	file, err := s.File("file")
	if err != nil {
		return nil, err
	}
	if len(file) > 0 {
		sent.Values.Set("document", strings.ToValidUTF8(string(file), "\uFFFD"))
	}
	// Browsers send the lines of a text as network protocols do.
	sent.Values.Set("document", strings.ReplaceAll(sent.Values.Get("document"), "\r\n", "\n"))
	sent.Values.Set("name", strings.TrimSpace(sent.Values.Get("name")))
	return sent, nil
}

// readUpload returns a card as it is uploaded, or why its file is not JSON.
func readUpload(s *sheet, sent *page.Form) (form.Source, []cardProblem) {
	document := sent.Values.Get("document")
	text, fault := readCardText([]byte(document))
	if fault != nil {
		return nil, []cardProblem{{Line: fault.line, Wants: s.Text("rates.problem.json"), Found: fault.what}}
	}
	var w strictjson.Writer
	w.Object("")
	w.Text("name", sent.Values.Get("name"))
	if from := fromOf(sent.Values.Get("effective_from"), text.values["effective_from"]); from != "" {
		w.Text("effective_from", from)
	}
	if strings.TrimSpace(document) != "" {
		w.Raw("card", []byte(document))
	}
	w.EndObject()
	body, err := strictjson.Parse(w.Buffer)
	if err != nil {
		return nil, []cardProblem{{Line: 1, Wants: s.Text("rates.problem.json"), Found: err.Error()}}
	}
	return body, nil
}

// fromOf returns the time that is typed into a field in UTC, or else that of the file.
func fromOf(typed, inFile string) string {
	if typed == "" {
		return inFile
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		if at, err := time.Parse(layout, typed); err == nil {
			return at.Format(time.RFC3339)
		}
	}
	return typed // which is refused
}

// refuseCard shows the form again with what is wrong with it and with the file.
func (pages *Pages) refuseCard(s *sheet, sent *page.Form, refused error) (int, []byte, error) {
	text, _ := readCardText([]byte(sent.Values.Get("document")))
	v := newCardView{sheet: s, Form: sent}
	if refusal.HasCode(refused, refusal.CodeConflict) {
		v.Problems = []cardProblem{{text.line("version"), "version", text.values["version"], s.Text("rates.problem.version")}}
		return pages.showNewCard(v, http.StatusConflict)
	}
	problems := form.ProblemsOf(refused)
	if len(problems) == 0 {
		return 0, nil, refused
	}
	for _, problem := range problems {
		path, ofCard := strings.CutPrefix(problem.Field, "card.")
		switch {
		case ofCard:
			wants := page.FaultText(problem, s.Language)
			v.Problems = append(v.Problems, cardProblem{text.line(path), path, foundIn(problem), wants})
		case problem.Field == "card":
			sent.Faults = append(sent.Faults, page.Fault{Field: "document", Text: page.FaultText(problem, s.Language)})
		default:
			sent.Faults = append(sent.Faults, page.Fault{Field: problem.Field, Text: page.FaultText(problem, s.Language)})
		}
	}
	slices.SortStableFunc(v.Problems, func(a, b cardProblem) int { return cmp.Compare(a.Line, b.Line) })
	return pages.showNewCard(v, http.StatusUnprocessableEntity)
}

// foundIn returns the value of a problem as it was sent; empty if there is none.
func foundIn(problem form.Problem) string {
	switch value := problem.Value.(type) {
	case nil:
		return ""
	case string:
		return value
	default:
		text, _ := strictjson.Marshal(value) // a scalar
		return strings.TrimSpace(string(text))
	}
}
