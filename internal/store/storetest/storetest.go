// Package storetest is the one suite that every engine must pass. It talks to
// a store only through the doors that the use cases have.
package storetest

import (
	"encoding/json"
	"errors"
	"testing"

	"github.com/dropyard/dropyard/internal/store"
)

// Run runs the suite. open gives an empty store, closed by the test's end.
func Run(t *testing.T, open func(t *testing.T) *store.Store) {
	for name, test := range map[string]func(*testing.T, *store.Store){
		"settings":             testSettings,
		"rollback":             testRollback,
		"cancelled context":    testCancelledContext,
		"order round trip":     testOrderRoundTrip,
		"history":              testHistory,
		"single orders":        testSingleOrders,
		"raced":                testRaced,
		"products":             testProducts,
		"low stock":            testLowStock,
		"find products":        testFindProducts,
		"movements":            testMovements,
		"stock ledger":         testBooking,
		"receipts":             testReceipts,
		"changes":              testChanges,
		"change claimed once":  testChangeClaimedOnce,
		"change with audit":    testChangeWithAudit,
		"lists":                testLists,
		"concurrent stock":     testConcurrentStock,
		"ledgers":              testUsages,
		"sign-in counts":       testSignInCounts,
		"board rows":           testBoardRows,
		"board by orders":      testBoardFollowsOrders,
		"board covers all":     testBoardCoversAll,
		"board filters":        testBoardFilters,
		"board feed":           testFeed,
		"order notes":          testNotes,
		"returns":              testReturns,
		"picks":                testPicks,
		"saved":                testSaved,
		"scans":                testScans,
		"dispatch settings":    testDispatchSettings,
		"messages to couriers": testMessages,
		"sequences":            testSequences,
		"dispatch names":       testDispatchNames,
		"dispatch orders":      testDispatchOrders,
		"dispatch audit":       testDispatchAudit,
		"deliveries":           testDeliveries,
		"moves":                testMoves,
		"around orders":        testAroundOrders,
		"proofs":               testProofs,
		"proof audit":          testProofAudit,
		"loose pictures":       testLoosePictures,
		"removed proofs":       testRemovedProofs,
		"couriers":             testCouriers,
		"locations":            testLocations,
		"operators":            testOperators,
		"partners":             testPartners,
		"users":                testUsers,
		"teams":                testTeams,
		"profiles":             testProfiles,
		"openid":               testOpenID,
		"vouched sessions":     testVouchedSessions,
		"records changed once": testRecordsChangedOnce,
		"sessions":             testSessions,
		"links":                testLinks,
		"link taken once":      testLinkTakenOnce,
		"mails":                testMails,
		"mail tried once":      testMailAttemptedOnce,
		"factors":              testFactors,
		"devices":              testDevices,
		"operator sign-ins":    testOperatorSignIns,
		"user sign-ins":        testUserSignIns,
		"API keys":             testAPIKeys,
		"operator tokens":      testOperatorTokens,
		"audit":                testAudit,
		"audit names":          testNames,
		"rate cards":           testRateCards,
		"simulation":           testSimulation,
		"simulated tests":      testSimulatedTests,
		"endpoints":            testEndpoints,
		"event ids":            testEventIDs,
		"event ids ahead":      testEventIDsAhead,
		"event turns":          testEventTurns,
		"endpoint changes":     testEndpointChanges,
		"nonces":               testNonces,
		"wakes":                testWakes,
		"queue":                testQueue,
		"behind":               testBehind,
		"further endpoints":    testFurtherEndpoints,
		"further queues":       testFurtherQueues,
		"wrong deliveries":     testWrongDeliveries,
		"stock events":         testStockEvents,
		"stock event races":    testStockEventRaces,
		"skipping":             testSkipping,
		"event round trip":     testEventRoundTrip,
		"exported":             testExported,
		"swept":                testSwept,
		"erased":               testErased,
		"figures":              testFigures,
		"journal":              testJournal,
		"books":                testBooks,
		"money by day":         testMoneyByDay,
		"owing":                testOwing,
		"statements":           testStatementModel,
		"statement races":      testStatementRaces,
		"closing":              testClosing,
		"addressee":            testAddressee,
		"cash of many":         testCashOfMany,
		"months":               testMonths,
		"exports":              testExports,
		"export races":         testExportRaces,
		"export check":         testExportCheck,
		"export ask":           testExportAsk,
		"export short day":     testExportShortDay,
		"export long day":      testExportLongDay,
		"usage":                testUsage,
		"request log":          testRequestLog,
		"event lists":          testEventLists,
		"search":               testSearch,
		"search look":          testSearchLook,
		"search filler":        testSearchFiller,
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			test(t, open(t))
		})
	}
}

const partnerID = "par_00000001"

var errWanted = errors.New("wanted")

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// same compares all exported fields of two values, and those of what they point
// to.
func same(t *testing.T, what string, got, want any) {
	t.Helper()
	gotText, err := json.Marshal(got)
	must(t, err)
	wantText, err := json.Marshal(want)
	must(t, err)
	if string(gotText) != string(wantText) {
		t.Errorf("%s: got\n%s, want\n%s", what, gotText, wantText)
	}
}
