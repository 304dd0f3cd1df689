package store

import (
	"context"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/retention"
)

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
