package ops

import (
	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/proof"
)

// in returns the roles of operators that may use a route.
func in(roles ...operator.Role) operator.Needs { return operator.Needs{Roles: roles} }

// The roles for running the service, dispatching orders, moving stock, and
// delivering. A courier sees only the orders that he carries (see ownCourier).
var (
	administering = in(operator.RoleAdmin)
	dispatching   = in(operator.RoleAdmin, operator.RoleDispatcher)
	// reading sees what dispatchers see, and changes none of it.
	reading = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant)
	// bookkeeping reads the books.
	bookkeeping = in(operator.RoleAdmin, operator.RoleAccountant)
	// counting sees and counts what couriers have collected.
	counting = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant)
	// naming may know which partners there are; the warehouse only by name.
	naming      = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant, operator.RoleWarehouse)
	warehousing = in(operator.RoleAdmin, operator.RoleWarehouse)
	// storing knows where parcels lie, and which come back.
	storing    = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleWarehouse)
	delivering = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleCourier)
	// following may open the record of an order, and see what its courier has collected.
	following = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant, operator.RoleCourier)
	// receiving takes parcels back.
	receiving = in(operator.RoleAdmin, operator.RoleDispatcher, operator.RoleWarehouse, operator.RoleCourier)
	riding    = in(operator.RoleCourier)
	allRoles  = in(operator.Roles...)
	ownSignIn = operator.Needs{Roles: operator.Roles, OwnSignIn: true}
)

// OpenIDCallback is where an OpenID provider sends operators back to.
const OpenIDCallback = "/ops/v1/oidc/callback"

