package console

import (
	"math"
	"net/http"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
)

// partnerView is what the page of a partner shows.
type partnerView struct {
	*sheet
	Partner  *partner.Overview
	Profile  partner.Profile
	Dispatch *dispatch.Settings
	State    accountState
	Usage    []usageRow
	Orders   []*delivery.Order // the latest
	Owed     string            // what it owes, for those who keep the books; empty for others
	// What follows is for admins only, and the forms are nil for others.
	People                                           []personRow
	Approval, Suspension, Resumption, Limits, Accept *page.Form
	Trust                                            *page.Form // nil for an established account
	Cards                                            []string   // the series of rate cards
	Reset                                            *resetLink // which is shown once; may be nil
	Company                                          *companyRow
}

// usageRow is what a partner has used of a limit.
type usageRow struct {
	Key, Used, Limit string // Limit is empty without one
	Part, Whole      int64
	Own              bool // the limit is the partner's own
	New              bool // the limit is that of a new account
}

// Full reports whether nothing of the limit is left.
func (r usageRow) Full() bool { return r.Whole > 0 && r.Part >= r.Whole }

// latestOrders is how many orders the page of a partner shows.
const latestOrders = 5

func (pages *Pages) partner(s *sheet) (int, []byte, error) {
	view, err := pages.viewOfPartner(s)
	if err != nil {
		return 0, nil, err
	}
	return view.render(http.StatusOK)
}

func (v *partnerView) render(status int) (int, []byte, error) {
	return v.show(leaf{
		template: "partner", title: v.Partner.Name, data: v, status: status,
		action: v.newOrderLink(), back: &page.Link{Text: v.Text("console.partners"), Path: "/console/partners"},
	})
}

// newOrderLink leads to the form of a new order for the partner; nil if it may not have one, or the reader may
// create none.
func (v *partnerView) newOrderLink() *page.Link {
	if v.Partner.Refusal() != nil || !v.MayDispatch() {
		return nil
	}
	return &page.Link{Text: v.Text("portal.new"), Path: newOrderPath(v.Partner.PartnerID)}
}

// viewOfPartner returns what the page of a partner shows. It refuses with not_found.
func (pages *Pages) viewOfPartner(s *sheet) (*partnerView, error) {
	id := s.ID("partner_id")
	found, err := pages.config.Partners.Overview(s.Context(), id)
	if err != nil {
		return nil, err
	}
	v := &partnerView{sheet: s, Partner: found, State: stateOf(found.Settings)}
	if v.Profile, err = pages.config.Partners.Profile(s.Context(), id); err != nil {
		return nil, err
	}
	if v.Dispatch, err = pages.config.Dispatch.Settings(s.Context(), id); err != nil {
		return nil, err
	}
	latest, err := pages.config.Orders.List(s.Context(), order.Filter{PartnerID: id, Limit: latestOrders, Damaged: true})
	if err != nil {
		return nil, err
	}
	v.Orders, v.Usage = latest.Orders, pages.usageOf(s, found)
	if s.KeepsBooks() {
		if v.Owed, err = s.owed(id); err != nil {
			return nil, err
		}
	}
	if !s.IsAdmin() {
		return v, nil
	}
	return v, pages.addChanges(v)
}

// usageOf returns what a partner has used of its limits.
func (pages *Pages) usageOf(s *sheet, p *partner.Overview) []usageRow {
	defaults, number := pages.config.Defaults, func(n int64) string { return s.Language.Number(int(n)) }
	rows := [3]usageRow{
		{
			Key: "partners.usage.orders", Used: number(p.Usage.OrdersToday), Part: p.Usage.OrdersToday, Whole: p.OrdersPerDay,
			Own: true,
		},
		{
			Key: "partners.usage.bytes", Used: s.Megabytes(p.Usage.StoredBytes), Part: p.Usage.StoredBytes, Whole: p.StoredBytes,
			Own: true,
		},
	}
	bytes, growsIn := p.BytesQuota(defaults.StoredBytes, defaults.NewAccountBytes, s.Site.Now())
	rows[1].New = growsIn > 0
	for i, byDefault := range []int64{defaults.OrdersPerDay, bytes} {
		row := &rows[i]
		if row.Whole == partner.DefaultQuota {
			row.Whole, row.Own = byDefault, false
		}
		if row.Whole > 0 {
			row.Limit = []func(int64) string{number, s.Megabytes}[i](row.Whole)
		}
	}
	rate := usageRow{Key: "partners.usage.rate", Whole: defaults.RateLimit}
	if p.RateLimit != partner.DefaultRate {
		rate.Whole, rate.Own = int64(p.RateLimit), true
	}
	if rate.Whole > 0 {
		rate.Limit = number(rate.Whole)
	}
	rows[2] = rate
	return rows[:]
}

// megabyte is the unit in which people read and set how much is stored, in bytes.
const megabyte = 1_000_000

// Megabytes returns a number of bytes in megabytes, with two decimals below ten.
func (s *sheet) Megabytes(n int64) string {
	decimals := 0
	if n < 10*megabyte {
		decimals = 2
	}
	whole, fraction := n/megabyte, strconv.FormatFloat(math.Mod(float64(n)/megabyte, 1), 'f', decimals, 64)
	if decimals == 0 {
		return s.Text("partners.megabytes", "n", s.Language.Number(int(whole)))
	}
	sign := "."
	if s.Language == page.French {
		sign = ","
	}
	return s.Text("partners.megabytes", "n", s.Language.Number(int(whole))+sign+fraction[len(fraction)-decimals:])
}

// addChanges adds what only admins see.
func (pages *Pages) addChanges(v *partnerView) (err error) {
	p := v.Partner
	for _, one := range []struct {
		form    **page.Form
		path    string
		version int64
		wanted  bool
	}{
		{&v.Approval, "/approve", 0, p.Pending() && !p.Suspended()},
		{&v.Suspension, "/suspend", versionOfState(p.Settings), !p.Suspended()},
		{&v.Resumption, "/resume", versionOfState(p.Settings), p.Suspended()},
		{&v.Trust, "/establish", 0, v.IsNew() && !p.Pending() && !p.Suspended()},
		{&v.Limits, "/limits", versionOfLimits(p.Settings), true},
		{&v.Accept, "/dispatch", versionOfDispatch(v.Dispatch), true},
	} {
		if !one.wanted {
			continue
		}
		if *one.form, err = v.form("/console/partners/"+p.PartnerID+one.path, one.version); err != nil {
			return err
		}
	}
	for name, value := range limitsOf(p.Settings) {
		v.Limits.Values.Set(name, value)
	}
	if v.Dispatch.AutoAccept {
		v.Accept.Values.Set("auto_accept", "yes")
	}
	if v.Cards, err = pages.seriesNames(v.sheet); err != nil {
		return err
	}
	if err := pages.addPeople(v); err != nil {
		return err
	}
	return pages.addCompany(v)
}

// seriesNames returns the names of all series of rate cards but the default one.
func (pages *Pages) seriesNames(s *sheet) (names []string, err error) {
	found, err := pages.config.RateCards.List(s.Context(), "", "", math.MaxInt)
	for _, card := range found.Cards {
		if card.Name != partner.DefaultCard {
			names = append(names, card.Name)
		}
	}
	return slices.Compact(names), err
}
