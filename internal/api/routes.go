package api

import (
	"maps"
	"net/http"
	"path"
	"slices"
	"strings"

	document "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/proof"
)

// Route is one row of the table of routes.
type Route struct {
	Method  string
	Pattern string // as http.ServeMux reads it
	Access  Access
	Allowed
	handle handler
}

// handler handles the calls of a route.
type handler func(*Server, *call) (reply, error)

// Allowed says which of the authenticated callers may use a route, and for how long. The
// zero value is for routes that need no authentication.
type Allowed struct {
	Roles      []operator.Role    // of AccessOperator: the roles that may use it
	Permission partner.Permission // of partners' people: what their role must permit
	Long       bool               // a request may run for longTimeout; set for pages only
	Large      bool               // of pages: its body may be as large as that of an import
	Reads      bool               // of pages: it only reads, although its method is not GET
}

// anyone may use a route that needs no authentication.
var anyone = Allowed{}

// may returns what a route of the partner interface needs.
func may(p partner.Permission) Allowed { return Allowed{Permission: p} }

// in returns the roles of operators that may use a route.
func in(roles ...operator.Role) Allowed { return Allowed{Roles: roles} }

// Access says what a request must prove before the route's handler is called.
type Access string

// The kinds of access.
const (
	AccessPublic   Access = "public"   // nothing; the handler may check more
	AccessTracking Access = "tracking" // nothing, but limited per network
	AccessSigned   Access = "signed"   // a signature with an API key
	AccessPartner  Access = "partner"  // a signature with an API key, or a user's session
	AccessSession  Access = "session"  // a user's session
	accessPage     Access = "page"     // a user's session, on a page
	AccessOperator Access = "operator" // an operator's bearer token or session
	accessNone     Access = "none"     // nothing: the handler only refuses
)

// The roles for running the service, dispatching orders, moving stock, and
// delivering. A courier sees only the orders that he carries (see ownCourier).
var (
	administering = in(operator.RoleAdmin)
	dispatching   = in(operator.RoleAdmin, operator.RoleDispatcher)
	// naming may know which partners there are; the warehouse only by name.
	naming      = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleWarehouse)
	warehousing = in(operator.RoleAdmin, operator.RoleWarehouse)
	delivering  = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleCourier)
	allRoles    = in(operator.Roles...)
)

