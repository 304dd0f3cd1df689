package pagetest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"path"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/pquerna/otp/totp"
)

// People of the partner with data of all kinds, besides its owner.
const (
	teamDeveloper = "team-developer" // who has a second factor and five sessions
	teamClerk     = "team-clerk"     // whose role must have a second factor
	teamReader    = "team-reader"
)

// settingsScenes returns those of the team and the settings.
func (h *house) settingsScenes(add func(name, who, path string)) {
	add("portal-settings-team", owner, "/portal/team")
	add("portal-settings-team-reader", teamReader, "/portal/team")
	add("portal-settings-team-one", newcomer, "/portal/team")
	add("portal-settings-team-hostile", hostiles, "/portal/team")
	add("portal-settings-person", owner, "/portal/team/"+h.someone)
	add("portal-settings-full", owner, "/portal/settings")
	add("portal-settings-reader", teamReader, "/portal/settings")
	add("portal-settings-empty", newcomer, "/portal/settings")
	add("portal-settings-hostile", hostiles, "/portal/settings")
}

// addTeams adds people and invitations, and how recipients see the partners.
func (h *house) addTeams(ctx context.Context) error {
	session, err := h.signIn(ctx, owner)
	if err != nil {
		return err
	}
	for _, one := range []struct {
		who, name, email string
		role             client.Role
	}{
		{teamDeveloper, "Samuel Tremblay", "sam@metro.example", "developer"},
		{teamClerk, "Inès Pelletier", "ines@metro.example", "clerk"},
		{teamReader, "Comptabilité", "comptabilite@metro.example", "reader"},
		{"", "Noor Haddad", "noor@metro.example", "clerk"},
		{
			"", "Maximilienne Charbonneau-Létourneau de la Boulangerie",
			"maximilienne.charbonneau-letourneau@boulangerie.metro.example", "owner",
		},
	} {
		userID, err := h.join(ctx, session, one.name, one.email, one.role)
		if err != nil {
			return err
		}
		h.someone = userID
		if one.who != "" {
			h.emails[one.who] = one.email
		}
		h.clock.Advance(time.Minute)
	}
	for _, open := range []client.InvitationRequest{
		{Email: "chloe@metro.example", Role: "clerk"}, {Email: "stage@metro.example", Role: "reader"},
	} {
		h.clock.Advance(time.Second)
		if _, err := session.InviteUser(ctx, open); err != nil {
			return err
		}
	}
	return h.addProfiles(ctx, session)
}

// join invites a person, who accepts, and returns the person's id.
func (h *house) join(ctx context.Context, by *client.Session, name, email string, role client.Role) (string, error) {
	invitation, err := by.InviteUser(ctx, client.InvitationRequest{Email: email, Role: role})
	if err != nil {
		return "", err
	}
	joined, err := client.NewService(h.url).AcceptInvitation(ctx, path.Base(invitation.URL),
		client.Acceptance{Name: name, Password: housePassword})
	if err != nil {
		return "", err
	}
	return joined.User.UserID, nil
}

// addProfiles sets how recipients see the partners.
func (h *house) addProfiles(ctx context.Context, metro *client.Session) error {
	name, support, french, mails := "Métro, épicerie fine", "https://metro.example/aide", client.Language("fr"), true
	if _, err := metro.ChangeAccount(ctx,
		client.AccountChange{PublicName: &name, SupportURL: &support, Language: &french, RecipientMail: &mails}); err != nil {
		return err
	}
	if _, err := metro.SetLogo(ctx, mark()); err != nil {
		return err
	}
	bad, err := h.signIn(ctx, hostiles)
	if err != nil {
		return err
	}
	name = hostileName
	if _, err := bad.ChangeAccount(ctx, client.AccountChange{PublicName: &name}); err != nil {
		return err
	}
	me, err := bad.GetMe(ctx)
	if err != nil {
		return err
	}
	_, err = bad.ChangeUser(ctx, me.User.UserID, client.UserChange{Name: name})
	return err
}

// mark returns a logo: a leaf-green square with a lighter disc.
func mark() []byte {
	const side = 96
	drawing := image.NewPaletted(image.Rect(0, 0, side, side),
		color.Palette{color.RGBA{11, 93, 59, 255}, color.RGBA{227, 241, 234, 255}})
	for x := range side {
		for y := range side {
			if dx, dy := x-side/2, y-side/2; dx*dx+dy*dy < side*side/9 {
				drawing.SetColorIndex(x, y, 1)
			}
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, drawing) // a buffer takes everything
	return file.Bytes()
}

// agents are the browsers in which the developer is signed in besides the client, in
// which it is signed in twice.
var agents = []string{
	"Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15 (KHTML, like Gecko) Version/19.1 Safari/605.1.15",
	"Mozilla/5.0 (Windows NT 10.0; Win64; x64; rv:152.0) Gecko/20100101 Firefox/152.0",
	"<script>hacked=1</script>" + `"onmouseover="hacked=1`,
}

// agent is a browser as it names itself.
type agent string

func (a agent) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("User-Agent", string(a))
	return http.DefaultTransport.RoundTrip(r)
}

// secureTeam gives the developer more sessions and a second factor, which clerks must
// have. It runs last, because sessions end and nothing signs in with codes.
func (h *house) secureTeam(ctx context.Context) error {
	for _, name := range agents {
		browser := client.NewService(h.url)
		browser.HTTP = &http.Client{Transport: agent(name)}
		if _, err := browser.Login(ctx,
			client.LoginRequest{Email: h.emails[teamDeveloper], Password: housePassword}); err != nil {
			return err
		}
		h.clock.Advance(2 * time.Minute)
	}
	session, err := h.signIn(ctx, teamDeveloper)
	if err != nil {
		return err
	}
	begun, err := session.BeginTOTP(ctx, client.PasswordProof{Password: housePassword})
	if err != nil {
		return err
	}
	code, err := totp.GenerateCode(begun.Secret, h.clock.Now())
	if err != nil {
		return fmt.Errorf("make a code: %w", err)
	}
	if _, err := session.ConfirmTOTP(ctx, client.CodeProof{Code: code}); err != nil {
		return err
	}
	rules := client.TOTPRequired{Operators: []client.OperatorRole{}, Users: []client.Role{"clerk"}}
	_, err = h.desk.PutSignInRules(ctx, client.SignInRules{TOTPRequired: rules})
	return err
}
