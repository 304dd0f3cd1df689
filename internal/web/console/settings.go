package console

import (
	"errors"
	"fmt"
	"net/url"
	"slices"

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
}

func (pages *Pages) settings(s *sheet) (int, []byte, error) {
	rules, err := pages.config.Rules.Get(s.Context())
	if err != nil {
		return 0, nil, err
	}
	view := settingsView{sheet: s}
	if view.Form, err = s.form(settingsPath, versionOfRules(rules)); err != nil {
		return 0, nil, err
	}
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
	return s.show(leaf{template: "house-settings", title: s.Text("console.settings"), data: view})
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
