package api

import (
	"regexp"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/operator"
)

// The bounds of the parameter limit of the operator interface's lists.
const (
	defaultPage = 50
	maxPage     = 500
)

// idCursor accepts the id of the last object before a page.
func idCursor(prefix string) form.TextRule {
	return form.TextRule{
		Rule:   cursorRule,
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
	return operatorAnswer{o.OperatorID, o.Email, o.Role, o.Active, orNull(o.CourierID), o.CreatedAt}
}

// listedOperator is an operator as admins see it in lists.
type listedOperator struct {
	operatorAnswer
	stateAnswer
}

func (s *Server) handleOperatorMe(c *call) (reply, error) { return ok(operatorOf(c.operator)) }

func (s *Server) handleOperatorList(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	cursor := q.oneOf("cursor", operatorCursor)
	limit := int(q.integer("limit", defaultPage, 1, maxPage))
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	page, err := s.config.Operators.List(c.Context(), cursor, limit)
	if err != nil {
		return reply{}, err
	}
	ids := make([]string, len(page.Operators))
	for i, o := range page.Operators {
		ids[i] = o.OperatorID
	}
	states, err := s.config.OperatorSignIns.States(c.Context(), ids)
	if err != nil {
		return reply{}, err
	}
	operators := make([]listedOperator, len(page.Operators))
	for i, o := range page.Operators {
		operators[i] = listedOperator{operatorOf(o), stateOf(states[o.OperatorID])}
	}
	return ok(struct {
		Operators  []listedOperator `json:"operators"`
		NextCursor string           `json:"next_cursor,omitzero"`
	}{operators, page.Next})
}

func (s *Server) handleOperatorCreate(c *call) (reply, error) {
	wanted, err := decode(c, operator.ReadNewOperator)
	if err != nil {
		return reply{}, err
	}
	added, err := s.config.Operators.Add(c.Context(), wanted.Operator, wanted.Password)
	if err != nil {
		return reply{}, err
	}
	return created(operatorOf(added))
}

func (s *Server) handleOperatorChange(c *call) (reply, error) {
	change, err := decode(c, operator.ReadChange)
	if err != nil {
		return reply{}, err
	}
	changed, err := s.config.Operators.Change(c.Context(), c.pathID("operator_id"), change)
	if err != nil {
		return reply{}, err
	}
	return ok(operatorOf(changed))
}
