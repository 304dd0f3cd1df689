package portal

import (
	"fmt"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/samples"
	"github.com/dropyard/dropyard/internal/webhook"
	"github.com/google/uuid"
)

func (pages *Pages) startRoutes() []web.Route {
	return []web.Route{
		pages.get("/start", partner.PermissionKeys, (*Pages).start),
		pages.post("/start", partner.PermissionKeys, (*Pages).startKey),
		pages.post("/start/order", partner.PermissionKeys, (*Pages).startOrder),
	}
}

// startView is the way from nothing to a delivered webhook, in test mode. Each step is
// done as soon as the account has what the step makes.
type startView struct {
	*sheet
	Key       *partner.APIKey // the newest test key; nil if there is none
	Secret    string          // of Key, just after it was made; empty otherwise
	Endpoint  *webhook.Endpoint
	Order     *delivery.Order  // the newest test order; nil if there is none
	Events    []*webhook.Event // of Order, newest first
	Received  bool             // an event of Order has been delivered
	Skipped   bool             // an event of Order had no endpoint to go to
	KeyForm   *page.Form
	OrderForm *page.Form
	Programs  []samples.Program
	Listen    string
	Forward   string
	Receiver  string
}

// step is the heading of a step.
type step struct {
	Name  string
	Key   string // of its phrase
	Done  bool
	Alone bool // it is kept up to date by itself
}

// Step returns the heading of a step.
func (v startView) Step(name, key string) step {
	done := map[string]bool{
		"key": v.Key != nil, "endpoint": v.Endpoint != nil, "order": v.Order != nil, "watch": v.Delivered(),
		"webhook": v.Received,
	}
	return step{name, key, done[name], name == "endpoint" || name == "order"}
}

// Texts returns what the person must keep of a new key.
func (v startView) Texts() []copied {
	return []copied{{v.Text("keys.public"), v.Key.PublicKey}, {v.Text("keys.secret"), v.Secret}}
}

// Code returns a text that can be copied, with the phrase that names it.
func (v startView) Code(key, text string) samples.Program {
	return samples.Program{Name: v.Text(key), Text: text}
}

// NameOfEvent returns the name of an event's type, or the type itself if a later version
// has added it.
func (v startView) NameOfEvent(e *webhook.Event) string {
	if key := "event." + string(e.Type); page.Has(key) {
		return v.Text(key)
	}
	return string(e.Type)
}

// receiverFile is the name by which the commands start the receiver.
const receiverFile = "receiver.py"

// ReceiverFile returns the name of the file that the receiver must be saved as.
func (v startView) ReceiverFile() string { return receiverFile }

// Delivered reports whether the newest test order has been delivered.
func (v startView) Delivered() bool {
	return v.Order != nil && v.Order.Status == delivery.StatusDelivered
}

// Live reports whether something is about to change by itself.
func (v startView) Live() bool { return !v.Delivered() || !v.Received && v.Endpoint != nil }

// eventPhrases are the keys of what has become of an event.
var eventPhrases = map[outbox.State]string{
	outbox.Pending: "start.event.pending", outbox.Delivered: "start.event.delivered",
	outbox.Failed: "start.event.failed", outbox.Skipped: "start.event.skipped",
}

// Became returns what has become of an event.
func (v startView) Became(e *webhook.Event) string { return v.Text(eventPhrases[e.State]) }

// InTest returns the address of a page in test mode.
func (v startView) InTest(path string) string { return path + "?mode=" + string(delivery.ModeTest) }

// start is about the test account, whichever mode the portal shows.
func (pages *Pages) start(s *sheet) (int, []byte, error) { return pages.showStart(s, nil) }

// startKey makes a test key, and shows its secret once, where it belongs.
func (pages *Pages) startKey(s *sheet) (int, []byte, error) {
	created, err := pages.config.Partners.CreateKey(s.Context(), s.Member,
		partner.KeyRequest{Name: s.Text("portal.start"), Mode: delivery.ModeTest})
	if err != nil {
		return 0, nil, err
	}
	return pages.showStart(s, created)
}

