package api

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
)

// authenticateOperator checks the bearer token of an operator and its role.
func (s *Server) authenticateOperator(c *call, roles []operator.Role) error {
	scheme, token, _ := strings.Cut(c.Header.Get("Authorization"), " ")
	if !strings.EqualFold(scheme, "Bearer") {
		return delivery.Refuse(delivery.CodeUnauthorized, "send a token of POST /ops/v1/tokens as Authorization: Bearer")
	}
	found, err := s.Operators.ByToken(c.Context(), token)
	if err != nil {
		return err
	}
	if found == nil {
		return delivery.Refuse(delivery.CodeUnauthorized, "this token does not exist or has expired")
	}
	if !slices.Contains(roles, found.Role) {
		return delivery.Refuse(delivery.CodeForbidden, fmt.Sprintf("the role %s may not do this", found.Role))
	}
	c.act(found.OperatorID)
	return nil
}

// act notes on whose behalf everything happens from here on.
func (c *call) act(operatorID string) {
	ctx := delivery.WithOperation(c.Context(), delivery.Operation{OperatorID: operatorID, RequestID: c.id})
	c.Request = c.WithContext(ctx)
}

type tokenAnswer struct {
	TokenID   string        `json:"token_id"`
	Token     string        `json:"token"`
	Role      operator.Role `json:"role"`
	ExpiresAt time.Time     `json:"expires_at"`
}

func (s *Server) handleTokenCreate(c *call) (reply, error) {
	c.act("") // nobody yet; the token's owner will be
	body, err := c.json()
	if err != nil {
		return reply{}, err
	}
	token, err := s.Operators.IssueToken(c.Context(), body, s.address(c))
	if err != nil {
		return reply{}, err
	}
	c.header.Set("Cache-Control", "no-store")
	return created(tokenAnswer{token.TokenID, token.Secret, token.Role, token.ExpiresAt})
}

type courierAnswer struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Phone     string `json:"phone"`
	Vehicle   string `json:"vehicle"`
	Active    bool   `json:"active"`
}

func courierOf(c operator.Courier) courierAnswer {
	return courierAnswer{c.CourierID, c.Name, c.Phone, c.Vehicle, c.Active}
}

func (s *Server) handleCourierCreate(c *call) (reply, error) {
	body, err := c.json()
	if err != nil {
		return reply{}, err
	}
	courier, err := s.Operators.CreateCourier(c.Context(), body)
	if err != nil {
		return reply{}, err
	}
	return created(courierOf(*courier))
}

// The bounds of the courier list's limit.
const (
	defaultCouriers = 50
	maxCouriers     = 500
)

// courierCursorRule takes the id of the last courier before the page.
var courierCursorRule = delivery.TextRule{
	Expected: "the next_cursor of an earlier answer",
	Allows:   regexp.MustCompile(`^cou_[0-9abcdefghjkmnpqrstvwxyz]{16}$`).MatchString,
}

func (s *Server) handleCourierList(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	cursor := q.oneOf("cursor", courierCursorRule)
	limit := int(q.integer("limit", defaultCouriers, 1, maxCouriers))
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	page, err := s.Operators.Couriers(c.Context(), cursor, limit)
	if err != nil {
		return reply{}, err
	}
	couriers := make([]courierAnswer, len(page.Couriers))
	for i, courier := range page.Couriers {
		couriers[i] = courierOf(courier)
	}
	return ok(struct {
		Couriers   []courierAnswer `json:"couriers"`
		NextCursor string          `json:"next_cursor,omitzero"`
	}{couriers, page.Next})
}
