package contract_test

import (
	"bytes"
	"fmt"
	"slices"
	"strconv"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

// undriven are the operations whose statuses 500 and 503 no test produces, with the
// reason. All other documented pairs of operation and status must be produced.
var undriven = map[string]string{
	"getHealth":  "it touches nothing that could fail or take time",
	"getReady":   "what fails in it makes the service not ready, see TestNotReadyWithoutFiles",
	"getOpenAPI": "it answers what is in memory",

	"getOpenAPIAsJSON": "it answers what is in memory",
	"getOpenAPI30":     "it answers what is in memory",
	"getAsyncAPI":      "it answers what is in memory",
	"getOps30":         "it answers what is in memory",
	"getOps":           "it answers what is in memory",
	"getOpsAsJSON":     "it answers what is in memory",

	"logout":         "its only part that could fail is the database",
	"logoutByPost":   "its only part that could fail is the database",
	"getMe":          "its only part that could fail is the database",
	"listAPIKeys":    "its only part that could fail is the database",
	"revokeAPIKey":   "its only part that could fail is the database",
	"beginBackup":    "its only part that could fail is the database",
	"resumeMessages": "its only part that could fail is the database",
	"createQuote":    "it computes, and then answers",
	"createQuotes":   "it computes, and then answers",

	"createLabelLink": "its only part that could fail is the database",
	"getLinkedLabel":  "its only part that could fail is the database",

	"listProducts":  "its only part that could fail is the database",
	"listMovements": "its only part that could fail is the database",
	"listCouriers":  "its only part that could fail is the database",
	"getCourier":    "its only part that could fail is the database",
	"listJobs":      "its only part that could fail is the database",
	"scanLabel":     "its only part that could fail is the database",
	"createProduct": "its only part that could fail is the database",

	"beginOpenID":  "what fails in it is the provider, see TestOpenIDProviderOutOfReach",
	"finishOpenID": "what fails in it is the provider, see TestOpenIDProviderOutOfReach",

	"exportPartner":      "its only part that could fail is the database",
	"erasePartnerOrders": "its only part that could fail is the database",
	"getSystem":          "its only part that could fail is the database",

	"operatorLogout":      "its only part that could fail is the database",
	"getOperator":         "its only part that could fail is the database",
	"listOperators":       "its only part that could fail is the database",
	"listTokens":          "its only part that could fail is the database",
	"listPartners":        "its only part that could fail is the database",
	"getPartner":          "its only part that could fail is the database",
	"listRateCards":       "its only part that could fail is the database",
	"getRateCard":         "its only part that could fail is the database",
	"validateRateCard":    "its only part that could fail is the database",
	"previewRateCard":     "its only part that could fail is the database",
	"listAudit":           "its only part that could fail is the database",
	"listBoard":           "its only part that could fail is the database",
	"getBoardSnapshot":    "its only part that could fail is the database",
	"listBoardChanges":    "its only part that could fail is the database",
	"getOrderRecord":      "its only part that could fail is the database",
	"getAttention":        "its only part that could fail is the database",
	"getDispatchSettings": "its only part that could fail is the database",
	"getFigures":          "its only part that could fail is the database",
	"getHouseFigures":     "its only part that could fail is the database",

	"getCourierSequence":     "its only part that could fail is the database",
	"putCourierSequence":     "its only part that could fail is the database",
	"proposeCourierSequence": "its only part that could fail is the database",

	"listCourierMessages":   "its only part that could fail is the database",
	"createCourierMessage":  "its only part that could fail is the database",
	"confirmCourierMessage": "its only part that could fail is the database",
	"getServiceSettings":    "its only part that could fail is the database",
	"changeServiceSettings": "its only part that could fail is the database",
	"getFirm":               "its only part that could fail is the database",
	"putFirm":               "its only part that could fail is the database",
	"getBooks":              "its only part that could fail is the database",
	"changeBooks":           "its only part that could fail is the database",
	"listBookEntries":       "its only part that could fail is the database",
	"listBalances":          "its only part that could fail is the database",
	"createAdjustment":      "its only part that could fail is the database",
	"createPayment":         "its only part that could fail is the database",
	"previewStatement":      "its only part that could fail is the database",
	"listPartnerStatements": "its only part that could fail is the database",
	"closeMonth":            "its only part that could fail is the database",
	"getClosing":            "its only part that could fail is the database",
	"listExports":           "its only part that could fail is the database",
	"beginExport":           "its only part that could fail is the database",
	"getPartnerStatement":   "its only part that could fail is the database",
	"listStatements":        "its only part that could fail is the database",
	"getStatement":          "its only part that could fail is the database",
	"getCash":               "its only part that could fail is the database",
	"getCourierCash":        "its only part that could fail is the database",
	"createHandIn":          "its only part that could fail is the database",
	"createDeposit":         "its only part that could fail is the database",
	"createRemittance":      "its only part that could fail is the database",

	"getProof": "its only part that could fail is where proofs are kept",

	"listCatalogue":  "its only part that could fail is the database",
	"exportProducts": "its only part that could fail is the database",
	"importProducts": "its only part that could fail is the database",
	"getProduct":     "its only part that could fail is the database",
	"changeProduct":  "its only part that could fail is the database",
	"listJournal":    "its only part that could fail is the database",
	"createCount":    "its only part that could fail is the database",
	"listReturns":    "its only part that could fail is the database",
	"listPicks":      "its only part that could fail is the database",
	"listLowStock":   "its only part that could fail is the database",
	"createMovement": "its only part that could fail is the database",

	"changePassword":           "its only part that could fail is the database",
	"listSessions":             "its only part that could fail is the database",
	"endSession":               "its only part that could fail is the database",
	"endOtherSessions":         "its only part that could fail is the database",
	"requestReset":             "its only part that could fail is the database",
	"resetPassword":            "its only part that could fail is the database",
	"getTOTP":                  "its only part that could fail is the database",
	"beginTOTP":                "its only part that could fail is the database",
	"confirmTOTP":              "its only part that could fail is the database",
	"removeTOTP":               "its only part that could fail is the database",
	"changeOperatorPassword":   "its only part that could fail is the database",
	"listOperatorSessions":     "its only part that could fail is the database",
	"endOperatorSession":       "its only part that could fail is the database",
	"endOtherOperatorSessions": "its only part that could fail is the database",
	"requestOperatorReset":     "its only part that could fail is the database",
	"resetOperatorPassword":    "its only part that could fail is the database",
	"getOperatorTOTP":          "its only part that could fail is the database",
	"beginOperatorTOTP":        "its only part that could fail is the database",
	"confirmOperatorTOTP":      "its only part that could fail is the database",
	"removeOperatorTOTP":       "its only part that could fail is the database",
	"getSignInRules":           "its only part that could fail is the database",
	"putSignInRules":           "its only part that could fail is the database",
	"createOperatorResetLink":  "its only part that could fail is the database",
	"createPartnerResetLink":   "its only part that could fail is the database",
	"clearOperatorTOTP":        "its only part that could fail is the database",
	"clearUserTOTP":            "its only part that could fail is the database",
	"listPartnerUsers":         "its only part that could fail is the database",
	"changeEmail":              "its only part that could fail is the database",
	"confirmEmail":             "its only part that could fail is the database",

	"getCompanySignIn":    "its only part that could fail is the database",
	"putOpenID":           "its only part that could fail is the database",
	"removeOpenID":        "its only part that could fail is the database",
	"addDomain":           "its only part that could fail is the database",
	"removeDomain":        "its only part that could fail is the database",
	"checkDomain":         "its only part that could fail is the database",
	"getPartnerSignIn":    "its only part that could fail is the database",
	"changePartnerSignIn": "its only part that could fail is the database",
	"removePartnerDomain": "its only part that could fail is the database",
	"checkPartnerDomain":  "its only part that could fail is the database",

	"getAccount":             "its only part that could fail is the database",
	"getLogo":                "its only part that could fail is the database",
	"getTeam":                "its only part that could fail is the database",
	"getWebhookEndpoint":     "its only part that could fail is the database",
	"listWebhookEndpoints":   "its only part that could fail is the database",
	"getEndpoint":            "its only part that could fail is the database",
	"editEndpoint":           "its only part that could fail is the database",
	"deleteEndpoint":         "its only part that could fail is the database",
	"activateEndpointSecret": "its only part that could fail is the database",
	"deleteWebhookEndpoint":  "its only part that could fail is the database",
	"activateWebhookSecret":  "its only part that could fail is the database",
	"listLogs":               "its only part that could fail is the database",
	"listEvents":             "its only part that could fail is the database",
	"getEvent":               "its only part that could fail is the database",
	"requestCancellation":    "its only part that could fail is the database",
	"createReturn":           "its only part that could fail is the database",
	"listLocations":          "its only part that could fail is the database",
	"putLocation":            "its only part that could fail is the database",
	"redeliverEvent":         "its only part that could fail is the database",
	"redeliverEvents":        "its only part that could fail is the database",
	"followEvents":           "its only part that could fail is the database",
}

// drive produces an answer of an operation on its own service.
type drive func(t *testing.T, o *operation) *apptest.Answer

// probe produces an answer of an operation without changing anything. All probes
// share a service.
type probe func(t *testing.T, f *fixture, o *operation) *apptest.Answer

// probes produce the answers of a status, unless drives has the operation.
var probes = map[string]probe{
	"400": probeMalformed,
	"401": probeAnonymous,
	"404": probeUnknown,
	"413": probeTooLarge,
	"415": probeOtherType,
	"422": probeOutOfBounds,
}

// drives produce the answers of a status, for one operation or for all others
// ("*"). Answers to documented examples are not produced again.
var drives = map[string]drive{
	"* 200": driveSuccess,
	"* 403": driveCrossSite,
	"* 409": driveCarriedOut,

	"changeOrderStatuses 409": driveRunning,
	"* 429":                   driveTooMany,
	"* 500":                   driveFault,
	"transferOrder 200":       driveTransfer,
	"receiveReturn 200":       driveReceive,
	"pickOrder 200":           drivePick,
	"putOrderCollected 200":   driveCollected,
	"* 503":                   driveTimeout,

	"receiveReturn 403": driveCrossSiteSession,
	"listTokens 403":    driveOthersTokens,
	"revokeToken 403":   driveCrossSiteSession,

	"beginOpenID 302":  driveOpenID("", nil),
	"beginOpenID 422":  driveElsewhere,
	"finishOpenID 200": driveOpenID("", apptest.Claims{"groups": "admin"}),
	"finishOpenID 302": driveOpenID("?return_to=/console", apptest.Claims{"groups": "admin"}),
	"finishOpenID 401": driveOpenID("", apptest.Claims{"nonce": "another"}),
	"finishOpenID 403": driveOpenID("", apptest.Claims{"groups": "staff"}),
	"finishOpenID 409": driveOpenID("", apptest.Claims{"groups": "dispatcher"}),

	"erasePartnerOrders 409": driveUnderWay,
	"beginBackup 202":        driveBackup,
	"beginExport 202":        driveExport,

	"closeMonth 201":       driveClosedMonth,
	"closeMonth 404":       driveUnknownPartner,
	"previewStatement 409": driveClosedPreview,

	"beginBackup 409": driveNoBackups,
	"beginExport 409": driveNoExport,

	"listJobs 200":  driveJobs,
	"listJobs 404":  driveNoCourier,
	"scanLabel 200": driveScan,

	"getCourierSequence 200":     driveSequence,
	"putCourierSequence 200":     driveSequence,
	"proposeCourierSequence 200": driveSequence,

	"getLinkedLabel 403": driveSuspendedLabel,

	"addProof 201": driveProof,
	"addProof 400": driveBadQuery,
	"addProof 409": driveEarlyProof,

	"confirmTOTP 200":              driveConfirm,
	"removeTOTP 200":               driveRemove,
	"beginTOTP 409":                driveEnrolled,
	"confirmOperatorTOTP 200":      driveConfirm,
	"confirmOperatorTOTP 429":      driveGuessedCodes,
	"removeOperatorTOTP 200":       driveRemove,
	"beginOperatorTOTP 409":        driveEnrolled,
	"changeOperatorPassword 403":   driveCrossSiteSession,
	"endOperatorSession 403":       driveCrossSiteSession,
	"endOtherOperatorSessions 403": driveCrossSiteSession,
	"beginOperatorTOTP 403":        driveCrossSiteSession,
	"confirmOperatorTOTP 403":      driveCrossSiteSession,
	"removeOperatorTOTP 403":       driveCrossSiteSession,
	"createOperatorResetLink 201":  driveSuccess,
	"clearOperatorTOTP 200":        driveClear,
	"clearUserTOTP 200":            driveClear,
	"changeEmail 202":              driveEmailChange,
	"confirmEmail 200":             driveEmailConfirm,
	"confirmEmail 400":             driveEmailTaken,

	"listBoardChanges 200": driveBoardChanges,
	"listBoardChanges 410": driveBoardGone,

	"createOrder 409": driveDuplicate,

	"createOrderForPartner 403": driveSuspended,
	"createOrderForPartner 409": driveDuplicate,
	"createOrderForPartner 429": driveFullDay,
	"createAPIKey 409":          driveManyKeys,
	"inviteUser 409":            driveFullTeam,
	"addDomain 409":             driveAgain,
	"putOpenID 409":             driveUnconfirmed,
	"checkPartnerDomain 429":    driveChecks,
	"putLogo 200":               driveLogo,
	"getTeam 403":               driveNotEnrolled,
	"getCompanySignIn 403":      driveNotEnrolled,
	"getAccount 403":            driveNotEnrolled,
	"changeUser 409":            driveLastOwner,
	"removeUser 409":            driveLastOwner,
	"cancelOrder 409":           driveTooLate,

	"editOrder 409":                 driveNotEditable,
	"editOrderByService 409":        driveNotEditable,
	"requestCancellation 409":       driveTooEarly,
	"answerCancellationRequest 409": driveTooEarly,
	"createReturn 409":              driveNotDelivered,
	"createReturn 201":              driveReturn,
	"confirmOrderEdits 409":         driveUnreached,

	"createOrderBatch 409": driveInProgress,

	"putWebhookEndpoint 200":     driveAgain,
	"putWebhookEndpoint 409":     driveOvertaken,
	"deleteWebhookEndpoint 409":  driveOvertaken,
	"rotateWebhookSecret 409":    driveUsedSignature,
	"activateWebhookSecret 409":  driveUsedSignature,
	"addWebhookEndpoint 409":     driveEleventh,
	"editEndpoint 409":           driveOvertaken,
	"deleteEndpoint 409":         driveOvertaken,
	"rotateEndpointSecret 409":   driveUsedSignature,
	"activateEndpointSecret 409": driveUsedSignature,
	"redeliverEvent 422":         driveNoEndpoint,
	"listEvents 404":             driveUnknownEndpoint,
	"redeliverEvents 404":        driveUnknownEndpoint,
	"testWebhook 404":            driveUnknownEndpoint,
	"testWebhook 422":            driveNoEndpoint,
}

// TestEveryDocumentedStatus produces every documented status of every operation.
func TestEveryDocumentedStatus(t *testing.T) {
	t.Parallel()
	shared := newFixture(t, roomy)
	for _, o := range read(t).operations {
		for _, status := range o.statuses() {
			name := o.id + " " + status
			if status == "500" || status == "503" {
				if _, known := undriven[o.id]; known {
					continue
				}
			}
			shown := slices.ContainsFunc(o.examples(), func(e example) bool { return e.answers == status })
			produce := drives[name]
			if probe := probes[status]; produce == nil && probe != nil {
				produce = func(t *testing.T, o *operation) *apptest.Answer { return probe(t, shared, o) }
			}
			if status == "422" && !o.hasBody() && o.ofOperators() && o.takes("header", "Idempotency-Key") {
				produce = driveKeyReused
			}
			if produce == nil {
				produce = drives["* "+status]
			}
			if shown || produce == nil {
				if !shown {
					t.Errorf("%s: got no way to produce it, want one in drives or probes", name)
				}
				continue
			}
			t.Run(name, func(t *testing.T) {
				t.Parallel()
				if got := produce(t, o); strconv.Itoa(got.Status) != status {
					t.Errorf("got status %d, want %s: %s", got.Status, status, got.Body)
				}
			})
		}
	}
}

// TestUndrivenExist checks that the list of exceptions has operations that exist.
func TestUndrivenExist(t *testing.T) {
	t.Parallel()
	for id := range undriven {
		read(t).operation(id) // panics if there is none
	}
}

// driveSuccess sends a valid request without a body.
func driveSuccess(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: o.id, path: f.prepare(t, o)})
}

