package delivery

import (
	"slices"
	"time"
)

// unconfirmed lists the parts that couriers do not act by, although they may see them: their edits
// need no confirmation.
var unconfirmed = []string{
	"partner_order_id", "service_level", "pickup.email", "dropoff.email", "items", "insurance", "reference", "metadata",
}

// ShownToCouriers returns those of some edited fields that a courier is shown and confirms.
func ShownToCouriers(fields []string) (shown []string) {
	for _, field := range fields {
		if !slices.Contains(unconfirmed, field) {
			shown = append(shown, field)
		}
	}
	return shown
}

// FormerValue is what a field held before it was edited.
type FormerValue struct {
	Field string `json:"field"` // its path, such as dropoff.phone
	// JSON is its value as a request has it, which may be personal; null for nothing, and empty
	// once the order is erased.
	JSON string `json:"json"`
}

// Confirmation says that an edit was confirmed.
type Confirmation struct {
	At         time.Time `json:"at"`                    // when it happened
	OperatorID string    `json:"operator_id,omitempty"` // who confirmed it
	CourierID  string    `json:"courier_id,omitempty"`  // empty if the desk did so for the courier
}

// Unseen returns the edits that the courier who carries the order has not confirmed, oldest
// first.
func (c *Course) Unseen() (unseen []Edit) {
	for _, edit := range c.Edits {
		if edit.Unseen {
			unseen = append(unseen, edit)
		}
	}
	return unseen
}

// Before returns what fields held when the courier last knew the order, each once.
func (c *Course) Before() (held []FormerValue) {
	for _, edit := range c.Unseen() {
		held = append(held, edit.Was...)
	}
	return held
}

// Confirmed returns the edits after those up to a version have been confirmed, and whether any
// was.
func (c *Course) Confirmed(version int64, by Confirmation) (edits []Edit, confirmed bool) {
	edits = slices.Clone(c.Edits)
	for i := range edits {
		edit := &edits[i]
		if !edit.Unseen || edit.Version > version {
			continue
		}
		seen := by
		if seen.At.Before(edit.At) { // by a clock that is behind
			seen.At = edit.At
		}
		edit.Unseen, edit.Was, edit.Seen, confirmed = false, nil, &seen, true
	}
	return edits, confirmed
}

// Reassigned returns the edits as they are for the next courier, who sees the order as it is now
// and has nothing to confirm.
func (c *Course) Reassigned() []Edit {
	if len(c.Unseen()) == 0 {
		return c.Edits
	}
	edits := slices.Clone(c.Edits)
	for i := range edits {
		edits[i].Unseen, edits[i].Was = false, nil
	}
	return edits
}
