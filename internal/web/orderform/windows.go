package orderform

import (
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// windowAct is the act of the button that proposes windows.
const windowAct = "windows"

// proposedField has the windows that were proposed, as windows returns them.
const proposedField = "_windows"

// windows returns the times of both windows as they are typed; empty if none is.
func (o *New) windows() string {
	times := make([]string, 0, 4)
	for _, end := range []string{"pickup", "dropoff"} {
		times = append(times, o.Value(end+".time_window.start"), o.Value(end+".time_window.end"))
	}
	return strings.TrimSpace(strings.Join(times, " "))
}

// Proposed returns the windows that were proposed, for the page to send back.
func (o *New) Proposed() string { return o.Value(proposedField) }

// followWindows proposes windows again if those that were proposed stand unchanged: another service level or place, or
// time that has passed, makes them others. Windows that were typed stay.
func (o *New) followWindows() error {
	if o.windows() != o.Proposed() {
		return nil
	}
	_, err := o.proposeWindows()
	return err
}

// proposeWindows fills in the next windows for the places and the service level that were typed. Without the province
// of the pickup its clocks are not known; a recipient without a place counts as being there. It returns the phrase of
// why nothing was filled in; empty if something was.
func (o *New) proposeWindows() (fault string, err error) {
	at := func(end string) delivery.Contact {
		return delivery.Contact{Address: delivery.Address{
			City: o.Value(end + ".address.city"), Province: o.Value(end + ".address.province"),
			PostalCode: o.Value(end + ".address.postal_code"),
		}}
	}
	s := delivery.Shipment{
		ServiceLevel: delivery.ServiceLevel(o.Value("service_level")), Pickup: at("pickup"), Dropoff: at("dropoff"),
	}
	if s.Pickup.Address.Province == "" {
		return "neworder.windows.province", nil
	}
	if s.Dropoff.Address.Province == "" || s.Dropoff.Address.PostalCode == "" {
		s.Dropoff = s.Pickup
	}
	pickup, dropoff, ok, err := o.Orders.ProposeWindows(o.Sheet.Context(), o.PartnerID, s)
	if err != nil {
		return "", err
	}
	if !ok {
		return "neworder.windows.none", nil
	}
	for end, window := range map[string]delivery.Window{"pickup": pickup, "dropoff": dropoff} {
		o.Set(end+".time_window.start", window.Start.Format(TimeLayout))
		o.Set(end+".time_window.end", window.End.Format(TimeLayout))
	}
	o.Set(proposedField, o.windows())
	return "", nil
}

// windowAhead is the rule for the end of a window in the form of an order. The interface accepts windows that have
// passed, which belong to deliveries that are recorded later; a person who fills in a form has mistyped the day.
var windowAhead = form.Define("window_ahead", "a time that has not passed")

// passedWindows returns a fault for each window that has passed.
func (o *New) passedWindows() (problems form.Problems) {
	typed := o.Typed()
	for _, end := range []string{"pickup", "dropoff"} {
		name := end + ".time_window.end"
		if at, err := time.Parse(time.RFC3339, typed.Get(name)); err == nil && !at.After(o.Now) {
			problems.Add(name, typed.Get(name), windowAhead)
		}
	}
	return problems
}

// blameWindows shows the faults of windows at them.
func (o *New) blameWindows(faults []Fault) {
	o.WindowFaults = map[string]string{}
	for _, fault := range faults {
		if end, _, isWindow := strings.Cut(fault.Field, ".time_window."); isWindow && fault.Text != "" {
			o.WindowFaults[end] = fault.Text
		}
	}
}
