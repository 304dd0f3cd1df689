package console

import (
	"errors"
	"net/http"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/web/page"
)

// moneySettingsView is what the settings of the books show.
type moneySettingsView struct {
	*sheet
	Ways        []page.Link
	Firm, Books *page.Form // sent by admins only
	Door        *page.Form // what deliveries have to say
	Closing     *page.Form // when months are closed by themselves
	Begun       bool       // the first day can no longer be changed
}

// FirmFields returns the fields of the firm.
func (v *moneySettingsView) FirmFields() []page.Field {
	return v.fields(v.Firm, !v.IsAdmin(),
		v.Input("name", "money.firm.name", "text", "organization"),
		v.Input("address", "money.firm.address", "textarea", "off"),
		v.Hinted(v.Input("numbers.gst_hst", "money.firm.gst_hst", "text", "off"), "money.firm.gst_hst.hint"),
		v.Hinted(v.Input("numbers.qst", "money.firm.qst", "text", "off"), "money.firm.qst.hint"))
}

// BooksFields returns the fields of the books.
func (v *moneySettingsView) BooksFields() []page.Field {
	return v.fields(v.Books, v.Begun || !v.IsAdmin(), v.Input("books_from", "money.from", "date", "off"))
}

// daysOfEveryMonth is the last day that every month has.
const daysOfEveryMonth = 28

// ClosingFields returns the field of when months are closed by themselves.
func (v *moneySettingsView) ClosingFields() []page.Field {
	day := v.Input("close_on_day", "statement.day", "select", "off")
	day.Options = []page.Option{{Value: "", Label: v.Text("statement.day.none")}}
	for i := range daysOfEveryMonth {
		number := strconv.Itoa(i + 1)
		day.Options = append(day.Options, page.Option{Value: number, Label: v.Text("statement.day.n", "n", number)})
	}
	fields := v.fields(v.Closing, !v.IsAdmin(), day)
	if fields[0].Fixed {
		fields[0].Value = v.Text("statement.day.none")
		if set := v.Closing.Values.Get("close_on_day"); set != "" {
			fields[0].Value = v.Text("statement.day.n", "n", set)
		}
	}
	return fields
}

// DoorFields returns the fields of what deliveries have to say.
func (v *moneySettingsView) DoorFields() []page.Field {
	required := v.Input("require_collected", "cash.required", "select", "off")
	required.Options = []page.Option{
		{Value: "true", Label: v.Text("cash.required.yes")}, {Value: "false", Label: v.Text("cash.required.no")},
	}
	fields := v.fields(v.Door, !v.IsAdmin(), required)
	if fields[0].Fixed {
		key := "cash.required.no"
		if fields[0].Value == "true" {
			key = "cash.required.yes"
		}
		fields[0].Value = v.Text(key)
	}
	return fields
}

// fields returns fields of a form, of which only the name of the firm is required.
func (v *moneySettingsView) fields(of *page.Form, fixed bool, fields ...page.Field) []page.Field {
	for i := range fields {
		fields[i] = of.With(fields[i])
		fields[i].Required = fields[i].Name == "name"
		if fields[i].Fixed = fixed; fixed && fields[i].Value == "" {
			fields[i].Value = "–"
		}
	}
	return fields
}

func (pages *Pages) moneySettings(s *sheet) (int, []byte, error) {
	view, err := pages.moneySettingsView(s)
	if err != nil {
		return 0, nil, err
	}
	return view.render(http.StatusOK)
}

func (v *moneySettingsView) render(status int) (int, []byte, error) {
	return v.show(leaf{template: "money-settings", title: v.Text("money.settings"), data: v, status: status})
}