// Routes returns the routes of operators.
func (s *Server) Routes() []httpd.Route {
	signIn := shared.SignIns{Service: s.config.OperatorSignIns}
	statements := shared.Statements{Accounting: s.config.Accounting}
	return append(signIn.Routes("/ops/v1", httpd.AccessOperator, ownSignIn), []httpd.Route{
		httpd.Public("POST", "/ops/v1/tokens", s.handleTokenCreate),
		route("GET", "/ops/v1/tokens", allRoles, s.handleTokenList),
		route("DELETE", "/ops/v1/tokens/{token_id}", allRoles, s.handleTokenRevoke),
		httpd.Public("POST", "/ops/v1/login", s.handleLogin),
		httpd.Public("POST", "/ops/v1/logout", s.handleLogout),
		httpd.Public("GET", "/ops/v1/oidc/login", s.forBrowsers(s.handleOpenIDLogin)),
		httpd.Public("GET", OpenIDCallback, s.forBrowsers(s.handleOpenIDCallback)),
		route("GET", "/ops/v1/me", ownSignIn, s.handleMe),
		route("GET", "/ops/v1/sign-in-rules", administering, s.handleRulesGet),
		route("PUT", "/ops/v1/sign-in-rules", administering, s.handleRulesPut),
		route("DELETE", "/ops/v1/operators/{operator_id}/totp", administering, s.handleOperatorTOTPClear),
		route("POST", "/ops/v1/operators/{operator_id}/reset-link", administering, s.handleOperatorResetLink),
		route("GET", "/ops/v1/operators", administering, s.handleOperatorList),
		route("POST", "/ops/v1/operators", administering, s.handleOperatorCreate),
		route("PATCH", "/ops/v1/operators/{operator_id}", administering, s.handleOperatorChange),
		route("GET", "/ops/v1/couriers", reading, s.handleCourierList),
		route("POST", "/ops/v1/couriers", dispatching, s.handleCourierCreate),
		route("GET", "/ops/v1/couriers/{courier_id}", reading, s.handleCourierGet),
		route("PATCH", "/ops/v1/couriers/{courier_id}", dispatching, s.handleCourierChange),
		route("GET", "/ops/v1/couriers/{courier_id}/messages", delivering, s.handleMessageList),
		route("POST", "/ops/v1/couriers/{courier_id}/messages", dispatching, s.handleMessageCreate),
		route("POST", "/ops/v1/couriers/{courier_id}/messages/{message_id}/read", riding, s.handleMessageRead),
		route("GET", "/ops/v1/settings", dispatching, s.handleSettingsGet),
		route("PATCH", "/ops/v1/settings", administering, s.handleSettingsChange),
		route("GET", "/ops/v1/locations", storing, s.handleLocationList),
		route("PUT", "/ops/v1/locations/{code}", storing, s.handleLocationPut),
		route("GET", "/ops/v1/couriers/{courier_id}/sequence", delivering, s.handleSequenceGet),
		route("PUT", "/ops/v1/couriers/{courier_id}/sequence", dispatching, s.handleSequencePut),
		route("POST", "/ops/v1/couriers/{courier_id}/sequence/proposal", dispatching, s.handleSequencePropose),
		route("GET", "/ops/v1/jobs", delivering, s.handleJobs),
		route("GET", "/ops/v1/scan", delivering, s.handleScan),
		route("GET", "/ops/v1/orders", reading, s.handleBoard),
		route("GET", "/ops/v1/orders/snapshot", dispatching, s.handleBoardSnapshot),
		route("GET", "/ops/v1/orders/changes", dispatching, s.handleBoardChanges),
		route("GET", "/ops/v1/orders/{order_id}", following, s.handleOrderRecord),
		route("PATCH", "/ops/v1/orders/{order_id}", dispatching, s.handleOrderEdit),
		route("POST", "/ops/v1/orders/status", dispatching, s.handleOrdersAdvance),
		route("POST", "/ops/v1/orders/{order_id}/status", delivering, s.handleOrderAdvance),
		route("POST", "/ops/v1/orders/{order_id}/confirm", delivering, s.handleOrderConfirm),
		route("POST", "/ops/v1/orders/{order_id}/cancellation-request/answer", dispatching, s.handleCancellationAnswer),
		route("POST", "/ops/v1/orders/{order_id}/proofs", delivering, s.handleProofAdd),
		route("POST", "/ops/v1/orders/{order_id}/transfer", delivering, s.handleTransfer),
		route("POST", "/ops/v1/orders/{order_id}/scans", delivering, s.handleScanCreate),
		route("POST", "/ops/v1/orders/{order_id}/return/receive", receiving, s.handleReturnReceive),
		route("GET", "/ops/v1/returns", storing, s.handleReturnList),
		route("GET", "/ops/v1/picks", warehousing, s.handlePickList),
		route("POST", "/ops/v1/orders/{order_id}/picks", warehousing, s.handlePick),
		route("POST", "/ops/v1/orders/{order_id}/notes", dispatching, s.handleNoteCreate),
		route("GET", "/ops/v1/attention", dispatching, s.handleAttention),
		route("GET", "/ops/v1/figures", reading, s.handleFigures),
		route("GET", "/ops/v1/partners/{partner_id}/dispatch", dispatching, s.handleDispatchSettingsGet),
		route("PUT", "/ops/v1/partners/{partner_id}/dispatch", dispatching, s.handleDispatchSettingsPut),
		route("GET", "/ops/v1/audit", administering, s.handleAudit),
		route("GET", "/ops/v1/firm", bookkeeping, s.handleFirmGet),
		route("PUT", "/ops/v1/firm", administering, s.handleFirmPut),
		route("GET", "/ops/v1/books", bookkeeping, s.handleBooksGet),
		route("PATCH", "/ops/v1/books", administering, s.handleBooksChange),
		route("GET", "/ops/v1/journal", bookkeeping, s.handleBookEntries),
		route("GET", "/ops/v1/balances", bookkeeping, s.handleBalances),
		route("POST", "/ops/v1/partners/{partner_id}/adjustments", bookkeeping, s.handleAdjustment),
		route("POST", "/ops/v1/partners/{partner_id}/payments", bookkeeping, s.handlePayment),
		route("GET", "/ops/v1/partners/{partner_id}/statement-preview", bookkeeping,
			httpd.Heavy(s.handleStatementPreview)),
		route("GET", "/ops/v1/statements", bookkeeping, statements.ListOfAll),
		route("POST", "/ops/v1/statements", bookkeeping, httpd.Heavy(s.handleStatementCreate)),
		route("GET", "/ops/v1/statements/closing", bookkeeping, s.handleClosing),
		route("GET", "/ops/v1/statements/{statement_id}", bookkeeping, statements.OfAny),
		route("POST", "/ops/v1/partners/{partner_id}/remittances", bookkeeping, s.handleRemittance),
		route("GET", "/ops/v1/cash", counting, s.handleCash),
		route("POST", "/ops/v1/cash/deposits", bookkeeping, s.handleDeposit),
		route("GET", "/ops/v1/couriers/{courier_id}/cash", following, s.handleCourierCash),
		route("POST", "/ops/v1/couriers/{courier_id}/cash/hand-ins", counting, s.handleHandIn),
		route("PUT", "/ops/v1/orders/{order_id}/collected", counting, s.handleCollectedPut),
		route("GET", "/ops/v1/partners", naming, s.handlePartnerList),
		route("GET", "/ops/v1/partners/{partner_id}", reading, s.handlePartnerGet),
		route("POST", "/ops/v1/partners/{partner_id}/orders", dispatching, s.handleOrderCreate),
		route("PATCH", "/ops/v1/partners/{partner_id}", administering, s.handlePartnerChange),
		route("POST", "/ops/v1/partners/{partner_id}/approve", administering, s.handlePartnerApprove),
		route("GET", "/ops/v1/partners/{partner_id}/users", administering, s.handleUserList),
		route("DELETE", "/ops/v1/partners/{partner_id}/users/{user_id}/totp", administering, s.handleUserTOTPClear),
		route("POST", "/ops/v1/partners/{partner_id}/reset-link", administering, s.handleUserResetLink),
		route("GET", "/ops/v1/partners/{partner_id}/openid", administering, s.handleCompanySignIn),
		route("PATCH", "/ops/v1/partners/{partner_id}/openid", administering, s.handleOpenIDStop),
		route("DELETE", "/ops/v1/partners/{partner_id}/domains/{domain}", administering, s.handleDomainDelete),
		route("POST", "/ops/v1/partners/{partner_id}/domains/{domain}/check", administering, s.handleDomainCheck),
		route("POST", "/ops/v1/partners/{partner_id}/export", administering, s.handlePartnerExport),
		route("POST", "/ops/v1/partners/{partner_id}/erasures", administering, s.handlePartnerErase),
		route("GET", "/ops/v1/system", administering, s.handleSystem),
		route("POST", "/ops/v1/system/accept-clock", administering, s.handleClockAccept),
		route("POST", "/ops/v1/system/resume", administering, s.handleResume),
		route("POST", "/ops/v1/system/backup", administering, s.handleBackup),
		route("GET", "/ops/v1/exports", bookkeeping, s.handleExports),
		route("POST", "/ops/v1/exports", bookkeeping, s.handleExportBegin),
		route("GET", "/ops/v1/rate-cards", bookkeeping, s.handleRateCardList),
		route("POST", "/ops/v1/rate-cards", administering, httpd.Heavy(s.handleRateCardCreate)),
		route("POST", "/ops/v1/rate-cards/validate", administering, httpd.Heavy(s.handleRateCardCheck)),
		route("POST", "/ops/v1/rate-cards/preview", administering, httpd.Heavy(s.handleRateCardPreview)),
		route("GET", "/ops/v1/rate-cards/{card_id}", bookkeeping, s.handleRateCardGet),
		route("GET", "/ops/v1/partners/{partner_id}/products", warehousing, s.handleCatalogue),
		route("POST", "/ops/v1/partners/{partner_id}/products", warehousing, s.handleProductCreate),
		route("GET", "/ops/v1/partners/{partner_id}/products/export", warehousing, httpd.Heavy(s.handleProductExport)),
		route("POST", "/ops/v1/partners/{partner_id}/products/import", warehousing, httpd.Heavy(s.handleProductImport)),
		route("GET", "/ops/v1/partners/{partner_id}/products/{product_id}", warehousing, s.handleProductGet),
		route("PATCH", "/ops/v1/partners/{partner_id}/products/{product_id}", warehousing, s.handleProductChange),
		route("GET", "/ops/v1/partners/{partner_id}/movements", warehousing, s.handleJournal),
		route("POST", "/ops/v1/partners/{partner_id}/movements", warehousing, s.handleMovementCreate),
		route("POST", "/ops/v1/partners/{partner_id}/counts", warehousing, s.handleCount),
		route("GET", "/ops/v1/low-stock", warehousing, s.handleLowStock),
	}...)
}

