package store

import (
	"context"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// messageKey is the key of a message to a courier.
type messageKey struct{ courierID, messageID string }

var (
	courierMessages = db.NewTable("courier_messages",
		db.Key(
			db.Text("courier_id", func(m *dispatch.Message) *string { return &m.CourierID }),
			db.Text("message_id", func(m *dispatch.Message) *string { return &m.MessageID })),
		db.Text("operator_id", func(m *dispatch.Message) *string { return &m.OperatorID }),
		db.Moment("at", func(m *dispatch.Message) *time.Time { return &m.At }),
		db.Text("message", func(m *dispatch.Message) *string { return &m.Text }),
		db.Moment("read_at", func(m *dispatch.Message) *time.Time { return &m.ReadAt }),
	)
	addMessages  = courierMessages.Insert()
	saveMessages = courierMessages.Update()
	lockMessages = db.LockBy(db.Key(
		db.Text("courier_id", func(k *messageKey) *string { return &k.courierID }),
		db.Text("message_id", func(k *messageKey) *string { return &k.messageID })), courierMessages)
)

// phoneSetting holds the number at which couriers reach the desk.
const phoneSetting = "dispatch_phone"

// Messages lists messages to a courier, newest first: those before a message, or all if before is empty.
func (tx dispatchTx) Messages(
	ctx context.Context, courierID, before string, limit int,
) ([]*dispatch.Message, error) {
	return courierMessages.All(ctx, tx.conn,
		"WHERE courier_id = $1 AND ($2 = '' OR message_id < $2) ORDER BY message_id DESC LIMIT $3", courierID, before, limit)
}

// Unread lists the messages to a courier that are not read, oldest first.
func (tx dispatchTx) Unread(ctx context.Context, courierID string, limit int) ([]*dispatch.Message, error) {
	return courierMessages.All(ctx, tx.conn, "WHERE courier_id = $1 AND read_at = 0 ORDER BY message_id LIMIT $2",
		courierID, limit)
}

// AddMessage adds a message to a courier.
func (tx dispatchTx) AddMessage(ctx context.Context, message *dispatch.Message) error {
	return db.WriteAllNow(ctx, tx.conn, addMessages, message)
}

// LockMessage returns a message to a courier, locked until the transaction ends; nil if there is none.
func (tx dispatchTx) LockMessage(ctx context.Context, courierID, messageID string) (*dispatch.Message, error) {
	return db.FindOne(ctx, tx.conn, lockMessages, messageKey{courierID, messageID})
}

// SaveMessage writes a message to a courier.
func (tx dispatchTx) SaveMessage(ctx context.Context, message *dispatch.Message) error {
	return db.WriteAllNow(ctx, tx.conn, saveMessages, message)
}

// RemoveMessages removes messages to couriers that were sent before a time.
func (tx retentionTx) RemoveMessages(ctx context.Context, before time.Time) error {
	_, err := tx.conn.Exec(ctx, "DELETE FROM courier_messages WHERE at < $1", before)
	return err
}

// Phone returns the number at which couriers reach the desk; empty if none is set.
func (tx dispatchTx) Phone(ctx context.Context) (string, error) {
	return db.SettingsIn(tx.conn).Get(ctx, phoneSetting)
}

// LockPhone returns what Phone does, locked until the transaction ends.
func (tx dispatchTx) LockPhone(ctx context.Context) (string, error) {
	return db.SettingsIn(tx.conn).Lock(ctx, phoneSetting)
}

// SetPhone sets the number at which couriers reach the desk.
func (tx dispatchTx) SetPhone(ctx context.Context, phone string) error {
	return db.SettingsIn(tx.conn).Set(ctx, phoneSetting, phone)
}
