package login

import (
	"cmp"
	"errors"
	"math"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// Sent with the address of a sign-in page.
const (
	nextField   = "next"   // where to go after signing in
	openIDField = "openid" // why the OpenID provider's sign-in was refused
)

// maxReturn is the length of the longest address that an OpenID provider's sign-in
// leads back to, in bytes: escaped, it must fit into what /ops/v1/oidc/login takes.
const maxReturn = 150

// typed is what a person has typed in both steps of a sign-in.
type typed struct {
	signin.Credentials
	until time.Time // when the second step ends; zero before it
}

// read reads it as what a person signs in with.
func (t typed) read() (signin.Credentials, error) {
	values := url.Values{"email": {t.Email}, "password": {t.Password}, "code": {t.Code}}
	return form.Decode(form.FromValues(values, nil), signin.ReadCredentials)
}

func (s *sheet) loginPage() (int, []byte, error) {
	next := s.Request.URL.Query().Get(nextField)
	home, err := s.homeOfVisitor(next)
	if err != nil {
		return 0, nil, err
	}
	if home != "" {
		return s.LeadTo(home, page.Flash{})
	}
	form, err := s.newForm(s.door.path + "/login")
	if err != nil {
		return 0, nil, err
	}
	form.Values.Set(nextField, next)
	return s.showLogin(form, http.StatusOK, s.openIDRefusal())
}

// showLogin shows the first step of a sign-in.
func (s *sheet) showLogin(form *page.Form, status int, message *page.Message) (int, []byte, error) {
	shown := leaf{
		Title: s.Text(s.door.title), Lead: []string{s.Text(s.door.lead)}, Message: message, Form: form,
		Fields: withAll(form, s.emailField(), s.passwordField()), Button: s.Text("entrance.signin"), status: status,
		Hidden: []page.Field{{Name: nextField, Value: form.Values.Get(nextField)}},
	}
	if s.door.kind == web.Operators && s.pages.config.HasOpenID {
		back := s.door.path + "/login"
		if next := within(form.Values.Get(nextField), console.path, courier.path); next != "" && len(next) < maxReturn {
			back += "?" + url.Values{nextField: {next}}.Encode()
		}
		shown.Other = &page.Link{
			Text: s.Text("entrance.openid"), Path: "/ops/v1/oidc/login?" + url.Values{"return_to": {back}}.Encode(),
		}
	}
	if s.door == portal {
		next := within(form.Values.Get(nextField), portal.path)
		shown.Other = &page.Link{Text: s.Text("entrance.openid"), Path: page.Address(companyPath, nextField, next)}
	}
	shown.Links = s.loginLinks()
	return s.show(shown)
}

// loginLinks are the ways on for people who cannot sign in here.
func (s *sheet) loginLinks() []page.Link {
	forgotten := console.path + "/reset"
	if s.door == portal {
		forgotten = portal.path + "/reset"
	}
	links := []page.Link{{Text: s.Text("entrance.forgotten"), Path: forgotten}}
	if s.door == portal && s.pages.config.Registration != partner.RegistrationClosed {
		links = append(links, page.Link{Text: s.Text("entrance.register"), Path: "/portal/register"})
	}
	for _, other := range s.door.others() {
		links = append(links, page.Link{Text: s.Text(other.instead), Path: other.path + "/login"})
	}
	return links
}

// login handles both steps of a sign-in: the second one comes with a ticket.
func (s *sheet) login() (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	in := typed{Credentials: signin.Credentials{Email: sent.Values.Get("email"), Password: sent.Values.Get("password")}}
	if sealed := sent.Values.Get("ticket"); sealed != "" {
		first, valid := s.open(sealed)
		if !valid {
			return s.showLogin(sent, http.StatusUnprocessableEntity, s.problem("entrance.late"))
		}
		in = typed{
			signin.Credentials{Email: first.Email, Password: first.Password, Code: sent.Values.Get("code")}, first.Until,
		}
		sent.Values.Set("email", first.Email)
	}
	var role string
	with, err := in.read()
	if err == nil {
		role, err = s.signIn(with)
	}
	if err != nil {
		return s.refuseLogin(sent, in, err)
	}
	return s.enter(role, sent.Values.Get(nextField), page.Flash{})
}

// signIn begins a session, and returns the role of the person.
func (s *sheet) signIn(with signin.Credentials) (role string, err error) {
	from, err := s.Door.Origin()
	if err != nil {
		return "", err
	}
	found, token, err := s.signIns().Login(s.Context(), with, from)
	if err != nil {
		return "", err
	}
	return found.Holder.Actor().Role, s.Door.SignIn(s.door.kind, token, from)
}

// enter leads a person who has signed in to the page that was asked for, or home.
func (s *sheet) enter(role, next string, message page.Flash) (int, []byte, error) {
	home := homeOf(s.door.kind, role)
	if s.door == courier && home != courier.path && next == "" {
		message = page.Flash{Key: "entrance.other_door"}
	}
	return s.LeadTo(cmp.Or(s.wanted(role, next), home), message)
}

// wanted returns the page that was asked for if people of the role may open it.
func (s *sheet) wanted(role, next string) string {
	switch {
	case s.door.kind == web.Partners:
		return within(next, portal.path)
	case role == string(operator.RoleCourier):
		return within(next, courier.path)
	case role == string(operator.RoleAccountant), role == string(operator.RoleWarehouse):
		return within(next, console.path)
	}
	return within(next, console.path, courier.path)
}

// homeOf returns the first page of people of a role.
func homeOf(kind web.Audience, role string) string {
	switch {
	case kind == web.Partners:
		return portal.path
	case role == string(operator.RoleCourier):
		return courier.path
	}
	return console.path
}

// homeOfVisitor returns where a person goes who is signed in already; empty for others.
func (s *sheet) homeOfVisitor(next string) (string, error) {
	found, err := s.pages.visitor(s.PageRequest, s.door.kind)
	if err != nil || found == nil {
		return "", err
	}
	role := found.Actor().Role
	return cmp.Or(s.wanted(role, next), homeOf(s.door.kind, role)), nil
}

// refuseLogin shows why a sign-in was refused, with what was typed.
func (s *sheet) refuseLogin(form *page.Form, in typed, err error) (int, []byte, error) {
	var refused *refusal.Error
	if !errors.As(err, &refused) {
		return 0, nil, err
	}
	invalid := refused.Code == refusal.CodeValidation
	switch {
	case errors.Is(err, signin.ErrCodeRequired):
		return s.showCode(form, in, http.StatusOK, nil)
	case errors.Is(err, signin.ErrCodeWrong), in.Code != "" && invalid:
		return s.showCode(form, in, http.StatusUnprocessableEntity, s.problem("entrance.code.wrong"))
	case refused.Code == refusal.CodeRateLimited:
		return s.tooMany(form, in, refused.RetryAfter)
	case errors.Is(err, partner.ErrPending):
		return s.showLogin(form, http.StatusForbidden, s.problem("entrance.pending"))
	case refused.Code == refusal.CodeForbidden:
		return s.showLogin(form, http.StatusForbidden, s.problem("entrance.inactive"))
	case refused.Code == refusal.CodeUnauthorized, invalid:
		return s.showLogin(form, http.StatusUnprocessableEntity, s.problem("entrance.wrong"))
	}
	return 0, nil, err
}

// tooMany says how long to wait. In the second step the ticket may expire meanwhile; then
// the person begins again.
func (s *sheet) tooMany(form *page.Form, in typed, wait time.Duration) (int, []byte, error) {
	seconds := int(math.Ceil(wait.Seconds()))
	s.Header.Set("Retry-After", strconv.Itoa(seconds))
	message := &page.Message{Text: s.Language.Count("entrance.wait.seconds", seconds), Danger: true}
	if seconds > 90 {
		message.Text = s.Language.Count("entrance.wait.minutes", int(math.Ceil(wait.Minutes())))
	}
	if form.Values.Has("ticket") {
		return s.showCode(form, in, http.StatusTooManyRequests, message)
	}
	return s.showLogin(form, http.StatusTooManyRequests, message)
}

// showCode shows the second step of a sign-in.
func (s *sheet) showCode(form *page.Form, in typed, status int, message *page.Message) (int, []byte, error) {
	sealed, err := s.seal(ticket{in.Email, in.Password, in.until})
	if err != nil {
		return 0, nil, err
	}
	return s.show(leaf{
		Title: s.Text("entrance.code.title"), Lead: []string{s.Text("entrance.code.lead", "email",
			in.Email)}, Message: message, Form: form,
		Fields: []page.Field{{
			Name: "code", Label: s.Text("entrance.code"), Hint: s.Text("entrance.code.hint"), Type: "text",
			Autocomplete: "one-time-code", Required: true,
		}},
		Hidden: []page.Field{ticketField(sealed), {Name: nextField, Value: form.Values.Get(nextField)}},
		Button: s.Text("entrance.signin"), status: status,
		Links: []page.Link{{Text: s.Text("entrance.again"), Path: s.door.path + "/login"}},
	})
}

// openIDReasons has the phrases of the causes that are known, see operator.VouchedReason and
// openid.Details.
var openIDReasons = map[string]string{
	"address_missing": "entrance.openid.address", "address_unverified": "entrance.openid.unverified",
	"claim_missing": "entrance.openid.claim", "role_missing": "entrance.openid.role",
	"operator_unknown": "entrance.openid.unknown", "operator_of_another": "entrance.openid.another",
	"courier_by_admin": "entrance.openid.courier", "operator_inactive": "entrance.openid.inactive",
	"last_admin": "entrance.openid.admin", "sign_in_expired": "entrance.openid.expired",
	"provider_refused": "entrance.openid.refused", "provider_answer": "entrance.openid.answer",
	string(refusal.CodeValidation): "entrance.openid.where", string(refusal.CodeRateLimited): "entrance.openid.limited",
	string(refusal.CodeNotFound): "entrance.openid.none",

	// see partner.OpenIDReason
	"provider_missing": "entrance.company.none", "provider_stopped": "entrance.company.stopped",
	"domain_unproven": "entrance.company.domain", "user_unknown": "entrance.company.unknown",
	"user_of_another": "entrance.company.another", "user_elsewhere": "entrance.company.elsewhere",
	"user_removed": "entrance.company.removed", "last_owner": "entrance.company.owner",
	"team_full": "entrance.company.full", "partner_suspended": "entrance.inactive", "partner_pending": "entrance.pending",
}

// openIDRefusal says why the OpenID provider's sign-in was refused, if it was.
func (s *sheet) openIDRefusal() *page.Message {
	reason := s.Request.URL.Query().Get(openIDField)
	if reason == "" {
		return nil
	}
	return s.openIDProblem(reason)
}

// openIDProblem returns the message about a cause.
func (s *sheet) openIDProblem(reason string) *page.Message {
	if key, known := openIDReasons[reason]; known {
		return s.problem(key)
	}
	return s.problem("entrance.openid.other")
}

// logout ends the session, if there is one.
func (s *sheet) logout() (int, []byte, error) {
	if err := s.signIns().Logout(s.Context(), s.Door.Token(s.door.kind)); err != nil {
		return 0, nil, err
	}
	s.Door.SignOut(s.door.kind)
	return s.LeadTo("/", page.Flash{})
}