// route returns a route of operators, with what differs from other routes.
func route(method, pattern string, needs operator.Needs, handle httpd.Handler) httpd.Route {
	r := traits[method+" "+pattern]
	r.Method, r.Pattern, r.Access, r.Needs, r.Handle = method, pattern, httpd.AccessOperator, needs, handle
	return r
}

// traits is what differs from other routes, by method and pattern.
var traits = map[string]httpd.Route{
	// Their answers have secrets, which are not stored.
	"POST /ops/v1/operators/{operator_id}/reset-link": {Repeated: httpd.Unkeyed},
	"POST /ops/v1/partners/{partner_id}/reset-link":   {Repeated: httpd.Unkeyed},

	"POST /ops/v1/partners/{partner_id}/export":            {Reads: true, Long: true},
	"POST /ops/v1/rate-cards/validate":                     {Reads: true},
	"POST /ops/v1/rate-cards/preview":                      {Reads: true},
	"POST /ops/v1/couriers/{courier_id}/sequence/proposal": {Reads: true},

	// A picture is one proof, however often it is sent.
	"POST /ops/v1/orders/{order_id}/proofs":                      {Largest: proof.MaxBytes, Repeated: httpd.Harmless},
	"POST /ops/v1/partners/{partner_id}/erasures":                {Long: true, Repeated: httpd.Harmless},
	"POST /ops/v1/partners/{partner_id}/orders":                  {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/orders/status":                                 {Repeated: httpd.InParts},
	"POST /ops/v1/orders/{order_id}/status":                      {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/orders/{order_id}/confirm":                     {Repeated: httpd.SettledElsewhere},
	"PATCH /ops/v1/orders/{order_id}":                            {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/orders/{order_id}/transfer":                    {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/orders/{order_id}/return/receive":              {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/orders/{order_id}/picks":                       {Repeated: httpd.SettledElsewhere},
	"PUT /ops/v1/orders/{order_id}/collected":                    {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/orders/{order_id}/cancellation-request/answer": {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/partners/{partner_id}/movements":               {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/partners/{partner_id}/counts":                  {Repeated: httpd.SettledElsewhere},
	"POST /ops/v1/partners/{partner_id}/products/import": {
		Largest: httpd.MaxLargeBody, Long: true, Repeated: httpd.SettledElsewhere,
	},
}