func probeMalformed(t *testing.T, f *fixture, o *operation) *apptest.Answer {
	if o.hasBody() {
		return f.send(t, call{operation: o.id, body: []byte(`{"name":"a","name":"b"}`)})
	}
	if o.ofOperators() && o.takes("header", "Idempotency-Key") {
		return f.send(t, call{operation: o.id, headers: []string{"Idempotency-Key", "none"}})
	}
	return f.send(t, call{operation: o.id, query: "?limit=%zz"})
}

func probeAnonymous(t *testing.T, f *fixture, o *operation) *apptest.Answer {
	return f.send(t, call{operation: o.id, body: validBody(o), anonymous: true})
}

// validBody returns a valid body, or nil if the operation has none.
func validBody(o *operation) []byte {
	return map[string][]byte{
		"registerPartner":     []byte(`{"name":"Port","email":"tech@port.example","password":"brume-et-vent-1907"}`),
		"login":               []byte(`{"email":"` + examplePartner + `","password":"` + examplePassword + `"}`),
		"createAPIKey":        []byte(`{"name":"production"}`),
		"putOpenID":           []byte(openIDBody),
		"addDomain":           []byte(`{"domain":"metro.example"}`),
		"changePartnerSignIn": []byte(`{"stopped":true}`),

		"inviteUser":            []byte(`{"email":"sam@example.com","role":"clerk"}`),
		"acceptInvitation":      []byte(`{"name":"Sam","password":"brume-et-vent-1907"}`),
		"changeUser":            []byte(`{"role":"reader"}`),
		"createQuote":           testkit.OrderJSON("ignored", ""),
		"createQuotes":          testkit.OrderJSON("ignored", ""),
		"createLabelLink":       []byte(`{}`),
		"createOrder":           testkit.OrderJSON("A-1", ""),
		"cancelOrder":           []byte(`{"reason":"changed my mind"}`),
		"editOrder":             []byte(`{"reference":"other"}`),
		"editOrderByService":    []byte(`{"reason":"by phone","reference":"other"}`),
		"requestCancellation":   []byte(`{"reason":"changed my mind"}`),
		"createReturn":          []byte(returnBody),
		"putLocation":           []byte(locationBody),
		"createToken":           []byte(`{"email":"` + exampleOperator + `","password":"` + exampleNight + `"}`),
		"createCourier":         []byte(`{"name":"Amélie","phone":"+15145550188","vehicle":"van"}`),
		"changeOrderStatus":     []byte(`{"status":"accepted"}`),
		"changeOrderStatuses":   []byte(`{"order_ids":["ord_00000000000000000000000000000000"],"status":"accepted"}`),
		"transferOrder":         []byte(`{"location":"HUB-1"}`),
		"addOrderScan":          []byte(`{"code":"P-1"}`),
		"receiveReturn":         []byte(`{"location":"HUB-1"}`),
		"pickOrder":             []byte(`{"location":"MTL-1","lines":[{"product_id":1,"quantity":1}]}`),
		"createOrderForPartner": testkit.OrderJSON("A-1", ""),
		"createCourierMessage":  []byte(`{"text":"Call Camille."}`),
		"confirmCourierMessage": []byte(`{}`),
		"putFirm":               []byte(`{"name":"Plateau"}`),
		"createAdjustment":      []byte(`{"amount_cents":-500,"reason":"A vase was broken"}`),
		"createPayment":         []byte(`{"amount_cents":500}`),
		"createHandIn":          []byte(`{"counted_cents":500,"currency":"CAD"}`),
		"createDeposit":         []byte(`{"amount_cents":500,"currency":"CAD"}`),
		"createRemittance":      []byte(`{"amount_cents":500,"currency":"CAD"}`),
		"putOrderCollected":     []byte(`{"amount_cents":500,"currency":"CAD","method":"cash"}`),
		"changeBooks":           []byte(`{"books_from":"2036-12-01"}`),
		"closeMonth":            []byte(`{"period":"2025-12"}`),
		"changeServiceSettings": []byte(`{"dispatch_phone":"+15145550100"}`),

		"addOrderNote":        []byte(`{"text":"the back door is open"}`),
		"putDispatchSettings": []byte(`{"auto_accept":true}`),
		"putCourierSequence":  []byte(`{"order_ids":[],"version":0}`),
		"createProduct":       []byte(`{"name":"Lamp","price":12.5}`),
		"createMovement":      []byte(`{"type":"IN","product_id":1,"quantity":1,"location":"MTL-01"}`),
		"createOrderBatch":    fmt.Appendf(nil, `{"orders":[%s]}`, testkit.OrderJSON("A-1", "")),
		"validateOrder":       testkit.OrderJSON("A-1", ""),
		"importProducts":      []byte("name,price\nSugar,4.5\n"),
		"changeProduct":       []byte(`{"price":19.5}`),
		"createCount":         []byte(`{"location":"MTL-01","lines":[{"product_id":1,"counted":3}]}`),

		"confirmOrderEdits":         []byte(`{"version":5}`),
		"answerCancellationRequest": []byte(`{"grant":true,"answer":"It comes back today."}`),

		"changeCourier": []byte(`{"vehicle":"van"}`),
		"addProof":      drawing(),
		"putLogo":       drawing(),
		"changeAccount": []byte(`{"language":"fr"}`),

		"operatorLogin":      []byte(`{"email":"` + exampleOperator + `","password":"` + exampleNight + `"}`),
		"createOperator":     []byte(`{"email":"night@example.com","password":"lune-sur-les-quais-88","role":"dispatcher"}`),
		"changeOperator":     []byte(`{"password":"lune-sur-les-quais-88"}`),
		"erasePartnerOrders": []byte(`{"recipient":"alex@example.com"}`),

		"changePartner":    []byte(`{"rate_limit":600}`),
		"createRateCard":   cardUpload("default", "summer-1"),
		"validateRateCard": cardUpload("default", "summer-1"),
		"previewRateCard":  []byte(`{"card_id":"crd_builtin","order_id":"ord_00000000000000000000000000000000"}`),

		"changePassword": []byte(`{"current_password":"` + examplePassword +
			`","new_password":"brume-et-vent-1908"}`),
		"requestReset":  []byte(`{"email":"` + examplePartner + `"}`),
		"confirmEmail":  holderBody,
		"resetPassword": []byte(`{"new_password":"brume-et-vent-1908"}`),
		"beginTOTP":     []byte(`{"password":"` + examplePassword + `"}`),
		"confirmTOTP":   []byte(`{"code":"492039"}`),
		"removeTOTP":    []byte(`{"password":"` + examplePassword + `","code":"492039"}`),
		"changeOperatorPassword": []byte(`{"current_password":"` + exampleNight +
			`","new_password":"lune-sur-les-quais-88"}`),
		"requestOperatorReset":   []byte(`{"email":"` + exampleOperator + `"}`),
		"resetOperatorPassword":  []byte(`{"new_password":"lune-sur-les-quais-88"}`),
		"beginOperatorTOTP":      []byte(`{"password":"` + exampleNight + `"}`),
		"confirmOperatorTOTP":    []byte(`{"code":"492039"}`),
		"removeOperatorTOTP":     []byte(`{"password":"` + exampleNight + `","code":"492039"}`),
		"changeEmail":            []byte(`{"new_email":"quay@example.com","password":"` + examplePassword + `"}`),
		"putSignInRules":         []byte(`{"totp_required":{"operators":["courier"],"users":["owner"]}}`),
		"createPartnerResetLink": []byte(`{}`),

		"addWebhookEndpoint": []byte(`{"url":"https://hooks.example.com/more","events":["order.failed"]}`),
		"editEndpoint":       []byte(`{"enabled":false}`),
		"putWebhookEndpoint": []byte(`{"url":"https://hooks.example.com/dropyard"}`),
		"redeliverEvents":    []byte(`{"since":"2026-01-01T00:00:00Z"}`),
	}[o.id]
}

