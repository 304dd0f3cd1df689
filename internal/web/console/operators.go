package console

import (
	"errors"
	"net/http"
	"net/url"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const operatorsPath = "/console/operators"

func (pages *Pages) operatorRoutes() []web.Route {
	return []web.Route{
		pages.get("/operators", administering, (*Pages).operators),
		pages.get("/operators/new", administering, (*Pages).newOperator),
		pages.post("/operators/new", administering, (*Pages).addOperator),
		pages.get("/operators/{operator_id}", administering, (*Pages).operator),
		pages.post("/operators/{operator_id}", administering, (*Pages).changeOperator),
		pages.post("/operators/{operator_id}/reset-link", administering, (*Pages).resetOperator),
		pages.post("/operators/{operator_id}/factor", administering, (*Pages).removeOperatorFactor),
	}
}

// operatorsOnPage is the number of operators on a page of their list.
const operatorsOnPage = 50

// couriersInChoice is how many couriers a form offers.
const couriersInChoice = 1000

// listedOperator is an operator with what admins may know of the sign-in.
type listedOperator struct {
	*operator.Operator
	signin.State
}

// operatorsView is what the list of operators shows.
type operatorsView struct {
	*sheet
	Operators []listedOperator
	Pages     page.Pages
}

func (pages *Pages) operators(s *sheet) (int, []byte, error) {
	cursor := s.Request.URL.Query().Get("cursor")
	found, err := pages.config.Operators.List(s.Context(), cursor, operatorsOnPage)
	if err != nil {
		return 0, nil, err
	}
	ids := make([]string, len(found.Operators))
	for i, o := range found.Operators {
		ids[i] = o.OperatorID
	}
	states, err := pages.config.OperatorSignIns.States(s.Context(), ids)
	if err != nil {
		return 0, nil, err
	}
	view := operatorsView{sheet: s}
	for _, o := range found.Operators {
		view.Operators = append(view.Operators, listedOperator{o, states[o.OperatorID]})
	}
	if found.Next != "" {
		view.Pages.Next = s.Link(operatorsPath, "cursor", found.Next)
	}
	if cursor != "" {
		view.Pages.First = operatorsPath
	}
	return s.show(leaf{
		template: "operators", title: s.Text("console.operators"), data: view,
		action: &page.Link{Text: s.Text("operators.add"), Path: operatorsPath + "/new"},
	})
}

// RoleName returns the name of a role.
func (s *sheet) RoleName(r operator.Role) string { return s.Text("role." + string(r)) }

// RoleRights says what a role may do.
func (s *sheet) RoleRights(r operator.Role) string { return s.Text("role." + string(r) + ".may") }

// operatorView is what the page of an operator shows, and that of a new one.
type operatorView struct {
	*sheet
	*listedOperator // nil for a new one
	Form            *page.Form
	Couriers        []page.Option
	Reset, Removal  *page.Form         // of a link for a new password, and of the second factor
	Made            *signin.IssuedLink // that was just made, and is shown once; may be nil
	Problem         *page.Message      // why a change was refused; may be nil
}

// Roles returns the roles that can be chosen.
func (v operatorView) Roles() []operator.Role { return operator.Roles }

// RoleField returns the choice of the role.
func (v operatorView) RoleField() page.Field {
	return v.Form.With(page.Field{Name: "role", Label: v.Text("operators.role")})
}

// CourierField returns the choice of the courier that the operator is.
func (v operatorView) CourierField() page.Field {
	return v.Form.With(page.Field{
		Name: "courier_id", Label: v.Text("operators.courier"), Hint: v.Text("operators.courier.hint"), Type: "select",
		Options: v.Couriers,
	})
}

// Fields returns the fields that only a new operator has.
func (v operatorView) Fields() []page.Field {
	return []page.Field{
		v.Form.With(v.Input("email", "operators.email", "email", "off")),
		v.Form.With(v.Hinted(v.Input("password", "operators.password", "password", "new-password"),
			"operators.password.hint")),
	}
}

// IsReader reports whether the operator is the reader.
func (v operatorView) IsReader() bool {
	return v.listedOperator != nil && v.OperatorID == v.sheet.Operator.OperatorID
}

func (pages *Pages) newOperator(s *sheet) (int, []byte, error) {
	form, err := s.form(operatorsPath+"/new", 0)
	if err != nil {
		return 0, nil, err
	}
	form.Values.Set("courier_id", s.Request.URL.Query().Get("courier_id"))
	if form.Values.Get("courier_id") != "" {
		form.Values.Set("role", string(operator.RoleCourier))
	}
	return pages.showNewOperator(s, form, http.StatusOK)
}

func (pages *Pages) showNewOperator(s *sheet, form *page.Form, status int) (int, []byte, error) {
	couriers, err := pages.courierChoice(s)
	if err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		template: "operator-new", title: s.Text("operators.new"), status: status, data: operatorView{
			sheet: s, Form: form, Couriers: couriers,
		},
		back: &page.Link{Text: s.Text("console.operators"), Path: operatorsPath},
	})
}

// courierChoice returns the couriers that an operator can be.
func (pages *Pages) courierChoice(s *sheet) ([]page.Option, error) {
	found, err := pages.config.Operators.Couriers(s.Context(), "", couriersInChoice)
	if err != nil {
		return nil, err
	}
	options := []page.Option{{Label: "–"}}
	for _, c := range found.Couriers {
		options = append(options, page.Option{Value: c.CourierID, Label: c.Name})
	}
	return options, nil
}

