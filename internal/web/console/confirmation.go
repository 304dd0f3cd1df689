package console

import (
	"cmp"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// confirmationView is an edit that the courier has to know.
type confirmationView struct {
	At   time.Time              // of the edit
	Seen *delivery.Confirmation // nil until it is confirmed
	Who  string                 // who confirmed it: the courier, or the operator who spoke with the courier
}

// Confirmations returns the edits that the courier has to know, newest first.
func (v *orderView) Confirmations() (views []confirmationView) {
	for _, edit := range v.Record.Order.Course.Edits {
		if !edit.Unseen && edit.Seen == nil {
			continue
		}
		view := confirmationView{At: edit.At, Seen: edit.Seen}
		if seen := edit.Seen; seen != nil {
			view.Who = cmp.Or(v.Record.Couriers[seen.CourierID].Name, v.By(seen.OperatorID))
		}
		views = append(views, view)
	}
	slices.Reverse(views)
	return views
}
