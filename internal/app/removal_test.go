package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// TestInvitationsOfRemovedOwners accepts invitations by which owners who are removed, or
// get another role, could come back.
func TestInvitationsOfRemovedOwners(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	owner, leaving := p.Owner(t), p.As(t, "owner")
	kept, _ := invite(t, owner, "kept@example.com", "clerk")
	demoted, _ := invite(t, leaving, "demoted@example.com", "owner")
	owner.Call(t, "PATCH", "/v1/team/"+leaving.UserID, []byte(`{"role":"reader"}`)).Must(t, 200)
	s.Do(t, "POST", demoted, []byte(acceptance)).Refused(t, 404, "not_found")
	owner.Call(t, "PATCH", "/v1/team/"+leaving.UserID, []byte(`{"role":"owner"}`)).Must(t, 200)
	removed, _ := invite(t, leaving, "removed@example.com", "owner")
	owner.Call(t, "DELETE", "/v1/team/"+leaving.UserID, nil).Must(t, 200)
	s.Do(t, "POST", removed, []byte(acceptance)).Refused(t, 404, "not_found")
	s.Do(t, "POST", kept, []byte(acceptance)).Must(t, 201)
}

// TestLinksOfDismissedAdmins uses links for new passwords of others, which their admin
// kept, after the admin was deactivated or got another role.
func TestLinksOfDismissedAdmins(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, boss := s.Register(t, "metro"), s.Operate(t)
	admin := boss.As(t, "admin")
	for _, dismissal := range []string{`{"role":"warehouse"}`, `{"active":false}`} {
		boss.Call(t, "PATCH", "/ops/v1/operators/"+admin.OperatorID, []byte(`{"role":"admin"}`)).Must(t, 200)
		var links []string
		for _, target := range []string{"/ops/v1/operators/" + boss.OperatorID, "/ops/v1/partners/" + p.PartnerID} {
			links = append(links, admin.Call(t, "POST", target+"/reset-link", nil).Must(t, 201).Text("url"))
		}
		boss.Call(t, "PATCH", "/ops/v1/operators/"+admin.OperatorID, []byte(dismissal)).Must(t, 200)
		for i, path := range []string{"/ops/v1/auth/reset/", "/v1/auth/reset/"} {
			token := links[i][strings.LastIndex(links[i], "/")+1:]
			s.Do(t, "POST", path+token, []byte(`{"new_password":"brume-et-goélands-1907"}`)).Refused(t, 404, "not_found")
		}
	}
}

// TestSlowRequestsOfRemovedPeople begins requests, and sends their bodies after the
// people who make them have been removed.
func TestSlowRequestsOfRemovedPeople(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p, boss := s.Register(t, "metro"), s.Operate(t)
	owner, leaving, admin := p.Owner(t), p.As(t, "owner"), boss.As(t, "admin")
	begin := func(target, body string, headers ...string) *apptest.Wire {
		headers = append(headers, "Content-Type", "application/json", "Content-Length", fmt.Sprint(len(body)), "Expect",
			"100-continue")
		return s.Wire(t).Send(apptest.Text("POST", target, headers, "")).Continue()
	}
	invitation := `{"email":"back@example.com","role":"owner"}`
	byOwner := begin("/v1/team/invitations", invitation, "Cookie", leaving.Cookie)
	operator := `{"email":"back@example.com","role":"admin","password":"brume-et-goélands-1907"}`
	byAdmin := begin("/ops/v1/operators", operator, "Authorization", "Bearer "+admin.Token)
	courier := `{"name":"Camille","phone":"+15145550177","vehicle":"van","active":true}`
	byOther := begin("/ops/v1/couriers", courier, "Authorization", "Bearer "+boss.Token)

	owner.Call(t, "DELETE", "/v1/team/"+leaving.UserID, nil).Must(t, 200)
	boss.Call(t, "PATCH", "/ops/v1/operators/"+admin.OperatorID, []byte(`{"active":false}`)).Must(t, 200)
	byOwner.Send(invitation).Answer("POST").Refused(t, 401, "unauthorized")
	byAdmin.Send(operator).Answer("POST").Refused(t, 401, "unauthorized")
	byOther.Send(courier).Answer("POST").Must(t, 201)
}
