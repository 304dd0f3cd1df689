package client_test

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"image"
	"image/png"
	"net/http"
	"net/http/httptest"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// onSystemClock runs a service on the system's clock, by which clients sign.
func onSystemClock(_ *config.Config, world *app.Surroundings) {
	world.Now, world.At = time.Now, app.System().At
}

// shop is a partner with its client, on a service of its own, and an operator.
type shop struct {
	*testing.T
	*client.Client
	partner  *apptest.Partner
	operator *apptest.Operator
}

func openShop(t *testing.T) *shop {
	t.Helper()
	service := apptest.Start(t, onSystemClock, apptest.Webhooks())
	partner := service.Register(t, "metro")
	return &shop{T: t, Client: client.New(service.URL, partner.PublicKey,
		partner.SecretKey), partner: partner, operator: service.Operate(t)}
}

// must returns the result of a call, and ends the test on an error.
func must[T any](t *testing.T) func(result T, err error) T {
	return func(result T, err error) T {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
		return result
	}
}

// wantCode ends the test unless err is an *Error with the status and code, and returns
// its details.
func wantCode(t *testing.T, err error, status int, code client.ErrorCode) client.ErrorDetails {
	t.Helper()
	var refused *client.Error
	if !errors.As(err, &refused) || refused.Status != status || refused.Code != code || refused.RequestID == "" {
		t.Fatalf("got %v, want %d %s with a request id", err, status, code)
	}
	return refused.Details
}

// receive starts a receiver, and returns the events that it gets.
func (s *shop) receive() <-chan *client.Event {
	s.Helper()
	events := make(chan *client.Event, 100)
	var handler http.Handler
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		handler.ServeHTTP(w, r)
	}))
	s.Cleanup(server.Close)
	endpoint := must[*client.WebhookEndpoint](s.T)(s.SetWebhookEndpoint(s.Context(),
		client.WebhookEndpointRequest{URL: server.URL}))
	if endpoint.Secret == "" || !endpoint.Enabled || endpoint.URL != server.URL || endpoint.CreatedAt.IsZero() {
		s.Errorf("got %+v, want an enabled endpoint with a secret", endpoint)
	}
	handler = client.Webhooks(endpoint.Secret, func(_ context.Context, event *client.Event) error {
		events <- event
		return nil
	})
	return events
}

// next returns the next event.
func next(t *testing.T, events <-chan *client.Event) *client.Event {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), repeatable.Hang)
	defer cancel()
	select {
	case event := <-events:
		return event
	case <-ctx.Done():
		t.Fatalf("no event arrived within %v", repeatable.Hang)
		return nil
	}
}

// orderWithItems returns an order with every optional field but the quote.
func orderWithItems(product int) client.OrderRequest {
	order := exampleOrder("EM-1")
	order.Reference, order.Instructions = "web <shop>", "Ring & wait"
	order.COD = &client.Money{AmountCents: 1500, Currency: client.CAD}
	order.Insurance = &client.Money{AmountCents: 3600, Currency: client.CAD}
	order.Metadata = json.RawMessage(`{"basket":{"id":88213},"note":"<é>"}`)
	order.Items = []client.Item{{ProductID: int64(product), Quantity: 2}}
	order.Parcels[0].Fragile, order.Parcels[0].Barcode = true, "0627735012345"
	return order
}

