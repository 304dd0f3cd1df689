package client_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/png"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
)

// desk is a service with its first operator, who is an admin, and one partner.
type desk struct {
	*testing.T
	*client.Operator
	shop      *client.Client
	partnerID string
}

func openDesk(t *testing.T) *desk {
	t.Helper()
	service := apptest.Start(t, onSystemClock)
	token := must[*client.Token](t)(client.NewService(service.URL).CreateToken(t.Context(), client.TokenRequest{
		Email: apptest.OperatorEmail, Password: apptest.OperatorPassword, Name: "desk",
	}))
	if token.Role != client.OperatorAdmin || !token.ExpiresAt.After(time.Now()) {
		t.Errorf("got %+v, want the token of an admin", token)
	}
	partner := service.Register(t, "metro")
	return &desk{T: t, Operator: client.NewOperator(service.URL, token.Token), partnerID: partner.PartnerID,
		shop: client.New(service.URL, partner.PublicKey, partner.SecretKey)}
}

// all returns the elements of an iterator, and ends the test on an error.
func all[T any](t *testing.T, elements func(yield func(T, error) bool)) (list []T) {
	t.Helper()
	for element, err := range elements {
		if err != nil {
			t.Fatal(err)
		}
		list = append(list, element)
	}
	return list
}

func TestOperatorAccounts(t *testing.T) {
	t.Parallel()
	d, ctx := openDesk(t), t.Context()
	if document := must[[]byte](t)(d.GetOps(ctx)); !bytes.HasPrefix(document, []byte("openapi: 3")) {
		t.Errorf("got %.40q, want an OpenAPI document", document)
	}
	_, err := d.CreateToken(ctx, client.TokenRequest{Email: apptest.OperatorEmail, Password: "wrong"})
	wantCode(t, err, 401, client.CodeUnauthorized)
	me := must[*client.OperatorAccount](t)(d.GetOperator(ctx))
	if me.Email != apptest.OperatorEmail || me.Role != client.OperatorAdmin || !me.Active || me.CourierID != "" ||
		me.CreatedAt.IsZero() {
		t.Errorf("got %+v, want the admin", me)
	}
	night := client.OperatorRequest{
		Email: "night@example.com", Password: "lune-sur-les-quais-88", Role: client.OperatorDispatcher,
	}
	created := must[*client.OperatorAccount](t)(d.CreateOperator(ctx, night))
	_, err = d.CreateOperator(ctx, night)
	wantCode(t, err, 400, client.CodeEmailTaken)
	if got := all(t, d.Operators(ctx, client.PageQuery{Limit: 1})); len(got) != 2 {
		t.Errorf("got %+v, want two operators", got)
	}
	d.checkSession(night)
	d.checkTokens(night, created)
	changed := must[*client.OperatorAccount](t)(d.ChangeOperator(ctx, created.OperatorID,
		client.OperatorChange{Active: new(false)}))
	if changed.Active || changed.Role != client.OperatorDispatcher {
		t.Errorf("got %+v, want an inactive dispatcher", changed)
	}
	d.checkAudit(created.OperatorID)
}

func (d *desk) checkSession(credentials client.OperatorRequest) {
	d.Helper()
	ctx := d.Context()
	session := must[*client.Operator](d.T)(d.LoginOperator(ctx,
		client.LoginRequest{Email: credentials.Email, Password: credentials.Password}))
	if me := must[*client.OperatorAccount](d.T)(session.GetOperator(ctx)); *me != session.Account ||
		me.Role != credentials.Role {
		d.Errorf("got %+v, want %+v", me, session.Account)
	}
	_, err := session.ListOperators(ctx, client.PageQuery{})
	wantCode(d.T, err, 403, client.CodeForbidden)
	must[*client.LoggedOut](d.T)(session.Logout(ctx))
	must[*client.LoggedOut](d.T)(session.Logout(ctx))
	_, err = session.GetOperator(ctx)
	wantCode(d.T, err, 401, client.CodeUnauthorized)
}

