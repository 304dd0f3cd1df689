package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"
)

// shape describes the columns of a table: the primary key in its order, the others
// by name.
func shape[T any](t *table[T]) string {
	rest := specs(t.rest)
	slices.SortFunc(rest, func(a, b columnSpec) int { return strings.Compare(a.name, b.name) })
	return fmt.Sprint(specs(t.key), rest)
}

// TestDescriptorsMatchSchema: each table of the database has a descriptor with the
// same primary key and the same columns. A column that a descriptor lacked would be
// written with its default.
func TestDescriptorsMatchSchema(t *testing.T) {
	t.Parallel()
	described := map[string]string{
		apiKeys.name: shape(apiKeys), audited.name: shape(audited), openOrders.name: shape(openOrders),
		courierDeliveries.name: shape(courierDeliveries), courierSequences.name: shape(courierSequences), couriers.name: shape(couriers), counted.name: shape(counted),
		dispatchSettings.name: shape(dispatchSettings), endpointChanges.name: shape(endpointChanges), events.name: shape(events), idempotencyKeys.name: shape(idempotencyKeys), nonces.name: shape(nonces),
		loosePictures.name: shape(loosePictures), operatorSessions.name: shape(operatorSessions),
		operatorIdentities.name: shape(operatorIdentities), operatorReceipts.name: shape(operatorReceipts),
		operatorTokens.name: shape(operatorTokens), operators.name: shape(operators), orderHistory.name: shape(orderHistory),
		oneTimeLinks.name: shape(oneTimeLinks), orderNotes.name: shape(orderNotes), orderProofs.name: shape(orderProofs), orders.name: shape(orders),
		eventTurns.name:      shape(eventTurns),
		partnerCounters.name: shape(partnerCounters), partnerSettings.name: shape(partnerSettings), partnerUsage.name: shape(partnerUsage), partners.name: shape(partners),
		products.name: shape(products), rateCards.name: shape(rateCards), rateLeases.name: shape(rateLeases),
		signIns.name: shape(signIns), recoveryCodes.name: shape(recoveryCodes), knownDevices.name: shape(knownDevices), signInRules.name: shape(signInRules),
		sessions.name: shape(sessions), serviceSettings.name: shape(serviceSettings), stockLevels.name: shape(stockLevels),
		stockMovements.name: shape(stockMovements), users.name: shape(users), partnerProfiles.name: shape(partnerProfiles), endpoints.name: shape(endpoints), signInCounts.name: shape(signInCounts), serviceNodes.name: shape(serviceNodes), mails.name: shape(mails), orderMails.name: shape(orderMails), segments.name: shape(segments),
	}
	tables, err := engines["sqlite"](t).schema(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != len(described) {
		t.Errorf("got %d descriptors, want one for each of %d tables", len(described), len(tables))
	}
	for _, stored := range tables {
		if got, want := described[stored.name], shape(stored.table); got != want {
			t.Errorf("%s: got the columns %s, want %s", stored.name, got, want)
		}
	}
}