// TestOrderLife goes from a quote to the proof of a delivery.
func TestOrderLife(t *testing.T) {
	t.Parallel()
	s, ctx := openShop(t), t.Context()
	product := s.operator.Stock(t, s.partner.PartnerID, "Coffee", map[string]int{"MTL-01": 10})
	events := s.receive()

	order := orderWithItems(product)
	quote := must[*client.Quote](t)(s.CreateQuote(ctx, order.QuoteRequest()))
	order.QuoteID = quote.QuoteID
	valid := must[*client.Validation](t)(s.ValidateOrder(ctx, order))
	if !valid.Valid || valid.Status != 201 || valid.Error != nil || valid.RateCents != quote.RateCents ||
		valid.Currency != client.CAD {
		t.Errorf("got %+v, want a valid order for %d cents", valid, quote.RateCents)
	}
	created := must[*client.Order](t)(s.CreateOrder(ctx, order))
	checkRecord(t, created, order)
	if created.RateCents != quote.RateCents || created.Status != client.StatusPending ||
		created.Items[0].Name != "Coffee" {
		t.Errorf("got %+v, want a pending order of Coffee for %d cents", created, quote.RateCents)
	}
	s.checkViews(created)

	if s.operator.Move(t, created.OrderID, "accepted"); t.Failed() {
		return
	}
	s.operator.Move(t, created.OrderID, "courier_assigned").Must(t, 200)
	_, err := s.CancelOrder(ctx, created.OrderID, client.CancelRequest{})
	if details := wantCode(t, err, 409, client.CodeOrderNotCancellable); details.Status != client.StatusCourierAssigned {
		t.Errorf("got %+v, want the order's status", details)
	}
	s.operator.Move(t, created.OrderID, "picked_up").Must(t, 200)
	s.operator.Move(t, created.OrderID, "in_transit").Must(t, 200)
	s.operator.Move(t, created.OrderID, "failed")
	s.operator.Move(t, created.OrderID, "out_for_delivery").Must(t, 200)
	s.addSignature(created.OrderID)
	s.operator.Call(t, "POST", "/ops/v1/orders/"+created.OrderID+"/status", fmt.Appendf(nil,
		`{"status":"delivered","notes":"by test","collected":{"amount_cents":%d,"currency":"CAD","method":"cash"}}`,
		created.COD.AmountCents)).Must(t, 200)
	s.checkEvents(events, created)
}

// addSignature adds a picture as the recipient's signature.
func (s *shop) addSignature(orderID string) {
	s.Helper()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		s.Fatal(err)
	}
	s.operator.Do(s, "POST", "/ops/v1/orders/"+orderID+"/proofs?kind=signature", picture.Bytes(),
		"Authorization", "Bearer "+s.operator.Token, "Content-Type", "image/png").Must(s, 201)
}

// checkRecord compares an order with what was requested.
func checkRecord(t *testing.T, got *client.Order, want client.OrderRequest) {
	t.Helper()
	parcel, sent := got.Parcels[0], want.Parcels[0]
	for name, ok := range map[string]bool{
		"references": got.PartnerOrderID == want.PartnerOrderID && got.Reference == want.Reference,
		"level":      got.ServiceLevel == want.ServiceLevel,
		"pickup":     got.Pickup.Address == want.Pickup.Address && got.Pickup.Phone == want.Pickup.Phone,
		"dropoff":    got.Dropoff.Address == want.Dropoff.Address && got.Dropoff.Name == want.Dropoff.Name,
		"window":     got.Dropoff.TimeWindow.Start.Equal(want.Dropoff.TimeWindow.Start.Truncate(time.Millisecond)),
		"parcel": parcel.ParcelID == sent.ParcelID && parcel.WeightKG == sent.WeightKG &&
			parcel.Barcode == sent.Barcode && parcel.Fragile,
		"dimensions": parcel.Dimensions == client.Dimensions{
			LengthCM: sent.LengthCM, WidthCM: sent.WidthCM, HeightCM: sent.HeightCM,
		},
		"amounts":      *got.COD == *want.COD && *got.Insurance == *want.Insurance && parcel.ValueCents == sent.ValueCents,
		"instructions": got.Instructions == want.Instructions,
		"metadata":     string(got.Metadata) == string(want.Metadata),
		"items":        got.Items[0].ProductID == want.Items[0].ProductID && got.Items[0].Quantity == want.Items[0].Quantity,
		"history":      len(got.StatusHistory) == 1 && got.StatusHistory[0].Status == client.StatusPending,
		"courier":      got.Courier == nil && got.CancelledAt.IsZero(),
	} {
		if !ok {
			t.Errorf("%s: got %+v, want the order %+v", name, got, want)
		}
	}
}

