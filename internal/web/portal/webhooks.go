package portal

import (
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/webhook"
)

// webhooksPath is the path of the page of webhooks, and newEndpointPath that of the page that adds an endpoint.
const (
	webhooksPath    = "/portal/webhooks"
	newEndpointPath = webhooksPath + "/endpoints"
)

func (pages *Pages) webhookRoutes() []web.Route {
	read, change := partner.PermissionWebhooksRead, partner.PermissionWebhooks
	return []web.Route{
		pages.get("/webhooks", read, (*Pages).webhooks),
		pages.post("/webhooks", change, (*Pages).setEndpoint),
		pages.get("/webhooks/endpoints", change, (*Pages).newEndpoint),
		pages.post("/webhooks/endpoints", change, (*Pages).addEndpoint),
		pages.post("/webhooks/enabled", change, (*Pages).switchEndpoint),
		pages.post("/webhooks/removal", change, (*Pages).removeEndpoint),
		pages.post("/webhooks/secret", change, (*Pages).rotateSecret),
		pages.post("/webhooks/secret/active", change, (*Pages).activateSecret),
		pages.post("/webhooks/test", change, (*Pages).testEndpoint),
		pages.post("/webhooks/redelivery", change, (*Pages).redeliverSince),
		pages.get("/webhooks/{event_id}", read, (*Pages).event),
		pages.post("/webhooks/{event_id}/redelivery", change, (*Pages).redeliver),
	}
}

// endpoint returns the endpoint that the address of the page names; the first one if it names none.
func (s *sheet) endpoint() outbox.EndpointKey {
	return webhook.KeyOf(s.Account, s.Request.URL.Query().Get("endpoint"))
}

// hookForm returns a form about an endpoint that is sent to a path.
func (s *sheet) hookForm(path string, of outbox.EndpointKey) (*page.Form, error) {
	return s.Site.NewForm(s.Link(path, "endpoint", of.EndpointID), 0)
}

// webhooksView is an endpoint of an account, its events, and which other endpoints there are.
type webhooksView struct {
	*sheet
	key      outbox.EndpointKey
	All      []endpointRow     // empty if there is only the one that is shown
	Add      string            // the address of the page that adds another; empty if none can be added
	Endpoint *webhook.Endpoint // nil if there is none
	State    endpointState
	Rotates  time.Time // when the next secret replaces the other; zero without a rotation
	Waiting  string    // how many events wait; empty if none do
	Secret   string    // only when it has just been made
	Set      *page.Form
	Log      eventLog
}

// endpointState is the state of an endpoint in words.
type endpointState struct {
	Key   string // of its phrase
	Class string // of a status with the same colour
	Icon  string
	Since time.Time // may be zero
	Why   string    // the key of a phrase; may be empty
}

// webhooks shows the endpoint and its events.
func (pages *Pages) webhooks(s *sheet) (int, []byte, error) {
	view, err := pages.webhooksOf(s, s.endpoint(), s.Request.URL.Query())
	if err != nil {
		return 0, nil, err
	}
	return view.show(0)
}

func (v *webhooksView) show(status int) (int, []byte, error) {
	return v.sheet.show(leaf{template: "portal-webhooks", title: v.Text("portal.hooks"), data: v, status: status})
}

// endpointRow is an endpoint as the list shows it.
type endpointRow struct {
	*webhook.Endpoint
	State   endpointState
	Path    string
	Current bool
}

// readEndpoints reads which endpoints there are.
func (v *webhooksView) readEndpoints() error {
	all, err := v.pages.config.Webhooks.Endpoints(v.Context(), v.Account)
	if err != nil || len(all) == 0 {
		return err
	}
	if len(all) > 1 || all[0].Key() != v.key {
		for _, e := range all {
			v.All = append(v.All,
				endpointRow{e, stateOf(e), v.Link(webhooksPath, "endpoint", e.EndpointID), e.Key() == v.key})
		}
	}
	if len(all) < webhook.MaxEndpoints && v.May(partner.PermissionWebhooks) {
		v.Add = v.Link(newEndpointPath)
	}
	return nil
}