func (pages *Pages) addOperator(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	var added *operator.Operator
	wanted, err := form.Decode(sent.Typed(nil), operator.ReadNewOperator)
	if err == nil {
		added, err = pages.config.Operators.Add(s.Context(), wanted.Operator, wanted.Password)
	}
	switch {
	case err == nil:
		return s.LeadTo(operatorsPath, page.Flash{Key: "operators.added", Arguments: []string{"email", added.Email}})
	case refusal.HasCode(err, refusal.CodeEmailTaken):
		sent.Faults = append(sent.Faults, page.Fault{Field: "email", Text: s.Text("operators.taken")})
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return pages.showNewOperator(s, sent, http.StatusUnprocessableEntity)
}

// viewOfOperator returns the operator that the path names. It refuses with not_found.
func (pages *Pages) viewOfOperator(s *sheet) (operatorView, error) {
	view := operatorView{sheet: s}
	found, err := pages.config.Operators.Operator(s.Context(), s.ID("operator_id"))
	if err != nil {
		return view, err
	}
	states, err := pages.config.OperatorSignIns.States(s.Context(), []string{found.OperatorID})
	if err != nil {
		return view, err
	}
	view.listedOperator = &listedOperator{found, states[found.OperatorID]}
	if view.Couriers, err = pages.courierChoice(s); err != nil {
		return view, err
	}
	path := operatorsPath + "/" + found.OperatorID
	if view.Form, err = s.form(path, versionOfOperator(found)); err != nil {
		return view, err
	}
	view.Form.Values.Set("role", string(found.Role))
	view.Form.Values.Set("courier_id", found.CourierID)
	view.Form.Values.Set("active", strconv.FormatBool(found.Active))
	if view.Reset, err = s.form(path+"/reset-link", 0); err != nil {
		return view, err
	}
	view.Removal, err = s.form(path+"/factor", versionOfFactor(view.State))
	return view, err
}

// versionOfOperator differs when the form shows something else.
func versionOfOperator(o *operator.Operator) int64 {
	return page.VersionOf(string(o.Role), o.CourierID, strconv.FormatBool(o.Active))
}

func (pages *Pages) operator(s *sheet) (int, []byte, error) {
	view, err := pages.viewOfOperator(s)
	if err != nil {
		return 0, nil, err
	}
	return s.showOperator(view, http.StatusOK)
}

func (s *sheet) showOperator(view operatorView, status int) (int, []byte, error) {
	return s.show(leaf{
		template: "operator", title: view.Email, data: view, status: status,
		back: &page.Link{Text: s.Text("console.operators"), Path: operatorsPath},
	})
}

// readOperator reads the change that a form asks for. A form always says which role, and
// whether the operator is active.
func readOperator(sent *page.Form) (operator.Change, error) {
	values := url.Values{
		"role": sent.Values["role"], "active": {
			strconv.FormatBool(sent.Values.Get("active") == "true"),
		}, "courier_id": sent.Values["courier_id"],
	}
	return form.Decode(form.FromValues(values, nil), func(f *form.Form) operator.Change {
		if !f.Has("role") {
			f.Fault("role", form.OneOf(operator.Roles...).Rule)
		}
		return operator.ReadChange(f)
	})
}

func (pages *Pages) changeOperator(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	view, err := pages.viewOfOperator(s)
	if err != nil {
		return 0, nil, err
	}
	view.Form = sent
	var changed *operator.Operator
	change, err := readOperator(sent)
	if err == nil {
		changed, err = pages.config.Operators.ChangeFrom(s.Context(), view.OperatorID, page.Basis(sent, versionOfOperator),
			change)
	}
	switch {
	case err == nil:
		return s.LeadTo(operatorsPath, page.Flash{Key: "operators.changed", Arguments: []string{"email", changed.Email}})
	case errors.Is(err, form.ErrStale):
		return s.Stale(s.Request.URL.Path, view.OperatorID)
	case refusal.HasCode(err, refusal.CodeConflict):
		view.Problem = &page.Message{Text: s.Text("operators.last_admin"), Danger: true}
		return s.showOperator(view, http.StatusConflict)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return s.showOperator(view, http.StatusUnprocessableEntity)
}

// resetOperator makes a link for a new password. It is shown once, unless it was sent by
// mail.
func (pages *Pages) resetOperator(s *sheet) (int, []byte, error) {
	link, err := pages.config.OperatorSignIns.ResetLink(s.Context(), s.ID("operator_id"))
	if err != nil {
		return 0, nil, err
	}
	path := operatorsPath + "/" + s.ID("operator_id")
	if link.URL == "" {
		return s.LeadTo(path, page.Flash{Key: "operators.reset.mailed"})
	}
	view, err := pages.viewOfOperator(s.on(path))
	if err != nil {
		return 0, nil, err
	}
	view.Made = link
	return s.showOperator(view, http.StatusOK)
}

func (pages *Pages) removeOperatorFactor(s *sheet) (int, []byte, error) {
	path, operatorID := operatorsPath+"/"+s.ID("operator_id"), s.ID("operator_id")
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	err = pages.config.OperatorSignIns.ClearTOTPFrom(s.Context(), "", operatorID, page.Basis(sent, versionOfFactor))
	if errors.Is(err, form.ErrStale) {
		return s.Stale(path, operatorID)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(path, page.Flash{Key: "operators.factor.removed"})
}
