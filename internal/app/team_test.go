package app_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// invite invites a person and returns the path that accepts the invitation.
func invite(t *testing.T, owner *apptest.User, email, role string) (accept string, invitation *apptest.Answer) {
	t.Helper()
	invitation = owner.Call(t, "POST", "/v1/team/invitations",
		fmt.Appendf(nil, `{"email":%q,"role":%q}`, email, role)).Must(t, 201)
	token, found := strings.CutPrefix(invitation.Text("url"), owner.URL+"/portal/invitations/")
	if !found {
		t.Fatalf("got the URL %s, want one that begins with %s/portal/invitations/", invitation.Text("url"), owner.URL)
	}
	return "/v1/auth/invitations/" + token, invitation
}

// teamOf returns the e-mail addresses and roles of a team, and then those of its
// invitations.
func teamOf(t *testing.T, u *apptest.User) (all []string) {
	t.Helper()
	team := u.Call(t, "GET", "/v1/team", nil).Must(t, 200)
	for _, list := range []string{"users", "invitations"} {
		for i := range team.Len(list) {
			all = append(all, strings.TrimSuffix(list, "s")+" "+team.Text(list, i, "email")+" "+team.Text(list, i, "role"))
		}
	}
	return all
}

const acceptance = `{"name":"Sam Tremblay","password":"brume-et-goélands-1907"}`

// TestInvitation invites a person, who accepts and logs in.
func TestInvitation(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	accept, invited := invite(t, owner, "Sam@Example.com", "clerk")
	if want := "2026-01-21T15:00:00.000Z"; invited.Text("expires_at") != want {
		t.Errorf("got the end %s, want %s", invited.Text("expires_at"), want)
	}
	if got, want := teamOf(t, owner),
		[]string{"user metro@example.com owner", "invitation Sam@Example.com clerk"}; !slices.Equal(got, want) {
		t.Errorf("after the invitation: got %q, want %q", got, want)
	}
	s.Do(t, "POST", accept, []byte(`{"name":"","password":"sam@example.com"}`)).Refused(t, 422, "validation_error")
	s.Clock.Advance(time.Second)
	accepted := s.Do(t, "POST", accept, []byte(acceptance)).Must(t, 201)
	want := fmt.Sprintf(
		`{"partner_id":%q,"name":"metro","email":"metro@example.com","created_at":"2026-01-14T15:00:00.000Z",`+
			`"user":{"user_id":%q,"email":"Sam@Example.com","name":"Sam Tremblay","role":"clerk","email_confirmed":true}}`,
		owner.PartnerID, accepted.Text("user", "user_id"),
	)
	if string(accepted.Body) != want || accepted.Header.Get("Set-Cookie") != "" {
		t.Errorf("accepted: got %s with %v, want %s without a cookie", accepted.Body, accepted.Header, want)
	}
	s.Do(t, "POST", accept, []byte(acceptance)).Refused(t, 404, "not_found")
	login := s.Do(t, "POST", "/v1/auth/login",
		[]byte(`{"email":"sam@example.com","password":"brume-et-goélands-1907"}`)).Must(t, 200)
	if string(login.Body) != want {
		t.Errorf("login: got %s, want %s", login.Body, want)
	}
	if got, want := teamOf(t, owner),
		[]string{"user metro@example.com owner", "user Sam@Example.com clerk"}; !slices.Equal(got, want) {
		t.Errorf("after the acceptance: got %q, want %q", got, want)
	}
	if token := accept[len("/v1/auth/invitations/"):]; slices.Contains(s.Query(t, "SELECT token_hash FROM one_time_links"),
		token) {
		t.Error("got the token of an invitation in the database, want its hash only")
	}
}

// TestInvitationsThatDoNotWork uses links that were replaced, withdrawn, have
// expired, or never existed. All are refused alike, and make no user.
func TestInvitationsThatDoNotWork(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner, other := s.Register(t, "metro").Owner(t), s.Register(t, "other").Owner(t)
	replaced, _ := invite(t, owner, "a@example.com", "clerk")
	expired, _ := invite(t, owner, "A@example.com", "reader")
	withdrawn, invitation := invite(t, owner, "b@example.com", "clerk")
	path := "/v1/team/invitations/" + invitation.Text("invitation_id")
	other.Call(t, "DELETE", path, nil).Refused(t, 404, "not_found")
	owner.Call(t, "DELETE", path, nil).Must(t, 200)
	owner.Call(t, "DELETE", path, nil).Refused(t, 404, "not_found")
	if got := teamOf(t, owner); len(got) != 2 || got[1] != "invitation A@example.com reader" {
		t.Errorf("got %q, want the owner and the newer invitation", got)
	}
	s.Clock.Advance(7 * 24 * time.Hour)
	var bodies []string
	for _, link := range []string{replaced, expired, withdrawn, "/v1/auth/invitations/none", "/v1/auth/invitations/%00"} {
		answer := s.Do(t, "POST", link, []byte(acceptance)).Refused(t, 404, "not_found")
		bodies = append(bodies, strings.ReplaceAll(string(answer.Body), answer.Header.Get("X-Request-Id"), ""))
	}
	if len(slices.Compact(bodies)) != 1 {
		t.Errorf("got %q, want the same refusal of each", bodies)
	}
	if users := s.Query(t, "SELECT count(*) FROM users"); users[0] != "2" {
		t.Errorf("got %s users, want the two owners", users[0])
	}
}

