package api

import (
	"net/http"
	"path"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
)

// Route is one row of the table of everything that is served.
type Route struct {
	Method  string
	Pattern string // as http.ServeMux reads it
	Access  Access
	// Roles are the operators that may come in by AccessOperator.
	Roles  []operator.Role
	handle func(*Server, *call) (reply, error)
	// MaxBody is the most that a body may hold, in bytes; 0 is the usual.
	MaxBody int64
}

// Access says who may use a route, and so what is checked before its handler.
type Access string

// The kinds of access.
const (
	AccessPublic   Access = "public"   // anyone; the handler checks what it needs
	AccessTracking Access = "tracking" // anyone, limited per address
	AccessSigned   Access = "signed"   // a request signed with an API key
	AccessPartner  Access = "partner"  // a request signed with an API key, or in a session
	AccessOperator Access = "operator" // a bearer token of an operator
	accessNobody   Access = "nobody"   // the handler only refuses
)

// The operators who run the service, those who move orders, and those who move
// stock.
var (
	administering = []operator.Role{operator.RoleAdmin}
	dispatching   = []operator.Role{operator.RoleAdmin, operator.RoleDispatcher}
	warehousing   = []operator.Role{operator.RoleAdmin, operator.RoleWarehouse}
)

// Routes lists everything that is served. The OpenAPI documents list the same;
// a test holds both together.
func Routes() []Route {
	return []Route{
		{"GET", "/v1/health", AccessPublic, nil, (*Server).handleHealth, 0},
		{"GET", "/openapi.yaml", AccessPublic, nil, (*Server).handleOpenAPI, 0},

		{"POST", "/v1/auth/register", AccessPublic, nil, (*Server).handleRegister, 0},
		{"POST", "/v1/auth/login", AccessPublic, nil, (*Server).handleLogin, 0},
		{"GET", "/v1/auth/logout", AccessPublic, nil, (*Server).handleLogout, 0},
		{"POST", "/v1/auth/logout", AccessPublic, nil, (*Server).handleLogout, 0},
		{"GET", "/v1/auth/me", AccessPublic, nil, (*Server).handleMe, 0},
		{"GET", "/v1/auth/api-keys", AccessPublic, nil, (*Server).handleKeyList, 0},
		{"POST", "/v1/auth/api-keys", AccessPublic, nil, (*Server).handleKeyCreate, 0},
		{"DELETE", "/v1/auth/api-keys/{key_id}", AccessPublic, nil, (*Server).handleKeyRevoke, 0},

		{"POST", "/v1/rates/quote", AccessSigned, nil, (*Server).handleQuote, 0},
		{"POST", "/v1/orders", AccessSigned, nil, (*Server).handleOrderCreate, 0},
		{Method: "POST", Pattern: "/v1/orders/batch", Access: AccessSigned, handle: (*Server).handleOrderBatch, MaxBody: maxBatchBody},
		{"POST", "/v1/orders/validate", AccessSigned, nil, (*Server).handleOrderValidate, 0},
		{"GET", "/v1/orders", AccessSigned, nil, (*Server).handleOrderList, 0},
		{"GET", "/v1/orders/{order_id}", AccessSigned, nil, (*Server).handleOrderGet, 0},
		{"POST", "/v1/orders/{order_id}/cancel", AccessSigned, nil, (*Server).handleOrderCancel, 0},
		{"GET", "/v1/inventory/products", AccessSigned, nil, (*Server).handleProductList, 0},
		{"GET", "/v1/inventory/movements", AccessSigned, nil, (*Server).handleMovementList, 0},
		{"GET", "/v1/orders/{order_id}/label", AccessSigned, nil, (*Server).handleOrderLabel, 0},

		{"GET", "/v1/webhooks/endpoint", AccessPartner, nil, (*Server).handleEndpointGet, 0},
		{"PUT", "/v1/webhooks/endpoint", AccessPartner, nil, (*Server).handleEndpointPut, 0},
		{"DELETE", "/v1/webhooks/endpoint", AccessPartner, nil, (*Server).handleEndpointDelete, 0},
		{"POST", "/v1/webhooks/endpoint/rotate-secret", AccessPartner, nil, (*Server).handleSecretRotate, 0},
		{"POST", "/v1/webhooks/endpoint/activate-secret", AccessPartner, nil, (*Server).handleSecretActivate, 0},
		{"GET", "/v1/webhooks/events", AccessPartner, nil, (*Server).handleEventList, 0},
		{"GET", "/v1/webhooks/events/{event_id}", AccessPartner, nil, (*Server).handleEventGet, 0},
		{"POST", "/v1/webhooks/events/{event_id}/redeliver", AccessPartner, nil, (*Server).handleRedeliver, 0},
		{"POST", "/v1/webhooks/redeliver", AccessPartner, nil, (*Server).handleRedeliverSince, 0},
		{"GET", "/v1/webhooks/feed", AccessSigned, nil, (*Server).handleFeed, 0},
		{"POST", "/v1/webhooks/test", AccessPartner, nil, (*Server).handleWebhookTest, 0},

		{"GET", "/track/{order_id}", AccessTracking, nil, (*Server).handleTrack, 0},
		{"GET", "/track/{order_id}/html", AccessTracking, nil, (*Server).handleTrackPage, 0},

		{"POST", "/ops/v1/tokens", AccessPublic, nil, (*Server).handleTokenCreate, 0},
		{"GET", "/ops/v1/couriers", AccessOperator, dispatching, (*Server).handleCourierList, 0},
		{"POST", "/ops/v1/couriers", AccessOperator, dispatching, (*Server).handleCourierCreate, 0},
		{"POST", "/ops/v1/orders/{order_id}/status", AccessOperator, dispatching, (*Server).handleOrderAdvance, 0},
		{"GET", "/ops/v1/audit", AccessOperator, administering, (*Server).handleAudit, 0},
		{"GET", "/ops/v1/partners/{partner_id}/products", AccessOperator, warehousing, (*Server).handleCatalogue, 0},
		{"POST", "/ops/v1/partners/{partner_id}/products", AccessOperator, warehousing, (*Server).handleProductCreate, 0},
		{"GET", "/ops/v1/partners/{partner_id}/products/export", AccessOperator, warehousing, (*Server).handleProductExport, 0},
		{"POST", "/ops/v1/partners/{partner_id}/products/import", AccessOperator, warehousing, (*Server).handleProductImport, 0},
		{"GET", "/ops/v1/partners/{partner_id}/products/{product_id}", AccessOperator, warehousing, (*Server).handleProductGet, 0},
		{"PATCH", "/ops/v1/partners/{partner_id}/products/{product_id}", AccessOperator, warehousing, (*Server).handleProductChange, 0},
		{"GET", "/ops/v1/partners/{partner_id}/movements", AccessOperator, warehousing, (*Server).handleJournal, 0},
		{"POST", "/ops/v1/partners/{partner_id}/movements", AccessOperator, warehousing, (*Server).handleMovementCreate, 0},
		{"POST", "/ops/v1/partners/{partner_id}/counts", AccessOperator, warehousing, (*Server).handleCount, 0},
		{"GET", "/ops/v1/low-stock", AccessOperator, warehousing, (*Server).handleLowStock, 0},
		{"GET", "/proofs/{name}", AccessTracking, nil, (*Server).handleProof, 0},
	}
}

