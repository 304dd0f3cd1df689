package console

import (
	"cmp"
	"net/http"
	"net/url"
	"slices"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/billing"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	statementsPath = moneyPath + "/statements"
	closingPath    = statementsPath + "/closing"
)

func (pages *Pages) statementRoutes() []web.Route {
	preview := pages.get("/money/partners/{partner_id}/statement", bookkeeping, (*Pages).previewStatement)
	preview.Heavy = true
	closed := pages.post("/money/partners/{partner_id}/statement", bookkeeping, (*Pages).closeStatement)
	closed.Heavy = true
	return []web.Route{
		pages.get("/money/statements", bookkeeping, (*Pages).statements),
		pages.get("/money/statements/closing", bookkeeping, (*Pages).closing),
		pages.post("/money/statements", bookkeeping, (*Pages).beginClosing),
		pages.get("/money/statements/{file}", bookkeeping, (*Pages).statementFile),
		preview, closed,
	}
}

// billing returns the statements of all partners.
func (s *sheet) billing() *billing.View {
	return &billing.View{
		Sheet: s.Sheet, Accounting: s.pages.config.Accounting, Orders: ordersPath, Files: statementsPath,
	}
}

// statementsView is the list of closed statements.
type statementsView struct {
	*sheet
	Ways     []page.Link
	Form     *page.Form
	Narrowed bool
	Running  page.Link // to the month that has not ended
	Rows     []billing.Row
	Pages    page.Pages
}

// monthsOffered is how many months a field offers, the last one that has ended first.
const monthsOffered = 24

// months returns the choices of a month: those that have ended since the books begin.
func (s *sheet) months() (options []page.Option, err error) {
	settings, err := s.pages.config.Accounting.Settings(s.Context())
	last := s.pages.config.Accounting.Closable()
	for month := last; month > last-monthsOffered; month-- {
		if month < last && settings.From != 0 && month < money.PeriodOf(settings.From) {
			break
		}
		options = append(options, page.Option{Value: month.String(), Label: billing.Month(s.Language, month)})
	}
	return options, err
}

// Fields returns the field of the filter.
func (v *statementsView) Fields() ([]page.Field, error) {
	months, err := v.months()
	options := append([]page.Option{{Label: v.Text("statement.months.all")}}, months...)
	return []page.Field{
		v.Form.With(page.Field{Name: "period", Label: v.Text("statement.month"), Type: "select", Options: options}),
	}, err
}

func (pages *Pages) statements(s *sheet) (int, []byte, error) {
	v := &statementsView{
		sheet: s, Ways: s.moneyWays(),
		Form: &page.Form{Action: statementsPath, Values: url.Values{"period": {s.asked("period")}}},
	}
	running := pages.config.Accounting.Closable() + 1
	v.Running = page.Link{
		Text: s.Text("statement.running.month", "month", billing.Month(s.Language, running)),
		Path: s.Link(closingPath, "period", running.String()),
	}
	period, chosen := money.ParsePeriod(s.asked("period"))
	v.Narrowed = chosen
	after, further := accounting.ParseStatementCursor(s.asked("cursor"))
	list, err := s.billing().List(period, after)
	if err != nil {
		return 0, nil, err
	}
	about := make([]*operator.Audited, len(list.Rows))
	for i, row := range list.Rows {
		about[i] = &operator.Audited{PartnerID: row.PartnerID}
	}
	names, err := pages.config.Operators.Names(s.Context(), about)
	if err != nil {
		return 0, nil, err
	}
	for _, row := range list.Rows {
		row.Partner = cmp.Or(names[row.PartnerID], row.PartnerID)
		v.Rows = append(v.Rows, row)
	}
	if next := list.Next.String(); next != "" {
		v.Pages.Next = s.Link(statementsPath, "period", s.asked("period"), "cursor", next)
	}
	if further {
		v.Pages.First = s.Link(statementsPath, "period", s.asked("period"))
	}
	return s.show(leaf{
		template: "statements", title: s.Text("statement.title"), data: v,
		action: &page.Link{Text: s.Text("statement.close"), Path: closingPath},
	})
}

