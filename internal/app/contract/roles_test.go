package contract_test

import (
	"fmt"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/google/uuid"
)

// rights says what operators may do: the roles, and the operations that are theirs. The
// document and the service must say the same.
var rights = []struct{ roles, operations string }{
	{"admin dispatcher accountant warehouse courier", `listTokens revokeToken getOperator changeOperatorPassword listOperatorSessions
		endOtherOperatorSessions endOperatorSession getOperatorTOTP beginOperatorTOTP removeOperatorTOTP confirmOperatorTOTP`},
	{"admin dispatcher warehouse courier", `receiveReturn`},
	{"admin dispatcher accountant courier", `getOrderRecord getCourierCash`},
	{
		"admin dispatcher courier",
		`listJobs scanLabel addProof changeOrderStatus confirmOrderEdits getCourierSequence transferOrder
		addOrderScan listCourierMessages`,
	},
	{"courier", `confirmCourierMessage`},
	{"admin dispatcher accountant warehouse", `listPartners`},
	{"admin dispatcher warehouse", `listReturns listLocations putLocation`},
	{"admin accountant", `getFirm getBooks listBookEntries listBalances createAdjustment createPayment
		previewStatement listPartnerStatements closeMonth getClosing getPartnerStatement
		createDeposit createRemittance listExports beginExport listRateCards getRateCard`},
	{"admin dispatcher accountant", `getPartner listCouriers getCourier listBoard getHouseFigures
		getCash createHandIn putOrderCollected`},
	{"admin dispatcher", `createCourier changeCourier addOrderNote answerCancellationRequest
		getBoardSnapshot listBoardChanges
		editOrderByService changeOrderStatuses getAttention getDispatchSettings
		putDispatchSettings putCourierSequence proposeCourierSequence
		createCourierMessage getServiceSettings createOrderForPartner`},
	{"admin warehouse", `createProduct listCatalogue exportProducts importProducts getProduct changeProduct createMovement
		listJournal createCount listLowStock listPicks pickOrder`},
	{"admin",
		`getSignInRules putSignInRules createOperatorResetLink listPartnerUsers createPartnerResetLink clearOperatorTOTP clearUserTOTP
		getPartnerSignIn changePartnerSignIn removePartnerDomain checkPartnerDomain
		listOperators createOperator changeOperator changePartner approvePartner exportPartner erasePartnerOrders getSystem acceptClock resumeMessages beginBackup
		createRateCard validateRateCard previewRateCard listAudit changeServiceSettings putFirm changeBooks`},
}

// TestRights compares the document with the table of rights.
func TestRights(t *testing.T) {
	t.Parallel()
	want := map[string]string{}
	for _, right := range rights {
		for _, id := range strings.Fields(right.operations) {
			want[id] = right.roles
		}
	}
	for _, o := range read(t).operations {
		if o.access() != httpd.AccessOperator {
			continue
		}
		if got := strings.Join(o.roles(), " "); got != want[o.id] {
			t.Errorf("%s: got the roles %q in the document, want %q", o.id, got, want[o.id])
		}
		delete(want, o.id)
	}
	if len(want) > 0 {
		t.Errorf("got no operations %v in the document, want those of the table", slices.Sorted(maps.Keys(want)))
	}
}

// TestEveryRouteForEveryRole requests every operation of the operator document in
// every role, with a token and in a session, without credentials, and as a partner.
// Only callers that the document allows are admitted.
func TestEveryRouteForEveryRole(t *testing.T) {
	t.Parallel()
	f := newFixture(t, generous)
	ways := map[string][]string{} // headers by role and way to authenticate
	for _, role := range operator.Roles {
		o := f.operator.As(t, string(role))
		login := f.Do(t, "POST", "/ops/v1/login",
			fmt.Appendf(nil, `{"email":"%s@example.com","password":"a long password of a %s"}`, role, role)).Must(t, 200)
		cookie, _, _ := strings.Cut(login.Header.Get("Set-Cookie"), ";")
		ways[string(role)+" by token"] = []string{"Authorization", "Bearer " + o.Token}
		ways[string(role)+" in a session"] = []string{"Cookie", cookie}
	}
	asked := 0
	for _, o := range f.contract.operations {
		if o.access() != httpd.AccessOperator {
			continue
		}
		target := f.target(o, call{path: nowhere})
		strangers := map[string][]string{
			"anonymous": nil, "a partner in a session": {"Cookie", f.session},
			"a partner": f.partner.Signed(o.method, target, nil), "an unknown token": {"Authorization", "Bearer none"},
			"no bearer": {"Authorization", "Basic none", "Cookie", ways["admin in a session"][1]},
		}
		for who, headers := range strangers {
			asked++
			if got := f.Do(t, o.method, target, nil, headers...); got.Status != http.StatusUnauthorized {
				t.Errorf("%s as %s: got status %d, want 401: %s", o.id, who, got.Status, got.Body)
			}
		}
		for who, headers := range ways {
			role, how, _ := strings.Cut(who, " ")
			if o.id == "endOtherOperatorSessions" && how == "by token" {
				continue // it would end the session that the next requests come in
			}
			asked++
			got, in := f.Do(t, o.method, target, nil, headers...), slices.Contains(o.roles(), role)
			if in == (got.Status == http.StatusForbidden) || got.Status == http.StatusUnauthorized {
				t.Errorf("%s as %s: got status %d, want %v admitted: %s", o.id, who, got.Status, o.roles(), got.Body)
			}
			if strings.HasSuffix(who, "session") && o.method != "GET" {
				asked++
				f.Do(t, o.method, target, nil, append(headers, "Sec-Fetch-Site", "cross-site")...).Refused(t, http.StatusForbidden,
					"forbidden")
			}
		}
	}
	t.Logf("%d requests", asked)
	if asked < 200 {
		t.Errorf("got %d requests sent, want more", asked)
	}
}

