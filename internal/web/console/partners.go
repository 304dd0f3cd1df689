package console

import (
	"net/http"
	"strings"

	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

func (room *Room) partnerRoutes() []visit.Route {
	const one = "/partners/{partner_id}"
	check := room.post(one+"/erasure/check", administering, (*Room).checkErasure)
	check.ChangesNothing, check.Long = true, true
	erase := room.post(one+"/erasure", administering, (*Room).eraseRecipient)
	erase.Long = true
	return []visit.Route{
		room.get("/partners", dispatching, (*Room).partners),
		room.get(one, dispatching, (*Room).partner),
		room.post(one+"/approve", administering, (*Room).approvePartner),
		room.post(one+"/establish", administering, (*Room).establishPartner),
		room.post(one+"/suspend", administering, (*Room).suspendPartner),
		room.post(one+"/resume", administering, (*Room).resumePartner),
		room.post(one+"/limits", administering, (*Room).limitPartner),
		room.post(one+"/dispatch", administering, (*Room).setDispatch),
		room.post(one+"/people/{user_id}/reset-link", administering, (*Room).resetPerson),
		room.post(one+"/people/{user_id}/second-factor/remove", administering, (*Room).removeFactor),
		room.get(one+"/erasure", administering, (*Room).askErasure),
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
func (room *Room) partners(s *sheet) (int, []byte, error) {
	query := s.Request.URL.Query()
	show := query.Get("show")
	filter := partner.ListFilter{
		Search: s.asked("q"), Pending: show == "pending", Suspended: show == "suspended",
		RateCard: s.asked("card"), After: s.asked("after"), Limit: partnersOnPage,
	}
	if !filter.Pending && !filter.Suspended {
		show = ""
	}
	found, err := room.config.Partners.List(s.Context(), filter)
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
	for _, one := range []struct{ show, key string }{{"pending", "partners.pending"}, {"suspended", "partners.suspended"}} {
		chips = append(chips, page.Link{Text: v.Text(one.key), Path: v.link(one.show, v.Card, ""), Current: v.Show == one.show})
	}
	if v.Card != "" {
		chips = append(chips, page.Link{Text: v.Text("partners.with_card", "card", v.Card), Path: v.link(v.Show, "", ""), Current: true})
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
func (room *Room) refusedPartner(s *sheet, alter func(*partnerView)) (int, []byte, error) {
	view, err := room.viewOfPartner(s.on(s.partnerPath()))
	if err != nil {
		return 0, nil, err
	}
	alter(view)
	return view.render(http.StatusUnprocessableEntity)
}