// clean tells whether a path is in the one form that routes match. Others are
// unknown paths here; http.ServeMux would redirect them.
func clean(p string) bool {
	return p == path.Clean(p)
}

var errNoSuchPath = delivery.NotFound("this path")

// unrouted is a route that only refuses.
func unrouted(err error) Route {
	return Route{Access: accessNobody, handle: func(*Server, *call) (reply, error) { return reply{}, err }}
}

// whyUnrouted tells an unknown path from a wrong method, which http.ServeMux
// knows but says in plain text. The methods that would do go into Allow.
func whyUnrouted(refuses http.Handler, w http.ResponseWriter, r *http.Request) error {
	probe := probe{header: http.Header{}}
	refuses.ServeHTTP(&probe, r)
	if probe.status != http.StatusMethodNotAllowed {
		return errNoSuchPath
	}
	allow := probe.header.Get("Allow")
	w.Header().Set("Allow", allow)
	return delivery.Refuse(delivery.CodeMethodNotAllowed, "this path takes "+allow)
}

// probe is an http.ResponseWriter that only looks.
type probe struct {
	header http.Header
	status int
}

func (p *probe) Header() http.Header         { return p.header }
func (p *probe) Write(b []byte) (int, error) { return len(b), nil }
func (p *probe) WriteHeader(status int)      { p.status = status }