func (d *desk) checkTokens(credentials client.OperatorRequest, account *client.OperatorAccount) {
	d.Helper()
	ctx := d.Context()
	token := must[*client.Token](d.T)(d.CreateToken(ctx,
		client.TokenRequest{Email: credentials.Email, Password: credentials.Password}))
	listed := all(d.T, d.Tokens(ctx, client.TokenQuery{OperatorID: account.OperatorID}))
	if len(listed) != 1 || listed[0].TokenID != token.TokenID || listed[0].OperatorID != account.OperatorID {
		d.Errorf("got %+v, want the token %s", listed, token.TokenID)
	}
	if revoked := must[*client.RevokedToken](d.T)(d.RevokeToken(ctx, token.TokenID)); !revoked.Revoked ||
		revoked.TokenID != token.TokenID {
		d.Errorf("got %+v, want %s revoked", revoked, token.TokenID)
	}
	_, err := client.NewOperator(d.BaseURL, token.Token).GetOperator(ctx)
	wantCode(d.T, err, 401, client.CodeUnauthorized)
}

func (d *desk) checkAudit(operatorID string) {
	d.Helper()
	entries := all(d.T, d.Audit(d.Context(),
		client.AuditQuery{ObjectID: operatorID, From: time.Now().Add(-time.Hour), To: time.Now().Add(time.Hour), Limit: 1}))
	changes := map[client.AuditAction]client.AuditEntry{}
	for _, entry := range entries {
		changes[entry.Action] = entry
	}
	changed := changes[client.ActionOperatorChanged]
	if len(entries) != 4 || changes[client.ActionOperatorCreated].AuditID == "" ||
		changes[client.ActionSessionEnded].RequestID == "" || changed.OperatorID == operatorID {
		d.Fatalf("got %+v, want the creation, a session and the change by an admin", entries)
	}
	var before, after struct {
		Active bool `json:"active"`
	}
	if json.Unmarshal(changed.Before, &before) != nil || json.Unmarshal(changed.After, &after) != nil ||
		!before.Active || after.Active {
		d.Errorf("got %+v, want active before and not after", changed)
	}
}

func TestOperatorPartners(t *testing.T) {
	t.Parallel()
	d, ctx := openDesk(t), t.Context()
	if found := all(t, d.Partners(ctx, client.PartnerQuery{Search: "METRO", Limit: 1})); len(found) != 1 ||
		found[0].PartnerID != d.partnerID {
		t.Errorf("got %+v, want %s", found, d.partnerID)
	}
	if pending := all(t, d.Partners(ctx, client.PartnerQuery{Pending: true})); len(pending) != 0 {
		t.Errorf("got %+v, want no partner that awaits approval", pending)
	}
	limited := must[*client.PartnerOverview](t)(d.ChangePartner(ctx, d.partnerID, client.PartnerChange{
		RateLimit: client.Set[int64](600), OrdersPerDay: client.Set[int64](0), RateCard: client.Set("default"),
	}))
	if limited.RateLimit != 600 || limited.OrdersPerDay == nil || *limited.OrdersPerDay != 0 ||
		limited.StoredBytes != nil || limited.APIKeys.Active != 1 {
		t.Errorf("got %+v, want 600 requests a minute, no limit of orders, and one key", limited)
	}
	reset := must[*client.PartnerOverview](t)(d.ChangePartner(ctx, d.partnerID,
		client.PartnerChange{RateLimit: client.Reset[int64]()}))
	if reset.RateLimit != 0 || reset.OrdersPerDay == nil {
		t.Errorf("got %+v, want the default of requests, and no limit of orders", reset)
	}
	if limited.Established {
		t.Errorf("got %+v, want a new account", limited)
	}
	established := must[*client.PartnerOverview](t)(d.ChangePartner(ctx, d.partnerID,
		client.PartnerChange{Established: new(true)}))
	if !established.Established {
		t.Errorf("got %+v, want an established account", established)
	}
	suspended := must[*client.PartnerOverview](t)(d.ChangePartner(ctx, d.partnerID,
		client.PartnerChange{Suspended: new(true), SuspendedReason: "unpaid"}))
	if !suspended.Suspended || suspended.SuspendedReason != "unpaid" || suspended.SuspendedAt.IsZero() {
		t.Errorf("got %+v, want a suspended partner", suspended)
	}
	_, err := d.shop.ListOrders(ctx, client.OrderQuery{})
	wantCode(t, err, 403, client.CodeForbidden)
	must[*client.PartnerOverview](t)(d.ChangePartner(ctx, d.partnerID, client.PartnerChange{Suspended: new(false)}))
	if approved := must[*client.PartnerOverview](t)(d.ApprovePartner(ctx, d.partnerID)); approved.Suspended ||
		!approved.PendingSince.IsZero() {
		t.Errorf("got %+v, want an approved partner", approved)
	}
	d.checkDispatchSettings()
}

