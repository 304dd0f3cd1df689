package console

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

const settingsPath = "/console/settings"

func (pages *Pages) settingsRoutes() []web.Route {
	return []web.Route{
		pages.get("/settings", administering, (*Pages).settings),
		pages.post("/settings", administering, (*Pages).changeRules),
		pages.post("/settings/phone", administering, (*Pages).changePhone),
	}
}

// ruleChoice is a kind of people with the roles that must have a second factor.
type ruleChoice struct {
	Kind  signin.Kind
	Title string
	Roles []ruledRole
}

// ruledRole is a role that must have a second factor, or need not.
type ruledRole struct {
	Value, Name string
	Required    bool
}

// settingsView is what the settings of the house show.
type settingsView struct {
	*sheet
	Form    *page.Form
	Choices []ruleChoice
	Phone   *page.Form // of the number of the desk
}

// PhoneField returns the field of the number of the desk.
func (v *settingsView) PhoneField() page.Field {
	field := v.Hinted(v.Input("dispatch_phone", "house.phone", "tel", "off"), "house.phone.hint")
	field.Required = false
	return v.Phone.With(field)
}

func (pages *Pages) settings(s *sheet) (int, []byte, error) {
	view, err := pages.settingsView(s)
	if err != nil {
		return 0, nil, err
	}
	return s.showSettings(view, http.StatusOK)
}

func (s *sheet) showSettings(view *settingsView, status int) (int, []byte, error) {
	return s.show(leaf{template: "house-settings", title: s.Text("console.settings"), data: view, status: status})
}

// settingsView returns the settings with fresh forms.
func (pages *Pages) settingsView(s *sheet) (*settingsView, error) {
	rules, err := pages.config.Rules.Get(s.Context())
	if err != nil {
		return nil, err
	}
	view := &settingsView{sheet: s}
	if view.Form, err = s.form(settingsPath, versionOfRules(rules)); err != nil {
		return nil, err
	}
	set, err := pages.config.Dispatch.ServiceSettings(s.Context())
	if err != nil {
		return nil, err
	}
	if view.Phone, err = s.form(settingsPath+"/phone", versionOfSettings(set)); err != nil {
		return nil, err
	}
	view.Phone.Values.Set("dispatch_phone", set.DispatchPhone)
	operators := ruleChoice{Kind: signin.Operators, Title: s.Text("house.operators")}
	for _, role := range operator.Roles {
		operators.Roles = append(operators.Roles,
			ruledRole{string(role), s.RoleName(role), slices.Contains(rules[signin.Operators], string(role))})
	}
	users := ruleChoice{Kind: signin.Users, Title: s.Text("house.users")}
	for _, role := range partner.Roles {
		users.Roles = append(users.Roles,
			ruledRole{string(role), s.Text("team." + string(role)), slices.Contains(rules[signin.Users], string(role))})
	}
	view.Choices = []ruleChoice{operators, users}
	return view, nil
}

func versionOfSettings(set dispatch.ServiceSettings) int64 { return page.VersionOf(set.DispatchPhone) }

// changePhone sets the number at which couriers reach the desk; an empty field removes it.
func (pages *Pages) changePhone(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	change := dispatch.ServiceSettingsChange{DispatchPhone: new("")}
	if strings.TrimSpace(sent.Values.Get("dispatch_phone")) != "" {
		change, err = form.Decode(sent.Typed(dialled), dispatch.ReadServiceSettingsChange)
	}
	if err == nil {
		_, err = pages.config.Dispatch.ChangeServiceSettings(s.Context(), page.Basis(sent, versionOfSettings), change)
	}
	switch {
	case err == nil:
		return s.LeadTo(settingsPath, page.Flash{Key: "house.phone.saved"})
	case errors.Is(err, form.ErrStale):
		return s.Stale(settingsPath)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	view, err := pages.settingsView(s.on(settingsPath))
	if err != nil {
		return 0, nil, err
	}
	view.Phone = sent
	return s.showSettings(view, http.StatusUnprocessableEntity)
}

// dialled returns a phone number as it is dialled from anywhere, if the text is one.
func dialled(_, text string) string {
	if digits, ok := delivery.InternationalPhone(text); ok {
		return digits
	}
	return text
}

func versionOfRules(rules signin.Required) int64 {
	return page.VersionOf(fmt.Sprint(rules[signin.Operators]), fmt.Sprint(rules[signin.Users]))
}

// changeRules sets who must have a second factor.
func (pages *Pages) changeRules(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	chosen := url.Values{}
	for _, kind := range []signin.Kind{signin.Operators, signin.Users} {
		path := "totp_required." + string(kind)
		chosen[path], chosen[path+"[]"] = sent.Values[string(kind)], []string{""}
	}
	rules, err := form.Decode(form.FromValues(chosen, nil), pages.config.Rules.Read)
	if err == nil {
		_, err = pages.config.Rules.SetFrom(s.Context(), page.Basis(sent, versionOfRules), rules)
	}
	if errors.Is(err, form.ErrStale) {
		return s.Stale(settingsPath)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(settingsPath, page.Flash{Key: "house.rules.saved"})
}