// TestInvitationsOfTakenAddresses invites a user of another partner, and a person
// who opens an account before accepting.
func TestInvitationsOfTakenAddresses(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	s.Register(t, "other")
	owner.Call(t, "POST", "/v1/team/invitations", []byte(`{"email":"OTHER@example.com","role":"clerk"}`)).Refused(t, 400,
		"email_taken")
	accept, _ := invite(t, owner, "late@example.com", "clerk")
	s.Register(t, "late")
	s.Do(t, "POST", accept, []byte(acceptance)).Refused(t, 400, "email_taken")
	if got := teamOf(t, owner); len(got) != 2 {
		t.Errorf("after a refused acceptance: got %q, want the owner and the invitation", got)
	}
}

// TestInvitationIsAcceptedOnce accepts an invitation many times at the same moment.
func TestInvitationIsAcceptedOnce(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner := s.Register(t, "metro").Owner(t)
	accept, _ := invite(t, owner, "sam@example.com", "clerk")
	statuses := apptest.Together(8, func(int) int { return s.Do(t, "POST", accept, []byte(acceptance)).Status })
	slices.Sort(statuses)
	if want := []int{201, 404, 404, 404, 404, 404, 404, 404}; !slices.Equal(statuses, want) {
		t.Errorf("got %v, want %v", statuses, want)
	}
}

// TestMembersOfSuspendedPartners accepts an invitation of a partner that has been
// suspended since.
func TestMembersOfSuspendedPartners(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, admin := s.Register(t, "metro"), s.Operate(t)
	accept, _ := invite(t, p.Owner(t), "sam@example.com", "clerk")
	set(t, admin, p, `{"suspended":true}`)
	s.Do(t, "POST", accept, []byte(acceptance)).Refused(t, 403, "forbidden")
	set(t, admin, p, `{"suspended":false}`)
	s.Do(t, "POST", accept, []byte(acceptance)).Must(t, 201)
}

// TestUserChanges changes a user's role and name, and removes the user.
func TestUserChanges(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	owner, developer, stranger := p.Owner(t), p.As(t, "developer"), s.Register(t, "other").Owner(t)
	key := developer.Call(t, "POST", "/v1/auth/api-keys", nil).Must(t, 201)
	target := "/v1/team/" + developer.UserID
	stranger.Call(t, "PATCH", target, []byte(`{"role":"reader"}`)).Refused(t, 404, "not_found")
	stranger.Call(t, "DELETE", target, nil).Refused(t, 404, "not_found")

	changed := owner.Call(t, "PATCH", target, []byte(`{"role":"reader","name":"Devon"}`)).Must(t, 200)
	if want := fmt.Sprintf(`{"user_id":%q,"email":%q,"name":"Devon","role":"reader","email_confirmed":true,"created_at":"2026-01-14T15:00:00.000Z"}`, developer.UserID, developer.Email); string(changed.Body) != want {
		t.Errorf("changed: got %s, want %s", changed.Body, want)
	}
	developer.Call(t, "POST", "/v1/auth/api-keys", nil).Refused(t, 403, "forbidden") // in the session from before
	developer.Call(t, "PATCH", target, []byte(`{"role":"owner"}`)).Refused(t, 403, "forbidden")

	removed := owner.Call(t, "DELETE", target, nil).Must(t, 200)
	if want := fmt.Sprintf(`{"user_id":%q,"removed":true}`, developer.UserID); string(removed.Body) != want {
		t.Errorf("removed: got %s, want %s", removed.Body, want)
	}
	owner.Call(t, "DELETE", target, nil).Refused(t, 404, "not_found")
	developer.Call(t, "GET", "/v1/auth/me", nil).Refused(t, 401, "unauthorized")
	s.Do(t, "GET", "/v1/auth/api-keys", nil, developer.Login()...).Refused(t, 401, "unauthorized")
	if left := s.Query(t, "SELECT user_id FROM sessions WHERE user_id = '"+developer.UserID+"'"); len(left) != 0 {
		t.Errorf("after the removal: got %d sessions of the user, want none", len(left))
	}
	made := *p
	made.KeyID, made.PublicKey, made.SecretKey = key.Text("key_id"), key.Text("public_key"), key.Text("secret_key")
	made.Call(t, "GET", "/v1/orders", nil).Must(t, 200)
	keys := owner.Call(t, "GET", "/v1/auth/api-keys", nil).Must(t, 200)
	if want := fmt.Sprintf(`"created_by":{"user_id":%q,"name":"developer"}`,
		developer.UserID); !strings.Contains(string(keys.Body), want) {
		t.Errorf("keys: got %s, want one with %s", keys.Body, want)
	}
	// The address is free again.
	invite(t, owner, developer.Email, "clerk")
}

