package store

import (
	"context"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/webhook"
)

// Retention is the store as package retention sees it.
func (s *Store) Retention() retention.Store {
	return retentionStore{view[retention.Reader, retention.Writer]{s.Database,
		func(c db.Conn) retention.Reader { return retentionTx{auditing{c}} },
		func(c db.Conn) retention.Writer { return retentionTx{auditing{c}} }}, s}
}

// retentionStore is the store as package retention sees it.
type retentionStore struct {
	view[retention.Reader, retention.Writer]
	store *Store
}

// scrubbedSetting holds when the files were last scrubbed, as RFC 3339.
const scrubbedSetting = "scrubbed_at"

// Scrub overwrites what removed and rewritten rows have left in the files.
func (s retentionStore) Scrub(ctx context.Context, rested func(ctx context.Context, took time.Duration) error) error {
	return s.database.Scrub(ctx, rested)
}

// Scrubbed returns when Scrub was last done; the zero time if it is to be done again.
func (s retentionStore) Scrubbed(ctx context.Context) (time.Time, error) {
	value, err := s.store.Setting(ctx, scrubbedSetting)
	if err != nil || value == "" {
		return time.Time{}, err
	}
	return time.Parse(time.RFC3339, value)
}

// SetScrubbed writes when Scrub was last done.
func (s retentionStore) SetScrubbed(ctx context.Context, at time.Time) error {
	return s.store.SetSetting(ctx, scrubbedSetting, at.UTC().Format(time.RFC3339))
}

// retentionTx is a transaction of package retention. Its lists begin behind a
// key and follow an index that exists for another purpose.
type retentionTx struct{ auditing }

// The tables as far as a sweep looks at them.
var (
	sweptOrders   = orders.Only("version", "events", "updated_at")
	sweptEvents   = events.Only("state", "created_at")
	sweptReceipts = db.NewTable("idempotency_keys", idempotencyKeys.Key, append(idempotencyKeys.Pick("order_id",
		"created_at"),
		db.Flag("CASE answer WHEN '' THEN 1 ELSE 0 END", func(r *idempotency.Receipt) *bool { return &r.OfCreation }))...)
)

// Accounts lists the account and the test account of every partner.
func (tx retentionTx) Accounts(ctx context.Context) ([]string, error) {
	partners, err := partnerIDs(ctx, tx.conn)
	accounts := make([]string, 0, 2*len(partners))
	for _, partnerID := range partners {
		accounts = append(accounts, partnerID, delivery.TestAccount(partnerID))
	}
	return accounts, err
}

// Receipts lists what is kept under a partner's idempotency keys.
func (tx retentionTx) Receipts(ctx context.Context, after idempotency.Key, limit int) ([]*idempotency.Receipt, error) {
	return sweptReceipts.All(ctx, tx.conn, `WHERE partner_id = $1 AND (idempotency_key, scope) > ($2, $3)
		ORDER BY idempotency_key, scope LIMIT $4`, after.PartnerID, after.UUID[:], after.Scope, limit)
}

// Answers returns receipts with what was answered.
func (tx retentionTx) Answers(ctx context.Context, keys []idempotency.Key) ([]*idempotency.Receipt, error) {
	return db.FindNow(ctx, tx.conn, findReceipts, keys...)
}

// Ended lists orders in a final state, by the index that lists follow.
func (tx retentionTx) Ended(
	ctx context.Context, partnerID string, state delivery.Status, after, until string, limit int,
) (listed []retention.Ended, err error) {
	err = sweptOrders.Each(ctx, tx.conn,
		"WHERE partner_id = $1 AND status = $2 AND order_id > $3 AND order_id < $4 ORDER BY order_id LIMIT $5",
		[]any{partnerID, string(state), after, until, limit}, func(row *orderRow) error {
			// The first version has no row in the history, but the order's own.
			listed = append(listed,
				retention.Ended{OrderID: row.OrderID, UpdatedAt: row.UpdatedAt, Rows: row.Version + row.Events})
			return nil
		})
	return listed, err
}

