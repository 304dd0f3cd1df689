package store

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
)

// shape describes the columns of a table: the primary key in its order, the others
// by name.
func shape[T any](t *db.Table[T]) string {
	rest := specsOf(t.Rest)
	slices.SortFunc(rest, func(a, b db.Spec) int { return strings.Compare(a.Name, b.Name) })
	return fmt.Sprint(specsOf(t.Key), rest)
}

func specsOf[T any](columns []db.Column[T]) []db.Spec {
	specs := make([]db.Spec, len(columns))
	for i, column := range columns {
		specs[i] = column.Spec
	}
	return specs
}

// TestDescriptorsMatchSchema: each table of the database has a descriptor with the
// same primary key and the same columns. A column that a descriptor lacked would be
// written with its default.
func TestDescriptorsMatchSchema(t *testing.T) {
	t.Parallel()
	described := map[string]string{
		apiKeys.Name: shape(apiKeys), audited.Name: shape(audited), openOrders.Name: shape(openOrders),
		courierDeliveries.Name: shape(courierDeliveries), courierSequences.Name: shape(courierSequences),
		couriers.Name: shape(couriers), counted.Name: shape(counted), dispatchSettings.Name: shape(dispatchSettings),
		endpointChanges.Name: shape(endpointChanges), events.Name: shape(events),
		idempotencyKeys.Name: shape(idempotencyKeys), nonces.Name: shape(nonces), loosePictures.Name: shape(loosePictures),
		operatorSessions.Name: shape(operatorSessions), operatorIdentities.Name: shape(operatorIdentities),
		operatorReceipts.Name: shape(operatorReceipts), operatorTokens.Name: shape(operatorTokens),
		operators.Name: shape(operators), orderHistory.Name: shape(orderHistory), oneTimeLinks.Name: shape(oneTimeLinks),
		orderNotes.Name: shape(orderNotes), orderProofs.Name: shape(orderProofs), orders.Name: shape(orders),
		eventTurns.Name:      shape(eventTurns),
		partnerCounters.Name: shape(partnerCounters), partnerSettings.Name: shape(partnerSettings),
		partnerUsage.Name: shape(partnerUsage), partners.Name: shape(partners), products.Name: shape(products),
		rateCards.Name: shape(rateCards), rateLeases.Name: shape(rateLeases), signIns.Name: shape(signIns),
		recoveryCodes.Name: shape(recoveryCodes), knownDevices.Name: shape(knownDevices),
		signInRules.Name: shape(signInRules), sessions.Name: shape(sessions), db.SettingsTable.Name: shape(db.SettingsTable),
		stockLevels.Name: shape(stockLevels), stockMovements.Name: shape(stockMovements), users.Name: shape(users),
		partnerProfiles.Name: shape(partnerProfiles), endpoints.Name: shape(endpoints),
		furtherEndpoints.Name: shape(furtherEndpoints), furtherDeliveries.Name: shape(furtherDeliveries),
		signInCounts.Name: shape(signInCounts), serviceNodes.Name: shape(serviceNodes), mails.Name: shape(mails),
		orderMails.Name: shape(orderMails), originals.Name: shape(originals), orderReturns.Name: shape(orderReturns),
		orderScans.Name: shape(orderScans), segments.Name: shape(segments),
		locations.Name: shape(locations), savedEntries.Name: shape(savedEntries), importDrafts.Name: shape(importDrafts),
		courierMessages.Name: shape(courierMessages), journal.Name: shape(journal), journalLines.Name: shape(journalLines),
		statements.Name: shape(statements), statementEntries.Name: shape(statementEntries),
		statementFiles.Name: shape(statementFiles), partnerOpenID.Name: shape(partnerOpenID),
		partnerDomains.Name: shape(partnerDomains), provenDomains.Name: shape(provenDomains),
		userIdentities.Name: shape(userIdentities), exportDays.Name: shape(exportDays), exportRows.Name: shape(exportRows),
		exportFloors.Name: shape(exportFloors),
	}
	tables, err := engines["sqlite"](t).Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(tables) != len(described) {
		t.Errorf("got %d descriptors, want one for each of %d tables", len(described), len(tables))
	}
	for _, stored := range tables {
		if got, want := described[stored.Name], shape(stored.Table); got != want {
			t.Errorf("%s: got the columns %s, want %s", stored.Name, got, want)
		}
	}
}