// driveCrossSite sends the request of an operator with another role, if roles
// matter, or else a request from another site. If neither is refused, it sends that
// of a suspended partner.
func driveCrossSite(t *testing.T, o *operation) *apptest.Answer {
	if o.access() == httpd.AccessSigned || o.access() != httpd.AccessOperator && o.method == "GET" {
		return driveSuspended(t, o)
	}
	if o.access() != httpd.AccessOperator {
		cross := call{operation: o.id, body: validBody(o), headers: []string{"Sec-Fetch-Site", "cross-site"}, session: true}
		return newFixture(t, roomy).send(t, cross)
	}
	role := "warehouse"
	if slices.Contains(o.roles(), role) {
		role = "dispatcher"
	}
	if slices.Contains(o.roles(), role) {
		role = "courier"
	}
	f := newFixture(t, roomy)
	f.operator = f.operator.As(t, role)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

func probeUnknown(t *testing.T, f *fixture, o *operation) *apptest.Answer {
	nothing := map[string]string{
		"order_id": "ord_00000000000000000000000000000000", "key_id": "key_none", "partner_id": "par_00000000",
		"operator_id": "opr_none", "token_id": "tok_none", "card_id": "crd_none", "courier_id": "cou_none",
		"user_id": "usr_none", "statement_id": "stm_00000000_1",
	}
	if o.takes("path", "event_id") { // which is looked up only if there is an endpoint
		f = newFixture(t, roomy)
		f.partner.SetEndpoint(t, apptest.NewReceiver(t).URL)
	}
	return f.send(t, call{operation: o.id, body: validBody(o), path: nothing})
}

func probeTooLarge(t *testing.T, f *fixture, o *operation) *apptest.Answer {
	most := int64(1 << 20)
	for _, route := range api.Routes() {
		if route.Method == o.method && route.Pattern == o.path {
			most = max(most, route.MaxBody())
		}
	}
	return f.send(t, call{operation: o.id, body: bytes.Repeat([]byte(" "), int(most)+1)})
}

func probeOtherType(t *testing.T, f *fixture, o *operation) *apptest.Answer {
	return f.send(t, call{operation: o.id, body: []byte(`{}`), headers: []string{"Content-Type", "text/plain"}})
}

func probeOutOfBounds(t *testing.T, f *fixture, o *operation) *apptest.Answer {
	return f.send(t, call{operation: o.id, query: "?limit=0&mode=sandbox&by=hand&dpi=72&separator=tab"})
}

// driveTooMany exceeds a rate limit, or the limit of wrong passwords.
func driveTooMany(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, apptest.RateLimit(1), apptest.StrangerLimit(1))
	request := call{operation: o.id, body: validBody(o)}
	switch {
	case o.isSigned(), o.access() == httpd.AccessTracking:
	case o.asksFor("partnerPassword"):
		request.headers = []string{"X-Partner-Email", examplePartner, "X-Partner-Password", "wrong"}
	default:
		request.body = bytes.Replace(request.body, []byte(`password":"`), []byte(`password":"not `), 1)
	}
	var answer *apptest.Answer
	for range 12 {
		if answer = f.send(t, request); answer.Status == 429 {
			break
		}
	}
	return answer
}