func (d *desk) checkDispatchSettings() {
	d.Helper()
	ctx := d.Context()
	set := must[*client.DispatchSettings](d.T)(d.PutDispatchSettings(ctx, d.partnerID,
		client.DispatchSettingsRequest{AutoAccept: true}))
	read := must[*client.DispatchSettings](d.T)(d.GetDispatchSettings(ctx, d.partnerID))
	if *set != *read || !read.AutoAccept || read.PartnerID != d.partnerID {
		d.Errorf("got %+v and %+v, want automatic acceptance", set, read)
	}
}

func TestOperatorRateCards(t *testing.T) {
	t.Parallel()
	d, ctx := openDesk(t), t.Context()
	builtIn := must[*client.WholeRateCard](t)(d.GetRateCard(ctx, "crd_builtin"))
	if builtIn.State != client.RateCardInForce || !builtIn.CreatedAt.IsZero() ||
		builtIn.Card.Levels[client.LevelExpress].Zones[client.ZoneLocal] == nil {
		t.Fatalf("got %+v, want the built-in card in force", builtIn)
	}
	card := builtIn.Card
	card.Version, card.EffectiveFrom, card.ParcelCents = "summer-1", time.Time{}, card.ParcelCents+100
	card.AttemptCents, card.LateCancellationCents = 300, 400
	upload := client.RateCardRequest{Name: "summer", Card: card}
	if valid := must[*client.ValidRateCard](t)(d.ValidateRateCard(ctx, upload)); !valid.Valid ||
		valid.Version != card.Version {
		t.Errorf("got %+v, want a valid card", valid)
	}
	quote := exampleOrder("").QuoteRequest()
	preview := must[*client.Preview](t)(d.PreviewRateCard(ctx,
		client.PreviewRequest{Card: &card, Quote: &quote, PartnerID: d.partnerID}))
	if preview.Proposed.RateCents <= preview.Current.RateCents || preview.OrderedRateCents != nil ||
		preview.Proposed.Charges[0].Name != client.ChargeBase {
		t.Errorf("got %+v and %+v, want a higher price", preview.Current, preview.Proposed)
	}
	created := must[*client.RateCard](t)(d.CreateRateCard(ctx, upload))
	if stored := must[*client.WholeRateCard](t)(d.GetRateCard(ctx, created.CardID)).Card; stored.AttemptCents != 300 ||
		stored.ReturnCents != 0 || stored.LateCancellationCents != 400 {
		t.Errorf("got %+v, want the extra charges that were sent", stored)
	}
	_, err := d.CreateRateCard(ctx, upload)
	wantCode(t, err, 409, client.CodeConflict)
	if listed := all(t, d.RateCards(ctx, client.RateCardQuery{Limit: 1})); len(listed) != 2 || listed[1] != *created {
		t.Errorf("got %+v, want the built-in card and %+v", listed, created)
	}
	card.Levels = nil
	_, err = d.ValidateRateCard(ctx, client.RateCardRequest{Name: "summer", Card: card})
	if details := wantCode(t, err, 422, client.CodeValidationError); !strings.HasPrefix(details.Field, "card.levels") {
		t.Errorf("got %+v, want a fault of the levels", details)
	}
}

