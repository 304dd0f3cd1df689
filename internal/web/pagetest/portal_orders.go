package pagetest

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/web/page"
)

// wordy is the owner of a partner whose texts are as long as they may be.
const wordy = "wordy"

const (
	wordyOrder  = "wordy"
	testOrder   = "test"
	erasedOrder = "erased"
)

// orderScenes returns the scenes of the list of orders and of the page of an order.
func (h *house) orderScenes() (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes, Scene{
			Name: "portal-order" + name, URL: h.url + "/portal/orders" + path, Policy: page.Policy,
			Cookie: sessionCookie + "=" + h.cookies[who],
		})
	}
	add("s", owner, "")
	add("s-none", newcomer, "")
	add("s-failed", owner, "?status=failed")
	add("s-nothing", wordy, "?status=delivered")
	add("s-unknown", owner, "?q="+url.QueryEscape("<b>A-4711</b>"))
	add("s-test", wordy, "?mode=test")
	add("s-hostile", hostiles, "")
	add("s-wordy", wordy, "")
	for i, name := range []string{
		"delivered", "failed", "out-for-delivery", "cancelled", "in-transit", "picked-up", "assigned", "accepted", "received",
	} {
		order := []int{0, 2, 5, 6, 7, 8, 9, 10, 11}[i]
		add("-"+name, owner, "/"+h.orders[fmt.Sprintf("A-%d", 1031+order)])
	}
	add("-hostile", hostiles, "/"+h.orders[hostileText])
	add("-wordy", wordy, "/"+h.orders[wordyOrder])
	add("-test", wordy, "/"+h.orders[testOrder]+"?mode=test")
	add("-cancel", owner, "/"+h.orders["A-1041"]+"/cancel")
	add("-cancel-hostile", hostiles, "/"+h.orders[hostileText]+"/cancel")
	add("-edit", owner, "/"+h.orders["A-1041"]+"/edit")
	add("-edit-assigned", owner, "/"+h.orders["A-1040"]+"/edit")
	add("-edit-delivered", owner, "/"+h.orders["A-1031"]+"/edit")
	add("-edit-hostile", hostiles, "/"+h.orders[hostileText]+"/edit")
	add("-edit-wordy", wordy, "/"+h.orders[wordyOrder]+"/edit")
	add("-unknown", owner, "/"+h.orders[wordyOrder])
	return scenes
}

// addOrders adds proofs to an order, a partner with long texts, and an order in test
// mode.
func (h *house) addOrders(ctx context.Context) error {
	for _, kind := range []client.ProofKind{client.ProofPhoto, client.ProofSignature} {
		if _, err := h.desk.AddProof(ctx, h.orders["A-1031"], client.ProofRequest{Kind: kind}, drawing(kind)); err != nil {
			return err
		}
	}
	if _, err := h.desk.EditOrder(ctx, h.orders["A-1041"], "By phone: the bell is broken",
		client.OrderEdit{"dropoff": map[string]any{"phone": "+15145550123", "address": map[string]any{"notes": "Knock"}}},
		0); err != nil {
		return err
	}
	long := func(text string, letters int) string { return strings.Repeat(text, letters/len(text)) }
	signing, _, err := h.register(ctx, wordy, long("Compagnie ", 250), "long@wordy.example")
	if err != nil {
		return err
	}
	created, err := signing.CreateOrder(ctx, wordyRequest(h.clock.Now(), long))
	if err != nil {
		return err
	}
	h.orders[wordyOrder] = created.OrderID
	return h.addTestOrder(ctx)
}

// wordyRequest returns an order with everything that an order may have, in long texts.
func wordyRequest(now time.Time, long func(string, int) string) client.OrderRequest {
	request := orderTo(long("NUMBER-", 250), 2, now)
	request.Dropoff.TimeWindow = client.TimeWindow{Start: now.Add(-10 * time.Hour), End: now.Add(-8 * time.Hour)}
	request.Instructions, request.Reference = long("Sonner deux fois puis attendre. ", 900), long("R", 100)
	request.COD = &client.Money{AmountCents: 1250000, Currency: "CAD"}
	request.Insurance = &client.Money{AmountCents: 98765432, Currency: "USD"}
	for _, contact := range []*client.Contact{&request.Pickup, &request.Dropoff} {
		contact.Name, contact.Address.Line1, contact.Address.Line2 = long("Anne-Marie de la ",
			250), long("Chemin", 250), long("Bâtiment ", 250)
		contact.Address.City, contact.Address.Notes = long("Saint-Louis-du-", 250), long("Porte de derrière. ", 900)
		contact.Email = long("abcdefgh.", 54) + "z@" + long("example.", 160) + "org"
	}
	for i := range 20 {
		parcel := request.Parcels[1]
		parcel.ParcelID, parcel.Description = fmt.Sprint(long("P", 100), i), long("Description d’un colis. ", 900)
		request.Parcels = append(request.Parcels, parcel)
	}
	return request
}

// addTestOrder adds an order in test mode.
func (h *house) addTestOrder(ctx context.Context) error {
	session, err := h.signIn(ctx, wordy)
	if err != nil {
		return err
	}
	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: "test", Mode: client.ModeTest})
	if err != nil {
		return err
	}
	signing := client.New(h.url, key.PublicKey, key.SecretKey)
	signing.HTTP = &http.Client{Transport: resigner{h.clock, []byte(key.SecretKey)}}
	created, err := signing.CreateOrder(ctx, orderTo("T-1", 3, h.clock.Now()))
	if err != nil {
		return err
	}
	h.orders[testOrder] = created.OrderID
	return h.addErasedOrder(ctx, signing)
}

// addErasedOrder adds an order in test mode whose personal data was erased.
func (h *house) addErasedOrder(ctx context.Context, signing *client.Client) error {
	request := orderTo("T-0", 3, h.clock.Now())
	request.Dropoff.Email = "erase@wordy.example"
	created, err := signing.CreateOrder(ctx, request)
	if err != nil {
		return err
	}
	h.orders[erasedOrder] = created.OrderID
	account, _ := delivery.PartnerOfOrder(created.OrderID)
	_, err = h.desk.ErasePartnerOrders(ctx, delivery.LiveAccount(account),
		client.ErasureRequest{Recipient: request.Dropoff.Email, Force: true})
	return err
}

// labelScenes returns the scenes of labels that are not in a file.
func (h *house) labelScenes() []Scene {
	query := url.Values{"mode": {"test"}, "order_id": {h.orders[testOrder], h.orders[erasedOrder]}}
	return []Scene{{
		Name: "portal-labels-left-out", URL: h.url + "/portal/orders/labels?" + query.Encode(), Policy: page.Policy,
		Cookie: sessionCookie + "=" + h.cookies[wordy],
	}}
}

// drawing returns a picture that differs by the kind of a proof.
func drawing(kind client.ProofKind) []byte {
	shade := uint8(len(kind)) * 20
	picture := image.NewGray(image.Rect(0, 0, 320, 240))
	for i := range 240 {
		picture.SetGray(i, i, color.Gray{Y: 255})
		picture.SetGray(i, 239-i, color.Gray{Y: shade})
	}
	var file bytes.Buffer
	_ = png.Encode(&file, picture) // a buffer takes everything
	return file.Bytes()
}
