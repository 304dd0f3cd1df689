package console

import (
	"cmp"
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strconv"
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

// newCardView is the page on which a rate card is typed into tables, or its file.
type newCardView struct {
	*sheet
	Form *page.Form
	// Tables are the card as tables; nil if its file is not JSON.
	Tables *cardTables
	// typed are the cells as they were typed, if they are refused; nil otherwise. both is set if they and the
	// file were changed.
	typed cardCells
	both  bool
	// fromTables is set if the card was typed into the tables.
	fromTables bool
	Problems   []cardProblem // in the file
	Series     []string      // whose cards may be followed by another one
	Asked      previewAsked
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

// cardZone is the time zone in which the beginnings of rate cards are typed and shown: that of the provinces
// in which most people live.
func (pages *Pages) cardZone() *time.Location { return pages.config.Calendar.Clock("QC") }

// BeginsAt returns when the card that was checked takes effect, on the clock of the field.
func (v newCardView) BeginsAt() time.Time { return v.Checked.EffectiveFrom.In(v.pages.cardZone()) }

// FileField returns the field of the text of the file.
func (v newCardView) FileField() page.Field {
	return v.field("document", "textarea", "rates.document", "rates.document.hint")
}

// cardFields are the fields that describe a card.
var cardFields = []string{"name", "effective_from", "document"}

// baseField holds the file from which the tables of the form were made, so that it can be seen which of
// both was changed.
const baseField = "base"

// newCard shows the form for a new card. It begins with the next version of another card: the one that is
// named, or else the one in force.
func (pages *Pages) newCard(s *sheet) (int, []byte, error) {
	f, err := s.form("/console/rate-cards/new", 0)
	if err != nil {
		return 0, nil, err
	}
	before, err := pages.cardToFollow(s, s.asked("from"), s.asked("name"))
	if err != nil {
		return 0, nil, err
	}
	f.Values.Set("name", cmp.Or(s.asked("name"), before.Name))
	f.Values.Set("orders", strconv.Itoa(orderCounts[len(orderCounts)-1]))
	if f.Values.Set("document", string(before.Document)); before.Version != "" {
		all, err := pages.cardRows(s, "")
		if err != nil {
			return 0, nil, err
		}
		if text, fault := readCardText(before.Document); fault == nil {
			cells := s.cellsOf(text)
			cells["version"] = nextVersion(before.Version, versionsOf(all))
			f.Values.Set("document", cells.document())
		}
	}
	return pages.showNewCard(newCardView{sheet: s, Form: f}, http.StatusOK)
}

// cardToFollow returns the card with an id or, without one, that in force for a series. It refuses an id that
// no card has with not_found.
func (pages *Pages) cardToFollow(s *sheet, cardID, name string) (*ratecard.Entry, error) {
	if cardID != "" {
		found, err := pages.config.RateCards.Get(s.Context(), cardID)
		return found.Entry, err
	}
	for _, series := range []string{cmp.Or(name, partner.DefaultCard), partner.DefaultCard} {
		rows, err := pages.cardRows(s, series)
		if err != nil {
			return nil, err
		}
		for _, row := range rows {
			if row.State == ratecard.StateInForce {
				return row.Entry, nil
			}
		}
	}
	return &ratecard.Entry{Name: partner.DefaultCard}, nil
}

func versionsOf(rows []cardRow) []string {
	versions := make([]string, len(rows))
	for i, row := range rows {
		versions[i] = row.Version
	}
	return versions
}

func (pages *Pages) showNewCard(v newCardView, status int) (int, []byte, error) {
	series, err := pages.seriesNames(v.sheet)
	if err != nil {
		return 0, nil, err
	}
	v.sheet, v.Series = v.on("/console/rate-cards/new"), append([]string{partner.DefaultCard}, series...)
	v.Form.Action = "/console/rate-cards/new"
	v.Asked = previewAsked{Partner: strings.TrimSpace(v.Form.Values.Get("partner")), Orders: v.Form.Values.Get("orders")}
	document := v.Form.Values.Get("document")
	if !v.both {
		v.Form.Values.Set(baseField, document)
	}
	if text, fault := readCardText([]byte(document)); v.typed != nil {
		v.Tables = v.tablesFor(v.typed)
	} else if fault == nil {
		cells := v.cellsOf(text)
		if v.fromTables {
			maps.Copy(cells, v.idleCells())
		}
		v.Tables = v.tablesFor(cells)
	}
	return v.show(leaf{
		template: "rate-card-new", title: v.Text("rates.new"), data: v, status: status, scripts: []string{"rate-card.js"},
		back: &page.Link{Text: v.Text("rates.title"), Path: "/console/rate-cards"},
	})
}

// checkCard shows what is wrong with a card, or what it would change, and asks.
func (pages *Pages) checkCard(s *sheet) (int, []byte, error) {
	sent, err := readCardForm(s)
	if err != nil {
		return 0, nil, err
	}
	if sent.both {
		sent.Faults = append(sent.Faults, page.Fault{Field: "document", Text: s.Text("rates.cell.both")})
		return pages.showNewCard(newCardView{sheet: s, Form: sent.Form, typed: typedCells(sent.Form), both: true},
			http.StatusUnprocessableEntity)
	}
	body, problems := readUpload(s, sent.Form)
	if len(problems) > 0 {
		return pages.showNewCard(newCardView{sheet: s, Form: sent.Form, Problems: problems}, http.StatusUnprocessableEntity)
	}
	checked, err := form.Decode(body, pages.config.RateCards.ReadUpload)
	if err == nil {
		err = pages.config.RateCards.Check(s.Context(), checked)
	}
	if err != nil {
		return pages.refuseCard(s, sent, err)
	}
	v := newCardView{sheet: s, Form: sent.Form, fromTables: sent.fromTables, Checked: checked, Asked: previewAsked{
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

// idleCells returns what was typed for zones in which the level is not offered: it is used again if their box is
// checked again.
func (v newCardView) idleCells() cardCells {
	cells, idle := typedCells(v.Form), cardCells{}
	for path, typed := range cells {
		at := max(0, strings.LastIndexByte(path, '.'))
		if zone := path[:at]; strings.Contains(zone, ".zones.") && cells[zone] != offered {
			idle[path] = typed
		}
	}
	return idle
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
	body, problems := readUpload(s, sent.Form)
	if len(problems) > 0 {
		return pages.showNewCard(newCardView{sheet: s, Form: sent.Form, Problems: problems}, http.StatusUnprocessableEntity)
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

// sentCard is a card as a form sent it. Its document is the card, whichever part of the form it comes from.
type sentCard struct {
	*page.Form
	fromTables bool // the document was made from the cells
	both       bool // cells and document were changed, and the person did not choose one of them
}

// The button that takes the card from the text of the file, whatever the tables hold.
const (
	sourceField = "source"
	sourceFile  = "file"
)

// settle decides what of the form is the card: the tables if they were changed, otherwise the text, which then
// stays as it is to the byte.
func (sent *sentCard) settle(s *sheet, uploaded bool) {
	document, base := sent.Values.Get("document"), sent.Values.Get(baseField)
	cells := typedCells(sent.Form)
	if uploaded || cells == nil || sent.Values.Get(sourceField) == sourceFile {
		return
	}
	text, _ := readCardText([]byte(base))
	if made := cells.document(); made != s.cellsOf(text).document() {
		sent.both = document != base && strings.TrimSpace(document) != ""
		if !sent.both {
			sent.fromTables = true
			sent.Values.Set("document", made)
		}
		return
	}
	sent.fromTables = document == base
}

// readCardForm reads the form of a card. A file that was chosen replaces the text.
func readCardForm(s *sheet) (*sentCard, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return nil, err
	}
	file, err := s.File("file")
	if err != nil {
		return nil, err
	}
	if len(file) > 0 {
		sent.Values.Set("document", page.LineEnds(strings.ToValidUTF8(string(file), "\uFFFD")))
	}
	sent.Values.Set("name", strings.TrimSpace(sent.Values.Get("name")))
	card := &sentCard{Form: sent}
	card.settle(s, len(file) > 0)
	return card, nil
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
	if from := s.pages.fromOf(sent.Values.Get("effective_from"), text.values["effective_from"]); from != "" {
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

// fromOf returns the time that is typed into a field on the clock of cardZone, or else that of the file.
func (pages *Pages) fromOf(typed, inFile string) string {
	if typed == "" {
		return inFile
	}
	for _, layout := range []string{"2006-01-02T15:04", "2006-01-02T15:04:05"} {
		at, err := time.ParseInLocation(layout, typed, pages.cardZone())
		if err == nil && at.Format(layout) == typed { // the clock skips an hour in spring
			return at.Format(time.RFC3339)
		}
	}
	return typed // which is refused
}

// refuseCard shows the form again with what is wrong with it and with the file.
func (pages *Pages) refuseCard(s *sheet, sent *sentCard, refused error) (int, []byte, error) {
	text, _ := readCardText([]byte(sent.Values.Get("document")))
	v := newCardView{sheet: s, Form: sent.Form}
	if sent.fromTables {
		v.typed = typedCells(sent.Form)
	}
	if refusal.HasCode(refused, refusal.CodeConflict) {
		if sent.fromTables {
			sent.Faults = append(sent.Faults, page.Fault{Field: "version", Text: s.Text("rates.problem.version")})
			return pages.showNewCard(v, http.StatusConflict)
		}
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
		case ofCard && sent.fromTables:
			sent.Faults = append(sent.Faults, page.Fault{Field: path, Text: s.cellFault(path, problem), Label: s.PathName(path)})
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