func TestOperatorStock(t *testing.T) {
	t.Parallel()
	d, ctx := openDesk(t), t.Context()
	product := must[*client.Product](t)(d.CreateProduct(ctx, d.partnerID,
		client.ProductRequest{Name: "Coffee", Price: 9.5, StockMin: 5, StockMax: 50}))
	changed := must[*client.Product](t)(d.ChangeProduct(ctx, d.partnerID, product.ProductID,
		client.ProductChange{Price: new(10.25), Barcode: new("0627")}))
	if changed.Price != 10.25 || changed.Barcode != "0627" || changed.Name != "Coffee" ||
		changed.Status != client.ProductActive {
		t.Errorf("got %+v, want Coffee for 10.25", changed)
	}
	if low := all(t, d.LowStock(ctx, client.PageQuery{Limit: 1})); len(low) != 1 || low[0].PartnerID != d.partnerID ||
		low[0].Product != *changed {
		t.Errorf("got %+v, want %+v", low, changed)
	}
	restock := client.MovementRequest{
		Type: client.MovementIn, ProductID: product.ProductID, Quantity: 40, Location: "MTL-01", Notes: "5512",
	}
	key, answer := client.NewIdempotencyKey(), client.Answer{}
	first := must[*client.BookedMovements](t)(d.CreateMovement(ctx, d.partnerID, restock, client.WithIdempotencyKey(key)))
	again := must[*client.BookedMovements](t)(d.CreateMovement(ctx, d.partnerID, restock, client.WithIdempotencyKey(key),
		client.WithAnswer(&answer)))
	if !answer.Replayed() || len(first.Movements) != 1 || again.Movements[0] != first.Movements[0] {
		t.Errorf("got %+v and %+v, want one movement, and the same again", first, again)
	}
	_, err := d.CreateMovement(ctx, d.partnerID,
		client.MovementRequest{Type: client.MovementOut, ProductID: product.ProductID, Quantity: 41, Location: "MTL-01"})
	if details := wantCode(t, err, 422, client.CodeInsufficientStock); details.Items[0].Available != 40 {
		t.Errorf("got %+v, want 40 available", details)
	}
	must[*client.BookedMovements](t)(d.CreateMovement(ctx, d.partnerID, client.MovementRequest{
		Type: client.MovementTransfer, ProductID: product.ProductID, Quantity: 5, Location: "MTL-01", ToLocation: "TOR-02",
	}))
	d.checkCount(product.ProductID)
	levels := must[*client.ProductWithLevels](t)(d.GetProduct(ctx, d.partnerID, product.ProductID))
	if want := []client.StockLevel{
		{Location: "MTL-01", Quantity: 33}, {Location: "TOR-02", Quantity: 5},
	}; !slices.Equal(levels.Levels, want) || levels.Quantity != 38 {
		t.Errorf("got %+v, want %+v", levels, want)
	}
	d.checkJournal(product.ProductID)
	d.checkFiles()
}

// checkCount counts 33 of the product where 35 are booked.
func (d *desk) checkCount(productID int64) {
	d.Helper()
	count := must[*client.StockCount](d.T)(d.CreateCount(d.Context(), d.partnerID, client.CountRequest{
		Location: "MTL-01", Lines: []client.CountedAmount{{ProductID: productID, Counted: 33}, {ProductID: 99, Counted: 1}},
	}))
	if count.Booked != 1 || count.Refused != 1 || count.Lines[0].Before != 35 || count.Lines[0].After != 33 ||
		count.Lines[0].Error != nil {
		d.Errorf("got %+v, want 33 instead of 35, and a refusal", count)
	}
	if line := count.Lines[1]; line.Error == nil || line.Error.Code != client.CodeValidationError || line.MovementID != 0 {
		d.Errorf("got %+v, want an unknown product", line)
	}
}

func (d *desk) checkJournal(productID int64) {
	d.Helper()
	ctx := d.Context()
	var got []string
	for _, entry := range all(d.T, d.Journal(ctx, d.partnerID, client.JournalQuery{ProductID: productID, Limit: 2})) {
		got = append(got, fmt.Sprint(entry.Type, entry.Quantity))
	}
	if want := []string{"ADJUSTMENT-2", "TRANSFER5", "TRANSFER-5", "IN40"}; !slices.Equal(got, want) {
		d.Errorf("got %q, want %q", got, want)
	}
	in := all(d.T, d.Journal(ctx, d.partnerID,
		client.JournalQuery{Type: client.MovementIn, Location: "MTL-01", From: time.Now().Add(-time.Hour)}))
	if len(in) != 1 || in[0].Notes != "5512" || in[0].OrderID != "" {
		d.Errorf("got %+v, want the restock", in)
	}
}

