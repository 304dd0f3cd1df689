package console

import (
	"cmp"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web/page"
)

// sentence says what a person has done: "Assigned A-1042 to Camille".
func sentence(l page.Language, a *operator.Audited, names operator.Names) string {
	before, after := a.Facts()
	key := "audited." + string(a.Action)
	switch {
	case a.Action == audit.ActionOrderMoved:
		key += "." + moveOf(before, after)
	case a.Action == audit.ActionRequestAnswered && after.Granted:
		key += ".granted"
	case a.ObjectID == a.OperatorID && page.Has(key+".self"):
		key += ".self"
	}
	if !page.Has(key) { // of a later release, after a way back
		return l.Text("audited.other", "action", string(a.Action))
	}
	object := cmp.Or(after.Name, after.Email, before.Name, before.Email, names[a.Key()], page.Shorten(a.ObjectID))
	courier := cmp.Or(after.CourierID, before.CourierID)
	return l.Text(key, "object", object, "courier", cmp.Or(names[courier], courier))
}

// taken is the move that takes an order from its courier.
const taken = "taken"

// moveOf names the move of an order: by the status that it led to, except for one.
func moveOf(before, after operator.AuditFacts) string {
	if before.Status == string(delivery.StatusCourierAssigned) && after.Status == string(delivery.StatusAccepted) {
		return taken
	}
	return after.Status
}