// moneySettingsView returns the settings with fresh forms.
func (pages *Pages) moneySettingsView(s *sheet) (*moneySettingsView, error) {
	v, books := &moneySettingsView{sheet: s, Ways: s.moneyWays()}, pages.config.Accounting
	firm, err := books.Firm(s.Context())
	if err != nil {
		return nil, err
	}
	settings, err := books.Settings(s.Context())
	if err != nil {
		return nil, err
	}
	if v.Begun, err = books.Begun(s.Context()); err != nil {
		return nil, err
	}
	if v.Firm, err = s.form(moneySettingsPath+"/firm", versionOfFirm(firm)); err != nil {
		return nil, err
	}
	for name, value := range map[string]string{
		"name": firm.Name, "address": firm.Address, "numbers.gst_hst": firm.Numbers.GSTHST, "numbers.qst": firm.Numbers.QST,
	} {
		v.Firm.Values.Set(name, value)
	}
	if v.Books, err = s.form(moneySettingsPath+"/books", versionOfBooks(settings)); err != nil {
		return nil, err
	}
	if v.Door, err = s.form(moneySettingsPath+"/door", 0); err != nil {
		return nil, err
	}
	if v.Closing, err = s.form(moneySettingsPath+"/closing", 0); err != nil {
		return nil, err
	}
	if settings.CloseOnDay != 0 {
		v.Closing.Values.Set("close_on_day", strconv.FormatInt(settings.CloseOnDay, 10))
	}
	v.Door.Values.Set("require_collected", strconv.FormatBool(!settings.CollectedFrom.IsZero()))
	if settings.From != 0 {
		v.Books.Values.Set("books_from", settings.From.String())
	}
	return v, nil
}

func versionOfFirm(f money.Firm) int64 {
	return page.VersionOf(f.Name, f.Address, f.Numbers.GSTHST, f.Numbers.QST)
}

func versionOfBooks(settings money.Settings) int64 { return page.VersionOf(settings.From.String()) }

// changeFirm sets who sends statements, and which taxes are charged.
func (pages *Pages) changeFirm(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	entry, err := form.Decode(sent.Typed(page.Trim), accounting.ReadFirmEntry)
	if err == nil {
		err = pages.config.Accounting.SetFirm(s.Context(), page.Basis(sent, versionOfFirm), entry)
	}
	return pages.answerMoney(s, sent, err, "money.firm.saved", func(v *moneySettingsView) { v.Firm = sent })
}

// changeBooks sets the first day of the books; an empty field turns them off.
func (pages *Pages) changeBooks(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	change := accounting.SettingsChange{From: new(date.Day)}
	if strings.TrimSpace(sent.Values.Get("books_from")) != "" {
		change, err = form.Decode(sent.Typed(page.Trim), accounting.ReadSettingsChange)
	}
	if err == nil {
		_, err = pages.config.Accounting.ChangeSettings(s.Context(), page.Basis(sent, versionOfBooks), change)
	}
	return pages.answerMoney(s, sent, err, "money.from.saved", func(v *moneySettingsView) { v.Books = sent })
}

// changeDoor sets whether deliveries have to say what was collected.
func (pages *Pages) changeDoor(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	change, _ := form.Decode(sent.Typed(page.Trim), accounting.ReadSettingsChange) // keeps its faults
	_, err = pages.config.Accounting.ChangeSettings(s.Context(), nil, change)
	return pages.answerMoney(s, sent, err, "cash.required.saved", func(v *moneySettingsView) { v.Door = sent })
}

// answerMoney leads back to the settings after a change, or shows them with the form that was refused.
func (pages *Pages) answerMoney(
	s *sheet, sent *page.Form, refused error, saved string, put func(*moneySettingsView),
) (int, []byte, error) {
	switch {
	case refused == nil:
		return s.LeadTo(moneySettingsPath, page.Flash{Key: saved})
	case errors.Is(refused, form.ErrStale):
		return s.Stale(moneySettingsPath)
	case !sent.Refuse(refused, s.Language):
		return 0, nil, refused
	}
	view, err := pages.moneySettingsView(s.on(moneySettingsPath))
	if err != nil {
		return 0, nil, err
	}
	put(view)
	return view.render(http.StatusUnprocessableEntity)
}

// changeClosing sets on which day months are closed by themselves; an empty field has none closed.
func (pages *Pages) changeClosing(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	change := accounting.SettingsChange{CloseOnDay: new(int64)}
	if sent.Values.Get("close_on_day") != "" {
		change, _ = form.Decode(sent.Typed(page.Trim), accounting.ReadSettingsChange) // keeps its faults
	}
	_, err = pages.config.Accounting.ChangeSettings(s.Context(), nil, change)
	return pages.answerMoney(s, sent, err, "statement.day.saved", func(v *moneySettingsView) { v.Closing = sent })
}