// PartnerPath returns the page of a partner's balance.
func (v *statementsView) PartnerPath(partnerID string) string { return moneyPartnerPath(partnerID) }

func (pages *Pages) statementFile(s *sheet) (int, []byte, error) {
	return s.billing().File(s.ID("file"))
}

// closingView is the page that closes a month for all partners.
type closingView struct {
	*sheet
	Ways     []page.Link
	Period   money.Period
	Month    string
	Choice   *page.Form // of the month
	Form     *page.Form
	Progress accounting.Progress
	Partners []closingRow // that get a statement
	More     int          // of them that are not shown
}

// closingRow is a partner that gets a statement.
type closingRow struct{ Name, Preview string }

// closingShown is how many of the partners that get a statement are shown.
const closingShown = 200

// Running reports whether the month is being closed.
func (v *closingView) Running() bool { return v.Progress.State == accounting.StateRunning }

// HasEnded reports whether the month can be closed.
func (v *closingView) HasEnded() bool { return v.Period <= v.pages.config.Accounting.Closable() }

// Due returns how many partners get a statement.
func (v *closingView) Due() int { return len(v.Partners) + v.More }

// Fields returns the field of the month.
func (v *closingView) Fields() ([]page.Field, error) {
	months, err := v.months()
	running := v.pages.config.Accounting.Closable() + 1
	months = slices.Insert(months, 0, page.Option{
		Value: running.String(),
		Label: v.Text("statement.running.month", "month", billing.Month(v.Language, running)),
	})
	return []page.Field{v.Choice.With(page.Field{
		Name: "period", Label: v.Text("statement.month"), Type: "select", Options: months,
	})}, err
}

// DoneStatements and TotalStatements are how far the closing is.
func (v *closingView) DoneStatements() int64 { return int64(v.Progress.Done) }
func (v *closingView) TotalStatements() int64 {
	return int64(max(v.Progress.Total, v.Progress.Done+v.Due()))
}

// ListPath returns the address of the statements of the month.
func (v *closingView) ListPath() string { return v.Link(statementsPath, "period", v.Period.String()) }

// Refresh returns the address of the page.
func (v *closingView) Refresh() string { return v.Link(closingPath, "period", v.Period.String()) }

func (pages *Pages) closing(s *sheet) (int, []byte, error) {
	period, ok := money.ParsePeriod(s.asked("period"))
	if !ok {
		period = pages.config.Accounting.Closable()
	}
	v, err := pages.closingView(s, period)
	if err != nil {
		return 0, nil, err
	}
	return v.render(http.StatusOK)
}

func (v *closingView) render(status int) (int, []byte, error) {
	title := "statement.close.month"
	if !v.HasEnded() {
		title = "statement.running.month"
	}
	return v.show(leaf{
		template: "statements-closing", title: v.Text(title, "month", v.Month), data: v, status: status,
		back: &page.Link{Text: v.Text("statement.title"), Path: statementsPath},
	})
}

func (pages *Pages) closingView(s *sheet, period money.Period) (*closingView, error) {
	books := pages.config.Accounting
	v := &closingView{
		sheet: s, Ways: s.moneyWays(), Period: period, Month: billing.Month(s.Language, period),
		Choice: &page.Form{Action: closingPath, Values: url.Values{"period": {period.String()}}},
	}
	var err error
	if v.Form, err = s.form(statementsPath, 0); err != nil {
		return nil, err
	}
	if v.Progress, err = books.Progress(s.Context(), period); err != nil {
		return nil, err
	}
	due, err := books.Unclosed(s.Context(), period)
	if err != nil {
		return nil, err
	}
	v.More = max(0, len(due)-closingShown)
	due = due[:len(due)-v.More]
	about := make([]*operator.Audited, len(due))
	for i, partnerID := range due {
		about[i] = &operator.Audited{PartnerID: partnerID}
	}
	names, err := pages.config.Operators.Names(s.Context(), about)
	for _, partnerID := range due {
		v.Partners = append(v.Partners, closingRow{cmp.Or(names[partnerID], partnerID), s.previewPath(partnerID, period)})
	}
	return v, err
}