// checkViews reads a new order in every other way.
func (s *shop) checkViews(order *client.Order) {
	s.Helper()
	ctx := s.Context()
	read := must[*client.Order](s.T)(s.GetOrder(ctx, order.OrderID))
	if fmt.Sprint(read.ListedOrder) != fmt.Sprint(order.ListedOrder) {
		s.Errorf("GetOrder: got %+v, want %+v", read, order)
	}
	page := must[*client.OrderList](s.T)(s.ListOrders(ctx, client.OrderQuery{
		Status: client.StatusPending, PartnerOrderID: "EM-1", CreatedFrom: order.CreatedAt,
		CreatedTo: order.CreatedAt.Add(time.Millisecond), Limit: 1,
	}))
	if page.Count != 1 || page.Limit != 1 || fmt.Sprint(page.Orders[0]) != fmt.Sprint(order.ListedOrder) ||
		page.NextCursor != "" {
		s.Errorf("ListOrders: got %+v, want %+v", page, order)
	}
	for format, prefix := range map[client.LabelFormat]string{
		"": "%PDF-", client.LabelPDF: "%PDF-", client.LabelZPL: "^XA",
	} {
		label := must[[]byte](s.T)(s.GetLabel(ctx, order.OrderID, format))
		if !bytes.HasPrefix(label, []byte(prefix)) {
			s.Errorf("GetLabel %q: got %.20q, want %q", format, label, prefix)
		}
	}
	labels := must[[]byte](s.T)(s.PrintLabels(ctx, client.LabelZPL, client.LabelsQuery{OrderIDs: []string{order.OrderID}}))
	if label := must[[]byte](s.T)(s.GetLabel(ctx, order.OrderID, client.LabelZPL)); !bytes.Equal(labels, label) {
		s.Errorf("PrintLabels of one order: got %.20q, want what GetLabel returns", labels)
	}
	tracking := must[*client.Tracking](s.T)(s.TrackOrder(ctx, order.OrderID))
	if tracking.Destination != (client.Place{City: "Toronto", Province: client.Ontario}) ||
		tracking.ParcelCount != 1 || tracking.Courier != nil || len(tracking.StatusHistory) != 1 {
		s.Errorf("TrackOrder: got %+v, want the public view of %+v", tracking, order)
	}
	for language, word := range map[client.Language]string{client.English: `lang="en"`, client.French: `lang="fr"`} {
		if text := must[[]byte](s.T)(s.TrackOrderPage(ctx, order.OrderID, language)); !strings.Contains(string(text), word) {
			s.Errorf("TrackOrderPage %s: got no %s in %s", language, word, text)
		}
	}
	s.checkStock(order)
}

// checkStock checks that the order has taken two of ten from stock.
func (s *shop) checkStock(order *client.Order) {
	s.Helper()
	ctx := s.Context()
	for product, err := range s.Products(ctx, client.ProductQuery{Search: "coffee"}) {
		if err != nil || product.Quantity != 8 || product.Price != 9.99 || product.Status != client.ProductActive ||
			!product.IsAvailable {
			s.Errorf("Products: got %+v, %v, want 8 of Coffee", product, err)
		}
	}
	var got []string
	for movement, err := range s.Movements(ctx, client.MovementQuery{ProductID: order.Items[0].ProductID, Limit: 1}) {
		if err != nil {
			s.Fatal(err)
		}
		got = append(got, fmt.Sprint(movement.Type, " ", movement.Quantity, " ", movement.Location))
	}
	if want := []string{"OUT 2 MTL-01", "IN 10 MTL-01"}; !slices.Equal(got, want) {
		s.Errorf("Movements: got %q, want %q", got, want)
	}
	_, err := s.CreateOrder(ctx, func() client.OrderRequest {
		short := orderWithItems(int(order.Items[0].ProductID))
		short.PartnerOrderID, short.Items[0].Quantity = "EM-2", 9
		return short
	}())
	details := wantCode(s.T, err, 422, client.CodeInsufficientStock)
	if want := []client.Shortage{
		{ProductID: order.Items[0].ProductID, Available: 8, Requested: 9},
	}; !slices.Equal(details.Items, want) {
		s.Errorf("got %+v, want %+v", details.Items, want)
	}
}

// checkEvents checks the events of an order that was delivered at the second attempt.
func (s *shop) checkEvents(events <-chan *client.Event, order *client.Order) {
	s.Helper()
	var kinds []client.EventType
	for i := range 7 {
		event := next(s.T, events)
		kinds = append(kinds, event.Type)
		if event.OrderID() != order.OrderID || event.Sequence != int64(i+1) || event.CreatedAt.IsZero() {
			s.Errorf("got event %+v, want number %d of %s", event, i+1, order.OrderID)
		}
		switch data := event.Data.(type) {
		case *client.CourierAssigned:
			if data.Courier.Name != "Camille Tremblay" || data.Courier.Phone != "+15145550177" {
				s.Errorf("got %+v, want Camille Tremblay", data)
			}
		case *client.OrderDelivered:
			picture := must[[]byte](s.T)(s.GetProof(s.Context(), data.SignatureURL))
			if kind := http.DetectContentType(picture); kind != "image/png" || data.DeliveredAt.IsZero() {
				s.Errorf("got %+v and a proof of type %s, want image/png", data, kind)
			}
		case *client.UnknownData:
			s.Errorf("got unknown data %s", data.Raw)
		}
	}
	want := []client.EventType{
		client.EventOrderAccepted, client.EventCourierAssigned, client.EventOrderPickedUp, client.EventOrderInTransit,
		client.EventOrderFailed, client.EventOrderOutForDelivery, client.EventOrderDelivered,
	}
	if !slices.Equal(kinds, want) {
		s.Errorf("got events %q, want %q", kinds, want)
	}
}

