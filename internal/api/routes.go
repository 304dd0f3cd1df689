package api

import (
	"strings"

	document "github.com/dropyard/dropyard/api"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// Route is one row of the table of routes, with what its callers must be permitted.
type Route struct {
	httpd.Route
	Allowed
}

// Allowed says which of the authenticated callers may use a route. The zero value is for
// routes that need no authentication.
type Allowed struct {
	Roles      []operator.Role    // of httpd.AccessOperator: the roles that may use it
	OwnSignIn  bool               // of these: it is about operators' own sign-in
	Permission partner.Permission // of partners' people: what their role must permit
}

// needs returns what a route needs as callers understands it.
func (a Allowed) needs() any {
	if a.Roles != nil {
		return operator.Needs{Roles: a.Roles, OwnSignIn: a.OwnSignIn}
	}
	return a.Permission
}

// anyone may use a route that needs no authentication.
var anyone = Allowed{}

// may returns what a route of the partner interface needs.
func may(p partner.Permission) Allowed { return Allowed{Permission: p} }

// in returns the roles of operators that may use a route.
func in(roles ...operator.Role) Allowed { return Allowed{Roles: roles} }

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
	ownSignIn   = Allowed{Roles: operator.Roles, OwnSignIn: true}
)

// Routes returns every route, without a server to handle it. The OpenAPI documents
// describe the same routes; a test compares them.
func Routes() []Route { return (*Server)(nil).routes() }