// Routes returns every route. The OpenAPI documents describe the same routes; a
// test compares them.
func Routes() []Route {
	return []Route{
		{"GET", "/v1/health", AccessPublic, anyone, (*Server).handleHealth},
		{"GET", "/v1/ready", AccessPublic, anyone, (*Server).handleReady},
		{"GET", "/openapi.yaml", AccessPublic, anyone, yamlDocument(document.OpenAPI)},
		{"GET", "/openapi.json", AccessPublic, anyone, jsonDocument(document.OpenAPIAsJSON)},
		{"GET", "/ops.yaml", AccessPublic, anyone, yamlDocument(document.Ops)},
		{"GET", "/ops.json", AccessPublic, anyone, jsonDocument(document.OpsAsJSON)},

		{"POST", "/v1/auth/register", AccessPublic, anyone, (*Server).handleRegister},
		{"POST", "/v1/auth/login", AccessPublic, anyone, (*Server).handleLogin},
		{"GET", "/v1/auth/logout", AccessPublic, anyone, (*Server).handleLogout},
		{"POST", "/v1/auth/logout", AccessPublic, anyone, (*Server).handleLogout},
		{"GET", "/v1/auth/me", AccessSession, may(partner.PermissionSelf), (*Server).handleMe},
		{"POST", "/v1/auth/password", AccessSession, may(partner.PermissionSelf), (*Server).handlePasswordChange},
		{"GET", "/v1/auth/sessions", AccessSession, may(partner.PermissionSelf), (*Server).handleSessionList},
		{"DELETE", "/v1/auth/sessions", AccessSession, may(partner.PermissionSelf), (*Server).handleOtherSessionsEnd},
		{"DELETE", "/v1/auth/sessions/{session_id}", AccessSession, may(partner.PermissionSelf), (*Server).handleSessionEnd},
		{"POST", "/v1/auth/reset", AccessPublic, anyone, (*Server).handleResetRequest},
		{"POST", "/v1/auth/reset/{token}", AccessPublic, anyone, (*Server).handleReset},
		{"GET", "/v1/auth/totp", AccessSession, may(partner.PermissionSelf), (*Server).handleTOTPGet},
		{"POST", "/v1/auth/totp", AccessSession, may(partner.PermissionSelf), (*Server).handleTOTPBegin},
		{"POST", "/v1/auth/totp/confirm", AccessSession, may(partner.PermissionSelf), (*Server).handleTOTPConfirm},
		{"DELETE", "/v1/auth/totp", AccessSession, may(partner.PermissionSelf), (*Server).handleTOTPRemove},
		{"POST", "/v1/auth/email", AccessSession, may(partner.PermissionSelf), (*Server).handleEmailRequest},
		{"POST", "/v1/auth/email/{token}", AccessPublic, anyone, (*Server).handleEmailConfirm},
		{"GET", "/v1/auth/api-keys", AccessPublic, may(partner.PermissionKeys), (*Server).handleKeyList},
		{"POST", "/v1/auth/api-keys", AccessPublic, may(partner.PermissionKeys), (*Server).handleKeyCreate},
		{"DELETE", "/v1/auth/api-keys/{key_id}", AccessPublic, may(partner.PermissionKeys), (*Server).handleKeyRevoke},

		{"GET", "/v1/account", AccessSession, may(partner.PermissionAccountRead), (*Server).handleAccountGet},
		{"PATCH", "/v1/account", AccessSession, may(partner.PermissionAccount), (*Server).handleAccountChange},
		{"PUT", "/v1/account/logo", AccessSession, may(partner.PermissionAccount), (*Server).handleLogoPut},
		{"DELETE", "/v1/account/logo", AccessSession, may(partner.PermissionAccount), (*Server).handleLogoDelete},
		{"GET", "/v1/team", AccessSession, may(partner.PermissionTeamRead), (*Server).handleTeam},
		{"POST", "/v1/team/invitations", AccessSession, may(partner.PermissionTeam), (*Server).handleInvite},
		{"DELETE", "/v1/team/invitations/{invitation_id}", AccessSession, may(partner.PermissionTeam), (*Server).handleWithdraw},
		{"PATCH", "/v1/team/{user_id}", AccessSession, may(partner.PermissionTeam), (*Server).handleUserChange},
		{"DELETE", "/v1/team/{user_id}", AccessSession, may(partner.PermissionTeam), (*Server).handleUserRemove},
		{"POST", "/v1/auth/invitations/{token}", AccessPublic, anyone, (*Server).handleAccept},

		{"POST", "/v1/rates/quote", AccessSigned, may(partner.PermissionOrders), (*Server).handleQuote},
		{"POST", "/v1/orders", AccessSigned, may(partner.PermissionOrders), (*Server).handleOrderCreate},
		{"POST", batchPath, AccessSigned, may(partner.PermissionOrders), (*Server).handleOrderBatch},
		{"POST", "/v1/orders/validate", AccessSigned, may(partner.PermissionOrders), (*Server).handleOrderValidate},
		{"GET", "/v1/orders", AccessSigned, may(partner.PermissionOrdersRead), (*Server).handleOrderList},
		{"GET", "/v1/orders/{order_id}", AccessSigned, may(partner.PermissionOrdersRead), (*Server).handleOrderGet},
		{"GET", "/v1/orders/{order_id}/label", AccessSigned, may(partner.PermissionOrders), heavy((*Server).handleOrderLabel)},
		{"POST", "/v1/orders/{order_id}/cancel", AccessSigned, may(partner.PermissionOrders), (*Server).handleOrderCancel},
		{"GET", "/v1/inventory/products", AccessSigned, may(partner.PermissionStockRead), (*Server).handleProductList},
		{"GET", "/v1/inventory/movements", AccessSigned, may(partner.PermissionStockRead), (*Server).handleMovementList},

		{"GET", "/v1/logs", AccessPartner, may(partner.PermissionLogsRead), (*Server).handleLogs},
		{"GET", "/v1/figures", AccessPartner, may(partner.PermissionOrdersRead), (*Server).handleFigures},

		{"GET", "/v1/webhooks/endpoint", AccessPartner, may(partner.PermissionWebhooksRead), (*Server).handleEndpointGet},
		{"PUT", "/v1/webhooks/endpoint", AccessPartner, may(partner.PermissionWebhooks), (*Server).handleEndpointPut},
		{"DELETE", "/v1/webhooks/endpoint", AccessPartner, may(partner.PermissionWebhooks), (*Server).handleEndpointDelete},
		{"POST", "/v1/webhooks/endpoint/rotate-secret", AccessPartner, may(partner.PermissionWebhooks), (*Server).handleSecretRotate},
		{"POST", "/v1/webhooks/endpoint/activate-secret", AccessPartner, may(partner.PermissionWebhooks), (*Server).handleSecretActivate},
		{"GET", "/v1/webhooks/events", AccessPartner, may(partner.PermissionWebhooksRead), (*Server).handleEventList},
		{"GET", "/v1/webhooks/events/{event_id}", AccessPartner, may(partner.PermissionWebhooksRead), (*Server).handleEventGet},
		{"POST", "/v1/webhooks/events/{event_id}/redeliver", AccessPartner, may(partner.PermissionWebhooks), (*Server).handleRedeliver},
		{"POST", "/v1/webhooks/redeliver", AccessPartner, may(partner.PermissionWebhooks), (*Server).handleRedeliverSince},
		{"GET", "/v1/webhooks/feed", AccessSigned, may(partner.PermissionWebhooksRead), (*Server).handleFeed},
		{"POST", "/v1/webhooks/test", AccessPartner, may(partner.PermissionWebhooks), (*Server).handleWebhookTest},

		{"GET", "/track/{order_id}", AccessTracking, anyone, (*Server).handleTrack},
		{"GET", trackPagePath, AccessTracking, anyone, (*Server).handleTrackPage},
		{"GET", mailPagePath, AccessTracking, anyone, (*Server).handleMailPage},
		{"POST", mailPagePath, AccessTracking, anyone, (*Server).handleMailPage},

		{"GET", "/logos/{partner_id}/{version}", AccessTracking, anyone, (*Server).handleLogo},
		{"GET", "/proofs/{name}", AccessTracking, anyone, (*Server).handleProof},

		{"POST", "/ops/v1/tokens", AccessPublic, anyone, (*Server).handleTokenCreate},
		{"GET", "/ops/v1/tokens", AccessOperator, allRoles, (*Server).handleTokenList},
		{"DELETE", "/ops/v1/tokens/{token_id}", AccessOperator, allRoles, (*Server).handleTokenRevoke},
		{"POST", "/ops/v1/login", AccessPublic, anyone, (*Server).handleOperatorLogin},
		{"POST", "/ops/v1/logout", AccessPublic, anyone, (*Server).handleOperatorLogout},
		{"GET", "/ops/v1/oidc/login", AccessPublic, anyone, forBrowsers((*Server).handleOpenIDLogin)},
		{"GET", OpenIDCallback, AccessPublic, anyone, forBrowsers((*Server).handleOpenIDCallback)},
		{"GET", "/ops/v1/me", AccessOperator, allRoles, (*Server).handleOperatorMe},
		{"POST", "/ops/v1/auth/password", AccessOperator, allRoles, (*Server).handlePasswordChange},
		{"GET", "/ops/v1/auth/sessions", AccessOperator, allRoles, (*Server).handleSessionList},
		{"DELETE", "/ops/v1/auth/sessions", AccessOperator, allRoles, (*Server).handleOtherSessionsEnd},
		{"DELETE", "/ops/v1/auth/sessions/{session_id}", AccessOperator, allRoles, (*Server).handleSessionEnd},
		{"POST", "/ops/v1/auth/reset", AccessPublic, anyone, (*Server).handleResetRequest},
		{"POST", "/ops/v1/auth/reset/{token}", AccessPublic, anyone, (*Server).handleReset},
		{"GET", "/ops/v1/auth/totp", AccessOperator, allRoles, (*Server).handleTOTPGet},
		{"POST", "/ops/v1/auth/totp", AccessOperator, allRoles, (*Server).handleTOTPBegin},
		{"POST", "/ops/v1/auth/totp/confirm", AccessOperator, allRoles, (*Server).handleTOTPConfirm},
		{"DELETE", "/ops/v1/auth/totp", AccessOperator, allRoles, (*Server).handleTOTPRemove},
		{"GET", "/ops/v1/sign-in-rules", AccessOperator, administering, (*Server).handleRulesGet},
		{"PUT", "/ops/v1/sign-in-rules", AccessOperator, administering, (*Server).handleRulesPut},
		{"DELETE", "/ops/v1/operators/{operator_id}/totp", AccessOperator, administering, (*Server).handleOperatorTOTPClear},
		{"POST", "/ops/v1/operators/{operator_id}/reset-link", AccessOperator, administering, (*Server).handleOperatorResetLink},
		{"GET", "/ops/v1/operators", AccessOperator, administering, (*Server).handleOperatorList},
		{"POST", "/ops/v1/operators", AccessOperator, administering, (*Server).handleOperatorCreate},
		{"PATCH", "/ops/v1/operators/{operator_id}", AccessOperator, administering, (*Server).handleOperatorChange},
		{"GET", "/ops/v1/couriers", AccessOperator, dispatching, (*Server).handleCourierList},
		{"POST", "/ops/v1/couriers", AccessOperator, dispatching, (*Server).handleCourierCreate},
		{"GET", "/ops/v1/couriers/{courier_id}", AccessOperator, dispatching, (*Server).handleCourierGet},
		{"PATCH", "/ops/v1/couriers/{courier_id}", AccessOperator, dispatching, (*Server).handleCourierChange},
		{"GET", "/ops/v1/couriers/{courier_id}/sequence", AccessOperator, delivering, (*Server).handleSequenceGet},
		{"PUT", "/ops/v1/couriers/{courier_id}/sequence", AccessOperator, dispatching, (*Server).handleSequencePut},
		{"POST", "/ops/v1/couriers/{courier_id}/sequence/proposal", AccessOperator, dispatching, (*Server).handleSequencePropose},
		{"GET", "/ops/v1/jobs", AccessOperator, delivering, (*Server).handleJobs},
		{"GET", "/ops/v1/scan", AccessOperator, delivering, (*Server).handleScan},
		{"GET", "/ops/v1/orders", AccessOperator, dispatching, (*Server).handleBoard},
		{"GET", "/ops/v1/orders/snapshot", AccessOperator, dispatching, (*Server).handleBoardSnapshot},
		{"GET", "/ops/v1/orders/changes", AccessOperator, dispatching, (*Server).handleBoardChanges},
		{"GET", "/ops/v1/orders/{order_id}", AccessOperator, delivering, (*Server).handleOrderRecord},
		{"POST", "/ops/v1/orders/status", AccessOperator, dispatching, (*Server).handleOrdersAdvance},
		{"POST", "/ops/v1/orders/{order_id}/status", AccessOperator, delivering, (*Server).handleOrderAdvance},
		{"POST", proofsPath, AccessOperator, delivering, (*Server).handleProofAdd},
		{"POST", "/ops/v1/orders/{order_id}/notes", AccessOperator, dispatching, (*Server).handleNoteCreate},
		{"GET", "/ops/v1/attention", AccessOperator, dispatching, (*Server).handleAttention},
		{"GET", "/ops/v1/figures", AccessOperator, dispatching, (*Server).handleOpsFigures},
		{"GET", "/ops/v1/partners/{partner_id}/dispatch", AccessOperator, dispatching, (*Server).handleDispatchSettingsGet},
		{"PUT", "/ops/v1/partners/{partner_id}/dispatch", AccessOperator, dispatching, (*Server).handleDispatchSettingsPut},
		{"GET", "/ops/v1/audit", AccessOperator, administering, (*Server).handleAudit},
		{"GET", "/ops/v1/partners", AccessOperator, naming, (*Server).handlePartnerList},
		{"GET", "/ops/v1/partners/{partner_id}", AccessOperator, dispatching, (*Server).handlePartnerGet},
		{"PATCH", "/ops/v1/partners/{partner_id}", AccessOperator, administering, (*Server).handlePartnerChange},
		{"POST", "/ops/v1/partners/{partner_id}/approve", AccessOperator, administering, (*Server).handlePartnerApprove},
		{"GET", "/ops/v1/partners/{partner_id}/users", AccessOperator, administering, (*Server).handleUserList},
		{"DELETE", "/ops/v1/partners/{partner_id}/users/{user_id}/totp", AccessOperator, administering, (*Server).handleUserTOTPClear},
		{"POST", "/ops/v1/partners/{partner_id}/reset-link", AccessOperator, administering, (*Server).handleUserResetLink},
		{"POST", exportPath, AccessOperator, administering, (*Server).handlePartnerExport},
		{"POST", erasuresPath, AccessOperator, administering, (*Server).handlePartnerErase},
		{"GET", "/ops/v1/system", AccessOperator, administering, (*Server).handleSystem},
		{"POST", "/ops/v1/system/accept-clock", AccessOperator, administering, (*Server).handleClockAccept},
		{"POST", "/ops/v1/system/resume", AccessOperator, administering, (*Server).handleResume},
		{"GET", "/ops/v1/rate-cards", AccessOperator, administering, (*Server).handleRateCardList},
		{"POST", "/ops/v1/rate-cards", AccessOperator, administering, heavy((*Server).handleRateCardCreate)},
		{"POST", "/ops/v1/rate-cards/validate", AccessOperator, administering, heavy((*Server).handleRateCardCheck)},
		{"POST", "/ops/v1/rate-cards/preview", AccessOperator, administering, heavy((*Server).handleRateCardPreview)},
		{"GET", "/ops/v1/rate-cards/{card_id}", AccessOperator, administering, (*Server).handleRateCardGet},
		{"GET", "/ops/v1/partners/{partner_id}/products", AccessOperator, warehousing, (*Server).handleCatalogue},
		{"POST", "/ops/v1/partners/{partner_id}/products", AccessOperator, warehousing, (*Server).handleProductCreate},
		{"GET", "/ops/v1/partners/{partner_id}/products/export", AccessOperator, warehousing, heavy((*Server).handleProductExport)},
		{"POST", importPath, AccessOperator, warehousing, heavy((*Server).handleProductImport)},
		{"GET", "/ops/v1/partners/{partner_id}/products/{product_id}", AccessOperator, warehousing, (*Server).handleProductGet},
		{"PATCH", "/ops/v1/partners/{partner_id}/products/{product_id}", AccessOperator, warehousing, (*Server).handleProductChange},
		{"GET", "/ops/v1/partners/{partner_id}/movements", AccessOperator, warehousing, (*Server).handleJournal},
		{"POST", "/ops/v1/partners/{partner_id}/movements", AccessOperator, warehousing, (*Server).handleMovementCreate},
		{"POST", "/ops/v1/partners/{partner_id}/counts", AccessOperator, warehousing, (*Server).handleCount},
		{"GET", "/ops/v1/low-stock", AccessOperator, warehousing, (*Server).handleLowStock},
	}
}