func TestAccount(t *testing.T) {
	t.Parallel()
	service, ctx := client.NewService(apptest.Start(t, onSystemClock).URL), t.Context()
	if health := must[*client.Health](t)(service.GetHealth(ctx)); health.Status != "ok" || health.Time.IsZero() {
		t.Errorf("got %+v, want ok", health)
	}
	if ready := must[*client.Ready](t)(service.GetReady(ctx)); ready.Status != "ready" {
		t.Errorf("got %+v, want ready", ready)
	}
	if document := must[[]byte](t)(service.GetOpenAPI(ctx)); !bytes.HasPrefix(document, []byte("openapi: 3")) {
		t.Errorf("got %.40q, want an OpenAPI document", document)
	}
	account := client.RegisterRequest{Name: "Métro", Email: "shop@example.com", Password: "seven maple trees"}
	partner := must[*client.Partner](t)(service.Register(ctx, account))
	_, err := service.Register(ctx, account)
	wantCode(t, err, 400, client.CodeEmailTaken)
	_, err = service.Login(ctx, client.LoginRequest{Email: account.Email, Password: "wrong"})
	wantCode(t, err, 401, client.CodeUnauthorized)

	session := must[*client.Session](t)(service.Login(ctx,
		client.LoginRequest{Email: account.Email, Password: account.Password}))
	if me := must[*client.Partner](t)(session.GetMe(ctx)); *me != session.Partner {
		t.Errorf("got %+v, want what the login returned: %+v", me, session.Partner)
	}
	owner := session.Partner.User
	if want := (client.User{
		UserID: owner.UserID, Email: account.Email, Name: account.Name, Role: client.RoleOwner, EmailConfirmed: true,
	}); owner != want || owner.UserID == "" {
		t.Errorf("got the user %+v, want %+v with an id", owner, want)
	}
	session.Partner.User = client.User{}
	if session.Partner != *partner {
		t.Errorf("got %+v, want %+v", session.Partner, partner)
	}
	checkKeys(t, session)
	must[*client.LoggedOut](t)(session.Logout(ctx))
	must[*client.LoggedOut](t)(session.Logout(ctx))
	_, err = session.GetMe(ctx)
	wantCode(t, err, 401, client.CodeUnauthorized)
}

func checkKeys(t *testing.T, session *client.Session) {
	t.Helper()
	ctx := t.Context()
	key := must[*client.APIKey](t)(session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: "till"}))
	listed := must[*client.APIKeyList](t)(session.ListAPIKeys(ctx))
	if listed.Count != 1 || listed.APIKeys[0].KeyID != key.KeyID || listed.APIKeys[0].SecretKey != "" ||
		!listed.APIKeys[0].LastUsedAt.IsZero() || key.Name != "till" {
		t.Errorf("got %+v, want %s without its secret", listed, key.KeyID)
	}
	c := client.New(session.BaseURL, key.PublicKey, key.SecretKey)
	must[*client.OrderList](t)(c.ListOrders(ctx, client.OrderQuery{}))
	_, err := client.New(session.BaseURL, key.PublicKey, "sk_other").ListOrders(ctx, client.OrderQuery{})
	if details := wantCode(t, err, 401, client.CodeUnauthorized); details.Reason != client.ReasonSignatureMismatch {
		t.Errorf("got %+v, want a signature mismatch", details)
	}
	if revoked := must[*client.RevokedAPIKey](t)(session.RevokeAPIKey(ctx, key.KeyID)); !revoked.Revoked ||
		revoked.KeyID != key.KeyID {
		t.Errorf("got %+v, want %s revoked", revoked, key.KeyID)
	}
	_, err = session.RevokeAPIKey(ctx, key.KeyID)
	wantCode(t, err, 404, client.CodeNotFound)
}

