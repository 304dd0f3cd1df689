package v1

import (
	"strings"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/partner"
)

// Routes returns the routes of partners.
func (s *Server) Routes() []httpd.Route {
	const key, session, either = httpd.AccessSigned, httpd.AccessSession, httpd.AccessPartner
	signIn, figures := shared.SignIns{Service: s.config.UserSignIns}, shared.Figures{Reports: s.config.Reports}
	statements := shared.Statements{Accounting: s.config.Accounting}
	return append(signIn.Routes("/v1", session, partner.PermissionSelf), []httpd.Route{
		httpd.Public("POST", "/v1/auth/register", s.handleRegister),
		httpd.Public("POST", "/v1/auth/login", s.handleLogin),
		httpd.Public("GET", "/v1/auth/logout", s.handleLogout),
		httpd.Public("POST", "/v1/auth/logout", s.handleLogout),
		route("GET", "/v1/auth/me", session, partner.PermissionSelf, s.handleMe),
		route("POST", "/v1/auth/email", session, partner.PermissionSelf, s.handleEmailRequest),
		httpd.Public("POST", "/v1/auth/email/{token}", s.handleEmailConfirm),
		route("GET", "/v1/auth/api-keys", httpd.AccessPublic, partner.PermissionKeys, s.handleKeyList),
		route("POST", "/v1/auth/api-keys", httpd.AccessPublic, partner.PermissionKeys, s.handleKeyCreate),
		route("DELETE", "/v1/auth/api-keys/{key_id}", httpd.AccessPublic, partner.PermissionKeys, s.handleKeyRevoke),

		route("GET", "/v1/account", session, partner.PermissionAccountRead, s.handleAccountGet),
		route("PATCH", "/v1/account", session, partner.PermissionAccount, s.handleAccountChange),
		route("PUT", "/v1/account/logo", session, partner.PermissionAccount, s.handleLogoPut),
		route("DELETE", "/v1/account/logo", session, partner.PermissionAccount, s.handleLogoDelete),
		route("GET", "/v1/account/openid", session, partner.PermissionTeam, s.handleCompanySignIn),
		route("PUT", "/v1/account/openid", session, partner.PermissionTeam, s.handleOpenIDPut),
		route("DELETE", "/v1/account/openid", session, partner.PermissionTeam, s.handleOpenIDDelete),
		route("POST", "/v1/account/domains", session, partner.PermissionTeam, s.handleDomainAdd),
		route("DELETE", "/v1/account/domains/{domain}", session, partner.PermissionTeam, s.handleDomainDelete),
		route("POST", "/v1/account/domains/{domain}/check", session, partner.PermissionTeam, s.handleDomainCheck),
		route("GET", "/v1/team", session, partner.PermissionTeamRead, s.handleTeam),
		route("POST", "/v1/team/invitations", session, partner.PermissionTeam, s.handleInvite),
		route("DELETE", "/v1/team/invitations/{invitation_id}", session, partner.PermissionTeam, s.handleWithdraw),
		route("PATCH", "/v1/team/{user_id}", session, partner.PermissionTeam, s.handleUserChange),
		route("DELETE", "/v1/team/{user_id}", session, partner.PermissionTeam, s.handleUserRemove),
		httpd.Public("POST", "/v1/auth/invitations/{token}", s.handleAccept),

		route("POST", "/v1/rates/quote", key, partner.PermissionOrders, s.handleQuote),
		route("POST", "/v1/rates/quotes", key, partner.PermissionOrders, s.handleQuotes),
		route("POST", "/v1/orders", key, partner.PermissionOrders, s.handleOrderCreate),
		route("POST", "/v1/orders/batch", key, partner.PermissionOrders, s.handleOrderBatch),
		route("POST", "/v1/orders/validate", key, partner.PermissionOrders, s.handleOrderValidate),
		route("GET", "/v1/orders", key, partner.PermissionOrdersRead, s.handleOrderList),
		route("GET", "/v1/orders/{order_id}", key, partner.PermissionOrdersRead, s.handleOrderGet),
		route("GET", "/v1/orders/{order_id}/label", key, partner.PermissionOrders, httpd.Heavy(s.handleOrderLabel)),
		route("POST", "/v1/orders/{order_id}/label-link", key, partner.PermissionOrders, s.handleLabelLink),
		{Method: "GET", Pattern: "/v1/orders/{order_id}/label/{token}", Access: httpd.AccessTracking,
			Handle: s.handleLinkedLabel, Secret: true},
		route("GET", "/v1/labels", key, partner.PermissionOrders, httpd.Heavy(s.handleLabels)),
		route("PATCH", "/v1/orders/{order_id}", either, partner.PermissionOrders, s.handleOrderEdit),
		route("POST", "/v1/orders/{order_id}/cancel", key, partner.PermissionOrders, s.handleOrderCancel),
		route("POST", "/v1/orders/{order_id}/returns", either, partner.PermissionOrders, s.handleReturnCreate),
		route("POST", "/v1/orders/{order_id}/cancellation-request", either, partner.PermissionOrders,
			s.handleCancellationRequest),
		route("GET", "/v1/inventory/products", key, partner.PermissionStockRead, s.handleProductList),
		route("GET", "/v1/inventory/movements", key, partner.PermissionStockRead, s.handleMovementList),

		route("GET", "/v1/logs", either, partner.PermissionLogsRead, s.handleLogs),
		route("GET", "/v1/figures", either, partner.PermissionOrdersRead, figures.OfAccount),

		route("GET", "/v1/statements", either, partner.PermissionMoneyRead, statements.ListOfAccount),
		route("GET", "/v1/statements/{statement_id}", either, partner.PermissionMoneyRead, statements.OfAccount),

		route("GET", "/v1/webhooks/endpoint", either, partner.PermissionWebhooksRead, s.handleEndpointGet),
		route("PUT", "/v1/webhooks/endpoint", either, partner.PermissionWebhooks, s.handleEndpointPut),
		route("DELETE", "/v1/webhooks/endpoint", either, partner.PermissionWebhooks, s.handleEndpointDelete),
		route("POST", "/v1/webhooks/endpoint/rotate-secret", either, partner.PermissionWebhooks, s.handleSecretRotate),
		route("POST", "/v1/webhooks/endpoint/activate-secret", either, partner.PermissionWebhooks, s.handleSecretActivate),
		route("GET", "/v1/webhooks/endpoints", either, partner.PermissionWebhooksRead, s.handleEndpoints),
		route("POST", "/v1/webhooks/endpoints", either, partner.PermissionWebhooks, s.handleEndpointAdd),
		route("GET", "/v1/webhooks/endpoints/{endpoint_id}", either, partner.PermissionWebhooksRead, s.handleEndpointGet),
		route("PATCH", "/v1/webhooks/endpoints/{endpoint_id}", either, partner.PermissionWebhooks, s.handleEndpointEdit),
		route("DELETE", "/v1/webhooks/endpoints/{endpoint_id}", either, partner.PermissionWebhooks, s.handleEndpointDelete),
		route("POST", "/v1/webhooks/endpoints/{endpoint_id}/rotate-secret", either, partner.PermissionWebhooks,
			s.handleSecretRotate),
		route("POST", "/v1/webhooks/endpoints/{endpoint_id}/activate-secret", either, partner.PermissionWebhooks,
			s.handleSecretActivate),
		route("GET", "/v1/webhooks/events", either, partner.PermissionWebhooksRead, s.handleEventList),
		route("GET", "/v1/webhooks/events/{event_id}", either, partner.PermissionWebhooksRead, s.handleEventGet),
		route("POST", "/v1/webhooks/events/{event_id}/redeliver", either, partner.PermissionWebhooks, s.handleRedeliver),
		route("POST", "/v1/webhooks/redeliver", either, partner.PermissionWebhooks, s.handleRedeliverSince),
		route("GET", "/v1/webhooks/feed", key, partner.PermissionWebhooksRead, s.handleFeed),
		route("POST", "/v1/webhooks/test", either, partner.PermissionWebhooks, s.handleWebhookTest),
	}...)
}

// route returns a route that needs a permission.
func route(method, pattern string, access httpd.Access, needs partner.Permission, handle httpd.Handler) httpd.Route {
	r := httpd.Route{Method: method, Pattern: pattern, Access: access, Needs: needs, Handle: handle}
	switch pattern {
	case "/v1/orders/batch":
		r.Largest = maxBatchBody
	case "/v1/orders/validate", "/v1/orders/{order_id}/label-link", "/v1/rates/quote", "/v1/rates/quotes":
		r.Reads = true
	}
	// Programs' orders and quotes are limited by the quota of stored bytes.
	r.Quota = strings.HasPrefix(pattern, "/v1/orders") || strings.HasPrefix(pattern, "/v1/rates")
	return r
}