// The paths that allow larger bodies than others.
const (
	batchPath    = "/v1/orders/batch"
	proofsPath   = "/ops/v1/orders/{order_id}/proofs"
	exportPath   = "/ops/v1/partners/{partner_id}/export"
	erasuresPath = "/ops/v1/partners/{partner_id}/erasures"
	// OpenIDCallback is where an OpenID provider sends operators back to.
	OpenIDCallback = "/ops/v1/oidc/callback"
	importPath     = "/ops/v1/partners/{partner_id}/products/import"
)

// MaxBody returns the size of the largest body that the route allows, in bytes.
func (r Route) MaxBody() int64 {
	switch {
	case r.Pattern == batchPath:
		return maxBatchBody
	case r.Pattern == importPath, r.Large:
		return maxImportBody
	case r.Pattern == proofsPath:
		return proof.MaxBytes
	case r.Access == AccessPublic, r.Access == AccessTracking, r.Access == accessNone:
		return maxStrangerBody
	default:
		return maxBody
	}
}

// clean reports whether a path is in the form that routes match. Other paths are
// not found; http.ServeMux would redirect them.
func clean(p string) bool {
	return strings.HasPrefix(p, "/") && p == path.Clean(p)
}

var errNoSuchPath = refusal.NotFound("this path")

// unrouted returns a route that refuses every request with err.
func unrouted(err error) Route {
	return Route{Access: accessNone, handle: func(*Server, *call) (reply, error) { return reply{}, err }}
}

// methods are the handlers of one path, by method.
type methods map[string]http.Handler

// allowed returns the methods as the header Allow has them.
func (m methods) allowed() string {
	names := slices.Collect(maps.Keys(m))
	if m[http.MethodGet] != nil {
		names = append(names, http.MethodHead)
	}
	slices.Sort(names)
	return strings.Join(slices.Compact(names), ", ")
}

// dispatch returns the handler of a path. It refuses other methods than those of
// the path itself, even if a more general path has them.
func (s *Server) dispatch(m methods) http.Handler {
	allowed := m.allowed()
	refuse := s.serve(unrouted(refusal.New(refusal.CodeMethodNotAllowed, "this path accepts "+allowed)), s.unmatched)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		method := r.Method
		if method == http.MethodHead {
			method = http.MethodGet
		}
		if handler := m[method]; handler != nil {
			handler.ServeHTTP(w, r)
			return
		}
		w.Header().Set("Allow", allowed)
		refuse.ServeHTTP(w, r)
	})
}
