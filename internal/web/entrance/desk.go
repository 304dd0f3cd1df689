package entrance

import (
	"bytes"
	"net/http"

	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// deskRoutes are the first pages of operators and couriers: who is signed in, and how.
func (room *Room) deskRoutes() []visit.Route {
	return []visit.Route{
		room.desk(console, console.path+"/sign-in", operator.Roles...),
		room.desk(courier, courier.path, operator.RoleAdmin, operator.RoleDispatcher, operator.RoleCourier),
	}
}

func (room *Room) desk(d *door, path string, roles ...operator.Role) visit.Route {
	return visit.Route{
		Method: http.MethodGet, Pattern: path, For: visit.Operators, Roles: roles, Permission: partner.PermissionSelf,
		Serve: room.serve(d, (*sheet).deskPage),
	}
}

// deskView is what the first page of an operator shows.
type deskView struct {
	*operator.Operator
	Role     string // in words
	Factor   signin.Enrolment
	Sessions []deskSession
	// Enrolment are the calls by which the operator sets up a second factor.
	Enrolment []string
	Links     []page.Link
}

// deskSession is a session of the operator.
type deskSession struct {
	*signin.Session
	Current bool
}

// MustEnrol reports whether the operator can do nothing else before a second factor is
// set up.
func (v deskView) MustEnrol() bool { return v.Factor.Required && v.Factor.ConfirmedAt.IsZero() }

// CodesLeft returns the number of recovery codes that the operator can still use.
func (v deskView) CodesLeft() int { return int(v.Factor.RecoveryCodes) }

func (s *sheet) deskPage() (int, []byte, error) {
	view := deskView{Enrolment: []string{"POST /ops/v1/auth/totp", "POST /ops/v1/auth/totp/confirm"}, Operator: s.Operator, Role: s.Text(roleKeys[string(s.Operator.Role)])}
	var err error
	if view.Factor, err = s.signIns().Enrolment(s.Context(), s.Caller); err != nil {
		return 0, nil, err
	}
	sessions, err := s.signIns().Sessions(s.Context(), s.Caller.PersonID)
	if err != nil {
		return 0, nil, err
	}
	for _, session := range sessions {
		view.Sessions = append(view.Sessions, deskSession{session, bytes.Equal(session.TokenHash, s.Caller.Session)})
	}
	view.Links = []page.Link{{Text: s.Text("entrance.desk.interface"), Path: "/ops.yaml"}}
	site := s.room.config.Site
	body, err := s.room.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "desk", Title: s.Text(s.door.home) + " · " + s.Text("home.title"), Data: view,
		Roomy: s.door == courier, Frame: s.deskFrame(site.TakeFlash(s.Visit, s.Language)),
	})
	return http.StatusOK, body, err
}

func (s *sheet) deskFrame(message *page.Message) *page.Frame {
	frame := &page.Frame{
		Heading: s.Text(s.door.home), Home: page.Link{Text: s.Text("home.title"), Path: s.door.path}, Message: message,
		Person: s.Operator.Email, SignOut: s.door.path + "/logout", Other: s.Language.InOther(s.Visit),
	}
	for _, d := range []*door{console, courier} {
		if d == console || s.Operator.Role != operator.RoleWarehouse {
			frame.Groups = append(frame.Groups, page.Group{Links: []page.Link{{Text: s.Text(d.home), Path: d.path, Current: d == s.door}}})
		}
	}
	return frame
}