// startOrder creates a test order as a request over the interface does.
func (pages *Pages) startOrder(s *sheet) (int, []byte, error) {
	key, err := s.Key()
	if err != nil {
		return 0, nil, err
	}
	body := []byte(orderBody(key, pages.config.Site.Now()))
	source, err := strictjson.Parse(body)
	if err != nil {
		return 0, nil, fmt.Errorf("read the sample of an order: %w", err)
	}
	used := idempotency.Key{PartnerID: testAccount(s), Scope: "POST /v1/orders", UUID: key}
	request := idempotency.NewRequest(used, body)
	wanted, _ := form.Decode(source, order.ReadWanted) // keeps its faults
	if _, err := pages.config.Orders.Create(s.Context(), request, wanted); err != nil {
		return 0, nil, err
	}
	return s.LeadTo(s.Link("/portal/start"), page.Flash{Key: "start.ordered"})
}

func testAccount(s *sheet) string { return delivery.TestAccount(s.Member.Partner.PartnerID) }

func (pages *Pages) showStart(s *sheet, made *partner.CreatedKey) (int, []byte, error) {
	view := startView{sheet: s}
	for _, read := range []func(*startView) error{pages.readTestKey, pages.readTestEndpoint, pages.readTestOrder} {
		if err := read(&view); err != nil {
			return 0, nil, err
		}
	}
	known := credentials{pages.config.BaseURL(), "pk_test_…", "sk_test_…"}
	if made != nil {
		view.Key, view.Secret, known.secretKey = &made.APIKey, made.SecretKey, made.SecretKey
	}
	if view.Key != nil {
		known.publicKey = view.Key.PublicKey
	}
	if err := pages.addForms(&view, known); err != nil {
		return 0, nil, err
	}
	view.Listen, view.Forward, view.Receiver = known.fill("listen.sh"), known.fill("forward.sh"), known.fill(receiverFile)
	return s.show(leaf{template: "portal-start", title: s.Text("portal.start"), data: view, modeless: true})
}

// addForms adds the forms, and the programs, whose order needs a key of its own.
func (pages *Pages) addForms(view *startView, known credentials) (err error) {
	if view.KeyForm, err = view.form("/portal/start"); err != nil {
		return err
	}
	if view.OrderForm, err = view.form("/portal/start/order"); err != nil {
		return err
	}
	unsent, err := view.form("/portal/start/order")
	if err != nil {
		return err
	}
	id, err := uuid.Parse(unsent.Key)
	view.Programs = programs(known, id, pages.config.Site.Now())
	return err
}

// readTestKey reads the newest test key.
func (pages *Pages) readTestKey(view *startView) error {
	found, err := pages.config.Partners.Keys(view.Context(), view.Member.Partner.PartnerID)
	for i := range found {
		if found[i].Mode == delivery.ModeTest {
			view.Key = &found[i]
		}
	}
	return err
}

func (pages *Pages) readTestEndpoint(view *startView) error {
	found, err := pages.config.Webhooks.Get(view.Context(), webhook.KeyOf(testAccount(view.sheet), ""))
	if refusal.HasCode(err, refusal.CodeNotFound) {
		return nil
	}
	view.Endpoint = found.Endpoint
	return err
}

// startEvents is more than an order that is delivered at the first attempt has.
const startEvents = 10

// readTestOrder reads the newest test order and its events.
func (pages *Pages) readTestOrder(view *startView) error {
	account := testAccount(view.sheet)
	found, err := pages.config.Orders.List(view.Context(), order.Filter{PartnerID: account, Limit: 1})
	if err != nil || len(found.Orders) == 0 {
		return err
	}
	view.Order = found.Orders[0]
	sent, err := pages.config.Webhooks.List(view.Context(),
		webhook.Filter{PartnerID: account, OrderID: view.Order.OrderID, Limit: startEvents})
	view.Events = sent.Events
	for _, event := range sent.Events {
		view.Received = view.Received || event.State == outbox.Delivered
		view.Skipped = view.Skipped || event.State == outbox.Skipped
	}
	return err
}
