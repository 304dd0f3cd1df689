package entrance

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// deskRoutes are the first page of couriers.
func (room *Room) deskRoutes() []visit.Route {
	return []visit.Route{{
		Method: http.MethodGet, Pattern: courier.path, For: visit.Operators, Serve: room.serve(courier, (*sheet).deskPage),
		Roles: []operator.Role{operator.RoleAdmin, operator.RoleDispatcher, operator.RoleCourier},
	}}
}

// deskView is what the first page of couriers shows.
type deskView struct {
	*operator.Operator
	Role string // in words
}

func (s *sheet) deskPage() (int, []byte, error) {
	frame := s.room.CourierFrame(s.Sheet)
	frame.Heading = s.Text(courier.home)
	body, err := s.room.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "desk", Title: frame.Heading + " · " + s.Text("home.title"),
		Data: deskView{s.Operator, s.Text(roleKeys[string(s.Operator.Role)])}, Roomy: true, Frame: frame,
	})
	return http.StatusOK, body, err
}

// CourierFrame returns what surrounds the pages of couriers.
func (room *Room) CourierFrame(s page.Sheet) *page.Frame {
	ways := []page.Link{{Text: s.Text(courier.home), Path: courier.path}, {Text: s.Text("me.title"), Path: courier.path + "/sign-in"}}
	if s.Operator.Role != operator.RoleCourier {
		ways = append(ways, page.Link{Text: s.Text(console.home), Path: console.path})
	}
	for i := range ways {
		ways[i].Current = ways[i].Path == s.URL.Path
	}
	return &page.Frame{
		Home: page.Link{Text: s.Text("home.title"), Path: courier.path}, Groups: []page.Group{{Links: ways}},
		Message: s.Site.TakeFlash(s.Visit, s.Language),
		Person:  s.Operator.Email, SignOut: courier.path + "/logout", Other: s.Language.InOther(s.Visit),
	}
}