// routes returns every route.
func (s *Server) routes() []Route {
	rows := []struct {
		method, pattern string
		access          httpd.Access
		allowed         Allowed
		handle          httpd.Handler
	}{
		{"GET", "/v1/health", httpd.AccessPublic, anyone, s.handleHealth},
		{"GET", "/v1/ready", httpd.AccessPublic, anyone, s.handleReady},
		{"GET", "/openapi.yaml", httpd.AccessPublic, anyone, yamlDocument(document.OpenAPI)},
		{"GET", "/openapi.json", httpd.AccessPublic, anyone, jsonDocument(document.OpenAPIAsJSON)},
		{"GET", "/ops.yaml", httpd.AccessPublic, anyone, yamlDocument(document.Ops)},
		{"GET", "/ops.json", httpd.AccessPublic, anyone, jsonDocument(document.OpsAsJSON)},

		{"POST", "/v1/auth/register", httpd.AccessPublic, anyone, s.handleRegister},
		{"POST", "/v1/auth/login", httpd.AccessPublic, anyone, s.handleLogin},
		{"GET", "/v1/auth/logout", httpd.AccessPublic, anyone, s.handleLogout},
		{"POST", "/v1/auth/logout", httpd.AccessPublic, anyone, s.handleLogout},
		{"GET", "/v1/auth/me", httpd.AccessSession, may(partner.PermissionSelf), s.handleMe},
		{"POST", "/v1/auth/password", httpd.AccessSession, may(partner.PermissionSelf), s.handlePasswordChange},
		{"GET", "/v1/auth/sessions", httpd.AccessSession, may(partner.PermissionSelf), s.handleSessionList},
		{"DELETE", "/v1/auth/sessions", httpd.AccessSession, may(partner.PermissionSelf), s.handleOtherSessionsEnd},
		{"DELETE", "/v1/auth/sessions/{session_id}", httpd.AccessSession, may(partner.PermissionSelf), s.handleSessionEnd},
		{"POST", "/v1/auth/reset", httpd.AccessPublic, anyone, s.handleResetRequest},
		{"POST", "/v1/auth/reset/{token}", httpd.AccessPublic, anyone, s.handleReset},
		{"GET", "/v1/auth/totp", httpd.AccessSession, may(partner.PermissionSelf), s.handleTOTPGet},
		{"POST", "/v1/auth/totp", httpd.AccessSession, may(partner.PermissionSelf), s.handleTOTPBegin},
		{"POST", "/v1/auth/totp/confirm", httpd.AccessSession, may(partner.PermissionSelf), s.handleTOTPConfirm},
		{"DELETE", "/v1/auth/totp", httpd.AccessSession, may(partner.PermissionSelf), s.handleTOTPRemove},
		{"POST", "/v1/auth/email", httpd.AccessSession, may(partner.PermissionSelf), s.handleEmailRequest},
		{"POST", "/v1/auth/email/{token}", httpd.AccessPublic, anyone, s.handleEmailConfirm},
		{"GET", "/v1/auth/api-keys", httpd.AccessPublic, may(partner.PermissionKeys), s.handleKeyList},
		{"POST", "/v1/auth/api-keys", httpd.AccessPublic, may(partner.PermissionKeys), s.handleKeyCreate},
		{"DELETE", "/v1/auth/api-keys/{key_id}", httpd.AccessPublic, may(partner.PermissionKeys), s.handleKeyRevoke},

		{"GET", "/v1/account", httpd.AccessSession, may(partner.PermissionAccountRead), s.handleAccountGet},
		{"PATCH", "/v1/account", httpd.AccessSession, may(partner.PermissionAccount), s.handleAccountChange},
		{"PUT", "/v1/account/logo", httpd.AccessSession, may(partner.PermissionAccount), s.handleLogoPut},
		{"DELETE", "/v1/account/logo", httpd.AccessSession, may(partner.PermissionAccount), s.handleLogoDelete},
		{"GET", "/v1/team", httpd.AccessSession, may(partner.PermissionTeamRead), s.handleTeam},
		{"POST", "/v1/team/invitations", httpd.AccessSession, may(partner.PermissionTeam), s.handleInvite},
		{"DELETE", "/v1/team/invitations/{invitation_id}", httpd.AccessSession, may(partner.PermissionTeam), s.handleWithdraw},
		{"PATCH", "/v1/team/{user_id}", httpd.AccessSession, may(partner.PermissionTeam), s.handleUserChange},
		{"DELETE", "/v1/team/{user_id}", httpd.AccessSession, may(partner.PermissionTeam), s.handleUserRemove},
		{"POST", "/v1/auth/invitations/{token}", httpd.AccessPublic, anyone, s.handleAccept},

		{"POST", "/v1/rates/quote", httpd.AccessSigned, may(partner.PermissionOrders), s.handleQuote},
		{"POST", "/v1/orders", httpd.AccessSigned, may(partner.PermissionOrders), s.handleOrderCreate},
		{"POST", batchPath, httpd.AccessSigned, may(partner.PermissionOrders), s.handleOrderBatch},
		{"POST", "/v1/orders/validate", httpd.AccessSigned, may(partner.PermissionOrders), s.handleOrderValidate},
		{"GET", "/v1/orders", httpd.AccessSigned, may(partner.PermissionOrdersRead), s.handleOrderList},
		{"GET", "/v1/orders/{order_id}", httpd.AccessSigned, may(partner.PermissionOrdersRead), s.handleOrderGet},
		{"GET", "/v1/orders/{order_id}/label", httpd.AccessSigned, may(partner.PermissionOrders), httpd.Heavy(s.handleOrderLabel)},
		{"POST", "/v1/orders/{order_id}/cancel", httpd.AccessSigned, may(partner.PermissionOrders), s.handleOrderCancel},
		{"GET", "/v1/inventory/products", httpd.AccessSigned, may(partner.PermissionStockRead), s.handleProductList},
		{"GET", "/v1/inventory/movements", httpd.AccessSigned, may(partner.PermissionStockRead), s.handleMovementList},

		{"GET", "/v1/logs", httpd.AccessPartner, may(partner.PermissionLogsRead), s.handleLogs},
		{"GET", "/v1/figures", httpd.AccessPartner, may(partner.PermissionOrdersRead), s.handleFigures},

		{"GET", "/v1/webhooks/endpoint", httpd.AccessPartner, may(partner.PermissionWebhooksRead), s.handleEndpointGet},
		{"PUT", "/v1/webhooks/endpoint", httpd.AccessPartner, may(partner.PermissionWebhooks), s.handleEndpointPut},
		{"DELETE", "/v1/webhooks/endpoint", httpd.AccessPartner, may(partner.PermissionWebhooks), s.handleEndpointDelete},
		{"POST", "/v1/webhooks/endpoint/rotate-secret", httpd.AccessPartner, may(partner.PermissionWebhooks), s.handleSecretRotate},
		{"POST", "/v1/webhooks/endpoint/activate-secret", httpd.AccessPartner, may(partner.PermissionWebhooks), s.handleSecretActivate},
		{"GET", "/v1/webhooks/events", httpd.AccessPartner, may(partner.PermissionWebhooksRead), s.handleEventList},
		{"GET", "/v1/webhooks/events/{event_id}", httpd.AccessPartner, may(partner.PermissionWebhooksRead), s.handleEventGet},
		{"POST", "/v1/webhooks/events/{event_id}/redeliver", httpd.AccessPartner, may(partner.PermissionWebhooks), s.handleRedeliver},
		{"POST", "/v1/webhooks/redeliver", httpd.AccessPartner, may(partner.PermissionWebhooks), s.handleRedeliverSince},
		{"GET", "/v1/webhooks/feed", httpd.AccessSigned, may(partner.PermissionWebhooksRead), s.handleFeed},
		{"POST", "/v1/webhooks/test", httpd.AccessPartner, may(partner.PermissionWebhooks), s.handleWebhookTest},

		{"GET", "/track/{order_id}", httpd.AccessTracking, anyone, s.handleTrack},
		{"GET", trackPagePath, httpd.AccessTracking, anyone, s.handleTrackPage},
		{"GET", mailPagePath, httpd.AccessTracking, anyone, s.handleMailPage},
		{"POST", mailPagePath, httpd.AccessTracking, anyone, s.handleMailPage},

		{"GET", "/logos/{partner_id}/{version}", httpd.AccessTracking, anyone, s.handleLogo},
		{"GET", "/proofs/{name}", httpd.AccessTracking, anyone, s.handleProof},

		{"POST", "/ops/v1/tokens", httpd.AccessPublic, anyone, s.handleTokenCreate},
		{"GET", "/ops/v1/tokens", httpd.AccessOperator, allRoles, s.handleTokenList},
		{"DELETE", "/ops/v1/tokens/{token_id}", httpd.AccessOperator, allRoles, s.handleTokenRevoke},
		{"POST", "/ops/v1/login", httpd.AccessPublic, anyone, s.handleOperatorLogin},
		{"POST", "/ops/v1/logout", httpd.AccessPublic, anyone, s.handleOperatorLogout},
		{"GET", "/ops/v1/oidc/login", httpd.AccessPublic, anyone, s.forBrowsers(s.handleOpenIDLogin)},
		{"GET", OpenIDCallback, httpd.AccessPublic, anyone, s.forBrowsers(s.handleOpenIDCallback)},
		{"GET", "/ops/v1/me", httpd.AccessOperator, ownSignIn, s.handleOperatorMe},
		{"POST", "/ops/v1/auth/password", httpd.AccessOperator, ownSignIn, s.handlePasswordChange},
		{"GET", "/ops/v1/auth/sessions", httpd.AccessOperator, ownSignIn, s.handleSessionList},
		{"DELETE", "/ops/v1/auth/sessions", httpd.AccessOperator, ownSignIn, s.handleOtherSessionsEnd},
		{"DELETE", "/ops/v1/auth/sessions/{session_id}", httpd.AccessOperator, ownSignIn, s.handleSessionEnd},
		{"POST", "/ops/v1/auth/reset", httpd.AccessPublic, anyone, s.handleResetRequest},
		{"POST", "/ops/v1/auth/reset/{token}", httpd.AccessPublic, anyone, s.handleReset},
		{"GET", "/ops/v1/auth/totp", httpd.AccessOperator, ownSignIn, s.handleTOTPGet},
		{"POST", "/ops/v1/auth/totp", httpd.AccessOperator, ownSignIn, s.handleTOTPBegin},
		{"POST", "/ops/v1/auth/totp/confirm", httpd.AccessOperator, ownSignIn, s.handleTOTPConfirm},
		{"DELETE", "/ops/v1/auth/totp", httpd.AccessOperator, ownSignIn, s.handleTOTPRemove},
		{"GET", "/ops/v1/sign-in-rules", httpd.AccessOperator, administering, s.handleRulesGet},
		{"PUT", "/ops/v1/sign-in-rules", httpd.AccessOperator, administering, s.handleRulesPut},
		{"DELETE", "/ops/v1/operators/{operator_id}/totp", httpd.AccessOperator, administering, s.handleOperatorTOTPClear},
		{"POST", "/ops/v1/operators/{operator_id}/reset-link", httpd.AccessOperator, administering, s.handleOperatorResetLink},
		{"GET", "/ops/v1/operators", httpd.AccessOperator, administering, s.handleOperatorList},
		{"POST", "/ops/v1/operators", httpd.AccessOperator, administering, s.handleOperatorCreate},
		{"PATCH", "/ops/v1/operators/{operator_id}", httpd.AccessOperator, administering, s.handleOperatorChange},
		{"GET", "/ops/v1/couriers", httpd.AccessOperator, dispatching, s.handleCourierList},
		{"POST", "/ops/v1/couriers", httpd.AccessOperator, dispatching, s.handleCourierCreate},
		{"GET", "/ops/v1/couriers/{courier_id}", httpd.AccessOperator, dispatching, s.handleCourierGet},
		{"PATCH", "/ops/v1/couriers/{courier_id}", httpd.AccessOperator, dispatching, s.handleCourierChange},
		{"GET", "/ops/v1/couriers/{courier_id}/sequence", httpd.AccessOperator, delivering, s.handleSequenceGet},
		{"PUT", "/ops/v1/couriers/{courier_id}/sequence", httpd.AccessOperator, dispatching, s.handleSequencePut},
		{"POST", "/ops/v1/couriers/{courier_id}/sequence/proposal", httpd.AccessOperator, dispatching, s.handleSequencePropose},
		{"GET", "/ops/v1/jobs", httpd.AccessOperator, delivering, s.handleJobs},
		{"GET", "/ops/v1/scan", httpd.AccessOperator, delivering, s.handleScan},
		{"GET", "/ops/v1/orders", httpd.AccessOperator, dispatching, s.handleBoard},
		{"GET", "/ops/v1/orders/snapshot", httpd.AccessOperator, dispatching, s.handleBoardSnapshot},
		{"GET", "/ops/v1/orders/changes", httpd.AccessOperator, dispatching, s.handleBoardChanges},
		{"GET", "/ops/v1/orders/{order_id}", httpd.AccessOperator, delivering, s.handleOrderRecord},
		{"POST", "/ops/v1/orders/status", httpd.AccessOperator, dispatching, s.handleOrdersAdvance},
		{"POST", "/ops/v1/orders/{order_id}/status", httpd.AccessOperator, delivering, s.handleOrderAdvance},
		{"POST", proofsPath, httpd.AccessOperator, delivering, s.handleProofAdd},
		{"POST", "/ops/v1/orders/{order_id}/notes", httpd.AccessOperator, dispatching, s.handleNoteCreate},
		{"GET", "/ops/v1/attention", httpd.AccessOperator, dispatching, s.handleAttention},
		{"GET", "/ops/v1/figures", httpd.AccessOperator, dispatching, s.handleOpsFigures},
		{"GET", "/ops/v1/partners/{partner_id}/dispatch", httpd.AccessOperator, dispatching, s.handleDispatchSettingsGet},
		{"PUT", "/ops/v1/partners/{partner_id}/dispatch", httpd.AccessOperator, dispatching, s.handleDispatchSettingsPut},
		{"GET", "/ops/v1/audit", httpd.AccessOperator, administering, s.handleAudit},
		{"GET", "/ops/v1/partners", httpd.AccessOperator, naming, s.handlePartnerList},
		{"GET", "/ops/v1/partners/{partner_id}", httpd.AccessOperator, dispatching, s.handlePartnerGet},
		{"PATCH", "/ops/v1/partners/{partner_id}", httpd.AccessOperator, administering, s.handlePartnerChange},
		{"POST", "/ops/v1/partners/{partner_id}/approve", httpd.AccessOperator, administering, s.handlePartnerApprove},
		{"GET", "/ops/v1/partners/{partner_id}/users", httpd.AccessOperator, administering, s.handleUserList},
		{"DELETE", "/ops/v1/partners/{partner_id}/users/{user_id}/totp", httpd.AccessOperator, administering, s.handleUserTOTPClear},
		{"POST", "/ops/v1/partners/{partner_id}/reset-link", httpd.AccessOperator, administering, s.handleUserResetLink},
		{"POST", exportPath, httpd.AccessOperator, administering, s.handlePartnerExport},
		{"POST", erasuresPath, httpd.AccessOperator, administering, s.handlePartnerErase},
		{"GET", "/ops/v1/system", httpd.AccessOperator, administering, s.handleSystem},
		{"POST", "/ops/v1/system/accept-clock", httpd.AccessOperator, administering, s.handleClockAccept},
		{"POST", "/ops/v1/system/resume", httpd.AccessOperator, administering, s.handleResume},
		{"GET", "/ops/v1/rate-cards", httpd.AccessOperator, administering, s.handleRateCardList},
		{"POST", "/ops/v1/rate-cards", httpd.AccessOperator, administering, httpd.Heavy(s.handleRateCardCreate)},
		{"POST", "/ops/v1/rate-cards/validate", httpd.AccessOperator, administering, httpd.Heavy(s.handleRateCardCheck)},
		{"POST", "/ops/v1/rate-cards/preview", httpd.AccessOperator, administering, httpd.Heavy(s.handleRateCardPreview)},
		{"GET", "/ops/v1/rate-cards/{card_id}", httpd.AccessOperator, administering, s.handleRateCardGet},
		{"GET", "/ops/v1/partners/{partner_id}/products", httpd.AccessOperator, warehousing, s.handleCatalogue},
		{"POST", "/ops/v1/partners/{partner_id}/products", httpd.AccessOperator, warehousing, s.handleProductCreate},
		{"GET", "/ops/v1/partners/{partner_id}/products/export", httpd.AccessOperator, warehousing, httpd.Heavy(s.handleProductExport)},
		{"POST", importPath, httpd.AccessOperator, warehousing, httpd.Heavy(s.handleProductImport)},
		{"GET", "/ops/v1/partners/{partner_id}/products/{product_id}", httpd.AccessOperator, warehousing, s.handleProductGet},
		{"PATCH", "/ops/v1/partners/{partner_id}/products/{product_id}", httpd.AccessOperator, warehousing, s.handleProductChange},
		{"GET", "/ops/v1/partners/{partner_id}/movements", httpd.AccessOperator, warehousing, s.handleJournal},
		{"POST", "/ops/v1/partners/{partner_id}/movements", httpd.AccessOperator, warehousing, s.handleMovementCreate},
		{"POST", "/ops/v1/partners/{partner_id}/counts", httpd.AccessOperator, warehousing, s.handleCount},
		{"GET", "/ops/v1/low-stock", httpd.AccessOperator, warehousing, s.handleLowStock},
	}
	routes := make([]Route, len(rows))
	for i, row := range rows {
		route := traits[row.method+" "+row.pattern]
		route.Method, route.Pattern, route.Access = row.method, row.pattern, row.access
		route.Needs, route.Handle = row.allowed.needs(), row.handle
		// Programs' orders and quotes are limited by the quota of stored bytes.
		route.Quota = strings.HasPrefix(row.pattern, "/v1/orders") || strings.HasPrefix(row.pattern, "/v1/rates")
		routes[i] = Route{route, row.allowed}
	}
	return routes
}

