package ops

import (
	"regexp"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
)

// maxPage bounds the parameter limit of lists, except that of the board.
const maxPage = 500

// idCursor accepts the id of the last object before a page.
func idCursor(prefix string) form.TextRule {
	return form.TextRule{
		Rule:   httpd.CursorRule,
		Allows: regexp.MustCompile(`^` + prefix + `[0-9abcdefghjkmnpqrstvwxyz]{16}$`).MatchString,
	}
}

var operatorCursor = idCursor("opr_")

type operatorAnswer struct {
	OperatorID string        `json:"operator_id"`
	Email      string        `json:"email"`
	Role       operator.Role `json:"role"`
	Active     bool          `json:"active"`
	CourierID  *string       `json:"courier_id"` // null unless the operator is a courier
	CreatedAt  time.Time     `json:"created_at"`
}

func operatorOf(o *operator.Operator) operatorAnswer {
	return operatorAnswer{
		OperatorID: o.OperatorID, Email: o.Email, Role: o.Role, Active: o.Active, CourierID: strictjson.OrNull(o.CourierID),
		CreatedAt: o.CreatedAt,
	}
}

// listedOperator is an operator as admins see it in lists.
type listedOperator struct {
	operatorAnswer
	stateAnswer
}

func (s *Server) handleMe(c *httpd.Call) (httpd.Reply, error) {
	return httpd.OK(operatorOf(sender(c)))
}

func (s *Server) handleOperatorList(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	cursor := q.OneOf("cursor", operatorCursor)
	limit := q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.config.Operators.List(c.Context(), cursor, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	ids := make([]string, len(page.Operators))
	for i, o := range page.Operators {
		ids[i] = o.OperatorID
	}
	states, err := s.config.OperatorSignIns.States(c.Context(), ids)
	if err != nil {
		return httpd.Reply{}, err
	}
	operators := make([]listedOperator, len(page.Operators))
	for i, o := range page.Operators {
		operators[i] = listedOperator{operatorOf(o), stateOf(states[o.OperatorID])}
	}
	return httpd.OK(struct {
		Operators  []listedOperator `json:"operators"`
		NextCursor string           `json:"next_cursor,omitzero"`
	}{operators, page.Next})
}

func (s *Server) handleOperatorCreate(c *httpd.Call) (httpd.Reply, error) {
	wanted, err := httpd.Decode(c, operator.ReadNewOperator)
	if err != nil {
		return httpd.Reply{}, err
	}
	added, err := s.config.Operators.Add(c.Context(), wanted.Operator, wanted.Password)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(operatorOf(added))
}

func (s *Server) handleOperatorChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, operator.ReadChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Operators.Change(c.Context(), c.PathID("operator_id"), change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(operatorOf(changed))
}
