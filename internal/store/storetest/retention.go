package storetest

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/webhook"
)

func readRetention(t *testing.T, s *store.Store, read func(retention.Reader) error) {
	t.Helper()
	must(t, s.Retention().Read(t.Context(), read))
}

func writeRetention(t *testing.T, s *store.Store, write func(retention.Writer) error) {
	t.Helper()
	must(t, s.Retention().Write(t.Context(), write))
}

// listed fails the test unless reading page by page, one row a page, returns what
// is wanted and then nothing.
func listed[T any](t *testing.T, what string, want []T, page func(last *T) ([]T, error)) {
	t.Helper()
	all := []T{}
	for last := new(T); len(all) <= len(want); last = &all[len(all)-1] {
		rows, err := page(last)
		must(t, err)
		if len(rows) > 1 {
			t.Errorf("%s: got a page of %d rows, want 1", what, len(rows))
		}
		if len(rows) == 0 {
			break
		}
		all = append(all, rows...)
	}
	same(t, what, all, want)
}

// testExported: an export reads everything that the packages have written for a
// partner, and nothing of others.
func testExported(t *testing.T, s *store.Store) {
	ctx := t.Context()
	addProducts(t, s, lamp, delivery.Product{
		Name: "Rug", StockMin: 1, StockMax: 2, PriceCents: 7, Barcode: "B-2", Status: delivery.ProductInactive,
	})
	move := func(product, quantity int64, location string) delivery.Movement {
		return delivery.Movement{
			Type: delivery.MovementIn, Quantity: quantity, ProductID: product, Location: location,
			OrderID: "ord_" + location, Notes: "note " + location, At: testkit.Epoch.Add(time.Duration(quantity) * time.Hour),
		}
	}
	book(t, s, move(1, 5, "B-1"), move(1, 6, "A-1"), move(2, 7, "A-1"))
	revoked, active := apiKey(1), apiKey(2)
	revoked.Mode, active.Mode = delivery.ModeLive, delivery.ModeLive
	must(t, s.Partners().Write(ctx, func(tx partner.Writer) error {
		for _, k := range []*partner.SealedKey{revoked, active} {
			if err := tx.AddAPIKey(ctx, k); err != nil {
				return err
			}
		}
		_, err := tx.RevokeAPIKey(ctx, partnerID, revoked.KeyID, testkit.Epoch.Add(9*time.Hour))
		return err
	}))
	people := []*partner.Account{userNumber(1,
		&partner.Partner{PartnerID: partnerID}), userNumber(2, &partner.Partner{PartnerID: partnerID})}
	addUsers(t, s, people...)
	saveEndpoints(t, s, endpoint(partnerID), endpoint(neighbourID))
	readRetention(t, s, func(tx retention.Reader) error {
		accounts, err := tx.Accounts(ctx)
		must(t, err)
		same(t, "Accounts", accounts, []string{partnerID, delivery.TestAccount(partnerID)})
		account, err := tx.Partner(ctx, partnerID)
		must(t, err)
		same(t, "Partner", account,
			&retention.Partner{PartnerID: partnerID, Name: "Metro", Email: "A@b.example", CreatedAt: testkit.Epoch})
		none, err := tx.Partner(ctx, neighbourID)
		must(t, err)
		same(t, "Partner of another id", none, (*retention.Partner)(nil))
		users, err := tx.Users(ctx, partnerID)
		must(t, err)
		for i, u := range people {
			same(t, "user", users[i],
				retention.User{UserID: u.UserID, Email: u.Email, Name: u.Name, Role: string(u.Role), CreatedAt: u.CreatedAt})
		}
		keys, err := tx.APIKeys(ctx, partnerID)
		must(t, err)
		same(t, "APIKeys", keys, []retention.APIKey{
			{
				KeyID: revoked.KeyID, Name: revoked.Name, PublicKey: revoked.PublicKey, CreatedAt: revoked.CreatedAt,
				RevokedAt: testkit.Epoch.Add(9 * time.Hour), LastUsedAt: revoked.LastUsedAt,
			},
			{
				KeyID: active.KeyID, Name: active.Name, PublicKey: active.PublicKey, CreatedAt: active.CreatedAt,
				LastUsedAt: active.LastUsedAt,
			},
		})
		hooks, err := tx.Endpoints(ctx, partnerID)
		must(t, err)
		e := endpoint(partnerID)
		same(t, "Endpoints", hooks, []*retention.Endpoint{{
			EndpointID: webhook.FirstID, URL: e.URL, Enabled: true, DisabledReason: e.DisabledReason, CreatedAt: e.CreatedAt,
			Events: e.Events.Types(), Format: "cloudevents",
		}})
		none2, err := tx.Endpoints(ctx, "par_99999999")
		must(t, err)
		same(t, "Endpoints of a partner without one", none2, []*retention.Endpoint{})

		first, second := lamp, delivery.Product{
			ProductID: 2, Name: "Rug", Quantity: 7, StockMin: 1, StockMax: 2, PriceCents: 7, Barcode: "B-2",
			Status: delivery.ProductInactive,
		}
		first.ProductID, first.Quantity = 1, 11
		listed(t, "Products", []delivery.Product{first, second}, func(last *delivery.Product) ([]delivery.Product, error) {
			return tx.Products(ctx, partnerID, last.ProductID, 1)
		})
		listed(t, "Levels", []delivery.Level{{
			ProductID: 1, Location: "A-1", Quantity: 6,
		}, {ProductID: 1, Location: "B-1", Quantity: 5}, {ProductID: 2, Location: "A-1", Quantity: 7}},
			func(last *delivery.Level) ([]delivery.Level, error) { return tx.Levels(ctx, partnerID, *last, 1) })
		movements := []delivery.Movement{move(1, 5, "B-1"), move(1, 6, "A-1"), move(2, 7, "A-1")}
		for i := range movements {
			movements[i].MovementID = int64(i + 1)
		}
		listed(t, "Movements", movements, func(last *delivery.Movement) ([]delivery.Movement, error) {
			return tx.Movements(ctx, partnerID, last.MovementID, 1)
		})
		return nil
	})
}