// EventTimes lists the events of orders whose ids are before until, and those of statements, whose ids are behind those
// of all orders, without those that still wait to be sent. The latest event of a product stays: the next is numbered
// after it.
func (tx retentionTx) EventTimes(
	ctx context.Context, after outbox.EventKey, until string, limit int,
) (listed []retention.EventTime, err error) {
	err = sweptEvents.Each(ctx, tx.conn,
		`WHERE partner_id = $1 AND (order_id, sequence) > ($2, $3) AND (order_id < $4 OR order_id >= 'stm_') AND state <> 'pending'
			AND (order_id < 'stock_' OR EXISTS (SELECT 1 FROM events AS n WHERE n.partner_id = events.partner_id
				AND n.order_id = events.order_id AND n.sequence = events.sequence + 1))
			AND NOT EXISTS (SELECT 1 FROM further_deliveries AS d WHERE d.partner_id = events.partner_id
				AND d.order_id = events.order_id AND d.sequence = events.sequence AND d.state = 'pending')
		ORDER BY order_id, sequence LIMIT $5`, []any{after.PartnerID, after.OrderID, after.Sequence, until, limit},
		func(row *webhook.Event) error {
			listed = append(listed, retention.EventTime{EventKey: row.Key(), State: row.State, CreatedAt: row.CreatedAt})
			return nil
		})
	return listed, err
}

// Partner returns an account; nil if there is none.
func (tx retentionTx) Partner(ctx context.Context, partnerID string) (*retention.Partner, error) {
	row, err := db.FindOne(ctx, tx.conn, findPartners, partnerID)
	if err != nil || row == nil {
		return nil, err
	}
	found := &retention.Partner{PartnerID: row.PartnerID, Name: row.Name, Email: row.Email, CreatedAt: row.CreatedAt}
	if found.Profile, err = tx.profile(ctx, partnerID); err != nil {
		return nil, err
	}
	set, err := db.FindOne(ctx, tx.conn, findOpenID, partnerID)
	if err != nil {
		return nil, err
	}
	if set != nil {
		found.OpenID = &retention.OpenID{
			Issuer: set.Issuer, ClientID: set.ClientID, RoleClaim: set.RoleClaim, RoleValues: map[string]string{},
			DefaultRole: string(set.DefaultRole), StoppedAt: set.StoppedAt, ChangedAt: set.ChangedAt,
		}
		for role, value := range set.Values {
			found.OpenID.RoleValues[string(role)] = value
		}
	}
	domains, err := domainsOf(ctx, tx.conn, partnerID)
	for _, domain := range domains {
		found.Domains = append(found.Domains, retention.Domain{
			Domain: domain.Name, AddedAt: domain.AddedAt, ProvenAt: domain.ProvenAt,
		})
	}
	return found, err
}

// Identities lists the people at the provider of a partner who have signed in, oldest first.
func (tx retentionTx) Identities(ctx context.Context, partnerID string) (listed []retention.Identity, err error) {
	err = userIdentities.Each(ctx, tx.conn,
		"WHERE partner_id = $1 AND issuer <> $2 ORDER BY created_at, issuer, subject", []any{partnerID, partner.RemovedIssuer},
		func(row *partner.Identity) error {
			listed = append(listed, retention.Identity{
				UserID: row.UserID, Issuer: row.Issuer, Subject: row.Subject, CreatedAt: row.CreatedAt,
			})
			return nil
		})
	return listed, err
}

// profile returns nil if the partner has none.
func (tx retentionTx) profile(ctx context.Context, partnerID string) (*retention.Profile, error) {
	row, err := db.FindOne(ctx, tx.conn, findLogos, partnerID)
	if err != nil || row == nil {
		return nil, err
	}
	shown := &retention.Profile{
		PublicName: row.PublicName, SupportURL: row.SupportURL, Language: string(row.Language),
		RecipientMail: row.RecipientMail,
	}
	if len(row.logo) > 0 {
		shown.LogoType, shown.Logo = row.format.ContentType(), row.logo
	}
	return shown, nil
}

