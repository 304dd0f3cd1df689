package portal

import (
	"errors"
	"fmt"
	"net/http"
	"net/url"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

const addressesPath = "/portal/addresses"

func (pages *Pages) addressRoutes() []web.Route {
	return []web.Route{
		pages.get("/addresses", partner.PermissionOrders, (*Pages).addresses),
		pages.get("/addresses/{kind}", partner.PermissionOrders, (*Pages).newEntry),
		pages.post("/addresses/{kind}", partner.PermissionOrders, (*Pages).saveEntry),
		pages.get("/addresses/{kind}/{entry_id}", partner.PermissionOrders, (*Pages).entry),
		pages.post("/addresses/{kind}/{entry_id}", partner.PermissionOrders, (*Pages).saveEntry),
		pages.post("/addresses/{kind}/{entry_id}/remove", partner.PermissionOrders, (*Pages).removeEntry),
	}
}

// keptKinds are the kinds of entries that have a page, each with the phrases of its list.
var keptKinds = []struct {
	kind                saved.Kind
	title, none, adding string
}{
	{saved.Recipient, "saved.recipients", "saved.recipients.none", "saved.recipients.add"},
	{saved.Sender, "saved.senders", "saved.senders.none", "saved.senders.add"},
	{saved.Parcel, "saved.parcels", "saved.parcels.none", "saved.parcels.add"},
}

// entryList is the list of the entries of a kind.
type entryList struct {
	Kind        saved.Kind
	Title, None string
	Add         page.Link
	Entries     []entryRow
}

type entryRow struct {
	Name, Details string
	Path          string
}

// addressesView is the page of all that is saved.
type addressesView struct {
	*sheet
	Lists []entryList
}

func (pages *Pages) addresses(s *sheet) (int, []byte, error) {
	v := addressesView{sheet: s}
	for _, kept := range keptKinds {
		path := addressesPath + "/" + string(kept.kind)
		list := entryList{
			Kind: kept.kind, Title: s.Text(kept.title), None: s.Text(kept.none),
			Add: page.Link{Text: s.Text(kept.adding), Path: s.Link(path)},
		}
		entries, err := pages.config.Saved.Entries(s.Context(), s.Account, kept.kind)
		if err != nil {
			return 0, nil, err
		}
		for _, entry := range entries {
			list.Entries = append(list.Entries, entryRow{entry.Name, s.details(entry), s.Link(path + "/" + entry.EntryID)})
		}
		v.Lists = append(v.Lists, list)
	}
	return s.show(leaf{
		template: "portal-addresses", title: s.Text("saved.title"), data: v,
		back: &page.Link{Text: s.Text("portal.new"), Path: s.Link(newOrderPath)},
	})
}

// details says where an address is, or how large a parcel.
func (s *sheet) details(e *saved.Entry) string {
	if e.Kind != saved.Parcel {
		address := *e
		address.Name = ""
		return orderform.SavedName(&address)
	}
	text := ""
	if weight := e.Fields["weight_kg"]; weight != "" {
		text = s.Language.LocalNumber(weight) + " kg"
	}
	length, width, height := e.Fields["length_cm"], e.Fields["width_cm"], e.Fields["height_cm"]
	if length != "" && width != "" && height != "" {
		l := s.Language
		text += " · " + l.LocalNumber(length) + " × " + l.LocalNumber(width) + " × " + l.LocalNumber(height) + " cm"
	}
	return text
}

// entryView is the page on which an entry is made or changed.
type entryView struct {
	*sheet
	Form    *page.Form
	Removal *page.Form // nil for a new entry
	Problem *page.Message
	Typed   url.Values // what a form held that was not saved, beside what the entry holds now; nil for none
	kind    saved.Kind
	fields  orderform.Form
}

// kindOfPath returns the kind of entries that the path names. It refuses with not_found.
func (s *sheet) kindOfPath() (saved.Kind, error) {
	for _, kept := range keptKinds {
		if string(kept.kind) == s.ID("kind") {
			return kept.kind, nil
		}
	}
	return "", refusal.NotFound("this page")
}

func (pages *Pages) newEntry(s *sheet) (int, []byte, error) {
	kind, err := s.kindOfPath()
	if err != nil {
		return 0, nil, err
	}
	made, err := s.form(addressesPath + "/" + string(kind))
	if err != nil {
		return 0, nil, err
	}
	return s.showEntry(entryView{kind: kind, Form: made}, http.StatusOK)
}

func (pages *Pages) entry(s *sheet) (int, []byte, error) {
	kind, err := s.kindOfPath()
	if err != nil {
		return 0, nil, err
	}
	v, err := pages.entryView(s, kind)
	if err == nil && v.Form == nil {
		err = refusal.NotFound("the saved entry")
	}
	if err != nil {
		return 0, nil, err
	}
	return s.showEntry(v, http.StatusOK)
}

// entryView returns what the page of the entry in the path shows, without a form if there is no such entry.
func (pages *Pages) entryView(s *sheet, kind saved.Kind) (v entryView, err error) {
	v.kind = kind
	found, err := pages.config.Saved.Entry(s.Context(), s.Account, kind, s.ID("entry_id"))
	if err != nil || found == nil {
		return v, err
	}
	path := addressesPath + "/" + string(kind) + "/" + found.EntryID
	if v.Form, err = s.form(path); err != nil {
		return v, err
	}
	v.Form.Version = versionOfEntry(found)
	for field, text := range found.Fields {
		v.Form.Values.Set(field, orderform.SavedText(field, text))
	}
	v.Removal, err = s.form(path + "/remove")
	return v, err
}

// versionOfEntry differs when the form shows another entry; it is 0 for none.
func versionOfEntry(e *saved.Entry) int64 {
	if e == nil {
		return 0
	}
	return page.VersionOf(fmt.Sprintf("%q", e.Fields))
}

func (s *sheet) showEntry(v entryView, status int) (int, []byte, error) {
	v.sheet = s
	v.fields = orderform.Form{Sheet: s.Sheet, Sent: v.Form, Clock: s.pages.config.Calendar.ClockAt}
	title := "saved." + string(v.kind)
	return s.show(leaf{
		template: "portal-address", title: s.Text(title), data: v, status: status, otherMode: addressesPath,
		back: &page.Link{Text: s.Text("saved.title"), Path: s.Link(addressesPath)},
	})
}

// Fields returns the fields of the form.
func (v entryView) Fields() (fields []page.Field) {
	for _, name := range saved.FieldsOf(v.kind) {
		var field page.Field
		switch {
		case v.kind != saved.Parcel:
			field = v.fields.Field("dropoff." + name)
		case name == "name":
			field = page.Field{Label: v.Text("saved.name"), Hint: v.Text("saved.name.hint"), Type: "text"}
		default:
			field = v.fields.Field(orderform.Row("parcels", 0) + "." + name)
		}
		field.Name, field.Required = name, name == "name"
		if typed := v.Typed.Get(name); typed != "" && typed != v.Form.Values.Get(name) {
			field.Hint = v.Text("settings.typed", "value", typed)
		}
		fields = append(fields, v.Form.With(field))
	}
	return fields
}

// saveEntry keeps what was typed, in the place of the entry in the path if there is one.
func (pages *Pages) saveEntry(s *sheet) (int, []byte, error) {
	kind, err := s.kindOfPath()
	if err != nil {
		return 0, nil, err
	}
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	wanted, _ := form.Decode(sent.Typed(orderform.SavedMeaning), saved.ReadWanted(kind)) // keeps its faults
	err = pages.config.Saved.Save(s.Context(), s.Account, wanted, s.ID("entry_id"), page.Basis(sent, versionOfEntry))
	v := entryView{kind: kind, Form: sent}
	switch {
	case err == nil:
		done := page.Flash{Key: "saved.done", Arguments: []string{"name", wanted.Fields["name"]}}
		return s.LeadTo(s.Link(addressesPath), done)
	case errors.Is(err, form.ErrStale):
		return pages.showStaleEntry(s, v)
	case errors.Is(err, saved.ErrTaken) && kind == saved.Parcel:
		return s.refuseEntry(v, "saved.taken.parcel")
	case errors.Is(err, saved.ErrTaken):
		return s.refuseEntry(v, "saved.taken")
	case errors.Is(err, saved.ErrFull):
		return s.refuseEntry(v, "saved.full")
	case !sent.Refuse(err, s.Language):
		return 0, nil, err
	}
	return s.showEntry(v, http.StatusUnprocessableEntity)
}

// refuseEntry shows a form with the phrase of why it was not saved.
func (s *sheet) refuseEntry(v entryView, why string) (int, []byte, error) {
	v.Problem = &page.Message{Text: s.Text(why), Danger: true}
	return s.showEntry(v, http.StatusConflict)
}

// showStaleEntry shows the entry as it is now, with what was typed beside it. What was typed for an entry that is gone
// becomes the form of a new one.
func (pages *Pages) showStaleEntry(s *sheet, sent entryView) (int, []byte, error) {
	now, err := pages.entryView(s, sent.kind)
	if err != nil {
		return 0, nil, err
	}
	if now.Form == nil {
		sent.Form.Action, sent.Form.Version = s.Link(addressesPath+"/"+string(sent.kind)), 0
		return s.refuseEntry(sent, "saved.gone")
	}
	now.Typed = sent.Form.Values
	return s.refuseEntry(now, "saved.stale")
}

func (pages *Pages) removeEntry(s *sheet) (int, []byte, error) {
	kind, err := s.kindOfPath()
	if err == nil {
		_, err = page.ReadForm(s.PageRequest)
	}
	if err == nil {
		err = pages.config.Saved.Remove(s.Context(), s.Account, kind, s.ID("entry_id"))
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(s.Link(addressesPath), page.Flash{Key: "saved.removed"})
}

// savedForForms returns what the form of a new order can be filled in with.
func (pages *Pages) savedForForms(s *sheet) (*orderform.Saved, error) {
	kept := &orderform.Saved{}
	for kind, entries := range map[saved.Kind]*[]*saved.Entry{
		saved.Sender: &kept.Senders, saved.Recipient: &kept.Recipients, saved.Parcel: &kept.Parcels,
	} {
		found, err := pages.config.Saved.Entries(s.Context(), s.Account, kind)
		if err != nil {
			return nil, err
		}
		*entries = found
	}
	return kept, nil
}