// checkFiles imports two products, of which one exists, and exports both.
func (d *desk) checkFiles() {
	d.Helper()
	ctx := d.Context()
	imported := must[*client.Imported](d.T)(d.ImportProducts(ctx, d.partnerID,
		[]byte("name,price,barcode,opening_quantity,opening_location\nSugar,4.5,0628,12,MTL-01\nCoffee,11,0627,,\n")))
	if *imported != (client.Imported{Created: 1, Changed: 1, Movements: 1}) {
		d.Errorf("got %+v, want a new product, a change and a movement", imported)
	}
	_, err := d.ImportProducts(ctx, d.partnerID, []byte("name,price\nSugar,much\n"))
	if details := wantCode(d.T, err, 422, client.CodeValidationError); details.Field != "lines[2].price" {
		d.Errorf("got %+v, want a fault of lines[2].price", details)
	}
	if file := must[[]byte](d.T)(d.ExportProducts(ctx, d.partnerID, client.ForSpreadsheet(true))); !bytes.HasPrefix(file,
		[]byte("\ufeffproduct_id;")) || !bytes.Contains(file, []byte("Sugar;4,50")) {
		d.Errorf("got %s, want a file for spreadsheets with semicolons", file)
	}
	if file := must[[]byte](d.T)(d.ExportProducts(ctx, d.partnerID)); bytes.Count(file, []byte("\n")) != 3 ||
		!bytes.Contains(file, []byte("Sugar,4.50")) {
		d.Errorf("got %q, want two products", file)
	}
	cheap := all(d.T,
		d.Catalogue(ctx, d.partnerID, client.CatalogueQuery{Search: "sug", Status: client.ProductActive, Limit: 1}))
	if len(cheap) != 1 || cheap[0].Name != "Sugar" || cheap[0].Quantity != 12 {
		d.Errorf("got %+v, want 12 of Sugar", cheap)
	}
}

// TestOperatorDispatch goes from a new order to its delivery.
func TestOperatorDispatch(t *testing.T) {
	t.Parallel()
	d, ctx := openDesk(t), t.Context()
	request := exampleOrder("EM-1")
	request.Parcels[0].Barcode = "0627735067890"
	order := must[*client.Order](t)(d.shop.CreateOrder(ctx, request))
	courier := d.hire()
	d.checkBoard(order)

	accepted := must[*client.Order](t)(d.ChangeOrderStatus(ctx, order.OrderID, client.StatusMoveRequest{
		StatusMove: client.StatusMove{Status: client.StatusAccepted, Notes: "by phone"}, Version: 1,
	}))
	if accepted.Status != client.StatusAccepted || accepted.StatusHistory[1].Notes != "by phone" {
		t.Errorf("got %+v, want an accepted order", accepted)
	}
	_, err := d.ChangeOrderStatus(ctx, order.OrderID,
		client.StatusMoveRequest{StatusMove: client.StatusMove{Status: client.StatusCancelled}, Version: 1})
	if details := wantCode(t, err, 409, client.CodeInvalidTransition); details.Version != 2 ||
		details.ChangedBy.Email != apptest.OperatorEmail {
		t.Errorf("got %+v, want version 2 by %s", details, apptest.OperatorEmail)
	}
	moved := must[*client.StatusResults](t)(d.ChangeOrderStatuses(ctx, client.StatusMovesRequest{
		OrderIDs: []string{order.OrderID, "ord_1"}, StatusMove: client.StatusMove{
			Status: client.StatusCourierAssigned, CourierID: courier.CourierID,
		},
	}))
	if moved.Results[0].Status != client.StatusCourierAssigned || !moved.Results[0].OK ||
		moved.Results[1].Error.Code != client.CodeNotFound {
		t.Errorf("got %+v, want one order moved and one not found", moved.Results)
	}
	d.move(order.OrderID, client.StatusPickedUp)
	d.checkJobs(order, courier)
	d.checkMessages(courier)
	d.checkSequence(order, courier)
	d.move(order.OrderID, client.StatusOutForDelivery)
	proof := d.prove(order.OrderID)
	d.move(order.OrderID, client.StatusDelivered)
	d.checkRecord(order, proof)
}

// hire adds a courier and changes the vehicle.
func (d *desk) hire() *client.CourierRecord {
	d.Helper()
	ctx := d.Context()
	hired := must[*client.CourierRecord](d.T)(d.CreateCourier(ctx,
		client.CourierRequest{Name: "Amélie Tremblay", Phone: "+15145550188", Vehicle: "van"}))
	must[*client.CourierRecord](d.T)(d.ChangeCourier(ctx, hired.CourierID, client.CourierChange{Vehicle: "bike"}))
	courier := must[*client.CourierRecord](d.T)(d.GetCourier(ctx, hired.CourierID))
	if courier.Vehicle != "bike" || courier.Name != hired.Name || !courier.Active {
		d.Errorf("got %+v, want an active courier with a bike", courier)
	}
	if listed := all(d.T, d.Couriers(ctx, client.PageQuery{Limit: 1})); len(listed) != 1 || listed[0] != *courier {
		d.Errorf("got %+v, want %+v", listed, courier)
	}
	return courier
}

