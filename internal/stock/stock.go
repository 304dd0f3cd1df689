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

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/ledger"
)

// Store is what this room needs of storage: a consistent view to read, and a
// transaction to write, durable once Write has returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads catalogues and ledgers.
type Reader interface {
	// Products lists products by their ids.
	Products(ctx context.Context, filter ProductFilter) ([]delivery.Product, error)
	// CountProducts counts them on all pages.
	CountProducts(ctx context.Context, filter ProductFilter) (int64, error)
	// Product returns one product and how much of it lies where; nil if there is
	// none.
	Product(ctx context.Context, partnerID string, productID int64) (*delivery.Product, []delivery.Level, error)
	// LowStock lists active products of all partners of which no more than
	// the wanted minimum is left, those after the given one.
	LowStock(ctx context.Context, after LowProduct, limit int) ([]LowProduct, error)
	// Movements lists movements, newest first.
	Movements(ctx context.Context, filter MovementFilter) ([]delivery.Movement, error)
	// HasPartner tells whether there is such a partner.
	HasPartner(ctx context.Context, partnerID string) (bool, error)
}

// Writer changes catalogues and ledgers.
type Writer interface {
	// AddProducts adds products under the next ids of their partner, and tells
	// the first: 0 if there is no such partner.
	AddProducts(ctx context.Context, partnerID string, at time.Time, products ...delivery.Product) (first int64, err error)
	// SaveProducts writes what is told of products, but not their stock.
	SaveProducts(ctx context.Context, partnerID string, products ...delivery.Product) error
	// Barcodes are the products of a partner by their barcodes.
	Barcodes(ctx context.Context, partnerID string) (map[string][]int64, error)
	// LockLedger returns a partner's ledger with those of the products that
	// exist, locked until the transaction ends; nil if there is no such partner.
	LockLedger(ctx context.Context, partnerID string, productIDs ...int64) (*ledger.Ledger, error)
	// SaveLedger writes what has been booked in a ledger and how it leaves the
	// stock.
	SaveLedger(ctx context.Context, changed *ledger.Ledger) error
	// Receipt returns what is kept under an idempotency key; nil if nothing is.
	Receipt(ctx context.Context, key idempotency.Key) (*idempotency.Receipt, error)
	// AddReceipt keeps an answer.
	AddReceipt(ctx context.Context, receipt *idempotency.Receipt) error
	// AddAudit writes what was changed by whom.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// ProductFilter selects products of one partner. Zero fields select all.
type ProductFilter struct {
	PartnerID string
	Search    string // anywhere in name or barcode, in any case
	LowStock  bool   // only those of which no more than the minimum is left
	Status    delivery.ProductStatus
	After     int64 // a product id: only those behind it
	Limit     int
	Offset    int64
}

// MovementFilter selects movements of one partner. Zero fields select all.
type MovementFilter struct {
	PartnerID string
	ProductID int64
	Type      delivery.MovementType
	Location  string
	From      time.Time // included
	To        time.Time // excluded
	Before    int64     // a movement id: only older ones
	Limit     int
	Offset    int64
}

// LowProduct is a product of which too little is left.
type LowProduct struct {
	PartnerID string
	delivery.Product
}

// Service carries out the use cases of stock.
type Service struct{ config Config }

// Config is what the service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // safe for use by many goroutines
}

// NewService makes the service.
func NewService(config Config) *Service { return &Service{config: config} }

// now is the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// note makes an entry of the audit log for a thing of a partner's.
func (s *Service) note(ctx context.Context, action audit.Action, partnerID string, productID int64, before, after any) (*audit.Entry, error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), action)
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
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		if total, err = tx.CountProducts(ctx, filter); err != nil {
			return err
		}
		products, err = tx.Products(ctx, filter)
		return err
	})
	return products, total, err
}

// Movements lists a page of a partner's movements, newest first.
func (s *Service) Movements(ctx context.Context, filter MovementFilter) (movements []delivery.Movement, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		movements, err = tx.Movements(ctx, filter)
		return err
	})
	return movements, err
}

// Product reads one product with its levels.
func (s *Service) Product(ctx context.Context, partnerID string, productID int64) (product delivery.Product, levels []delivery.Level, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, at, err := tx.Product(ctx, partnerID, productID)
		if err == nil && found == nil {
			err = errNoProduct
		}
		if err != nil {
			return err
		}
		product, levels = *found, at
		return nil
	})
	return product, levels, err
}

// Catalogue lists a page of a partner's products, for operators; more tells
// that others follow. It does not count.
func (s *Service) Catalogue(ctx context.Context, filter ProductFilter) (products []delivery.Product, more bool, err error) {
	err = s.ofPartner(ctx, filter.PartnerID, func(tx Reader) error {
		if unfindable(filter.Search) {
			return nil
		}
		asked := filter
		asked.Search = fold(filter.Search)
		asked.Limit++ // one more tells whether a next page exists
		products, err = tx.Products(ctx, asked)
		return err
	})
	return products[:min(len(products), filter.Limit)], len(products) > filter.Limit, err
}

// Journal lists a page of a partner's movements, newest first, for operators;
// more tells that others follow.
func (s *Service) Journal(ctx context.Context, filter MovementFilter) (movements []delivery.Movement, more bool, err error) {
	err = s.ofPartner(ctx, filter.PartnerID, func(tx Reader) error {
		asked := filter
		asked.Limit++
		movements, err = tx.Movements(ctx, asked)
		return err
	})
	return movements[:min(len(movements), filter.Limit)], len(movements) > filter.Limit, err
}

// LowStock lists a page of the products of all partners of which too little is
// left; more tells that others follow.
func (s *Service) LowStock(ctx context.Context, after LowProduct, limit int) (low []LowProduct, more bool, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		low, err = tx.LowStock(ctx, after, limit+1)
		return err
	})
	return low[:min(len(low), limit)], len(low) > limit, err
}

// ofPartner reads from a partner's stock, if there is such a partner.
func (s *Service) ofPartner(ctx context.Context, partnerID string, fn func(Reader) error) error {
	return s.config.Store.Read(ctx, func(tx Reader) error {
		known, err := tx.HasPartner(ctx, partnerID)
		if err == nil && !known {
			err = errNoPartner
		}
		if err != nil {
			return err
		}
		return fn(tx)
	})
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
