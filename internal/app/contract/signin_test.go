package contract_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/mail"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/pquerna/otp/totp"
)

// ofOperators reports whether an operation is one of operators' own sign-in.
func (o *operation) ofOperators() bool { return strings.HasPrefix(o.path, "/ops/v1/") }

// sibling returns the id of an operation of one's own sign-in for the same kind of
// people: verb and noun are those of partners' people.
func (o *operation) sibling(verb, noun string) string {
	if o.ofOperators() {
		return verb + "Operator" + noun
	}
	return verb + noun
}

// newSession returns the path parameter of a session of the caller, in addition to the
// one that the request comes in.
func (f *fixture) newSession(t testing.TB, o *operation) map[string]string {
	t.Helper()
	login := "login"
	if o.ofOperators() {
		login = "operatorLogin"
	}
	f.Clock.Advance(time.Second)
	f.send(t, call{operation: login, body: validBody(f.contract.operation(login))}).Must(t, 200)
	list := f.send(t, call{operation: o.sibling("list", "Sessions")}).Must(t, 200)
	return map[string]string{"session_id": list.Text("sessions", list.Len("sessions")-1, "session_id")}
}

// newLink returns the path parameter of a link for a new password of the caller.
func (f *fixture) newLink(t testing.TB, o *operation) map[string]string {
	t.Helper()
	if o.id == "confirmEmail" {
		return f.newEmailLink(t)
	}
	make := call{operation: "createPartnerResetLink", body: []byte(`{}`)}
	if o.ofOperators() {
		make = call{operation: "createOperatorResetLink"}
	}
	url := f.send(t, make).Must(t, 201).Text("url")
	return map[string]string{"token": url[strings.LastIndex(url, "/")+1:]}
}

