package console

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) partnerRoutes() []web.Route {
	const one = "/partners/{partner_id}"
	check := pages.post(one+"/erasure/check", administering, (*Pages).checkErasure)
	check.ChangesNothing, check.Long = true, true
	erase := pages.post(one+"/erasure", administering, (*Pages).eraseRecipient)
	erase.Long = true
	return []web.Route{
		pages.get("/partners", reading, (*Pages).partners),
		pages.get(one, reading, (*Pages).partner),
		pages.post(one+"/approve", administering, (*Pages).approvePartner),
		pages.post(one+"/establish", administering, (*Pages).establishPartner),
		pages.post(one+"/suspend", administering, (*Pages).suspendPartner),
		pages.post(one+"/resume", administering, (*Pages).resumePartner),
		pages.post(one+"/limits", administering, (*Pages).limitPartner),
		pages.post(one+"/dispatch", administering, (*Pages).setDispatch),
		pages.post(one+"/openid/stop", administering, (*Pages).stopOpenID),
		pages.post(one+"/openid/allow", administering, (*Pages).allowOpenID),
		pages.post(one+"/openid/domains/{domain}/check", administering, (*Pages).checkDomain),
		pages.post(one+"/openid/domains/{domain}/remove", administering, (*Pages).releaseDomain),
		pages.post(one+"/people/{user_id}/reset-link", administering, (*Pages).resetPerson),
		pages.post(one+"/people/{user_id}/second-factor/remove", administering, (*Pages).removeFactor),
		pages.get(one+"/erasure", administering, (*Pages).askErasure),
		check, erase,
	}
}

// partnersOnPage is the number of partners on a page of the list.
const partnersOnPage = 50

// partnersView is what the list of partners shows.
type partnersView struct {
	*sheet
	Partners []partnerRow
	Search   string
	Show     string // "pending", "suspended", or empty for all
	Card     string // the series of rate cards whose partners are shown; empty for all
	Chips    []page.Link
	Shown    string // how many partners, and which
	Pages    page.Pages
	// Narrowed is set if the list does not show all partners.
	Narrowed bool
}

// partnerRow is a partner in a list.
type partnerRow struct {
	partner.Listed
	State accountState
}

// accountState is the state of a partner's account.
type accountState struct{ Key, Icon, Tone string }

// stateOf returns the state of an account. A suspension outweighs a missing approval.
func stateOf(s partner.Settings) accountState {
	switch {
	case s.Suspended():
		return accountState{"partners.suspended", "none", "failed"}
	case s.Pending():
		return accountState{"partners.pending", "half", "out_for_delivery"}
	}
	return accountState{"partners.active", "full", "delivered"}
}

// partners lists partners by their ids.
func (pages *Pages) partners(s *sheet) (int, []byte, error) {
	query := s.Request.URL.Query()
	show := query.Get("show")
	filter := partner.ListFilter{
		Search: s.asked("q"), Pending: show == "pending", Suspended: show == "suspended",
		RateCard: s.asked("card"), After: s.asked("after"), Limit: partnersOnPage,
	}
	if !filter.Pending && !filter.Suspended {
		show = ""
	}
	found, err := pages.config.Partners.List(s.Context(), filter)
	if err != nil {
		return 0, nil, err
	}
	v := partnersView{sheet: s, Search: filter.Search, Show: show, Card: filter.RateCard}
	v.Narrowed = v.Search != "" || v.Show != "" || v.Card != "" || filter.After != ""
	v.Chips = v.chips()
	for _, p := range found.Partners {
		v.Partners = append(v.Partners, partnerRow{p, stateOf(p.Settings)})
	}
	key := "partners.shown"
	if found.Next != "" {
		key = "partners.shown.more"
		v.Pages.Next = v.link(v.Show, v.Card, found.Next)
	}
	if filter.After != "" {
		key = "partners.shown.after"
		v.Pages.First = v.link(v.Show, v.Card, "")
	}
	v.Shown = s.Language.Count(key, len(v.Partners))
	return s.show(leaf{template: "partners", title: s.Text("console.partners"), data: v})
}

// link returns the address of the list with the same search.
func (v *partnersView) link(show, card, after string) string {
	return v.Link("/console/partners", "q", v.Search, "show", show, "card", card, "after", after)
}

// chips returns the links that narrow the list.
func (v *partnersView) chips() []page.Link {
	chips := []page.Link{{Text: v.Text("partners.all"), Path: v.link("", "", ""), Current: v.Show == "" && v.Card == ""}}
	for _, one := range []struct {
		show, key string
	}{{"pending", "partners.pending"}, {"suspended", "partners.suspended"}} {
		chips = append(chips,
			page.Link{Text: v.Text(one.key), Path: v.link(one.show, v.Card, ""), Current: v.Show == one.show})
	}
	if v.Card != "" {
		chips = append(chips,
			page.Link{Text: v.Text("partners.with_card", "card", v.Card), Path: v.link(v.Show, "", ""), Current: true})
	}
	return chips
}

// asked returns a parameter of the address without the spaces around it.
func (s *sheet) asked(name string) string { return strings.TrimSpace(s.Request.URL.Query().Get(name)) }

// partnerPath returns the address of the page of the partner that the path names.
func (s *sheet) partnerPath() string { return "/console/partners/" + s.ID("partner_id") }

// toPartner leads back to the partner's page, which shows a message.
func (s *sheet) toPartner(key string, arguments ...string) (int, []byte, error) {
	return s.LeadTo(s.partnerPath(), page.Flash{Key: key, Arguments: arguments})
}

// refusedPartner shows the page of a partner with a form that was refused, after alter has changed what it shows.
func (pages *Pages) refusedPartner(s *sheet, alter func(*partnerView)) (int, []byte, error) {
	view, err := pages.viewOfPartner(s.on(s.partnerPath()))
	if err != nil {
		return 0, nil, err
	}
	alter(view)
	return view.render(http.StatusUnprocessableEntity)
}
