package operator

import (
	"context"
	"encoding/json"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/audit"
)

// Names are what people call what the audit log is about: orders by their partners' numbers,
// operators and users by their e-mail addresses, and couriers, partners and products by their
// names. They have ids as keys; a product, whose id is only its partner's, has its ProductKey.
type Names map[string]string

// ProductKey is the key of a product.
func ProductKey(partnerID, productID string) string { return partnerID + "/" + productID }

// ofProducts are the actions of which the object is a product.
var ofProducts = []audit.Action{audit.ActionProductCreated, audit.ActionProductChanged, audit.ActionStockMoved}

// Key is the key of what was changed among Names.
func (a *Audited) Key() string {
	if slices.Contains(ofProducts, a.Action) {
		return ProductKey(a.PartnerID, a.ObjectID)
	}
	return a.ObjectID
}

// AuditFacts are the members of an entry's documents that its sentence needs.
type AuditFacts struct {
	Name      string `json:"name"`
	Email     string `json:"email"`
	CourierID string `json:"courier_id"`
	Status    string `json:"status"`
	Granted   bool   `json:"granted"`
}

// Facts returns what an entry says of the time before the change and after it.
func (a *Audited) Facts() (before, after AuditFacts) {
	for document, facts := range map[*[]byte]*AuditFacts{&a.Before: &before, &a.After: &after} {
		// What has no such members, or others of these names, says nothing of them.
		_ = json.Unmarshal(*document, facts)
	}
	return before, after
}

// Names returns the names of what entries are about, of their authors and partners, and of
// the couriers that they name.
func (s *Service) Names(ctx context.Context, entries []*Audited) (names Names, err error) {
	var keys []string
	for _, entry := range entries {
		before, after := entry.Facts()
		keys = append(keys, entry.Key(), entry.OperatorID, entry.PartnerID, before.CourierID, after.CourierID)
	}
	slices.SortFunc(keys, strings.Compare)
	keys = slices.Compact(keys)
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		names, err = tx.NamesOf(ctx, keys)
		return err
	})
	return names, err
}