// previewPath is the page that shows what a partner's statement of a month would be.
func (s *sheet) previewPath(partnerID string, period money.Period) string {
	return s.Link(moneyPartnerPath(partnerID)+"/statement", "period", period.String())
}

// beginClosing begins to close a month for all partners.
func (pages *Pages) beginClosing(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	period, ok := money.ParsePeriod(sent.Values.Get("period"))
	if !ok {
		return 0, nil, refusal.NotFound("the month")
	}
	_, refused := pages.config.Accounting.BeginClosing(s.Context(), period)
	switch {
	case refused == nil:
		return s.LeadTo(s.Link(closingPath, "period", period.String()), page.Flash{Key: "statement.begun"})
	case refusal.HasCode(refused, refusal.CodeConflict):
		return s.LeadTo(s.Link(closingPath, "period", period.String()), page.Flash{Key: "statement.begun.not", Danger: true})
	}
	return 0, nil, refused
}

// statementView is what a partner's statement of a month would be.
type statementView struct {
	*sheet
	Ways     []page.Link
	Name     string
	Shown    billing.Statement
	Form     *page.Form // nil while the month cannot be closed
	Period   money.Period
	HasEnded bool
}

// previewStatement shows what a partner's statement of a month would be, or its next one if the address names no
// month. If the month is closed, it leads to the list.
func (pages *Pages) previewStatement(s *sheet) (int, []byte, error) {
	books, partnerID := pages.config.Accounting, s.ID("partner_id")
	period, ok := money.ParsePeriod(s.asked("period"))
	if !ok {
		period = books.Closable()
	}
	preview, err := books.Preview(s.Context(), partnerID, period)
	if !ok && refusal.HasCode(err, refusal.CodeConflict) { // the next statement is that of the month that runs
		period++
		preview, err = books.Preview(s.Context(), partnerID, period)
	}
	if refusal.HasCode(err, refusal.CodeConflict) {
		return s.LeadTo(s.Link(statementsPath, "period", period.String()), page.Flash{Key: "statement.closed.already"})
	}
	if err != nil {
		return 0, nil, err
	}
	v := &statementView{
		sheet: s, Ways: s.moneyWays(), Name: preview.Name, Shown: s.billing().Statement(preview), Period: period,
		HasEnded: period <= books.Closable(),
	}
	if v.HasEnded && !preview.Empty() {
		if v.Form, err = s.form(moneyPartnerPath(partnerID)+"/statement", 0); err != nil {
			return 0, nil, err
		}
	}
	return s.show(leaf{
		template: "statement-preview", data: v,
		title: s.Text("statement.preview", "name", preview.Name, "month", billing.Month(s.Language, period)),
		back:  s.toMonth(period),
	})
}

// toMonth leads to the page of a month: that on which it is closed, or what its statements hold so far.
func (s *sheet) toMonth(period money.Period) *page.Link {
	text := s.Text("statement.close")
	if period > s.pages.config.Accounting.Closable() {
		text = s.Text("statement.running.month", "month", billing.Month(s.Language, period))
	}
	return &page.Link{Text: text, Path: s.Link(closingPath, "period", period.String())}
}

// closeStatement closes a month of a partner.
func (pages *Pages) closeStatement(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	period, ok := money.ParsePeriod(sent.Values.Get("period"))
	if !ok {
		return 0, nil, refusal.NotFound("the month")
	}
	closed, _, refused := pages.config.Accounting.CloseMonth(s.Context(), s.ID("partner_id"), period)
	list := s.Link(statementsPath, "period", period.String())
	switch {
	case refused == nil:
		return s.LeadTo(list, page.Flash{
			Key: "statement.closed.done", Arguments: []string{"number", s.Language.Number(int(closed.Number))},
		})
	case refusal.HasCode(refused, refusal.CodeConflict):
		return s.LeadTo(list, page.Flash{Key: "statement.closed.already", Danger: true})
	}
	return 0, nil, refused
}