// checkBoard finds a pending order by the number on its label, among others.
func (d *desk) checkBoard(order *client.Order) {
	d.Helper()
	ctx := d.Context()
	must[*client.Order](d.T)(d.shop.CreateOrder(ctx, exampleOrder("EM-2")))
	number := strings.ToUpper(order.OrderID[len(order.OrderID)-6:])
	found := all(d.T, d.Board(ctx, client.BoardQuery{
		Search: number, Statuses: []client.OrderStatus{
			client.StatusPending, client.StatusFailed,
		}, CourierID: client.NoCourier, ServiceLevel: client.LevelExpress, Limit: 1,
	}))
	if len(found) != 1 || found[0].OrderID != order.OrderID || found[0].Courier != nil || found[0].Version != 1 ||
		found[0].City != "Toronto" {
		d.Errorf("got %+v, want %s", found, order.OrderID)
	}
	if urgent := all(d.T, d.Board(ctx, client.BoardQuery{
		Attention: []client.AttentionReason{client.AttentionAny}, Sort: client.SortWindow,
	})); len(urgent) != 0 {
		d.Errorf("got %+v, want no order that needs attention", urgent)
	}
	counts := must[*client.Attention](d.T)(d.GetAttention(ctx))
	if counts.Open != 2 || counts.Statuses[client.StatusPending] != 2 || counts.Attention != 0 ||
		len(counts.Reasons) != 8 {
		d.Errorf("got %+v, want two pending orders", counts)
	}
}

func (d *desk) move(orderID string, status client.OrderStatus) {
	d.Helper()
	must[*client.Order](d.T)(d.ChangeOrderStatus(d.Context(), orderID,
		client.StatusMoveRequest{StatusMove: client.StatusMove{Status: status}}))
}

func (d *desk) checkSequence(order *client.Order, courier *client.CourierRecord) {
	d.Helper()
	ctx := d.Context()
	proposal := must[*client.SequenceProposal](d.T)(d.ProposeSequence(ctx, courier.CourierID))
	if len(proposal.Stops) != 1 || proposal.Stops[0].OrderID != order.OrderID || proposal.Stops[0].Arrival.IsZero() {
		d.Fatalf("got %+v, want the stop of %s", proposal, order.OrderID)
	}
	set := must[*client.Sequence](d.T)(d.PutSequence(ctx, courier.CourierID,
		client.SequenceRequest{OrderIDs: proposal.OrderIDs}))
	read := must[*client.Sequence](d.T)(d.GetSequence(ctx, courier.CourierID))
	if set.Version != 1 || !slices.Equal(set.OrderIDs, proposal.OrderIDs) || read.Version != 1 ||
		!slices.Equal(read.OrderIDs, proposal.OrderIDs) {
		d.Errorf("got %+v, then %+v, want %v", set, read, proposal.OrderIDs)
	}
	_, err := d.PutSequence(ctx, courier.CourierID, client.SequenceRequest{OrderIDs: proposal.OrderIDs})
	wantCode(d.T, err, 409, client.CodeConflict)
}

// checkMessages sends a courier a message, which only the courier could confirm, and sets the number of the desk.
func (d *desk) checkMessages(courier *client.CourierRecord) {
	d.Helper()
	ctx := d.Context()
	sent := must[*client.CourierMessage](d.T)(d.CreateCourierMessage(ctx, courier.CourierID,
		client.CourierMessageRequest{Text: "Call Camille."}))
	listed := must[*client.CourierMessageList](d.T)(d.ListCourierMessages(ctx, courier.CourierID, client.PageQuery{}))
	if len(listed.Messages) != 1 || listed.Messages[0] != *sent || !sent.ReadAt.IsZero() || sent.By.Email == "" {
		d.Errorf("got %+v, want the message %+v", listed, sent)
	}
	_, err := d.ConfirmCourierMessage(ctx, courier.CourierID, sent.MessageID, client.CourierMessageRead{})
	wantCode(d.T, err, 403, client.CodeForbidden)
	set := must[*client.ServiceSettings](d.T)(d.ChangeServiceSettings(ctx,
		client.ServiceSettingsChange{DispatchPhone: client.Set("+15145550100")}))
	read := must[*client.ServiceSettings](d.T)(d.GetServiceSettings(ctx))
	if *set != *read || read.DispatchPhone != "+15145550100" {
		d.Errorf("got %+v, then %+v, want the number", set, read)
	}
	round := must[*client.JobList](d.T)(d.ListJobs(ctx, client.JobQuery{CourierID: courier.CourierID}))
	if len(round.Messages) != 1 || round.Messages[0].MessageID != sent.MessageID ||
		round.DispatchPhone != read.DispatchPhone {
		d.Errorf("got %+v, want the message and the number", round)
	}
}

