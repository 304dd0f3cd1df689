package console

import (
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/web/page"
)

// erasureView is the page on which recipients are erased.
type erasureView struct {
	*sheet
	Partner *partner.Overview
	Form    *page.Form
	// Found is what would be erased, and Sure the form that asks for it once; they are
	// nil before there is a selection.
	Found *retention.Preview
	Sure  *page.Form
}

// Recipient returns the field of the recipient's address.
func (v erasureView) Recipient() page.Field {
	return v.field("recipient", "email", "erasure.recipient", "erasure.recipient.hint")
}

// OrderIDs returns the field of the orders' ids.
func (v erasureView) OrderIDs() page.Field {
	return v.field("order_ids", "textarea", "erasure.order_ids", "erasure.order_ids.hint")
}

func (v erasureView) field(name, kind, label, hint string) page.Field {
	return v.Form.With(page.Field{Name: name, Type: kind, Label: v.Text(label), Hint: v.Text(hint), Autocomplete: "off"})
}

// erasureFields are the fields that select what is erased.
var erasureFields = []string{"recipient", "order_ids", "force"}

// Selected returns the fields of the selection with what they hold.
func (v erasureView) Selected() map[string]string {
	fields := map[string]string{}
	for _, name := range erasureFields {
		if value := v.Form.Values.Get(name); value != "" {
			fields[name] = value
		}
	}
	return fields
}

// askErasure shows the form by which orders are selected.
func (pages *Pages) askErasure(s *sheet) (int, []byte, error) {
	form, err := s.form(s.partnerPath()+"/erasure/check", 0)
	if err != nil {
		return 0, nil, err
	}
	return pages.showErasure(erasureView{sheet: s, Form: form}, http.StatusOK)
}

func (pages *Pages) showErasure(v erasureView, status int) (int, []byte, error) {
	found, err := pages.config.Partners.Overview(v.Context(), v.ID("partner_id"))
	if err != nil {
		return 0, nil, err
	}
	v.sheet, v.Partner = v.on(v.partnerPath()+"/erasure"), found
	v.Form.Action = v.partnerPath() + "/erasure/check"
	return v.show(leaf{
		template: "partner-erasure", title: v.Text("erasure.title"), data: v, status: status,
		back: &page.Link{Text: found.Name, Path: v.partnerPath()},
	})
}

// readSelection returns what a form selects. A form that names orders and a recipient, or
// neither, is refused.
func readSelection(sent *page.Form) (retention.Selection, error) {
	separated := func(r rune) bool { return strings.ContainsRune(" \t\r\n,;", r) }
	values := url.Values{
		"recipient": {strings.TrimSpace(sent.Values.Get("recipient"))},
		"order_ids": strings.FieldsFunc(sent.Values.Get("order_ids"), separated),
		"force":     {strconv.FormatBool(sent.Values.Get("force") != "")},
	}
	return form.Decode(form.FromValues(values, nil), retention.ReadSelection)
}

// checkErasure shows what a selection would erase, and asks.
func (pages *Pages) checkErasure(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	found, err := pages.preview(s, sent)
	if err != nil {
		return pages.refuseErasure(s, sent, err)
	}
	v := erasureView{sheet: s, Form: sent, Found: found}
	if v.Erasable() {
		if v.Sure, err = s.form(s.partnerPath()+"/erasure", versionOfErasure(found)); err != nil {
			return 0, nil, err
		}
	}
	return pages.showErasure(v, http.StatusOK)
}

// preview returns what a form would erase.
func (pages *Pages) preview(s *sheet, sent *page.Form) (*retention.Preview, error) {
	selection, err := readSelection(sent)
	if err != nil {
		return nil, err
	}
	return pages.config.Retention.Preview(s.Context(), s.ID("partner_id"), selection)
}

// Erasable reports whether what was found may be erased as it was asked for.
func (v erasureView) Erasable() bool {
	forced := v.Form.Values.Get("force") != ""
	return len(v.Found.Damaged) == 0 && v.Found.Count() > 0 && (forced || v.Found.UnderWay() == 0)
}

// versionOfErasure differs when a selection finds other orders.
func versionOfErasure(p *retention.Preview) int64 {
	values := append(make([]string, 0, 1+2*len(p.Orders)), strconv.Itoa(p.Tests))
	for _, one := range p.Orders {
		values = append(values, one.OrderID, string(one.Status))
	}
	slices.Sort(values)
	return page.VersionOf(values...)
}

// refuseErasure shows the form again with what is wrong with it.
func (pages *Pages) refuseErasure(s *sheet, sent *page.Form, refused error) (int, []byte, error) {
	switch {
	case refusal.HasCode(refused, refusal.CodeNotFound):
		sent.Faults = append(sent.Faults, page.Fault{Field: "order_ids", Text: s.Text("erasure.unknown")})
	case !sent.Refuse(refused, s.Language):
		return 0, nil, refused
	}
	for i, fault := range sent.Faults {
		if strings.HasPrefix(fault.Field, "order_ids") {
			sent.Faults[i].Field = "order_ids"
		}
		if strings.HasPrefix(fault.Field, "order_ids") && sent.Values.Get("order_ids") == "" {
			sent.Faults[i].Text = s.Text("erasure.neither")
		} else if fault.Field == "recipient" && sent.Values.Get("order_ids") != "" {
			sent.Faults[i].Text = s.Text("erasure.both")
		}
	}
	return pages.showErasure(erasureView{sheet: s, Form: sent}, http.StatusUnprocessableEntity)
}

// eraseRecipient erases what the reader was shown and asked about.
func (pages *Pages) eraseRecipient(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	selection, err := readSelection(sent)
	if err != nil {
		return pages.refuseErasure(s, sent, err)
	}
	erased, err := pages.config.Retention.EraseFrom(s.Context(), s.ID("partner_id"), page.Basis(sent, versionOfErasure),
		selection)
	switch {
	case refusal.HasCode(err, refusal.CodeConflict): // the orders are not those that were shown
		return s.Stale(s.partnerPath()+"/erasure", s.ID("partner_id"))
	case refusal.HasCode(err, refusal.CodeNotFound):
		return pages.refuseErasure(s, sent, err)
	case errors.Is(err, retention.ErrPicturesLeft):
		return s.toPartner("erasure.done.pictures", "n", s.Language.Number(erased))
	case err != nil:
		return 0, nil, err
	}
	return s.toPartner("erasure.done", "n", s.Language.Number(erased))
}