// TestTeamIsAudited reads the entries of everything that changes a team.
func TestTeamIsAudited(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	owner, admin := s.Register(t, "metro").Owner(t), s.Operate(t)
	var want []string
	note := func(action, by, object string) {
		want = append(want, action+" "+object+" by "+by)
		s.Clock.Advance(time.Second)
	}
	s.Clock.Advance(time.Second)
	_, invitation := invite(t, owner, "withdrawn@example.com", "clerk")
	note("user.invited", owner.UserID, invitation.Text("invitation_id"))
	owner.Call(t, "DELETE", "/v1/team/invitations/"+invitation.Text("invitation_id"), nil).Must(t, 200)
	note("user.invitation_withdrawn", owner.UserID, invitation.Text("invitation_id"))
	accept, invitation := invite(t, owner, "sam@example.com", "clerk")
	note("user.invited", owner.UserID, invitation.Text("invitation_id"))
	sam := s.Do(t, "POST", accept, []byte(acceptance)).Must(t, 201).Text("user", "user_id")
	note("user.joined", sam, sam)
	owner.Call(t, "PATCH", "/v1/team/"+sam, []byte(`{"role":"reader"}`)).Must(t, 200)
	note("user.changed", owner.UserID, sam)
	owner.Call(t, "PATCH", "/v1/team/"+sam, []byte(`{"role":"reader"}`)).Must(t, 200) // changes nothing
	owner.Call(t, "DELETE", "/v1/team/"+sam, nil).Must(t, 200)
	note("user.removed", owner.UserID, sam)

	log := admin.Call(t, "GET", "/ops/v1/audit?from=2026-01-14T15:00:01Z&partner_id="+owner.PartnerID, nil).Must(t, 200)
	var got []string
	for i := range log.Len("entries") {
		got = append(got, log.Text("entries", i, "action")+" "+log.Text("entries", i, "object_id")+" by "+log.Text("entries",
			i, "operator_id"))
	}
	slices.Reverse(got)
	if !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	if before := `"before":{"email":"sam@example.com","name":"Sam Tremblay","role":"clerk"}`; !strings.Contains(
		string(log.Body), before,
	) {
		t.Errorf("got %s, want the change to hold %s", log.Body, before)
	}
}

// TestOneOwnerStays lets two owners remove and demote each other and themselves at
// the same moment, on two nodes if the database allows it.
func TestOneOwnerStays(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	nodes := []*apptest.Service{s, s}
	if s.Database != "" {
		nodes[1] = s.Beside(t)
	}
	p := s.Register(t, "metro")
	first := p.Owner(t)
	first.Call(t, "DELETE", "/v1/team/"+first.UserID, nil).Refused(t, 409, "conflict")
	first.Call(t, "PATCH", "/v1/team/"+first.UserID, []byte(`{"role":"reader"}`)).Refused(t, 409, "conflict")
	first.Call(t, "PATCH", "/v1/team/"+first.UserID, []byte(`{"role":"owner"}`)).Must(t, 200)
	for round := range 5 {
		second := p.As(t, "owner")
		owners := []*apptest.User{first, second}
		statuses := apptest.Together(4, func(i int) int {
			by, target := owners[i%2], "/v1/team/"+owners[(i/2)%2].UserID
			if i == 0 {
				return nodes[i%2].Do(t, "PATCH", target, []byte(`{"role":"clerk"}`), "Cookie", by.Cookie).Status
			}
			return nodes[i%2].Do(t, "DELETE", target, nil, "Cookie", by.Cookie).Status
		})
		left := s.Query(t, "SELECT user_id FROM users WHERE role = 'owner'")
		if len(left) != 1 {
			t.Fatalf("round %d: got %d owners after %v, want 1", round, len(left), statuses)
		}
		if left[0] == second.UserID {
			first = second
		}
		s.Execute(t, "DELETE FROM users WHERE user_id <> '"+first.UserID+"'")
	}
}