// Users lists the people of a partner, oldest first.
func (tx retentionTx) Users(ctx context.Context, partnerID string) (listed []retention.User, err error) {
	err = users.Each(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY created_at, user_id", []any{
		partnerID,
	}, func(row *partner.Account) error {
		listed = append(listed, retention.User{
			UserID: row.UserID, Email: row.Email, Name: row.Name, Role: string(row.Role), CreatedAt: row.CreatedAt,
		})
		return nil
	})
	return listed, err
}

// APIKeys lists a partner's keys, revoked ones too, oldest first.
func (tx retentionTx) APIKeys(ctx context.Context, partnerID string) (listed []retention.APIKey, err error) {
	err = apiKeys.Each(ctx, tx.conn, "WHERE partner_id = $1 ORDER BY created_at, key_id", []any{partnerID},
		func(row *keyRow) error {
			listed = append(listed, retention.APIKey{
				KeyID: row.KeyID, Name: row.Name, PublicKey: row.PublicKey,
				CreatedAt: row.CreatedAt, RevokedAt: row.revokedAt, LastUsedAt: row.LastUsedAt,
			})
			return nil
		})
	return listed, err
}

// Endpoints lists where a partner's events are sent.
func (tx retentionTx) Endpoints(ctx context.Context, partnerID string) ([]*retention.Endpoint, error) {
	rows, err := endpointsOf(ctx, tx.conn, partnerID)
	listed := make([]*retention.Endpoint, len(rows))
	for i, row := range rows {
		listed[i] = &retention.Endpoint{
			EndpointID: row.ID(), URL: row.URL, Enabled: row.Enabled, DisabledReason: row.DisabledReason,
			CreatedAt: row.CreatedAt, Events: row.Events.Types(), Format: row.Format.Name(),
		}
	}
	return listed, err
}

// Products lists products by id.
func (tx retentionTx) Products(
	ctx context.Context, partnerID string, after int64, limit int,
) ([]delivery.Product, error) {
	rows, err := products.All(ctx, tx.conn, "WHERE partner_id = $1 AND product_id > $2 ORDER BY product_id LIMIT $3",
		partnerID, after, limit)
	return productsOf(rows), err
}

// Levels lists stock levels by product and location.
func (tx retentionTx) Levels(
	ctx context.Context, partnerID string, after delivery.Level, limit int,
) ([]delivery.Level, error) {
	rows, err := stockLevels.All(ctx, tx.conn,
		"WHERE partner_id = $1 AND (product_id, location) > ($2, $3) ORDER BY product_id, location LIMIT $4", partnerID,
		after.ProductID, after.Location, limit)
	return levelsOf(rows), err
}

// Movements lists the journal of stock, oldest first, without products' names.
func (tx retentionTx) Movements(
	ctx context.Context, partnerID string, after int64, limit int,
) (listed []delivery.Movement, err error) {
	err = stockMovements.Each(ctx, tx.conn, "WHERE partner_id = $1 AND movement_id > $2 ORDER BY movement_id LIMIT $3",
		[]any{partnerID, after, limit}, func(row *movementRow) error {
			listed = append(listed, row.Movement)
			return nil
		})
	return listed, err
}

// Orders lists whole orders with their histories, oldest first.
func (tx retentionTx) Orders(ctx context.Context, partnerID, after string, limit int) ([]*delivery.Order, error) {
	rows, err := orders.All(ctx, tx.conn, "WHERE partner_id = $1 AND order_id > $2 ORDER BY order_id LIMIT $3", partnerID,
		after, limit)
	if err != nil {
		return nil, err
	}
	byKey := ordersOf(rows)
	listed := make([]*delivery.Order, len(rows))
	for i, row := range rows {
		listed[i] = byKey[order.OrderKey{PartnerID: partnerID, OrderID: row.OrderID}]
	}
	return listed, addHistories(ctx, tx.conn, byKey)
}

