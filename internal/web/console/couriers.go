package console

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const couriersPath = "/console/couriers"

func (pages *Pages) courierRoutes() []web.Route {
	return []web.Route{
		pages.get("/couriers", dispatching, (*Pages).couriers),
		pages.get("/couriers/new", dispatching, (*Pages).newCourier),
		pages.post("/couriers/new", dispatching, (*Pages).createCourier),
		pages.get("/couriers/{courier_id}", dispatching, (*Pages).courier),
		pages.get("/couriers/{courier_id}/sheet", dispatching, (*Pages).runSheet),
		pages.post("/couriers/{courier_id}", dispatching, (*Pages).changeCourier),
		pages.post("/couriers/{courier_id}/messages", dispatching, (*Pages).sendMessage),
		pages.post("/couriers/{courier_id}/active", dispatching, (*Pages).activateCourier),
		pages.post("/couriers/{courier_id}/login", administering, (*Pages).createLogin),
	}
}

// couriersOnPage is the number of couriers on a page of the list.
const couriersOnPage = 50

// couriersView is what the list of couriers shows.
type couriersView struct {
	*sheet
	Search   string
	Chips    []page.Link
	Couriers []courierRow
	Shown    string
	Pages    page.Pages
	Narrowed bool // the list does not show all couriers
}

// courierRow is a courier with what is shown beside the record.
type courierRow struct {
	*operator.Courier
	Load  int64 // orders under way
	Login *operator.Operator
}

// couriers lists couriers by name. Those who are not active have a list of their own.
func (pages *Pages) couriers(s *sheet) (int, []byte, error) {
	query := s.Request.URL.Query()
	v := couriersView{sheet: s, Search: strings.TrimSpace(query.Get("q"))}
	rows, err := pages.courierRows(s)
	if err != nil {
		return 0, nil, err
	}
	v.Narrowed = v.Search != "" && len(rows) > 0
	rows = slices.DeleteFunc(rows, func(row courierRow) bool { return !row.matches(v.Search) })
	gone := query.Get("status") == "inactive"
	active := slices.DeleteFunc(slices.Clone(rows), func(row courierRow) bool { return !row.Active })
	inactive := slices.DeleteFunc(rows, func(row courierRow) bool { return row.Active })
	v.Chips = []page.Link{
		{Text: s.Text("couriers.active", "n",
			s.Language.Number(len(active))), Path: s.Link(couriersPath, "q", v.Search), Current: !gone},
		{Text: s.Text("couriers.inactive", "n",
			s.Language.Number(len(inactive))), Path: s.Link(couriersPath, "q", v.Search, "status", "inactive"), Current: gone},
	}
	if gone {
		active, v.Narrowed = inactive, true
	}
	v.cut(active, query.Get("page"), query.Get("status"))
	return s.show(leaf{
		template: "console-couriers", title: s.Text("console.couriers"), data: &v,
		action: &page.Link{Text: s.Text("couriers.new"), Path: couriersPath + "/new"},
	})
}

// courierRows returns all couriers by name.
func (pages *Pages) courierRows(s *sheet) ([]courierRow, error) {
	couriers, err := pages.allCouriers(s.Context())
	if err != nil {
		return nil, err
	}
	loads, err := pages.config.Dispatch.Loads(s.Context())
	if err != nil {
		return nil, err
	}
	logins, err := pages.logins(s)
	if err != nil {
		return nil, err
	}
	rows := make([]courierRow, len(couriers))
	for i, courier := range couriers {
		rows[i] = courierRow{courier, loads[courier.CourierID], logins[courier.CourierID]}
	}
	slices.SortFunc(rows, func(a, b courierRow) int {
		return cmp.Or(cmp.Compare(strings.ToLower(a.Name), strings.ToLower(b.Name)), cmp.Compare(a.CourierID, b.CourierID))
	})
	return rows, nil
}

// batch is how many records are read at a time where all are needed.
const batch = 500

