package console

import (
	"cmp"
	"errors"
	"math"
	"net/url"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
)

// versionOfState differs when an account has another state.
func versionOfState(s partner.Settings) int64 {
	return page.VersionOf(strconv.FormatBool(s.Pending()), s.SuspendedAt.String(), s.SuspendedReason)
}

// approvePartner approves an account. One that is approved already stays so.
func (pages *Pages) approvePartner(s *sheet) (int, []byte, error) {
	approved, err := pages.config.Partners.Approve(s.Context(), s.ID("partner_id"))
	if err != nil {
		return 0, nil, err
	}
	return s.toPartner("partners.approved", "name", approved.Name)
}

// IsNew reports whether what limits new accounts applies to this one.
func (v *partnerView) IsNew() bool { return !v.Partner.Established(v.Site.Now()) }

// establishPartner counts an account as established, whatever its age.
func (pages *Pages) establishPartner(s *sheet) (int, []byte, error) {
	changed, err := pages.config.Partners.Change(s.Context(), s.ID("partner_id"),
		partner.SettingsChange{Established: new(true)})
	if err != nil {
		return 0, nil, err
	}
	return s.toPartner("partners.established", "name", changed.Name)
}

// Reason returns the field for the reason of a suspension.
func (v *partnerView) Reason() page.Field {
	field := page.Field{
		Name: "suspended_reason", Type: "textarea", Label: v.Text("partners.suspend.reason"),
		Hint: v.Text("partners.suspend.reason.hint"),
	}
	return v.Suspension.With(field)
}

func (pages *Pages) suspendPartner(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	changes := url.Values{"suspended": {"true"}, "suspended_reason": sent.Values["suspended_reason"]}
	return pages.changeState(s, sent, changes, "partners.suspend.done")
}

func (pages *Pages) resumePartner(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	return pages.changeState(s, sent, url.Values{"suspended": {"false"}}, "partners.resume.done")
}

// changeState suspends or resumes an account.
func (pages *Pages) changeState(s *sheet, sent *page.Form, changes url.Values, done string) (int, []byte, error) {
	found, err := pages.config.Partners.Overview(s.Context(), s.ID("partner_id"))
	if err != nil {
		return 0, nil, err
	}
	change, err := form.Decode(form.FromValues(changes, nil), partner.ReadSettingsChange)
	if err == nil {
		_, err = pages.config.Partners.ChangeFrom(s.Context(), found.PartnerID, page.Basis(sent, versionOfState), change)
	}
	switch {
	case err == nil:
		return s.toPartner(done, "name", found.Name)
	case errors.Is(err, form.ErrStale):
		return s.Stale(s.partnerPath(), found.PartnerID)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return pages.refusedPartner(s, func(v *partnerView) { v.Suspension = sent })
}

// setting is a limit as its field holds it: empty for that of the service.
func setting(value, byDefault, unit int64) string {
	if value == byDefault {
		return ""
	}
	return strconv.FormatFloat(float64(value)/float64(unit), 'f', -1, 64)
}

// limitsOf returns what the fields of the limits hold.
func limitsOf(s partner.Settings) map[string]string {
	return map[string]string{
		"rate_limit":     setting(int64(s.RateLimit), partner.DefaultRate, 1),
		"orders_per_day": setting(s.OrdersPerDay, partner.DefaultQuota, 1),
		"stored_bytes":   setting(s.StoredBytes, partner.DefaultQuota, megabyte),
		"rate_card":      s.RateCard,
	}
}

// versionOfLimits differs when the form shows other limits.
func versionOfLimits(s partner.Settings) int64 {
	now := limitsOf(s)
	return page.VersionOf(now["rate_limit"], now["orders_per_day"], now["stored_bytes"], now["rate_card"])
}

// LimitFields returns the fields of the limits.
func (v *partnerView) LimitFields() []page.Field {
	defaults, fields := v.pages.config.Defaults, make([]page.Field, 0, 4)
	for _, one := range []struct {
		name, label string
		byDefault   int64
	}{
		{"rate_limit", "partners.limit.rate", defaults.RateLimit},
		{"orders_per_day", "partners.limit.orders", defaults.OrdersPerDay},
		{"stored_bytes", "partners.limit.bytes", defaults.StoredBytes / megabyte},
	} {
		hint := v.Text("partners.limit.hint.none")
		if one.byDefault > 0 {
			hint = v.Text("partners.limit.hint", "n", v.Language.Number(int(one.byDefault)))
		}
		if one.name != "rate_limit" {
			hint += " " + v.Text("partners.limit.zero")
		}
		fields = append(fields, v.Limits.With(page.Field{
			Name: one.name, Type: "text", InputMode: "decimal", Label: v.Text(one.label), Hint: hint, Autocomplete: "off",
		}))
	}
	card := page.Field{Name: "rate_card", Type: "select", Label: v.Text("partners.limit.card"), Options: []page.Option{
		{Label: v.Text("partners.card.default")},
	}}
	for _, name := range v.Cards {
		card.Options = append(card.Options, page.Option{Value: name, Label: name})
	}
	return append(fields, v.Limits.With(card))
}

// limitPartner sets the limits of a partner and its rate card.
func (pages *Pages) limitPartner(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.config.Partners.Overview(s.Context(), s.ID("partner_id"))
	if err != nil {
		return 0, nil, err
	}
	change, err := readLimits(sent)
	if err == nil {
		_, err = pages.config.Partners.ChangeFrom(s.Context(), found.PartnerID, page.Basis(sent, versionOfLimits), change)
	}
	switch {
	case err == nil:
		return s.toPartner("partners.limits.done", "name", found.Name)
	case errors.Is(err, form.ErrStale):
		return s.Stale(s.partnerPath(), found.PartnerID)
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	for i, fault := range sent.Faults {
		if fault.Field == "stored_bytes" { // its bounds are in bytes
			sent.Faults[i].Text = s.Text("partners.limit.bytes.fault")
		}
	}
	return pages.refusedPartner(s, func(v *partnerView) { v.Limits = sent })
}

// units are those of the fields of the limits.
var units = map[string]float64{"rate_limit": 1, "orders_per_day": 1, "stored_bytes": megabyte}

// readLimits reads the limits of a form, in which an empty field stands for what the
// service has.
func readLimits(sent *page.Form) (partner.SettingsChange, error) {
	typed, err := form.Decode(sent.Typed(inUnits), partner.ReadSettingsChange)
	return partner.SettingsChange{
		RateLimit:    cmp.Or(typed.RateLimit, new(int64(partner.DefaultRate))),
		OrdersPerDay: cmp.Or(typed.OrdersPerDay, new(int64(partner.DefaultQuota))),
		StoredBytes:  cmp.Or(typed.StoredBytes, new(int64(partner.DefaultQuota))),
		RateCard:     cmp.Or(typed.RateCard, new("")),
	}, err
}

// typedNumber turns a number with a decimal comma and spaces into one that programs read.
var typedNumber = strings.NewReplacer(",", ".", " ", "", "\u00a0", "", "\u202f", "")

// inUnits returns what was typed into a field of the limits, multiplied by its unit if it
// is a number.
func inUnits(field, text string) string {
	unit, limited := units[field]
	if !limited {
		return text
	}
	number, err := strconv.ParseFloat(typedNumber.Replace(strings.TrimSpace(text)), 64)
	if err != nil {
		return strings.TrimSpace(text)
	}
	number *= unit
	if whole := math.Round(number); math.Abs(whole-number) < 1e-3 {
		number = whole
	}
	return strconv.FormatFloat(number, 'f', -1, 64)
}