// driveManyKeys creates keys until it is refused.
func driveManyKeys(t *testing.T, o *operation) (answer *apptest.Answer) {
	f := newFixture(t, roomy)
	f.Execute(t,
		`INSERT INTO api_keys (key_id, partner_id, name, public_key, secret, created_by, creator_name, scopes, mode,
			require_v2, created_at, revoked_at, last_used_at)
		WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 1 FROM n WHERE i < 990)
		SELECT key_id || i, partner_id, name, public_key || i, secret, created_by, creator_name, scopes, mode,
			require_v2, created_at, revoked_at, last_used_at
		FROM n, api_keys WHERE key_id = '`+f.partner.KeyID+`'`)
	for range 20 {
		if answer = f.send(t, call{operation: o.id}); answer.Status != 201 {
			break
		}
	}
	return answer
}

// openIDBody is a provider of a company.
const openIDBody = `{"issuer":"https://login.metro.example","client_id":"dropyard","client_secret":"a secret of tests","password":"maple-harbour-42",
"default_role":"reader"}`

// driveUnconfirmed sets a provider while the owner has not confirmed the address.
func driveUnconfirmed(t *testing.T, o *operation) *apptest.Answer {
	f, _ := withMail(t)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

// driveChecks has a domain checked until it is refused.
func driveChecks(t *testing.T, o *operation) (answer *apptest.Answer) {
	f := newFixture(t, roomy)
	path := f.newDomain(t)
	for range 12 {
		if answer = f.send(t, call{operation: o.id, path: path}); answer.Status == 429 {
			break
		}
	}
	return answer
}

// driveFullTeam invites people until it is refused.
func driveFullTeam(t *testing.T, o *operation) (answer *apptest.Answer) {
	f := newFixture(t, roomy)
	for i := range 300 {
		body := fmt.Appendf(nil, `{"email":"clerk-%d@example.com","role":"clerk"}`, i)
		if answer = f.send(t, call{operation: o.id, body: body}); answer.Status != 201 {
			break
		}
	}
	return answer
}

// driveNotEnrolled requires a second factor of owners.
func driveNotEnrolled(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.send(t,
		call{operation: "putSignInRules", body: []byte(`{"totp_required":{"operators":[],"users":["owner"]}}`)}).Must(t, 200)
	return f.send(t, call{operation: o.id})
}

func driveLogo(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, body: drawing()})
}

