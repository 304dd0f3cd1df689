package console

import (
	"errors"
	"net/http"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/web/page"
)

// courierView is what the page of a courier shows.
type courierView struct {
	*sheet
	Courier *operator.Courier
	Form    *page.Form // of the record
	Active  *page.Form // which activates or deactivates
	Login   *operator.Operator
	// NewLogin is the form that adds an operator for the courier; nil if there is one, or
	// if the reader may not add one.
	NewLogin *page.Form
	Carries  []page.Link // the cash that the courier carries, by currency, with the pages where it is counted
	Round    *dispatch.Round
	Stops    []courierStop
	Figures  []courierFigure
	Message  *page.Form // a new message
	Messages []*dispatch.Sent
}

// courierStop is a row of the table of stops.
type courierStop struct {
	dispatch.Job
	Overdue bool // its window has ended
}

// courierFigure is a sum of the last 30 days.
type courierFigure struct {
	Key, Value string
	Course     []int64
}

// lately is how far back a courier's page lists deliveries.
const lately = 24 * time.Hour

func (pages *Pages) courier(s *sheet) (int, []byte, error) {
	v, err := pages.courierView(s)
	if err != nil {
		return 0, nil, err
	}
	return s.showCourier(v, http.StatusOK)
}

// pathOf returns the address of the page of a courier.
func pathOf(courierID string) string { return couriersPath + "/" + courierID }

// courierView returns what the page of the courier in the path shows, with fresh forms.
// It refuses with not_found.
func (pages *Pages) courierView(s *sheet) (v *courierView, err error) {
	v = &courierView{sheet: s}
	if v.Courier, err = pages.config.Operators.Courier(s.Context(), s.ID("courier_id")); err != nil {
		return nil, err
	}
	for _, add := range []func() error{v.addForms, v.addLogin, v.addStops, v.addCash, v.addFigures, v.addMessages} {
		if err := add(); err != nil {
			return nil, err
		}
	}
	return v, nil
}

// versionOf returns a number that differs when the record holds something else.
func versionOf(c *operator.Courier) int64 {
	return page.VersionOf(c.Name, c.Phone, c.Vehicle, strconv.FormatBool(c.Active))
}

func (v *courierView) addForms() (err error) {
	path := pathOf(v.Courier.CourierID)
	if v.Form, err = v.form(path, versionOf(v.Courier)); err != nil {
		return err
	}
	for _, field := range []struct {
		name, value string
	}{{"name", v.Courier.Name}, {"phone", v.Courier.Phone}, {"vehicle", v.Courier.Vehicle}} {
		v.Form.Values.Set(field.name, field.value)
	}
	v.Active, err = v.form(path+"/active", versionOf(v.Courier))
	return err
}

func (v *courierView) addLogin() error {
	if !v.IsAdmin() {
		return nil
	}
	logins, err := v.pages.logins(v.sheet)
	if err != nil {
		return err
	}
	if v.Login = logins[v.Courier.CourierID]; v.Login == nil {
		v.NewLogin, err = v.form(pathOf(v.Courier.CourierID)+"/login", 0)
	}
	return err
}

func (v *courierView) addStops() (err error) {
	now := v.pages.config.Site.Now()
	if v.Round, err = v.pages.config.Dispatch.Round(v.Context(), v.Courier.CourierID, now.Add(-lately)); err != nil {
		return err
	}
	for _, job := range v.Round.Jobs {
		v.Stops = append(v.Stops, courierStop{job, job.Stop.Contact.Window.End.Before(now)})
	}
	return nil
}

// addCash adds the cash that the courier carries.
func (v *courierView) addCash() error {
	carried, err := v.pages.config.Accounting.CashWith(v.Context(), v.Courier.CourierID)
	for _, sum := range accounting.CarriersOf(carried) {
		v.Carries = append(v.Carries, page.Link{
			Text: v.Language.Money(sum.Cents, sum.Currency),
			Path: v.Link(cashPath+"/couriers/"+v.Courier.CourierID, "currency", string(sum.Currency)),
		})
	}
	return err
}

// addFigures adds the sums of the last 30 days.
func (v *courierView) addFigures() error {
	answer, err := v.pages.config.Reports.Figures(v.Context(),
		report.Question{Filter: figures.Filter{CourierID: v.Courier.CourierID}})
	if err != nil {
		return err
	}
	total := report.Total(answer.Lines)
	number := func(n int64) string { return v.Language.Number(int(n)) }
	v.Figures = []courierFigure{
		{"couriers.figure.assigned", number(total.Assigned), courseOf(answer,
			func(c figures.Counts) int64 { return c.Assigned })},
		{"couriers.figure.delivered", number(total.Delivered), courseOf(answer,
			func(c figures.Counts) int64 { return c.Delivered })},
		{"couriers.figure.on_time", v.Language.Share(total.OnTime,
			total.Delivered), courseOf(answer, func(c figures.Counts) int64 { return c.OnTime })},
		{"couriers.figure.failed", number(total.FailedAttempts), courseOf(answer,
			func(c figures.Counts) int64 { return c.FailedAttempts })},
	}
	return nil
}