// The paths of routes that differ from others.
const (
	batchPath    = "/v1/orders/batch"
	proofsPath   = "/ops/v1/orders/{order_id}/proofs"
	exportPath   = "/ops/v1/partners/{partner_id}/export"
	erasuresPath = "/ops/v1/partners/{partner_id}/erasures"
	// OpenIDCallback is where an OpenID provider sends operators back to.
	OpenIDCallback = "/ops/v1/oidc/callback"
	importPath     = "/ops/v1/partners/{partner_id}/products/import"
	trackPagePath  = "/track/{order_id}/html"
	mailPagePath   = "/track/{order_id}/mail"
)

// traits is what differs from other routes, by method and pattern.
var traits = map[string]httpd.Route{
	"POST " + batchPath:        {Largest: maxBatchBody},
	"POST /v1/rates/quote":     {Reads: true},
	"POST /v1/orders/validate": {Reads: true},

	"GET " + trackPagePath: {Page: visit.Anyone},
	"GET " + mailPagePath:  {Page: visit.Anyone},
	"POST " + mailPagePath: {Page: visit.Anyone},
	"GET /proofs/{name}":   {Secret: true},

	// Their answers have secrets, which are not stored.
	"POST /ops/v1/auth/totp":                          {Repeated: httpd.Unkeyed},
	"POST /ops/v1/auth/totp/confirm":                  {Repeated: httpd.Unkeyed},
	"POST /ops/v1/operators/{operator_id}/reset-link": {Repeated: httpd.Unkeyed},
	"POST /ops/v1/partners/{partner_id}/reset-link":   {Repeated: httpd.Unkeyed},

	"POST " + exportPath:                                   {Reads: true, Long: true},
	"POST /ops/v1/rate-cards/validate":                     {Reads: true},
	"POST /ops/v1/rate-cards/preview":                      {Reads: true},
	"POST /ops/v1/couriers/{courier_id}/sequence/proposal": {Reads: true},

	// A picture is one proof, however often it is sent.
	"POST " + proofsPath:                           {Largest: proof.MaxBytes, Repeated: httpd.Harmless},
	"POST " + erasuresPath:                         {Long: true, Repeated: httpd.Harmless},
	"POST /ops/v1/orders/status":                   {Repeated: httpd.InParts},
	"POST " + importPath:                           {Largest: httpd.MaxLargeBody, Long: true, Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/orders/{order_id}/status":        {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/partners/{partner_id}/movements": {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/partners/{partner_id}/counts":    {Repeated: httpd.SettledElsewhere},
}