// newEmailLink returns the token of a link to another address of the partner's owner. It is
// stored as it would be if the fixture sent mail.
func (f *fixture) newEmailLink(t testing.TB) map[string]string {
	t.Helper()
	token, link, err := credential.NewLink(apptest.Random(t), credential.LinkEmail, f.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	ctx := context.Background()
	err = f.InStore(ctx, func(db *store.Store) error {
		return db.UserSignIns().Write(ctx, func(tx signin.Writer) error {
			owner, err := tx.PersonByEmail(ctx, examplePartner)
			if err != nil {
				return err
			}
			link.UserID, link.PartnerID = owner.PersonID, owner.PartnerID
			link.Email, link.EmailKey = "quay@example.com", "quay@example.com"
			return tx.AddLink(ctx, link)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"token": token}
}

// begin begins to set up a second factor of the caller, and returns the code that
// confirms it.
func (f *fixture) begin(t testing.TB, o *operation) string {
	t.Helper()
	id := o.sibling("begin", "TOTP")
	secret := f.send(t, call{operation: id, body: validBody(f.contract.operation(id))}).Must(t, 200).Text("secret")
	code, err := totp.GenerateCode(secret, f.Clock.Now())
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func driveConfirm(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	code := f.begin(t, o)
	return f.send(t, call{operation: o.sibling("confirm", "TOTP"), body: fmt.Appendf(nil, `{"code":%q}`, code)})
}

// driveGuessedCodes sends a wrong code until it is refused.
func driveGuessedCodes(t *testing.T, o *operation) (answer *apptest.Answer) {
	f := newFixture(t, roomy)
	wrong := "000000"
	if f.begin(t, o) == wrong {
		wrong = "000001"
	}
	for range 12 {
		if answer = f.send(t, call{operation: o.id, body: fmt.Appendf(nil, `{"code":%q}`, wrong)}); answer.Status == 429 {
			break
		}
	}
	return answer
}

func driveEnrolled(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	code := f.begin(t, o)
	f.send(t, call{operation: o.sibling("confirm", "TOTP"), body: fmt.Appendf(nil, `{"code":%q}`, code)}).Must(t, 200)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

func driveRemove(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	code := f.begin(t, o)
	codes := f.send(t, call{operation: o.sibling("confirm", "TOTP"), body: fmt.Appendf(nil, `{"code":%q}`, code)}).Must(t,
		200)
	password := examplePassword
	if o.ofOperators() {
		password = exampleNight
	}
	return f.send(t,
		call{operation: o.id, body: fmt.Appendf(nil, `{"password":%q,"code":%q}`, password, codes.Text("recovery_codes", 0))})
}

// driveClear removes the second factor of another operator, or of a user.
func driveClear(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	path, begin := map[string]string{}, f.contract.operation("beginTOTP")
	if o.id == "clearOperatorTOTP" {
		begin = f.contract.operation("beginOperatorTOTP")
	} else {
		path["user_id"] = f.send(t, call{operation: "listPartnerUsers"}).Must(t, 200).Text("users", 0, "user_id")
	}
	code := f.begin(t, begin)
	f.send(t, call{operation: begin.sibling("confirm", "TOTP"), body: fmt.Appendf(nil, `{"code":%q}`, code)}).Must(t, 200)
	return f.send(t, call{operation: o.id, path: path})
}

// postbox is a mail.Post that keeps the tokens of links.
type postbox chan string

func (b postbox) Send(_ context.Context, _ mail.Writer, m *mail.Message) error {
	if m.Kind == mail.Proof || m.Kind == mail.Changed { // which have no link to follow here
		return nil
	}
	b <- m.URL[strings.LastIndex(m.URL, "/")+1:]
	return nil
}

// withMail returns a fixture that sends mail.
func withMail(t *testing.T) (*fixture, postbox) {
	box := make(postbox, 1)
	return newFixture(t, roomy, func(_ *config.Config, world *app.Surroundings) { world.Post = box }), box
}

func driveEmailChange(t *testing.T, o *operation) *apptest.Answer {
	f, _ := withMail(t)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

func driveEmailConfirm(t *testing.T, o *operation) *apptest.Answer {
	f, box := withMail(t)
	change := f.contract.operation("changeEmail")
	f.send(t, call{operation: change.id, body: validBody(change)}).Must(t, 202)
	return f.send(t, call{operation: o.id, path: map[string]string{"token": <-box}, body: holderBody})
}

// holderBody has the password of the fixture's account.
var holderBody = fmt.Appendf(nil, `{"password":%q}`, examplePassword)

func driveEmailTaken(t *testing.T, o *operation) *apptest.Answer {
	f, box := withMail(t)
	other := f.Register(t, "other")
	f.send(t, call{operation: "changeEmail", body: fmt.Appendf(nil, `{"new_email":%q,"password":%q}`, other.Email,
		examplePassword)}).Must(t, 202)
	return f.send(t, call{operation: o.id, path: map[string]string{"token": <-box}, body: holderBody})
}

// TestSignInsWithoutCode signs in with the password alone, and with a wrong code, where
// a second factor is set up.
func TestSignInsWithoutCode(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	for _, id := range []string{"beginTOTP", "beginOperatorTOTP"} {
		o := f.contract.operation(id)
		code := f.begin(t, o)
		f.send(t, call{operation: o.sibling("confirm", "TOTP"), body: fmt.Appendf(nil, `{"code":%q}`, code)}).Must(t, 200)
	}
	for _, id := range []string{"login", "operatorLogin", "createToken", "createAPIKey"} {
		request := call{operation: id, body: validBody(f.contract.operation(id))}
		if id == "createAPIKey" {
			request.anonymous, request.headers = true, f.partner.Login()
		}
		for _, want := range []string{"totp_required", "totp_wrong"} {
			if got := f.send(t, request).Must(t, 401).Text("error", "details", "reason"); got != want {
				t.Errorf("%s with %s: got reason %q, want %q", id, request.body, got, want)
			}
			if id == "createAPIKey" {
				break // it takes no code
			}
			request.body = append(request.body[:len(request.body)-1], `,"code":"000000"}`...)
		}
	}
}

// TestEnrolmentRequired uses an operation in a role that must have a second factor.
func TestEnrolmentRequired(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	f.send(t, call{
		operation: "putSignInRules", body: []byte(`{"totp_required":{"operators":["admin"],"users":["owner"]}}`),
	}).Must(t, 200)
	for _, request := range []call{
		{operation: "listOperators"}, {operation: "getWebhookEndpoint", session: true}, {operation: "listAPIKeys"},
	} {
		if got := f.send(t, request).Must(t, 403).Text("error", "details", "reason"); got != "totp_enrolment_required" {
			t.Errorf("%s: got reason %q, want totp_enrolment_required", request.operation, got)
		}
	}
}