// Events lists events by order and sequence.
func (tx retentionTx) Events(
	ctx context.Context, after outbox.EventKey, limit int,
) (listed []*retention.Event, err error) {
	rows, err := events.All(ctx, tx.conn,
		"WHERE partner_id = $1 AND (order_id, sequence) > ($2, $3) ORDER BY order_id, sequence LIMIT $4",
		after.PartnerID, after.OrderID, after.Sequence, limit)
	if err != nil {
		return nil, err
	}
	if err := addFurther(ctx, tx.conn, rows); err != nil {
		return nil, err
	}
	for _, row := range rows {
		attempts, err := encodeAttempts(row)
		if err != nil {
			return nil, err
		}
		event := &retention.Event{
			Event: &row.Event, State: string(row.State), Attempts: []byte(attempts), Damaged: row.Damaged,
		}
		for _, further := range row.Further {
			attempts, err := encodeAttempts(further)
			if err != nil {
				return nil, err
			}
			event.Deliveries = append(event.Deliveries, retention.Delivery{
				EndpointID: further.EndpointID, State: string(further.State), Attempts: []byte(attempts),
			})
		}
		listed = append(listed, event)
	}
	return listed, nil
}

// RequestSegments lists what the request log holds of a partner, oldest first.
func (tx retentionTx) RequestSegments(
	ctx context.Context, partnerID, after string, limit int,
) ([]*requestlog.Segment, error) {
	return segments.All(ctx, tx.conn, "WHERE partner_id = $1 AND segment_id > $2 ORDER BY segment_id LIMIT $3", partnerID,
		after, limit)
}

// LoosePictures lists the pictures of a partner that are due to be deleted.
func (tx retentionTx) LoosePictures(ctx context.Context, partnerID string, now time.Time, limit int) ([]string, error) {
	return duePictures(ctx, tx.conn, partnerID, now, limit)
}

// Order returns one order with its history; nil if there is none.
func (tx retentionTx) Order(ctx context.Context, partnerID, orderID string) (*delivery.Order, error) {
	return orderTx{conn: tx.conn}.Order(ctx, partnerID, orderID)
}

// ReplaceSetting writes a setting if it still has the value before.
func (tx retentionTx) ReplaceSetting(ctx context.Context, name, before, value string) (replaced bool, err error) {
	return db.SettingsIn(tx.conn).Replace(ctx, name, before, value)
}

// RemoveReceipts removes what is kept under idempotency keys.
func (tx retentionTx) RemoveReceipts(ctx context.Context, keys []idempotency.Key) error {
	_, err := db.WriteNow(ctx, tx.conn, dropReceipts, db.Pointers(keys)...)
	return err
}

// RemoveOriginals removes what answered the creations of a partner's edited orders whose ids
// are before until.
func (tx retentionTx) RemoveOriginals(ctx context.Context, partnerID, until string) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM order_originals WHERE partner_id = $1 AND order_id < $2", partnerID, until)
	return err
}

// HasOriginals reports whether RemoveOriginals would remove anything.
func (tx retentionTx) HasOriginals(ctx context.Context, partnerID, until string) (has bool, err error) {
	err = tx.conn.Query(ctx, "SELECT 1 FROM order_originals WHERE partner_id = $1 AND order_id < $2 LIMIT 1",
		[]any{partnerID, until}, func(db.Row) error {
			has = true
			return nil
		})
	return has, err
}