// driveLastOwner changes or removes the only owner.
func driveLastOwner(t *testing.T, o *operation) *apptest.Answer {
	return newFixture(t, roomy).send(t, call{operation: o.id, body: validBody(o)})
}

// driveAgain sends the same request twice.
func driveAgain(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.send(t, call{operation: o.id, body: validBody(o)}).Must(t, 201)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

// driveOvertaken sends a change that was signed before the endpoint was set.
func driveOvertaken(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	body := validBody(f.contract.operation("putWebhookEndpoint"))
	f.send(t, call{operation: "putWebhookEndpoint", body: body}).Must(t, 201)
	if body = validBody(o); !o.hasBody() {
		body = nil
	}
	change := call{operation: o.id, body: body, path: map[string]string{"endpoint_id": webhook.FirstID}}
	change.headers = f.partner.SignedAt(f.Clock.Now().Add(-time.Minute), o.method, f.target(o, change), body)
	return f.send(t, change)
}

// driveEleventh adds an endpoint more than an account may have.
func driveEleventh(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	for i := range webhook.MaxEndpoints {
		f.send(t, call{
			operation: o.id, body: fmt.Appendf(nil, `{"url":"https://hooks.example.com/%d"}`, i),
		}).Must(t, 201)
	}
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

// driveUsedSignature sends a request twice.
func driveUsedSignature(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.send(t, call{operation: "putWebhookEndpoint", body: validBody(f.contract.operation("putWebhookEndpoint"))}).Must(t,
		201)
	change := call{operation: o.id, path: map[string]string{"endpoint_id": webhook.FirstID}}
	f.send(t, change).Must(t, 200)
	return f.send(t, change)
}

func driveNoEndpoint(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: o.id, path: f.newEvent(t)})
}