func (pages *Pages) allCouriers(ctx context.Context) (all []*operator.Courier, err error) {
	for cursor := ""; ; {
		found, err := pages.config.Operators.Couriers(ctx, cursor, batch)
		if err != nil {
			return nil, err
		}
		all = append(all, found.Couriers...)
		if cursor = found.Next; cursor == "" {
			return all, nil
		}
	}
}

// logins returns the operators that couriers are, by courier id. It is empty for readers
// who may not see operators.
func (pages *Pages) logins(s *sheet) (map[string]*operator.Operator, error) {
	logins := map[string]*operator.Operator{}
	for cursor := ""; s.IsAdmin(); {
		found, err := pages.config.Operators.List(s.Context(), cursor, batch)
		if err != nil {
			return nil, err
		}
		for _, account := range found.Operators {
			if old := logins[account.CourierID]; old == nil || !old.Active {
				logins[account.CourierID] = account
			}
		}
		if cursor = found.Next; cursor == "" {
			break
		}
	}
	delete(logins, "") // operators who are not couriers
	return logins, nil
}

// matches reports whether a text occurs in what the list shows of a courier, in any case.
func (row courierRow) matches(text string) bool {
	shown := row.Name + "\n" + row.Phone + "\n" + row.Vehicle
	return strings.Contains(strings.ToLower(shown), strings.ToLower(text))
}

// cut sets the rows of one page of the list.
func (v *couriersView) cut(rows []courierRow, number, status string) {
	last := max(1, (len(rows)+couriersOnPage-1)/couriersOnPage)
	at, _ := strconv.Atoi(number)
	at = min(max(at, 1), last)
	v.Couriers = rows[(at-1)*couriersOnPage : min(at*couriersOnPage, len(rows))]
	v.Shown = v.Language.Count("couriers.shown", len(rows))
	to := func(n int) string {
		return v.Link(couriersPath, "q", v.Search, "status", status, "page", strconv.Itoa(n))
	}
	if at > 1 {
		v.Pages.Previous = to(at - 1)
	}
	if at < last {
		v.Pages.Next = to(at + 1)
	}
}

// courierFields are those of the record.
var courierFields = []string{"name", "phone", "vehicle"}

// trim removes the spaces around what the fields of a record hold.
func trim(form *page.Form) {
	for _, name := range courierFields {
		form.Values.Set(name, strings.TrimSpace(form.Values.Get(name)))
	}
}

// newCourierView is what the form of a new courier shows.
type newCourierView struct {
	*sheet
	Form *page.Form
}

// CourierFields returns the fields of a record in a form.
func (s *sheet) CourierFields(f *page.Form) []page.Field {
	return []page.Field{
		f.With(s.Input("name", "couriers.name", "text", "off")),
		f.With(s.Hinted(s.Input("phone", "couriers.phone", "tel", "off"), "couriers.phone.hint")),
		f.With(s.Hinted(s.Input("vehicle", "couriers.vehicle", "text", "off"), "couriers.vehicle.hint")),
	}
}

func (pages *Pages) newCourier(s *sheet) (int, []byte, error) {
	form, err := s.form(couriersPath+"/new", 0)
	if err != nil {
		return 0, nil, err
	}
	return s.showNewCourier(form, http.StatusOK)
}

func (s *sheet) showNewCourier(form *page.Form, status int) (int, []byte, error) {
	return s.show(leaf{
		template: "console-courier-new", title: s.Text("couriers.new"), data: newCourierView{s, form}, status: status,
		back: &page.Link{Text: s.Text("console.couriers"), Path: couriersPath},
	})
}

func (pages *Pages) createCourier(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	trim(sent)
	entered, err := form.Decode(sent.Typed(nil), operator.ReadCourier)
	if err != nil {
		return 0, nil, err
	}
	made, err := pages.config.Operators.CreateCourier(s.Context(), entered)
	if err == nil {
		return s.LeadTo(couriersPath+"/"+made.CourierID,
			page.Flash{Key: "couriers.created", Arguments: []string{"name", made.Name}})
	}
	if !sent.Refuse(err, s.Language) {
		return 0, nil, err
	}
	return s.showNewCourier(sent, http.StatusUnprocessableEntity)
}