func (d *desk) checkJobs(order *client.Order, courier *client.CourierRecord) {
	d.Helper()
	ctx := d.Context()
	jobs := must[*client.JobList](d.T)(d.ListJobs(ctx,
		client.JobQuery{CourierID: courier.CourierID, Since: time.Now().Add(-time.Hour)}))
	if len(jobs.Jobs) != 1 || jobs.More || jobs.Delivered.Count != 0 {
		d.Fatalf("got %+v, want one job", jobs)
	}
	job := jobs.Jobs[0]
	if job.OrderID != order.OrderID || job.Stop.Kind != client.StopDropoff ||
		job.Stop.Address != order.Dropoff.Address || !slices.Contains(job.Actions, client.StatusOutForDelivery) {
		d.Errorf("got %+v, want the dropoff of %s", job, order.OrderID)
	}
	matches := must[*client.MatchList](d.T)(d.ScanLabel(ctx, job.Parcels[0].Label)).Matches
	if len(matches) != 1 || matches[0].Place != 1 || matches[0].Order.OrderID != order.OrderID {
		d.Errorf("got %+v, want the parcel of %s", matches, order.OrderID)
	}
	_, err := d.ScanLabel(ctx, "on no label")
	wantCode(d.T, err, 404, client.CodeNotFound)
}

// prove adds a signature, twice.
func (d *desk) prove(orderID string) *client.Proof {
	d.Helper()
	ctx := d.Context()
	var picture bytes.Buffer
	if err := png.Encode(&picture, image.NewGray(image.Rect(0, 0, 40, 20))); err != nil {
		d.Fatal(err)
	}
	proof := must[*client.Proof](d.T)(d.AddProof(ctx, orderID, client.ProofRequest{Kind: client.ProofSignature},
		picture.Bytes()))
	if again := must[*client.Proof](d.T)(d.AddProof(ctx, orderID, client.ProofRequest{Kind: client.ProofSignature},
		picture.Bytes())); *again != *proof {
		d.Errorf("got %+v, want %+v again", again, proof)
	}
	_, err := d.AddProof(ctx, orderID, client.ProofRequest{Kind: client.ProofPhoto}, []byte("no picture"))
	wantCode(d.T, err, 415, client.CodeUnsupportedMediaType)
	return proof
}

func (d *desk) checkRecord(order *client.Order, proof *client.Proof) {
	d.Helper()
	ctx := d.Context()
	note := must[*client.Note](d.T)(d.AddOrderNote(ctx, order.OrderID, client.NoteRequest{Text: "The back door is open."}))
	record := must[*client.OrderRecord](d.T)(d.GetOrderRecord(ctx, order.OrderID))
	if record.Status != client.StatusDelivered || record.Order.Courier.Name != record.Courier.Name ||
		record.Order.PartnerOrderID != "EM-1" {
		d.Errorf("got %+v, want the delivered order", record)
	}
	if len(record.Notes) != 1 || record.Notes[0] != *note || len(record.Proofs) != 1 || record.Proofs[0] != *proof {
		d.Errorf("got %+v and %+v, want the note and the proof", record.Notes, record.Proofs)
	}
	ended := all(d.T,
		d.Board(ctx, client.BoardQuery{Statuses: []client.OrderStatus{client.StatusDelivered}, PartnerID: d.partnerID}))
	if len(ended) != 1 || ended[0].OrderID != order.OrderID {
		d.Errorf("got %+v, want %s", ended, order.OrderID)
	}
}