// courseOf returns a count of each day.
func courseOf(answer *report.Answer, of func(figures.Counts) int64) []int64 {
	course := make([]int64, len(answer.Lines))
	for i, line := range answer.Lines {
		course[i] = of(line.Counts)
	}
	return course
}

// LoginFields returns the fields of a new login.
func (v *courierView) LoginFields() []page.Field {
	return []page.Field{
		v.NewLogin.With(v.Input("email", "couriers.login.email", "email", "off")),
		v.NewLogin.With(v.Hinted(v.Input("password", "couriers.login.password", "password", "new-password"),
			"couriers.login.password.hint")),
	}
}

// Done returns how many orders the courier has delivered lately.
func (v *courierView) Done() int { return int(v.Round.Done.Count) }

// Place returns the number of the stop with an index.
func (v *courierView) Place(index int) int { return index + 1 }

func (s *sheet) showCourier(v *courierView, status int) (int, []byte, error) {
	return s.show(leaf{
		template: "console-courier", title: v.Courier.Name, data: v, status: status,
		back: &page.Link{Text: s.Text("console.couriers"), Path: couriersPath},
	})
}

func (pages *Pages) changeCourier(s *sheet) (int, []byte, error) {
	sent, v, err := pages.readCourierForm(s)
	if err != nil {
		return 0, nil, err
	}
	trim(sent)
	change, err := form.Decode(sent.Typed(nil), operator.ReadCourier)
	if err != nil {
		return 0, nil, err
	}
	changed, err := pages.config.Operators.ChangeCourierFrom(s.Context(), v.Courier.CourierID, page.Basis(sent, versionOf),
		change)
	switch {
	case err == nil:
		return s.LeadTo(pathOf(changed.CourierID),
			page.Flash{Key: "couriers.changed", Arguments: []string{"name", changed.Name}})
	case errors.Is(err, form.ErrStale):
		return s.Stale(pathOf(v.Courier.CourierID), v.Courier.CourierID)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	v.Form = sent
	return s.showCourier(v, http.StatusUnprocessableEntity)
}

// readCourierForm returns the form that was sent about the courier in the path, and what
// the courier's page shows.
func (pages *Pages) readCourierForm(s *sheet) (*page.Form, *courierView, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return nil, nil, err
	}
	v, err := pages.courierView(s.on(pathOf(s.ID("courier_id"))))
	return sent, v, err
}

// activateCourier makes a courier active who is not, or the other way round. The form's
// version makes sure that it is what the reader saw.
func (pages *Pages) activateCourier(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	courier, err := pages.config.Operators.Courier(s.Context(), s.ID("courier_id"))
	if err != nil {
		return 0, nil, err
	}
	path := pathOf(courier.CourierID)
	change := operator.CourierEntry{Active: new(!courier.Active)}
	changed, err := pages.config.Operators.ChangeCourierFrom(s.Context(), courier.CourierID, page.Basis(sent, versionOf),
		change)
	if errors.Is(err, form.ErrStale) {
		return s.Stale(path, courier.CourierID)
	}
	if err != nil {
		return 0, nil, err
	}
	key := "couriers.deactivated"
	if changed.Active {
		key = "couriers.activated"
	}
	return s.LeadTo(path, page.Flash{Key: key, Arguments: []string{"name", changed.Name}})
}

// createLogin adds an operator with the role courier for the courier in the path.
func (pages *Pages) createLogin(s *sheet) (int, []byte, error) {
	sent, v, err := pages.readCourierForm(s)
	if err != nil {
		return 0, nil, err
	}
	path := pathOf(v.Courier.CourierID)
	if v.Login != nil {
		return s.Stale(path)
	}
	sent.Values.Set("role", string(operator.RoleCourier))
	sent.Values.Set("courier_id", v.Courier.CourierID)
	var made *operator.Operator
	wanted, err := form.Decode(sent.Typed(nil), operator.ReadNewOperator)
	if err == nil {
		made, err = pages.config.Operators.Add(s.Context(), wanted.Operator, wanted.Password)
	}
	switch {
	case errors.Is(err, operator.ErrCourierTaken): // at the same time
		return s.Stale(path)
	case err == nil:
		return s.LeadTo(path, page.Flash{Key: "couriers.login.created", Arguments: []string{"email", made.Email}})
	case refusal.HasCode(err, refusal.CodeEmailTaken):
		sent.Faults = append(sent.Faults, page.Fault{Field: "email", Text: s.Text("couriers.login.taken")})
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	v.NewLogin = sent
	return s.showCourier(v, http.StatusUnprocessableEntity)
}