// Original returns the record that answered the creation of an edited order; nil if that is
// not kept.
func (tx retentionTx) Original(ctx context.Context, partnerID, orderID string) ([]byte, error) {
	found, err := db.FindNow(ctx, tx.conn, findOriginals, order.OrderKey{PartnerID: partnerID, OrderID: orderID})
	if err != nil || len(found) == 0 {
		return nil, err
	}
	return found[0].document, nil
}

// RemoveChanges removes the receipts of operators' changes that were made before a time.
func (tx retentionTx) RemoveChanges(ctx context.Context, before time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM operator_receipts WHERE created_at < $1", before)
	return err
}

// RemoveOrders removes orders with their histories, events, notes and proofs.
func (tx retentionTx) RemoveOrders(ctx context.Context, partnerID string, orderIDs []string) error {
	keys := orderKeysOf(partnerID, orderIDs)
	if err := removeProofs(ctx, tx.conn, keys); err != nil {
		return err
	}
	removed, err := tx.lockedBytes(ctx, keys)
	if err != nil {
		return err
	}
	p := db.NewPipeline(tx.conn)
	for _, drop := range []*db.Statement[*order.OrderKey]{
		dropEventsOf, dropFurtherOf, dropHistories, dropNotes, dropDeliveries, dropReturns, dropScans, dropMailsOf,
		dropOrderMails,
		dropOriginals, dropOrders,
	} {
		db.Write(p, drop, db.Pointers(keys))
	}
	writeUsages(p, []order.Used{{PartnerID: partnerID, Bytes: -removed}})
	if _, err = p.Flush(ctx); err != nil {
		return err
	}
	return dropIndex(ctx, tx.conn, keys)
}

// lockedBytes returns the size of orders' documents, locked where another node could
// remove them at the same time.
func (tx retentionTx) lockedBytes(ctx context.Context, keys []order.OrderKey) (size int64, err error) {
	rows, err := db.FindNow(ctx, tx.conn, lockDocuments, keys...)
	for _, row := range rows {
		size += int64(len(row.document))
	}
	return size, err
}

// RemoveEvents removes events that are still in the state that they had, with what is kept of their
// deliveries to further endpoints: one that is redelivered meanwhile stays.
func (tx retentionTx) RemoveEvents(ctx context.Context, removed []retention.EventTime) error {
	keys := make([]outbox.EventKey, len(removed))
	for i, event := range removed {
		keys[i] = event.EventKey
	}
	waiting, err := db.FindNow(ctx, tx.conn, findFurtherDue, keys...)
	if err != nil {
		return err
	}
	stays := make(map[outbox.EventKey]bool, len(waiting))
	for _, event := range waiting {
		stays[outbox.KeyOf(&event.Event)] = true
	}
	var rows []*webhook.Event
	for _, event := range removed {
		if !stays[event.EventKey] {
			rows = append(rows, &webhook.Event{
				Event: delivery.Event{PartnerID: event.PartnerID, OrderID: event.OrderID, Sequence: event.Sequence},
				State: event.State,
			})
		}
	}
	keys = slices.DeleteFunc(keys, func(key outbox.EventKey) bool { return stays[key] })
	p := db.NewPipeline(tx.conn)
	db.Write(p, dropFurther, db.Pointers(keys))
	db.Write(p, dropEventsInState, rows)
	_, err = p.Flush(ctx)
	return err
}