// apiKey is a key with every column filled.
func apiKey(n int) *partner.SealedKey {
	at := testkit.Epoch.Add(time.Duration(n) * time.Minute)
	return &partner.SealedKey{
		APIKey: partner.APIKey{
			KeyID: fmt.Sprint("key_", n), Name: fmt.Sprint("name ", n), PublicKey: fmt.Sprint("pub_", n),
			CreatedAt: at, LastUsedAt: at.Add(time.Second),
		},
		PartnerID: partnerID, Secret: []byte{byte(n)},
	}
}

// ended stores an order that has been accepted and cancelled, with its receipts,
// events and a note.
func ended(t *testing.T, s *store.Store, reference string, at time.Time, key byte) *delivery.Order {
	t.Helper()
	ctx := t.Context()
	o := newOrder(t, reference, at)
	must(t, save(ctx, s, creation(o, key)))
	must(t, save(ctx, s, advance(o, delivery.StatusAccepted)))
	o.Cancellation = &delivery.Cancellation{Reason: "Alex has moved", At: o.UpdatedAt.Add(time.Minute)}
	cancelled := advance(o, delivery.StatusCancelled)
	cancelled.Events[0].Facts.Reason = "Alex has moved"
	cancelled.Receipts = []*idempotency.Receipt{{
		Request: idempotency.Request{
			Key: idempotency.Key{PartnerID: partnerID, Scope: "POST /v1/orders/" + o.OrderID + "/cancel", UUID: [16]byte{key}},
		},
		OrderID: o.OrderID, CreatedAt: o.UpdatedAt, Answer: record.Encode(o),
	}}
	must(t, save(ctx, s, cancelled))
	must(t, s.Dispatch().Write(ctx, func(tx dispatch.Writer) error {
		return tx.AddNote(ctx, &dispatch.Note{
			NoteID: "not_" + reference, PartnerID: partnerID, OrderID: o.OrderID, OperatorID: "opr_1", At: at,
			Text: "Alex again",
		})
	}))
	return o
}

