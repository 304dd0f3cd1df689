package portal

import (
	"cmp"
	"errors"
	"fmt"
	"net/http"
	"net/url"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) settingsRoutes() []web.Route {
	return []web.Route{
		pages.get("/settings", partner.PermissionAccountRead, (*Pages).settings),
		pages.post("/settings", partner.PermissionAccount, (*Pages).changeSettings),
		pages.post("/settings/logo", partner.PermissionAccount, (*Pages).setLogo),
		pages.post("/settings/logo/remove", partner.PermissionAccount, (*Pages).removeLogo),
	}
}

// settingsView is what the page of the settings shows.
type settingsView struct {
	*sheet
	Profile partner.Profile
	Logo    string // its path; empty without a logo
	// The forms are nil if the reader may not change settings.
	Form, LogoForm, LogoRemoval *page.Form
	Problem                     *page.Message // why the settings were not saved; may be nil
	// what a stale form held, by field, where it differs from what is there now
	Typed  map[string]string
	Sample string // the path of the recipient's page of the latest order; empty without orders
	NoMail bool   // the service sends no mail
}

func (pages *Pages) settings(s *sheet) (int, []byte, error) {
	return pages.showSettings(s, http.StatusOK, nil)
}

// showSettings shows the settings as they are now, after alter has changed the view.
func (pages *Pages) showSettings(s *sheet, status int, alter func(*settingsView)) (int, []byte, error) {
	view, err := pages.viewOfSettings(s)
	if err != nil {
		return 0, nil, err
	}
	if alter != nil {
		alter(view)
	}
	return s.show(leaf{
		template: "portal-settings", title: s.Text("settings.title"), data: view, status: status, modeless: true,
	})
}

func (pages *Pages) viewOfSettings(s *sheet) (*settingsView, error) {
	account := s.Member.Partner.PartnerID
	profile, err := pages.config.Partners.Profile(s.Context(), account)
	if err != nil {
		return nil, err
	}
	view := &settingsView{sheet: s, Profile: profile, NoMail: !pages.config.Mail}
	if profile.LogoVersion != "" {
		view.Logo = "/logos/" + account + "/" + profile.LogoVersion
	}
	if view.Sample, err = pages.latestPage(s); err != nil || !s.May(partner.PermissionAccount) {
		return view, err
	}
	for path, made := range map[string]**page.Form{
		"/portal/settings": &view.Form, "/portal/settings/logo": &view.LogoForm,
		"/portal/settings/logo/remove": &view.LogoRemoval,
	} {
		if *made, err = s.form(path); err != nil {
			return nil, err
		}
	}
	view.Form.Version = versionOfProfile(profile)
	for name, value := range fieldsOf(profile) {
		view.Form.Values.Set(name, value)
	}
	return view, nil
}

// latestPage returns the path of the recipient's page of the latest order, or of the
// latest test order if there is no other; empty without orders.
func (pages *Pages) latestPage(s *sheet) (string, error) {
	account := s.Member.Partner.PartnerID
	for _, id := range []string{account, delivery.TestAccount(account)} {
		found, err := pages.config.Orders.List(s.Context(), order.Filter{PartnerID: id, Limit: 1})
		if err != nil {
			return "", err
		}
		if len(found.Orders) > 0 {
			return "/track/" + found.Orders[0].OrderID + "/html", nil
		}
	}
	return "", nil
}

// checked is the value of a checkbox that is on.
const checked = "yes"

// fieldsOf returns what the fields of the form hold for a profile.
func fieldsOf(p partner.Profile) map[string]string {
	mail := ""
	if p.RecipientMail {
		mail = checked
	}
	return map[string]string{
		"public_name": p.PublicName, "support_url": p.SupportURL, "language": string(p.Language), "recipient_mail": mail,
	}
}

// versionOfProfile differs when the form shows another profile.
func versionOfProfile(p partner.Profile) int64 { return page.VersionOf(fmt.Sprintf("%q", fieldsOf(p))) }

func (pages *Pages) changeSettings(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	account := s.Member.Partner.PartnerID
	now, err := pages.config.Partners.Profile(s.Context(), account)
	if err != nil {
		return 0, nil, err
	}
	change, err := readChange(sent, now)
	if err == nil {
		_, err = pages.config.Partners.ChangeProfileFrom(s.Context(), account, page.Basis(sent, versionOfProfile), change)
	}
	if errors.Is(err, form.ErrStale) {
		if now, err = pages.config.Partners.Profile(s.Context(), account); err != nil {
			return 0, nil, err
		}
		return pages.showStale(s, sent, now)
	}
	if err != nil {
		if !sent.Refuse(err, s.Language) {
			return 0, nil, err
		}
		return pages.showSettings(s, http.StatusUnprocessableEntity, func(view *settingsView) { view.Form = sent })
	}
	return s.LeadTo("/portal/settings", page.Flash{Key: "settings.saved"})
}