// LockOrders returns orders as they are stored, by id, locked where another node
// could interfere.
func (tx retentionTx) LockOrders(
	ctx context.Context, partnerID string, orderIDs []string,
) (map[string]*retention.Stored, error) {
	rows, err := db.FindNow(ctx, tx.conn, lockOrders, orderKeysOf(partnerID, slices.Sorted(slices.Values(orderIDs)))...)
	if err != nil {
		return nil, err
	}
	byKey := ordersOf(rows)
	if err := addHistories(ctx, tx.conn, byKey); err != nil {
		return nil, err
	}
	stored := make(map[string]*retention.Stored, len(rows))
	var keys []order.OrderKey
	for _, row := range rows {
		key := order.OrderKey{PartnerID: partnerID, OrderID: row.OrderID}
		stored[row.OrderID] = &retention.Stored{Order: byKey[key], Document: row.document}
		keys = append(keys, key)
	}
	kept, err := db.FindNow(ctx, tx.conn, findOriginals, keys...)
	if err != nil {
		return nil, err
	}
	for _, row := range kept {
		stored[row.OrderID].Original = row.document
	}
	found, err := db.FindNow(ctx, tx.conn, findEventsByOrder, keys...)
	for _, row := range found {
		stored[row.OrderID].Events = append(stored[row.OrderID].Events, &row.Event)
	}
	return stored, err
}

// SaveErased writes orders whose personal fields have been removed. It also
// empties the notes of their histories, replaces what operators have noted and scanned by
// note, and removes their proofs. All orders are of one partner.
func (tx retentionTx) SaveErased(ctx context.Context, erased []*retention.Stored, note string) error {
	keys := make([]order.OrderKey, len(erased))
	rows := make([]*orderRow, len(erased))
	histories := make([]*order.History, len(erased))
	notes := make([]*noteText, len(erased))
	var replaced []*orderRow
	var facts []*webhook.Event
	var shown []*board.Row
	for i, e := range erased {
		key := order.OrderKey{PartnerID: e.Order.PartnerID, OrderID: e.Order.OrderID}
		keys[i], rows[i] = key, orderRowOf(e.Order, e.Document, 0)
		histories[i], notes[i] = &order.History{OrderKey: key}, &noteText{key, note}
		if e.Original != nil {
			replaced = append(replaced, orderRowOf(e.Order, e.Original, 0))
		}
		for _, event := range e.Events {
			facts = append(facts, &webhook.Event{Event: *event})
		}
		if e.Shown != nil {
			shown = append(shown, e.Shown)
		}
	}
	before, err := tx.lockedBytes(ctx, keys)
	if err != nil || len(erased) == 0 {
		return err
	}
	for _, key := range keys {
		if err := eraseAnswers(ctx, tx.conn, key.PartnerID, key.OrderID); err != nil {
			return err
		}
	}
	used := order.Used{PartnerID: erased[0].Order.PartnerID, Bytes: -before}
	for _, row := range rows {
		used.Bytes += int64(len(row.document))
	}
	p := db.NewPipeline(tx.conn)
	db.Write(p, eraseOrders, rows)
	db.Write(p, saveOriginals, replaced)
	db.Write(p, eraseHistories, histories)
	db.Write(p, eraseFacts, facts)
	db.Write(p, overwriteNotes, notes)
	db.Write(p, overwriteScans, notes)
	db.Write(p, dropMailsOf, db.Pointers(keys))
	db.Write(p, dropOrderMails, db.Pointers(keys))
	writeBoard(p, shown, nil)
	writeUsages(p, []order.Used{used})
	if _, err := p.Flush(ctx); err != nil {
		return err
	}
	orders := make([]*delivery.Order, len(erased))
	for i, e := range erased {
		orders[i] = e.Order
	}
	if err := fillIndex(ctx, tx.conn, orders); err != nil {
		return err
	}
	return removeProofs(ctx, tx.conn, keys)
}

// ForgetPictures forgets pictures that are deleted.
func (tx retentionTx) ForgetPictures(ctx context.Context, partnerID string, pictures []string) error {
	_, err := forgetPictures(ctx, tx.conn, partnerID, pictures...)
	return err
}

// SaveAnswer overwrites the answer kept under an idempotency key, if it is still
// kept.
func (tx retentionTx) SaveAnswer(ctx context.Context, key idempotency.Key, answer []byte) error {
	row := &idempotency.Receipt{Request: idempotency.Request{Key: key}, Answer: answer}
	_, err := db.WriteNow(ctx, tx.conn, saveAnswers, row)
	return err
}