// testSwept: a sweep reads what is old by its keys, and removes it.
func testSwept(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	saveEndpoints(t, s, endpoint(partnerID))
	old, young := ended(t, s, "A-1", testkit.Epoch, 1), ended(t, s, "A-02", testkit.Epoch.Add(time.Hour), 2)
	under := func(scope string, key byte) idempotency.Request {
		return idempotency.Request{Key: idempotency.Key{PartnerID: partnerID, Scope: scope, UUID: [16]byte{key}}}
	}
	receipt := func(o *delivery.Order, key byte) []*idempotency.Receipt {
		return []*idempotency.Receipt{
			{Request: under("POST /v1/orders", key), OrderID: o.OrderID, CreatedAt: o.CreatedAt, OfCreation: true},
			{Request: under("POST /v1/orders/"+o.OrderID+"/cancel", key), OrderID: o.OrderID, CreatedAt: o.UpdatedAt},
		}
	}
	until, err := delivery.FirstOrderID(partnerID, testkit.Epoch.Add(24*time.Hour))
	must(t, err)
	check := func(when string, orders []*delivery.Order, receipts []*idempotency.Receipt, sent []*delivery.Order) {
		t.Helper()
		readRetention(t, s, func(tx retention.Reader) error {
			listed(t, when+"Receipts", receipts, func(last **idempotency.Receipt) ([]*idempotency.Receipt, error) {
				after := idempotency.Key{PartnerID: partnerID}
				if *last != nil {
					after = (*last).Key
				}
				return tx.Receipts(ctx, after, 1)
			})
			cancelled := make([]retention.Ended, len(orders))
			for i, o := range orders {
				cancelled[i] = retention.Ended{OrderID: o.OrderID, UpdatedAt: o.UpdatedAt, Rows: 3 + 2}
			}
			listed(t, when+"Ended", cancelled, func(last *retention.Ended) ([]retention.Ended, error) {
				return tx.Ended(ctx, partnerID, delivery.StatusCancelled, last.OrderID, until, 1)
			})
			times := make([]retention.EventTime, len(sent))
			for i, o := range sent {
				times[i] = retention.EventTime{
					EventKey: outbox.EventKey{
						PartnerID: partnerID, OrderID: o.OrderID, Sequence: 1,
					}, State: outbox.Delivered, CreatedAt: o.CreatedAt.Add(time.Minute),
				}
			}
			listed(t, when+"EventTimes", times, func(last *retention.EventTime) ([]retention.EventTime, error) {
				last.PartnerID = partnerID
				return tx.EventTimes(ctx, last.EventKey, until, 1)
			})
			return nil
		})
	}
	deliverFirst(t, s, old, young)
	both := []*delivery.Order{old, young}
	check("at first: ", both, slices.Concat(receipt(old, 1), receipt(young, 2)), both)

	writeRetention(t, s, func(tx retention.Writer) error {
		return tx.RemoveReceipts(ctx, []idempotency.Key{receipt(old, 1)[1].Key, {PartnerID: partnerID, Scope: "none"}})
	})
	check("without a receipt: ", both, slices.Concat(receipt(old, 1)[:1], receipt(young, 2)), both)
	key := func(o *delivery.Order) outbox.EventKey {
		return outbox.EventKey{PartnerID: partnerID, OrderID: o.OrderID, Sequence: 1}
	}
	writeRetention(t, s, func(tx retention.Writer) error {
		return tx.RemoveEvents(ctx, []retention.EventTime{
			{EventKey: key(old), State: outbox.Failed}, {EventKey: key(young), State: outbox.Delivered},
		})
	})
	check("without an event: ", both, slices.Concat(receipt(old, 1)[:1], receipt(young, 2)), both[:1])
	writeRetention(t, s, func(tx retention.Writer) error { return tx.RemoveOrders(ctx, partnerID, []string{old.OrderID}) })
	check("without an order: ", both[1:], slices.Concat(receipt(old, 1)[:1], receipt(young, 2)), nil)
	readRetention(t, s, func(tx retention.Reader) error {
		gone, err := tx.Order(ctx, partnerID, old.OrderID)
		same(t, "the order that was removed", gone, (*delivery.Order)(nil))
		return err
	})
	if notes := notesOf(t, s, old); len(notes) > 0 {
		t.Errorf("notes of the order that was removed: got %v, want none", notes)
	}
}