// driveUnknownEndpoint names an endpoint that does not exist.
func driveUnknownEndpoint(t *testing.T, o *operation) *apptest.Answer {
	const unknown = "whe_3ebmvgjr06eajje2n715hrra"
	f := newFixture(t, roomy)
	if o.hasBody() {
		return f.send(t, call{
			operation: o.id, body: fmt.Appendf(nil, `{"since":"2026-01-01T00:00:00Z","endpoint_id":%q}`, unknown),
		})
	}
	return f.send(t, call{operation: o.id, query: "?endpoint_id=" + unknown})
}

func driveDuplicate(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.send(t, call{operation: o.id, body: validBody(o)}).Must(t, 201)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

// driveFullDay creates an order more than the partner may create in a day.
func driveFullDay(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.operator.Call(t, "PATCH", "/ops/v1/partners/"+f.partner.PartnerID, []byte(`{"orders_per_day":1}`)).Must(t, 200)
	f.newOrder(t)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

// driveUnderWay erases a recipient one of whose orders is under way.
func driveUnderWay(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	f.newOrder(t)
	return f.send(t, call{operation: o.id, body: validBody(o)})
}

func driveTooLate(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.newOrder(t)
	f.move(t, order, "accepted").Must(t, 200)
	f.move(t, order, "courier_assigned").Must(t, 200)
	return f.send(t, call{operation: o.id, path: order})
}

// driveNotEditable edits an order that was changed meanwhile, and one that is too far for it.
func driveNotEditable(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	order := f.newOrder(t)
	f.move(t, order, "accepted").Must(t, 200)
	f.move(t, order, "courier_assigned").Must(t, 200)
	f.send(t, call{operation: o.id, path: order, body: validBody(o), headers: []string{"If-Match", `"2"`}}).Must(t, 409)
	f.move(t, order, "picked_up").Must(t, 200)
	body := `{"dropoff":{"address":{"city":"Ottawa"}}}`
	if o.ofOperators() {
		body = `{"reason":"by phone","items":[{"product_id":1,"quantity":1}]}`
	}
	return f.send(t, call{operation: o.id, path: order, body: []byte(body)})
}

// driveUnreached confirms a version that the order has not reached.
func driveUnreached(t *testing.T, o *operation) *apptest.Answer {
	f := newFixture(t, roomy)
	return f.send(t, call{operation: o.id, path: f.newOrder(t), body: []byte(`{"version":9}`)})
}
