package client

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"path"
	"strings"
	"time"
)

// Service calls what needs no credentials: registration, login and public tracking.
// Many goroutines may use it.
type Service struct {
	// BaseURL is the service's address, without /v1 and without a trailing slash.
	BaseURL string
	// HTTP sends the requests. It should have a timeout longer than 30 seconds, which is
	// how long the service may take.
	HTTP *http.Client
	// RetryDelays are the delays before the second and further attempts at a request. If
	// it is empty, a request is sent once.
	RetryDelays []time.Duration
	// UserAgent is the header User-Agent of requests; if it is empty, dropyard-go with the version of this module, as in
	// dropyard-go/0.2.0.
	UserAgent string
}

// requestTimeout is a little longer than the service's own timeout.
const requestTimeout = 35 * time.Second

// NewService returns a service that is called with a timeout of 35 seconds and without
// following redirects, which would invalidate signatures. Retries are those that the
// interface advises: three, after 1, 2 and 4 seconds.
func NewService(baseURL string) *Service {
	return &Service{
		BaseURL: strings.TrimSuffix(baseURL, "/"),
		HTTP: &http.Client{
			Timeout:       requestTimeout,
			CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse },
		},
		RetryDelays: []time.Duration{time.Second, 2 * time.Second, 4 * time.Second},
	}
}

func (s *Service) service() *Service { return s }

func (s *Service) authorize(*http.Request, []byte) error { return nil }

// Health is the answer of a service that is alive.
type Health struct {
	Status string    `json:"status"` // "ok"
	Time   time.Time `json:"time"`   // the service's clock
}

// GetHealth checks that the service is alive.
func (s *Service) GetHealth(ctx context.Context, options ...CallOption) (*Health, error) {
	return fetch[Health](ctx, s, operation{method: http.MethodGet, path: "/v1/health"}, options)
}

// Ready is the answer of a service that is ready.
type Ready struct {
	Status string    `json:"status"` // "ready"
	Time   time.Time `json:"time"`   // the service's clock
	// Held means that webhooks and mails wait until an admin resumes them, as after a restore.
	Held bool `json:"held"`
}

// GetReady checks that the service should get requests. If it should not, the error is
// [CodeUnavailable], without further attempts.
func (s *Service) GetReady(ctx context.Context, options ...CallOption) (*Ready, error) {
	return fetch[Ready](ctx, s, operation{method: http.MethodGet, path: "/v1/ready", once: true}, options)
}

// GetOpenAPI returns the OpenAPI document of the partner interface, in YAML.
func (s *Service) GetOpenAPI(ctx context.Context, options ...CallOption) ([]byte, error) {
	return content(fetch[[]byte](ctx, s,
		operation{method: http.MethodGet, path: "/openapi.yaml", accept: "application/yaml"}, options))
}

// content returns the bytes of an answer that is not JSON.
func content(body *[]byte, err error) ([]byte, error) {
	if err != nil {
		return nil, err
	}
	return *body, nil
}

// RegisterRequest is a new partner account.
type RegisterRequest struct {
	Name string `json:"name"` // 1 to 255 characters
	// PersonName is the name of the owner, the first user; empty for that of the account.
	PersonName string `json:"person_name,omitempty"`
	Email      string `json:"email"` // upper and lower case are the same
	// 8 to 128 characters; the most common ones and those equal to the name or the address are refused
	Password string `json:"password"`
}

// Partner is a partner account.
type Partner struct {
	PartnerID string    `json:"partner_id"`
	Name      string    `json:"name"`
	Email     string    `json:"email"`
	CreatedAt time.Time `json:"created_at"`
	// User is the person who is logged in. It is not set by Register.
	User User `json:"user,omitzero"`
	// Status is set by Register only, and empty if the account can be used.
	Status PartnerStatus `json:"status,omitempty"`
}

// User is a person of a partner.
type User struct {
	UserID string `json:"user_id"`
	Email  string `json:"email"`
	Name   string `json:"name"`
	Role   Role   `json:"role"`
	// EmailConfirmed is set once the person has confirmed the address by a link, and for
	// people who need not.
	EmailConfirmed bool `json:"email_confirmed"`
}

// Role says what a user may do.
type Role string

// The roles, from the one that may do everything to the one that only reads.
const (
	RoleOwner     Role = "owner"     // also manages the account and the team
	RoleDeveloper Role = "developer" // also manages API keys and webhooks
	RoleClerk     Role = "clerk"     // also changes orders and stock
	RoleReader    Role = "reader"
)

// PartnerStatus says whether an account can be used.
type PartnerStatus string

// PartnerPending is the status of an account that cannot be used until an operator has
// approved it.
const PartnerPending PartnerStatus = "pending"

// Register creates a partner account. Services may approve accounts one by one, see
// [PartnerPending], or refuse all with [CodeForbidden]. If no answer arrives, the account
// may exist: a further call is then refused with [CodeEmailTaken].
func (s *Service) Register(ctx context.Context, account RegisterRequest, options ...CallOption) (*Partner, error) {
	return fetch[Partner](ctx, s, operation{method: http.MethodPost, path: "/v1/auth/register", body: account}, options)
}