// deliverFirst marks the first event of each order as delivered.
func deliverFirst(t *testing.T, s *store.Store, orders ...*delivery.Order) {
	t.Helper()
	must(t, s.Webhooks().Write(t.Context(), func(tx webhook.Writer) error {
		var progress []webhook.Progress
		for _, o := range orders {
			found, err := tx.Events(t.Context(), webhook.Filter{PartnerID: partnerID, OrderID: o.OrderID, Limit: 10})
			must(t, err)
			for _, e := range found {
				if e.Sequence == 1 {
					from := e.State
					e.State, e.DueAt = outbox.Delivered, time.Time{}
					e.Log = []webhook.Attempt{{At: o.CreatedAt, Status: 200, TookMS: 5}}
					progress = append(progress, webhook.Progress{Event: e, FromState: from})
				}
			}
		}
		saved, err := tx.SaveProgress(t.Context(), progress)
		if len(saved) != len(progress) {
			t.Error("the progress was not written")
		}
		return err
	}))
}

// notesOf returns the texts of the notes of an order.
func notesOf(t *testing.T, s *store.Store, o *delivery.Order) (texts []string) {
	t.Helper()
	must(t, s.Dispatch().Read(t.Context(), func(tx dispatch.Reader) error {
		notes, err := tx.Notes(t.Context(), partnerID, o.OrderID, 10)
		for _, n := range notes {
			texts = append(texts, n.Text)
		}
		return err
	}))
	return texts
}

