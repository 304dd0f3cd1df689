package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) keysRoutes() []web.Route {
	return []web.Route{
		pages.get("/keys", partner.PermissionKeys, (*Pages).keys),
		pages.post("/keys", partner.PermissionKeys, (*Pages).makeKey),
		pages.get("/keys/{key_id}", partner.PermissionKeys, (*Pages).key),
		pages.post("/keys/{key_id}/revoke", partner.PermissionKeys, (*Pages).revokeKey),
	}
}

// keysView is the list of API keys, and the form that makes one.
type keysView struct {
	*sheet
	Keys   []partner.APIKey
	Form   *page.Form
	Name   page.Field
	Modes  []choice
	Access []choice // everything, or some scopes
	Scopes []choice
	V2     bool // whether the key will require signatures of version 2
}

// choice is one box or button of several.
type choice struct {
	Value   string
	Label   string
	Checked bool
}

// The choices of access. A key without scopes may do everything.
const (
	accessEverything = "everything"
	accessSome       = "some"
)

// choicePhrases are the keys of the labels of modes, access, and scopes.
var choicePhrases = map[string]string{
	string(delivery.ModeLive): "keys.mode.live", string(delivery.ModeTest): "keys.mode.test",
	accessEverything: "keys.access.everything", accessSome: "keys.access.some",
	string(partner.ScopeOrders): "keys.scope.orders", string(partner.ScopeStock): "keys.scope.stock",
	string(partner.ScopeWebhooks): "keys.scope.webhooks", string(partner.ScopeRead): "keys.scope.read",
}

func (pages *Pages) keys(s *sheet) (int, []byte, error) {
	form, err := s.form("/portal/keys")
	if err != nil {
		return 0, nil, err
	}
	form.Values.Set("mode", string(s.Mode()))
	form.Values.Set("access", accessEverything)
	return pages.showKeys(s, form, http.StatusOK)
}

func (pages *Pages) showKeys(s *sheet, form *page.Form, status int) (int, []byte, error) {
	found, err := pages.config.Partners.Keys(s.Context(), s.Member.Partner.PartnerID)
	if err != nil {
		return 0, nil, err
	}
	view := keysView{
		sheet: s, Keys: found, Form: form,
		Name:   form.With(page.Field{Name: "name", Label: s.Text("keys.name"), Hint: s.Text("keys.name.hint"), Type: "text"}),
		Modes:  choices(s, form, "mode", delivery.Modes),
		Access: choices(s, form, "access", []string{accessEverything, accessSome}),
		Scopes: choices(s, form, "scopes", partner.Scopes),
		V2:     form.Values.Get("require_v2") != "",
	}
	return s.show(leaf{template: "portal-keys", title: s.Text("portal.keys"), data: view, status: status, modeless: true})
}

// choices returns the values that a field may have, and which of them the form holds.
func choices[T ~string](s *sheet, form *page.Form, field string, values []T) []choice {
	all := make([]choice, len(values))
	for i, value := range values {
		text := string(value)
		all[i] = choice{text, s.Text(choicePhrases[text]), slices.Contains(form.Values[field], text)}
	}
	return all
}

// Fault returns what is wrong with a field of the form; empty if nothing is.
func (v keysView) Fault(field string) string { return v.Form.With(page.Field{Name: field}).Fault }

// madeView shows a new key and its secret.
type madeView struct {
	*sheet
	Key *partner.CreatedKey
}

// Texts returns what the person must keep.
func (v madeView) Texts() []copied {
	return []copied{{v.Text("keys.public"), v.Key.PublicKey}, {v.Text("keys.secret"), v.Key.SecretKey}}
}

// copied is a text in full, with a button that copies it.
type copied struct{ Label, Text string }

func (pages *Pages) makeKey(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	var created *partner.CreatedKey
	request, err := readKey(sent)
	if err == nil {
		created, err = pages.config.Partners.CreateKey(s.Context(), s.Member, request)
	}
	if sent.Refuse(err, s.Language) {
		return pages.showKeys(s, sent, http.StatusUnprocessableEntity)
	}
	if err != nil {
		return 0, nil, err
	}
	view := madeView{s, created}
	return s.show(leaf{
		template: "portal-key-made", title: s.Text("keys.made"), data: view, back: s.toKeys(), modeless: true,
	})
}

// readKey reads the key that a form asks for. A form always says which mode, and a choice
// of no scopes is not the choice of everything.
func readKey(sent *page.Form) (partner.KeyRequest, error) {
	values := url.Values{
		"name": sent.Values["name"], "mode": sent.Values["mode"], "require_v2": {
			strconv.FormatBool(sent.Values.Get("require_v2") != ""),
		},
	}
	if sent.Values.Get("access") == accessSome {
		values["scopes"], values["scopes[]"] = sent.Values["scopes"], []string{""}
	}
	return form.Decode(form.FromValues(values, nil), func(f *form.Form) partner.KeyRequest {
		request := partner.ReadKeyRequest(f)
		if !f.Has("mode") {
			f.Fault("mode", form.OneOf(delivery.Modes...).Rule)
		}
		return request
	})
}

// key asks whether a key is to be revoked.
func (pages *Pages) key(s *sheet) (int, []byte, error) {
	found, err := pages.findKey(s, s.ID("key_id"))
	if err != nil {
		return 0, nil, err
	}
	form, err := s.form("/portal/keys/" + found.KeyID + "/revoke")
	if err != nil {
		return 0, nil, err
	}
	view := struct {
		*sheet
		Key  partner.APIKey
		Form *page.Form
	}{s, *found, form}
	return s.show(leaf{template: "portal-key", title: s.Text("keys.revoke.title", "name",
		s.NameOf(*found)), data: view, back: s.toKeys(), modeless: true})
}

// toKeys returns the way back to the list of keys.
func (s *sheet) toKeys() *page.Link {
	return &page.Link{Text: s.Text("portal.keys"), Path: s.Link("/portal/keys")}
}

func (pages *Pages) findKey(s *sheet, keyID string) (*partner.APIKey, error) {
	found, err := pages.config.Partners.Keys(s.Context(), s.Member.Partner.PartnerID)
	if err != nil {
		return nil, err
	}
	for i := range found {
		if found[i].KeyID == keyID {
			return &found[i], nil
		}
	}
	return nil, refusal.NotFound("the API key")
}

// NameOf returns the name of a key, or what stands for it.
func (s *sheet) NameOf(key partner.APIKey) string {
	if key.Name == "" {
		return s.Text("keys.unnamed")
	}
	return key.Name
}

func (pages *Pages) revokeKey(s *sheet) (int, []byte, error) {
	found, err := pages.findKey(s, s.ID("key_id"))
	if err == nil {
		err = pages.config.Partners.RevokeKey(s.Context(), s.Member.Partner.PartnerID, found.KeyID)
	}
	if err != nil {
		return 0, nil, err
	}
	return s.LeadTo(s.Link("/portal/keys"), page.Flash{Key: "keys.revoked", Arguments: []string{"name", s.NameOf(*found)}})
}