// nowhere are ids that do not exist, so that an admitted caller changes nothing.
var nowhere = map[string]string{
	"key_id":     "key_0000000000000000",
	"partner_id": "par_00000000", "order_id": "ord_00000000000000000000000000000000",
	"operator_id": "opr_0000000000000000", "token_id": "tok_0000000000000000", "card_id": "crd_0000000000000000",
	"courier_id": "cou_0000000000000000", "session_id": "ses_0000000000000000", "user_id": "usr_0000000000000000",
	"invitation_id": "inv_0000000000000000", "code": "MTL-1", "endpoint_id": "whe_000000000000000000000000",
	"domain": "unknown.example", "message_id": "019cb2f6-52d9-7a31-9c0e-4b6f2d1a8e58",
}

// TestOtherPartnersRecords requests records of another partner by their ids. They
// do not exist for the caller, and are not changed.
func TestOtherPartnersRecords(t *testing.T) {
	t.Parallel()
	f := newFixture(t, generous)
	f.partner.SetEndpoint(t, apptest.NewReceiver(t).URL)
	theirs := f.newOrder(t)
	f.move(t, theirs, "accepted").Must(t, 200)
	theirs["event_id"] = f.send(t, call{operation: "listEvents"}).Must(t, 200).Text("events", 0, "event_id")
	theirs["key_id"], theirs["token"] = f.partner.KeyID, "none"
	theirs["session_id"] = f.send(t, call{operation: "listSessions"}).Must(t, 200).Text("sessions", 0, "session_id")
	theirs["key_id"], theirs["user_id"] = f.partner.KeyID, f.userID
	theirs["invitation_id"] = f.newInvitation(t)["invitation_id"]
	theirs["statement_id"] = f.newStatement(t)["statement_id"]
	theirs["domain"] = f.newDomain(t)["domain"]
	theirs["endpoint_id"] = f.send(t, call{
		operation: "addWebhookEndpoint", body: validBody(f.contract.operation("addWebhookEndpoint")),
	}).Must(t, 201).Text("endpoint_id")
	other := f.Register(t, "other")
	other.SetEndpoint(t, apptest.NewReceiver(t).URL)
	session := f.Do(t, "POST", "/v1/auth/login",
		fmt.Appendf(nil, `{"email":%q,"password":%q}`, other.Email, other.Password)).Must(t, 200)
	cookie, _, _ := strings.Cut(session.Header.Get("Set-Cookie"), ";")
	before, asked := f.Content(t), 0
	for _, o := range f.contract.operations {
		if o.document.name != "openapi.yaml" || o.access() == httpd.AccessTracking || o.id == "acceptInvitation" ||
			!strings.Contains(o.path, "{") {
			continue
		}
		for _, p := range o.parameters() {
			if name := p.at("name").text(); p.at("in").text() == "path" && theirs[name] == "" {
				t.Fatalf("%s: got the path parameter %s, want one of %v: add another partner's id here", o.id, name,
					slices.Collect(maps.Keys(theirs)))
			}
		}
		target, body := f.target(o, call{path: theirs}), validBody(o)
		ways := map[string][]string{}
		if o.isSigned() {
			ways["signed"] = other.Signed(o.method, target, body)
		}
		if o.asksFor("session") {
			ways["session"] = []string{"Cookie", cookie}
		}
		if o.asksFor("partnerPassword") {
			ways["password"] = other.Login()
		}
		for way, headers := range ways {
			asked++
			headers = append([]string{"Idempotency-Key", uuid.NewString()}, headers...)
			if got := f.Do(t, o.method, target, body, headers...); got.Status != http.StatusNotFound {
				t.Errorf("%s, %s: got status %d, want 404: %s", o.id, way, got.Status, got.Body)
			}
		}
	}
	f.Unchanged(t, before)
	if asked < 6 {
		t.Errorf("got %d requests sent, want more", asked)
	}
}

// TestPartnerRoutesForOthers requests everything that needs a partner as a caller
// who is not one, or with credentials that the document does not allow.
func TestPartnerRoutesForOthers(t *testing.T) {
	t.Parallel()
	f := newFixture(t, generous)
	order := testkit.OrderJSON("A-1", "")
	for _, o := range f.contract.operations {
		access := o.access()
		if access != httpd.AccessSigned && access != httpd.AccessPartner && access != httpd.AccessSession {
			continue
		}
		target := f.target(o, call{path: nowhere})
		ways := map[string][]string{
			"anonymous": nil, "an operator": {
				"Authorization", "Bearer " + f.operator.Token,
			}, "an account's password": f.partner.Login(),
			"a signature of something else": f.partner.Signed(o.method, target+"x", order),
		}
		if access == httpd.AccessSigned {
			ways["a session"] = []string{"Cookie", f.session}
		}
		for who, headers := range ways {
			if got := f.Do(t, o.method, target, validBody(o), headers...); got.Status != http.StatusUnauthorized {
				t.Errorf("%s as %s: got status %d: %s", o.id, who, got.Status, got.Body)
			}
		}
	}
}