// readChange reads what differs from the profile as it is now: what another person saves at
// the same moment in other fields stays.
func readChange(sent *page.Form, now partner.Profile) (partner.ProfileChange, error) {
	typed := url.Values{}
	for name, value := range fieldsOf(now) {
		if text := sent.Values.Get(name); text != value {
			typed.Set(name, text)
		}
	}
	if typed.Has("recipient_mail") {
		typed.Set("recipient_mail", strconv.FormatBool(typed.Get("recipient_mail") == checked))
	}
	change, err := form.Decode(form.FromValues(typed, nil), partner.ReadProfileChange)
	cleared := func(name string) bool { return typed.Has(name) && typed.Get(name) == "" }
	if cleared("public_name") {
		change.PublicName = new("")
	}
	if cleared("support_url") {
		change.SupportURL = new("")
	}
	if cleared("language") {
		change.Language = new(partner.Language(""))
	}
	return change, err
}

// showStale shows the settings as they are now, because they have changed since the form
// that was sent was shown, and what the form held beside them.
func (pages *Pages) showStale(s *sheet, sent *page.Form, now partner.Profile) (int, []byte, error) {
	changed, err := s.LastChange(s.Member.Partner.PartnerID)
	if err != nil {
		return 0, nil, err
	}
	return pages.showSettings(s, http.StatusConflict, func(view *settingsView) {
		view.Problem = &page.Message{Text: strings.TrimSpace(s.Text("settings.stale") + " " + changed), Danger: true}
		view.Typed = map[string]string{}
		for _, name := range []string{"public_name", "support_url"} {
			if typed := sent.Values.Get(name); typed != fieldsOf(now)[name] && typed != "" {
				view.Typed[name] = s.Text("settings.typed", "value", typed)
			}
		}
	})
}

// NameField returns the field of the public name.
func (v *settingsView) NameField() page.Field {
	return v.field("public_name", "text", "settings.name",
		cmp.Or(v.Typed["public_name"], v.Text("settings.name.hint", "name", v.Member.Partner.Name)))
}

// SupportField returns the field of the support link.
func (v *settingsView) SupportField() page.Field {
	return v.field("support_url", "url", "settings.support",
		cmp.Or(v.Typed["support_url"], v.Text("settings.support.hint")))
}

// LanguageField returns the field of the language for recipients.
func (v *settingsView) LanguageField() page.Field {
	field := v.field("language", "select", "settings.language", v.Text("settings.language.hint"))
	for _, one := range []partner.Language{"", partner.LanguageEnglish, partner.LanguageFrench} {
		field.Options = append(field.Options, page.Option{Value: string(one), Label: v.LanguageName(one)})
	}
	return field
}

// LanguageName returns the name of a language for recipients.
func (v *settingsView) LanguageName(l partner.Language) string {
	if l == "" {
		return v.Text("settings.language.browser")
	}
	return page.Language(l).Name()
}

func (v *settingsView) field(name, kind, label, hint string) page.Field {
	return v.Form.With(page.Field{Name: name, Type: kind, Label: v.Text(label), Hint: hint, Autocomplete: "off"})
}

func (pages *Pages) setLogo(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	refuse := func(text string) (int, []byte, error) {
		sent.Faults = append(sent.Faults, page.Fault{Field: "logo", Text: text, Label: s.Text("settings.logo.file")})
		return pages.showSettings(s.on("/portal/settings"), http.StatusUnprocessableEntity,
			func(view *settingsView) { view.LogoForm = sent })
	}
	file, err := s.File("logo")
	if err != nil {
		return 0, nil, err
	}
	if file == nil {
		return refuse(s.Text("settings.logo.choose"))
	}
	_, err = pages.config.Partners.SetLogo(s.Context(), s.Member.Partner.PartnerID, file)
	switch problems := form.ProblemsOf(err); {
	case len(problems) > 0 && problems[0].Rule.Code() == picture.HEICRule.Code():
		return refuse(page.FaultText(problems[0], s.Language))
	case refusal.HasCode(err, refusal.CodeValidation):
		return refuse(s.Text("settings.logo.unfit"))
	case err != nil:
		return 0, nil, err
	}
	return s.LeadTo("/portal/settings", page.Flash{Key: "settings.logo.set"})
}

func (pages *Pages) removeLogo(s *sheet) (int, []byte, error) {
	if _, err := pages.config.Partners.RemoveLogo(s.Context(), s.Member.Partner.PartnerID); err != nil {
		return 0, nil, err
	}
	return s.LeadTo("/portal/settings", page.Flash{Key: "settings.logo.removed"})
}