// webhooksOf reads what the page of an endpoint shows. The filter of its events is in values.
func (pages *Pages) webhooksOf(s *sheet, key outbox.EndpointKey, values url.Values) (*webhooksView, error) {
	view := &webhooksView{sheet: s, key: key}
	found, err := pages.config.Webhooks.Get(s.Context(), key)
	if err != nil && (!refusal.HasCode(err, refusal.CodeNotFound) || key.EndpointID != "") {
		return nil, err
	}
	if err := view.readEndpoints(); err != nil {
		return nil, err
	}
	if view.Set, err = s.hookForm(webhooksPath, key); err != nil {
		return nil, err
	}
	view.Set.Version = versionOfEndpoint(found)
	setTypes(view.Set, outbox.Filter(""))
	if found.Endpoint != nil {
		view.Endpoint, view.State, view.Rotates = found.Endpoint, stateOf(found.Endpoint),
			found.Rotates(pages.config.Site.Now())
		view.Set.Values.Set("url", found.URL)
		view.Set.Values.Set("format", found.Format.Name())
		setTypes(view.Set, found.Events)
		if view.Waiting, err = pages.waiting(s, key); err != nil {
			return nil, err
		}
	}
	view.Log, err = pages.eventLog(s, key, values)
	return view, err
}

// versionOfEndpoint differs when the form shows other settings.
func versionOfEndpoint(e webhook.Settings) int64 {
	if e.Endpoint == nil {
		return page.VersionOf("")
	}
	return page.VersionOf(e.URL, string(e.Events), string(e.Format))
}

// offReasons are the phrases for the reasons why the service disables an endpoint.
var offReasons = map[string]string{
	webhook.ReasonGone: "portal.hook.off.gone", webhook.ReasonPatience: "portal.hook.off.failing",
}

func stateOf(e *webhook.Endpoint) endpointState {
	switch {
	case !e.Enabled && e.DisabledReason != "":
		return endpointState{Key: "portal.hook.off", Class: "failed", Icon: "none", Why: offReasons[e.DisabledReason]}
	case !e.Enabled:
		return endpointState{Key: "portal.hook.off", Class: "pending", Icon: "none", Why: "portal.hook.off.you"}
	case !e.FailingSince.IsZero():
		return endpointState{Key: "portal.hook.failing", Class: "failed", Icon: "full", Since: e.FailingSince}
	default:
		return endpointState{Key: "portal.hook.on", Class: "delivered", Icon: "full"}
	}
}

// maxWaiting is up to how many waiting events are counted.
const maxWaiting = 100

// waiting returns how many events wait for an endpoint, in words.
func (pages *Pages) waiting(s *sheet, key outbox.EndpointKey) (string, error) {
	found, err := pages.config.Webhooks.List(s.Context(), webhook.Filter{
		PartnerID: s.Account, EndpointID: key.EndpointID, State: outbox.Pending, Limit: maxWaiting,
	})
	switch {
	case err != nil || len(found.Events) == 0:
		return "", err
	case found.Next != "":
		return s.Text("portal.hook.waiting.many", "n", s.Language.Number(maxWaiting)), nil
	}
	return s.Language.Count("portal.hook.waiting", len(found.Events)), nil
}

// Settings returns the form with the settings of the endpoint.
func (v *webhooksView) Settings() endpointForm {
	if v.Endpoint == nil {
		return endpointForm{v.sheet, v.Set, "portal.hook.set"}
	}
	return endpointForm{v.sheet, v.Set, "portal.hook.change"}
}

// endpointForm is a form with the settings of an endpoint.
type endpointForm struct {
	*sheet
	*page.Form
	Do string // the phrase of its button
}

// setTypes chooses in a form what a filter takes.
func setTypes(form *page.Form, takes outbox.Filter) {
	form.Values["events"] = nil
	for _, kind := range delivery.EventTypes {
		if takes.Takes(kind) {
			form.Values.Add("events", string(kind))
		}
	}
}

// URL returns the field for the address.
func (f endpointForm) URL() page.Field {
	return f.With(page.Field{
		Name: "url", Type: "url", Label: f.Text("portal.hook.url"), Hint: f.Text("portal.hook.url.hint"), Required: true,
	})
}

