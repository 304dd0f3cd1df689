// Package stock is the partners' stock as the service keeps it: the catalogue,
// the ledger of movements, and what the warehouse does to both. Orders take
// stock and give it back in the order room; the ledger is the same.
package stock

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Store is what this room needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads catalogues and ledgers.
type Reader interface {
	// ListProducts lists products by their ids.
	ListProducts(ctx context.Context, filter ProductFilter) ([]delivery.Product, error)
	// CountProducts counts them on all pages.
	CountProducts(ctx context.Context, filter ProductFilter) (int64, error)
	// ListMovements lists movements, newest first.
	ListMovements(ctx context.Context, filter MovementFilter) ([]delivery.Movement, error)
}

// Writer changes catalogues and ledgers.
type Writer interface {
	// AddProduct adds a product under the next id of its partner, and tells
	// the id: 0 if there is no such partner.
	AddProduct(ctx context.Context, partnerID string, product delivery.Product, at time.Time) (productID int64, err error)
	// LockLedger reads what a movement rests on, locked until the transaction
	// ends; nil if there is no such partner.
	LockLedger(ctx context.Context, partnerID string, productID int64) (*Ledger, error)
	// SaveLedger writes the new movements and the ledger as they leave it.
	SaveLedger(ctx context.Context, partnerID string, ledger *Ledger, movements []delivery.Movement) error
	// AddAudit writes what was changed by whom.
	AddAudit(ctx context.Context, entries ...*delivery.AuditEntry) error
}

// Ledger is one product's stock, and the counter that movement ids are taken
// from.
type Ledger struct {
	LastMovement int64
	Product      *delivery.Product // nil if the partner has no such product
	Levels       []delivery.Level
}

// ProductFilter selects products of one partner. An empty Search selects all.
type ProductFilter struct {
	PartnerID string
	Search    string // anywhere in name or barcode, in any case
	Limit     int
	Offset    int64
}

// MovementFilter selects movements of one partner. ProductID 0 selects all.
type MovementFilter struct {
	PartnerID string
	ProductID int64
	Limit     int
	Offset    int64
}

// Service carries out the use cases of stock.
type Service struct{ Config }

// Config is what the service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // safe for use by many goroutines
}

// NewService makes the service.
func NewService(config Config) *Service { return &Service{config} }

// now is the time as records hold it.
func (s *Service) now() time.Time { return delivery.Instant(s.Now()) }

// note makes an entry of the audit log for a thing of a partner's.
func (s *Service) note(ctx context.Context, action delivery.Action, partnerID string, productID int64, before, after any) (*delivery.AuditEntry, error) {
	entry, err := delivery.NewAuditEntry(ctx, s.Random, s.now(), action)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID = partnerID, strconv.FormatInt(productID, 10)
	entry.Before, entry.After = before, after
	return entry, nil
}

// Products lists a page of a partner's products by their ids, and counts those
// on all pages.
func (s *Service) Products(ctx context.Context, filter ProductFilter) (products []delivery.Product, total int64, err error) {
	if unfindable(filter.Search) {
		return nil, 0, nil
	}
	filter.Search = fold(filter.Search)
	err = s.Store.Read(ctx, func(tx Reader) error {
		if total, err = tx.CountProducts(ctx, filter); err != nil {
			return err
		}
		products, err = tx.ListProducts(ctx, filter)
		return err
	})
	return products, total, err
}

// Movements lists a page of a partner's movements, newest first.
func (s *Service) Movements(ctx context.Context, filter MovementFilter) (movements []delivery.Movement, err error) {
	err = s.Store.Read(ctx, func(tx Reader) error {
		movements, err = tx.ListMovements(ctx, filter)
		return err
	})
	return movements, err
}

// SearchKey is what searches look into. It is kept with the product, because
// the engines lower case only the letters they know.
func SearchKey(p delivery.Product) string { return fold(p.Name + "\n" + p.Barcode) }

func fold(text string) string { return strings.ToLower(text) }

// maxSearch is more bytes than any search key has.
const maxSearch = 4096

// unfindable tells that a text is in no search key, and spares the engines
// texts that they would refuse.
func unfindable(search string) bool {
	return len(search) > maxSearch || strings.ContainsRune(search, 0)
}