// LoginRequest is the credentials of an account.
type LoginRequest struct {
	Email    string `json:"email"`
	Password string `json:"password"`
	// of the authenticator app, or a recovery code, if the account has a second factor
	Code string `json:"code,omitempty"`
}

// errNoSession means that something other than the service answered a login.
var errNoSession = errors.New("POST /v1/auth/login: the answer has no session cookie")

// Login starts a session. Wrong passwords are throttled per account and per address. An
// account has up to 20 sessions; when another begins, the oldest ends. A login that lacks
// a code is refused with [ReasonTOTPRequired]. A code can be used once, so that a login
// with one is not sent again if no answer arrives.
func (s *Service) Login(ctx context.Context, credentials LoginRequest, options ...CallOption) (*Session, error) {
	var answer Answer
	partner, err := fetch[Partner](ctx, s,
		operation{method: http.MethodPost, path: "/v1/auth/login", body: credentials, safe: credentials.Code == ""},
		withLastAnswer(options, &answer))
	if err != nil {
		return nil, err
	}
	cookie := answer.cookie(sessionCookie)
	if cookie == "" {
		return nil, errNoSession
	}
	return &Session{Service: *s, Partner: *partner, Cookie: cookie}, nil
}

// Tracking is what anyone may see who has the tracking URL of an order. It has no names,
// streets, phone numbers or prices.
type Tracking struct {
	OrderID           string           `json:"order_id"`
	Status            OrderStatus      `json:"status"`
	ServiceLevel      ServiceLevel     `json:"service_level"`
	EstimatedDelivery time.Time        `json:"estimated_delivery"`
	CreatedAt         time.Time        `json:"created_at"`
	UpdatedAt         time.Time        `json:"updated_at"`
	LiveMode          bool             `json:"livemode"` // false for an order in test mode, which is simulated
	Origin            Place            `json:"origin"`
	Destination       Place            `json:"destination"`
	ParcelCount       int              `json:"parcel_count"`
	IsReturn          bool             `json:"is_return,omitempty"`      // the recipient gives parcels back at the origin
	Courier           *TrackingCourier `json:"courier,omitempty"`        // nil while no courier is assigned
	FailedAttempt     *FailedAttempt   `json:"failed_attempt,omitempty"` // nil unless the status is failed
	StatusHistory     []StatusChange   `json:"status_history"`           // oldest first, without notes
}

// Place is a city.
type Place struct {
	City     string   `json:"city"`
	Province Province `json:"province"`
}

// TrackingCourier is the courier of an order, as anyone may see it.
type TrackingCourier struct {
	FirstName string `json:"first_name"`
	Vehicle   string `json:"vehicle"`
}

// FailedAttempt says why the latest attempt to deliver an order failed.
type FailedAttempt struct {
	Reason      FailureReason `json:"reason"`
	NextAttempt time.Time     `json:"next_attempt,omitzero"` // zero if no further attempt is planned
}

// FailureReason is a kind of reason why an attempt failed.
type FailureReason string

// The kinds of reasons why an attempt failed.
const (
	FailureNotHome      FailureReason = "not_home"
	FailureWrongAddress FailureReason = "wrong_address"
	FailureNoAccess     FailureReason = "no_access"
	FailureDeclined     FailureReason = "declined"
	FailureDamaged      FailureReason = "damaged"
	FailureOther        FailureReason = "other"
)

// TrackOrder returns the public state of an order.
func (s *Service) TrackOrder(ctx context.Context, orderID string, options ...CallOption) (*Tracking, error) {
	return fetch[Tracking](ctx, s, operation{method: http.MethodGet, path: "/track/{id}", id: orderID}, options)
}

// Language is a language in which recipients are addressed.
type Language string

// The languages.
const (
	English Language = "en"
	French  Language = "fr"
)

// TrackOrderPage returns the tracking page of an order in HTML; in English if the
// language is empty.
func (s *Service) TrackOrderPage(
	ctx context.Context, orderID string, language Language, options ...CallOption,
) ([]byte, error) {
	o := operation{method: http.MethodGet, path: "/track/{id}/html", id: orderID, accept: "text/html"}
	if language != "" {
		o.query = url.Values{"lang": {string(language)}}
	}
	return content(fetch[[]byte](ctx, s, o, options))
}

// GetProof returns the picture at the SignatureURL of an [OrderDelivered] event, a JPEG
// or a PNG. Only the last part of the URL is used.
func (s *Service) GetProof(ctx context.Context, signatureURL string, options ...CallOption) ([]byte, error) {
	return content(fetch[[]byte](ctx, s,
		operation{method: http.MethodGet, path: "/proofs/{id}", id: path.Base(signatureURL), accept: "image/*"}, options))
}