// Types returns the types of events that may be chosen.
func (f endpointForm) Types() []choice {
	all := make([]choice, len(delivery.EventTypes))
	for i, kind := range delivery.EventTypes {
		text := string(kind)
		all[i] = choice{text, f.Text("event." + text), slices.Contains(f.Values["events"], text)}
	}
	return all
}

// TypesFault returns what is wrong with the types that were chosen; empty if nothing is.
func (f endpointForm) TypesFault() string {
	return f.With(page.Field{Name: "events", Label: f.Text("portal.hook.takes")}).Fault
}

// Format returns the field for how requests look.
func (f endpointForm) Format() page.Field {
	field := page.Field{Name: "format", Type: "select", Label: f.Text("portal.hook.format")}
	for _, format := range webhook.Formats {
		field.Options = append(field.Options, page.Option{Value: format, Label: f.Text("portal.hook.format." + format)})
	}
	return f.With(field)
}

// NewForm returns a form that is sent to a path.
func (v *webhooksView) NewForm(path string) (*page.Form, error) { return v.hookForm(path, v.key) }

// Takes returns the names of the types that the endpoint takes; nil for all.
func (v *webhooksView) Takes() []delivery.EventType { return v.Endpoint.Events.Types() }

// Format returns the name of the format of the endpoint.
func (v *webhooksView) Format() string { return v.Endpoint.Format.Name() }

// ID returns the id of the endpoint as parameters have it.
func (v *webhooksView) ID() string { return v.key.EndpointID }

// eventLog is a page of an account's events.
type eventLog struct {
	filter eventFilter
	Events []eventRow
	Chips  []page.Link
	Fields []page.Field // of the other filters
	Next   string       // the address of the next page; empty on the last one
	// Redelivery sends the events of the filter again, from a time or a cursor on.
	Redelivery *page.Form
	Cursor     string // up to where an earlier redelivery has come; may be empty
}

// eventFilter selects events, as the parameters of the page's address say.
type eventFilter struct {
	endpoint  string // its id; empty for the first
	state     outbox.State
	eventType delivery.EventType
	order     string // its id, or the partner's own name for it
}

// eventFilterOf reads a filter. What selects nothing known is left out.
func eventFilterOf(key outbox.EndpointKey, values url.Values) (f eventFilter) {
	f.endpoint = key.EndpointID
	if rule := form.OneOf(outbox.States...); rule.Allows(values.Get("state")) {
		f.state = outbox.State(values.Get("state"))
	}
	if rule := form.OneOf(delivery.EventTypes...); rule.Allows(values.Get("type")) {
		f.eventType = delivery.EventType(values.Get("type"))
	}
	if text := strings.TrimSpace(values.Get("order")); form.IsText(text) {
		f.order = text
	}
	return f
}

// parameters returns the filter as parameters of an address, and more of them.
func (f eventFilter) parameters(more ...string) []string {
	return append([]string{
		"endpoint", f.endpoint, "state", string(f.state), "type", string(f.eventType), "order", f.order,
	}, more...)
}

// eventCursor returns an event id among the values; empty if it is malformed.
func eventCursor(values url.Values, name string) string {
	if _, known := identifier.UUIDTime(values.Get(name)); known {
		return values.Get(name)
	}
	return ""
}

// eventsShown is how many events a page shows.
const eventsShown = 25

func (pages *Pages) eventLog(s *sheet, key outbox.EndpointKey, values url.Values) (log eventLog, err error) {
	log.filter, log.Cursor = eventFilterOf(key, values), eventCursor(values, "after")
	log.Chips, log.Fields = log.filter.chips(s), log.filter.fields(s)
	if log.Redelivery, err = s.hookForm(webhooksPath+"/redelivery", key); err != nil {
		return log, err
	}
	log.Redelivery.Values.Set("since", pages.config.Site.Now().UTC().Add(-24*time.Hour).Format(sinceLayout))
	filter, err := pages.selected(s, log.filter)
	if err != nil {
		return log, err
	}
	filter.Before, filter.Limit = eventCursor(values, "cursor"), eventsShown
	found, err := pages.config.Webhooks.List(s.Context(), filter)
	for _, e := range found.Events {
		log.Events = append(log.Events, eventRowOf(e.At(key.EndpointID)))
	}
	if found.Next != "" {
		log.Next = s.Link(webhooksPath, log.filter.parameters("cursor", found.Next)...)
	}
	return log, err
}