func TestWebhookEndpoint(t *testing.T) {
	t.Parallel()
	s, ctx := openShop(t), t.Context()
	_, err := s.GetWebhookEndpoint(ctx)
	wantCode(t, err, 404, client.CodeNotFound)
	_, err = s.TestWebhook(ctx)
	wantCode(t, err, 422, client.CodeWebhookNotConfigured)

	events := s.receive()
	endpoint := must[*client.WebhookEndpoint](t)(s.GetWebhookEndpoint(ctx))
	tested := must[*client.WebhookTest](t)(s.TestWebhook(ctx))
	event := next(t, events)
	if data, ok := event.Data.(*client.TestData); !tested.Delivered || tested.StatusCode != http.StatusOK ||
		event.ID != tested.EventID || !ok || data.Message == "" {
		t.Errorf("got %+v and %+v, want a test event", tested, event)
	}
	rotated := must[*client.WebhookEndpoint](t)(s.RotateWebhookSecret(ctx))
	if rotated.Secret == "" || rotated.SecretRotatesAt.IsZero() || endpoint.Secret != "" ||
		!endpoint.SecretRotatesAt.IsZero() {
		t.Errorf("got %+v after %+v, want a new secret", rotated, endpoint)
	}
	if tested := must[*client.WebhookTest](t)(s.TestWebhook(ctx)); tested.StatusCode != http.StatusOK {
		t.Errorf("during the rotation: got %+v, want 200", tested)
	}
	next(t, events)
	must[*client.WebhookEndpoint](t)(s.ActivateWebhookSecret(ctx))
	if tested := must[*client.WebhookTest](t)(s.TestWebhook(ctx)); tested.StatusCode != http.StatusUnauthorized {
		t.Errorf("after the rotation: got %+v, want 401 for the old secret", tested)
	}
	paused := must[*client.WebhookEndpoint](t)(s.SetWebhookEndpoint(ctx,
		client.WebhookEndpointRequest{URL: endpoint.URL, Enabled: new(false)}))
	if paused.Enabled || paused.Secret != "" {
		t.Errorf("got %+v, want a paused endpoint", paused)
	}
	s.checkEventLog()
	if deleted := must[*client.DeletedWebhookEndpoint](t)(s.DeleteWebhookEndpoint(ctx)); !deleted.Deleted {
		t.Errorf("got %+v, want it deleted", deleted)
	}
}

// checkEventLog reads the log of three events of an endpoint that is paused.
func (s *shop) checkEventLog() {
	s.Helper()
	ctx := s.Context()
	for i := range 3 {
		order := must[*client.Order](s.T)(s.CreateOrder(ctx, exampleOrder(fmt.Sprint("EM-", i))))
		cancelled := must[*client.Order](s.T)(s.CancelOrder(ctx, order.OrderID, client.CancelRequest{Reason: "a test"}))
		if cancelled.Status != client.StatusCancelled || cancelled.CancellationReason != "a test" ||
			cancelled.CancelledAt.IsZero() {
			s.Errorf("got %+v, want it cancelled", cancelled)
		}
	}
	seen := map[string]bool{}
	for record, err := range s.Events(ctx,
		client.EventQuery{Type: client.EventOrderCancelled, State: client.EventPending, Limit: 2}) {
		if err != nil {
			s.Fatal(err)
		}
		seen[record.EventID] = true
		detail := must[*client.EventDetail](s.T)(s.GetEvent(ctx, record.EventID))
		event := must[*client.Event](s.T)(client.ParseEvent([]byte(detail.Body)))
		if event.OrderID() != record.OrderID || !reflect.DeepEqual(detail.EventRecord, record) ||
			len(detail.AttemptLog) != 0 ||
			event.Data.(*client.OrderCancelled).CancelledBy != client.ByPartner {
			s.Errorf("got %+v and %+v, want the event %+v", detail, event, record)
		}
		again := must[*client.EventRecord](s.T)(s.RedeliverEvent(ctx, record.EventID))
		if again.State != client.EventPending {
			s.Errorf("got %+v, want it pending", again)
		}
	}
	if len(seen) != 3 {
		s.Errorf("got %d events, want 3", len(seen))
	}
	since := client.RedeliverRequest{Since: time.Now().Add(-time.Hour), State: client.EventPending}
	if all := must[*client.Redelivered](s.T)(s.RedeliverEvents(ctx, since)); all.Redelivered != 3 || all.NextCursor != "" {
		s.Errorf("got %+v, want 3", all)
	}
}