// testErased: what an erasure has rewritten is read everywhere, and other orders
// stay as they are.
func testErased(t *testing.T, s *store.Store) {
	ctx := t.Context()
	register(t, s)
	saveEndpoints(t, s, endpoint(partnerID))
	other, target := ended(t, s, "A-1", testkit.Epoch, 1), ended(t, s, "A-02", testkit.Epoch.Add(time.Hour), 2)
	open := newOrder(t, "A-003", testkit.Epoch.Add(2*time.Hour))
	must(t, save(ctx, s, creation(open, 3)))
	deliverFirst(t, s, target)
	cancel := idempotency.Key{
		PartnerID: partnerID, Scope: "POST /v1/orders/" + target.OrderID + "/cancel", UUID: [16]byte{2},
	}
	var shownOpen *board.Row
	noted, elsewhere := change(1), change(2)
	for o, c := range map[*delivery.Order]*idempotency.Change{target: noted, other: elsewhere} {
		c.PartnerID, c.ObjectID, c.Status, c.Answer = partnerID, o.OrderID, 200, []byte(`{"text":"Alex has moved"}`)
		must(t, s.Receipts().Answer(ctx, c))
	}
	writeRetention(t, s, func(tx retention.Writer) error {
		locked, err := tx.LockOrders(ctx, partnerID, []string{target.OrderID, open.OrderID, "ord_none"})
		must(t, err)
		if len(locked) != 2 {
			t.Fatalf("LockOrders: got %d orders, want 2", len(locked))
		}
		erased := locked[target.OrderID]
		same(t, "the order", string(record.Encode(erased.Order)), string(record.Encode(target)))
		slices.SortFunc(erased.Events, func(a, b *delivery.Event) int { return int(a.Sequence - b.Sequence) })
		if len(erased.Events) != 2 || erased.Events[1].Facts.Reason != "Alex has moved" {
			t.Fatalf("events: got %+v", erased.Events)
		}
		document, err := record.Decode(erased.Document)
		must(t, err)
		for _, o := range []*delivery.Order{erased.Order, document, target} {
			o.Dropoff.Name = "erased"
		}
		erased.Order.Cancellation.Reason, target.Cancellation.Reason = "", ""
		request := &delivery.CancellationRequest{State: delivery.RequestDeclined, At: testkit.Epoch}
		erased.Order.Course.Request, target.Course.Request = request, request
		for i := range target.History {
			target.History[i].Notes = ""
		}
		erased.Document = record.Encode(document)
		erased.Events[1].Facts.Reason = "erased"
		under := locked[open.OrderID]
		under.Shown = board.Of(under.Order)
		under.Shown.City = "Elsewhere"
		shownOpen = under.Shown
		must(t, tx.SaveErased(ctx, []*retention.Stored{erased, under}, "erased note"))
		return tx.SaveAnswer(ctx, cancel, []byte(`{"erased":true}`))
	})
	noted.Status, noted.Answer = 0, nil
	checkChange(t, s, "the answer to a change of the order", noted.ChangeKey, noted)
	checkChange(t, s, "the answer to a change of another order", elsewhere.ChangeKey, elsewhere)
	readRetention(t, s, func(tx retention.Reader) error {
		listed(t, "Orders", []string{encoded(other), encoded(target), encoded(open)}, func(last *string) ([]string, error) {
			var after string
			if *last != "" {
				o, err := record.Decode([]byte(*last))
				must(t, err)
				after = o.OrderID
			}
			page, err := tx.Orders(ctx, partnerID, after, 1)
			texts := make([]string, len(page))
			for i, o := range page {
				texts[i] = encoded(o)
			}
			return texts, err
		})
		one, err := tx.Order(ctx, partnerID, target.OrderID)
		must(t, err)
		same(t, "Order", encoded(one), encoded(target))
		var events []*retention.Event
		after := outbox.EventKey{PartnerID: partnerID, OrderID: other.OrderID, Sequence: 2}
		events, err = tx.Events(ctx, after, 10)
		must(t, err)
		if len(events) != 2 {
			t.Fatalf("Events: got %d behind %v, want 2", len(events), after)
		}
		first, second := events[0], events[1]
		if first.State != string(outbox.Delivered) ||
			!strings.HasSuffix(string(first.Attempts), `"status":200,"took_ms":5}]`) || first.Sequence != 1 {
			t.Errorf("first event: got %+v, attempts %s", first, first.Attempts)
		}
		if second.State != string(outbox.Pending) || len(second.Attempts) > 0 || second.Facts.Reason != "erased" ||
			second.Damaged {
			t.Errorf("second event: got %+v", second)
		}
		return nil
	})
	same(t, "notes", notesOf(t, s, target), []string{"erased note"})
	same(t, "notes of the other order", notesOf(t, s, other), []string{"Alex again"})
	shownOpen.Search = "" // is not read
	same(t, "the board", shown(t, s), []*board.Row{shownOpen})
	state := load(t, s, &order.Needs{Receipts: []idempotency.Key{cancel}})
	for _, receipt := range state.Receipts {
		same(t, "the kept answer", string(receipt.Answer), `{"erased":true}`)
	}
	if len(state.Receipts) != 1 {
		t.Errorf("got %d receipts, want 1", len(state.Receipts))
	}
}

// encoded is the record of an order.
func encoded(o *delivery.Order) string { return string(record.Encode(o)) }