// selected returns the filter as the use case takes it.
func (pages *Pages) selected(s *sheet, f eventFilter) (webhook.Filter, error) {
	filter := webhook.Filter{
		PartnerID: s.Account, EndpointID: f.endpoint, State: f.state, Type: f.eventType, OrderID: f.order,
	}
	if f.order == "" {
		return filter, nil
	}
	named, err := pages.config.Orders.List(s.Context(),
		order.Filter{PartnerID: s.Account, PartnerOrderID: f.order, Limit: 1})
	if len(named.Orders) > 0 {
		filter.OrderID = named.Orders[0].OrderID
	}
	return filter, err
}

// chips returns links to the events of each state.
func (f eventFilter) chips(s *sheet) []page.Link {
	chips := make([]page.Link, 0, 1+len(outbox.States))
	chips = append(chips, page.Link{Text: s.Text("portal.hook.all")})
	for _, state := range outbox.States {
		chips = append(chips, page.Link{Text: s.Text("outbox." + string(state))})
	}
	current := f.state
	for i := range chips {
		f.state = ""
		if i > 0 {
			f.state = outbox.States[i-1]
		}
		chips[i].Path, chips[i].Current = s.Link(webhooksPath, f.parameters()...), f.state == current
	}
	return chips
}

// fields returns the fields for the other filters.
func (f eventFilter) fields(s *sheet) []page.Field {
	types := page.Field{
		Name: "type", Type: "select", Label: s.Text("portal.hook.type"), Value: string(f.eventType),
		Options: []page.Option{{Label: s.Text("portal.hook.types")}},
	}
	for _, eventType := range delivery.EventTypes {
		types.Options = append(types.Options,
			page.Option{Value: string(eventType), Label: s.Text("event." + string(eventType))})
	}
	return []page.Field{types, {Name: "order", Type: "search", Label: s.Text("portal.order"), Value: f.order}}
}

// State returns the state that is selected, Type the type, and Order the order.
func (l eventLog) State() outbox.State      { return l.filter.state }
func (l eventLog) Type() delivery.EventType { return l.filter.eventType }
func (l eventLog) Order() string            { return l.filter.order }

// Filtered reports whether events of some kind only are selected.
func (l eventLog) Filtered() bool { return l.filter != eventFilter{endpoint: l.filter.endpoint} }

// SinceField returns the field for the time from which on events are sent again.
func (v *webhooksView) SinceField() page.Field {
	now := v.pages.config.Site.Now().UTC().Format("15:04")
	return v.Log.Redelivery.With(page.Field{
		Name: "since", Type: "datetime-local", Label: v.Text("portal.hook.since"),
		Hint: v.Text("portal.hook.since.hint", "now", now), Required: true,
	})
}

// eventRow is an event as lists show it.
type eventRow struct {
	*webhook.Event
	Badge stateBadge
}

func eventRowOf(e *webhook.Event) eventRow { return eventRow{e, badgeOf(e)} }

// Name returns the partner's own name for the event's order, or else the order's id.
func (e eventRow) Name() string {
	if e.Facts.PartnerOrderID != "" {
		return e.Facts.PartnerOrderID
	}
	return e.OrderID
}

// Waits reports whether the event waits for an earlier one of its order.
func (e eventRow) Waits() bool { return e.State == outbox.Pending && e.DueAt.IsZero() }

// stateBadge is the state of an event: a word, and the colour and the icon of the status
// of orders that looks like it.
type stateBadge struct{ Key, Class, Icon string }

func badgeOf(e *webhook.Event) stateBadge {
	badge := stateBadge{Key: "outbox." + string(e.State)}
	switch e.State {
	case outbox.Delivered:
		badge.Class, badge.Icon = "delivered", "full"
	case outbox.Failed:
		badge.Class, badge.Icon = "failed", "full"
	case outbox.Skipped:
		badge.Class, badge.Icon = "pending", "none"
	default:
		badge.Class, badge.Icon = "accepted", "empty"
		if len(e.Log) > 0 {
			badge.Class, badge.Icon = "out_for_delivery", "half"
		}
	}
	return badge
}
