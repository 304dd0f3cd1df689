package client

import (
	"context"
	"errors"
	"iter"
	"net/http"
	"time"
)

// Operator calls the operator interface (/ops/v1): dispatch, couriers, stock, partners and
// prices. What an operator may do depends on the [OperatorRole]; anything else is refused with
// [CodeForbidden]. Many goroutines may use it.
type Operator struct {
	Service
	// Token is what requests carry, from [Service.CreateToken].
	Token string
	// Cookie is the value of a session's cookie, from [Service.LoginOperator]. It is used
	// instead of the token if it is not empty. It is a secret, as is Token.
	Cookie string
	// Account is the operator, as at the login; zero without one. See GetOperator.
	Account OperatorAccount
}

// operatorCookie is the name of the cookie that holds an operator's session.
const operatorCookie = "dropyard_ops_session"

// NewOperator returns a client with a token; see [NewService] for timeouts and retries.
func NewOperator(baseURL, token string) *Operator {
	return &Operator{Service: *NewService(baseURL), Token: token}
}

func (o *Operator) authorize(request *http.Request, _ []byte) error {
	if o.Cookie != "" {
		addCookie(request, operatorCookie, o.Cookie)
		return nil
	}
	request.Header.Set("Authorization", "Bearer "+o.Token)
	return nil
}

// OperatorRole says what an operator may do.
type OperatorRole string

// The roles of operators.
const (
	OperatorAdmin      OperatorRole = "admin"      // everything
	OperatorDispatcher OperatorRole = "dispatcher" // orders, couriers, and reading partners
	OperatorAccountant OperatorRole = "accountant" // reading figures, partners, couriers and orders
	OperatorWarehouse  OperatorRole = "warehouse"  // stock
	OperatorCourier    OperatorRole = "courier"    // the courier's own orders
)

// OperatorAccount is a person who runs the service.
type OperatorAccount struct {
	OperatorID string       `json:"operator_id"`
	Email      string       `json:"email"`
	Role       OperatorRole `json:"role"`
	Active     bool         `json:"active"`     // only active operators can log in and make requests
	CourierID  string       `json:"courier_id"` // the courier that an operator with [OperatorCourier] is; otherwise empty
	CreatedAt  time.Time    `json:"created_at"`
}

// errNoOperatorSession means that something other than the service answered a login.
var errNoOperatorSession = errors.New("POST /ops/v1/login: the answer has no session cookie")

// LoginOperator starts a session of an operator, as web pages do; programs rather use
// CreateToken. A session ends 12 hours after its last use, and at the latest after 7 days.
func (s *Service) LoginOperator(
	ctx context.Context, credentials LoginRequest, options ...CallOption,
) (*Operator, error) {
	var answer Answer
	account, err := fetch[OperatorAccount](ctx, s,
		operation{method: http.MethodPost, path: "/ops/v1/login", body: credentials, safe: credentials.Code == ""},
		withLastAnswer(options, &answer))
	if err != nil {
		return nil, err
	}
	cookie := answer.cookie(operatorCookie)
	if cookie == "" {
		return nil, errNoOperatorSession
	}
	return &Operator{Service: *s, Cookie: cookie, Account: *account}, nil
}

// Logout ends the session. It succeeds even if the session has ended already. A token is
// ended by RevokeToken.
func (o *Operator) Logout(ctx context.Context, options ...CallOption) (*LoggedOut, error) {
	return fetch[LoggedOut](ctx, o, operation{method: http.MethodPost, path: "/ops/v1/logout", safe: true}, options)
}

// GetOperator returns the operator who makes the request.
func (o *Operator) GetOperator(ctx context.Context, options ...CallOption) (*OperatorAccount, error) {
	return fetch[OperatorAccount](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/me"}, options)
}

// GetOps returns the OpenAPI document of the operator interface, in YAML.
func (s *Service) GetOps(ctx context.Context, options ...CallOption) ([]byte, error) {
	return content(fetch[[]byte](ctx, s, operation{method: http.MethodGet, path: "/ops.yaml", accept: "application/yaml"},
		options))
}

// OperatorRequest is a new operator.
type OperatorRequest struct {
	Email    string       `json:"email"`    // upper and lower case are the same
	Password string       `json:"password"` // 12 to 128 characters; the most common ones are refused
	Role     OperatorRole `json:"role"`
	// required with [OperatorCourier], and refused with any other role
	CourierID string `json:"courier_id,omitempty"`
}

// CreateOperator adds an operator. An address that another operator has is refused with
// [CodeEmailTaken].
func (o *Operator) CreateOperator(
	ctx context.Context, operator OperatorRequest, options ...CallOption,
) (*OperatorAccount, error) {
	return fetch[OperatorAccount](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/operators", body: operator, keyed: true}, options)
}

// OperatorChange is what to change of an operator. Fields that are nil or empty stay as
// they are.
type OperatorChange struct {
	Role      OperatorRole `json:"role,omitempty"`
	Active    *bool        `json:"active,omitempty"`
	Password  string       `json:"password,omitempty"`
	CourierID string       `json:"courier_id,omitempty"`
}

// ChangeOperator changes an operator. A new password, and Active set to false, end all
// tokens and sessions of the operator. A change that would leave no active admin is
// refused with [CodeConflict].
func (o *Operator) ChangeOperator(
	ctx context.Context, operatorID string, change OperatorChange, options ...CallOption,
) (*OperatorAccount, error) {
	return fetch[OperatorAccount](ctx, o,
		operation{method: http.MethodPatch, path: "/ops/v1/operators/{id}", id: operatorID, body: change, keyed: true},
		options)
}

// ListedOperator is an operator in a list.
type ListedOperator struct {
	OperatorAccount
	TOTPEnrolled     bool      `json:"totp_enrolled"`      // signs in with a code as well
	ResetRequestedAt time.Time `json:"reset_requested_at"` // zero unless a new password is waited for
}

// OperatorList is a page of operators.
type OperatorList struct {
	Operators  []ListedOperator `json:"operators"`
	NextCursor string           `json:"next_cursor,omitempty"` // empty on the last page
}

// PageQuery chooses a page.
type PageQuery struct {
	Limit  int    `query:"limit"`  // the most objects of a page, 1 to 500; 50 if it is 0
	Cursor string `query:"cursor"` // the NextCursor of the previous page
}

// ListOperators returns a page of operators.
func (o *Operator) ListOperators(ctx context.Context, q PageQuery, options ...CallOption) (*OperatorList, error) {
	return fetch[OperatorList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/operators", query: queryOf(q)},
		options)
}

// Operators iterates over operators. An error is the last value.
func (o *Operator) Operators(ctx context.Context, q PageQuery, options ...CallOption) iter.Seq2[ListedOperator, error] {
	return pages(q, func(q *PageQuery) ([]ListedOperator, bool, error) {
		page, err := o.ListOperators(ctx, *q, options...)
		if err != nil {
			return nil, false, err
		}
		q.Cursor = page.NextCursor
		return page.Operators, q.Cursor != "", nil
	})
}
