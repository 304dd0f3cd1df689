// Package stock manages the partners' stock: the catalogue, movements,
// and the warehouse's movements, counts and imports. Orders take stock and return it
// in package order, through the same stock.
package stock

import (
	"context"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/barcode"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/idempotency"
	"github.com/dropyard/dropyard/internal/movement"
	"github.com/dropyard/dropyard/internal/outbox"
)

// Store is what this package needs of storage. Read runs fn on a consistent view of
// the data; Write runs it in a transaction, which is durable once Write has
// returned nil.
type Store interface {
	Read(ctx context.Context, fn func(Reader) error) error
	Write(ctx context.Context, fn func(Writer) error) error
}

// Reader reads catalogues and stocks.
type Reader interface {
	idempotency.Reader
	// Products lists a page of products by id.
	Products(ctx context.Context, filter ProductFilter) ([]delivery.Product, error)
	// CountProducts counts the products on all pages.
	CountProducts(ctx context.Context, filter ProductFilter) (int64, error)
	// Product returns one product and its levels; nil if there is no such product.
	Product(ctx context.Context, partnerID string, productID int64) (*delivery.Product, []delivery.Level, error)
	// LowStock lists active products of all partners whose quantity is at most
	// their stock_min, those after the given one.
	LowStock(ctx context.Context, after PartnerProduct, limit int) ([]PartnerProduct, error)
	// FindProducts lists the first products of all live partners that have a text in their search keys.
	FindProducts(ctx context.Context, search string, limit int) ([]PartnerProduct, error)
	// Movements lists a page of movements, newest first.
	Movements(ctx context.Context, filter MovementFilter) ([]delivery.Movement, error)
	// HasPartner reports whether there is such a partner.
	HasPartner(ctx context.Context, partnerID string) (bool, error)
	// Codes returns the codes of a partner's products.
	Codes(ctx context.Context, partnerID string) (Codes, error)
	// Held returns those of some products that exist, with their levels, by id.
	Held(ctx context.Context, partnerID string, productIDs ...int64) (map[int64]*movement.Product, error)
	// Locations returns where a partner's products lie or have lain, sorted.
	Locations(ctx context.Context, partnerID string) ([]string, error)
}

// Writer changes catalogues and stocks.
type Writer interface {
	idempotency.Writer
	// AddProducts adds products under the next ids of their partner, and returns the
	// first id; 0 if there is no such partner.
	AddProducts(ctx context.Context, partnerID string, at time.Time, products ...delivery.Product) (first int64, err error)
	// SaveProducts writes products, except their stock.
	SaveProducts(ctx context.Context, partnerID string, products ...delivery.Product) error
	// Codes returns the codes of a partner's products.
	Codes(ctx context.Context, partnerID string) (Codes, error)
	// WithSKU returns the ids of a partner's products that have a sku.
	WithSKU(ctx context.Context, partnerID, sku string) ([]int64, error)
	// LockStock returns a partner's stock with those of the products that exist,
	// and locks it until the transaction ends; nil if there is no such partner.
	LockStock(ctx context.Context, partnerID string, productIDs ...int64) (*movement.Stock, error)
	// SaveStock writes the movements that were booked in a stock, and the stock that
	// they result in.
	SaveStock(ctx context.Context, changed *movement.Stock) error
	// AddEvents adds events of products, which have no sequences yet, and returns the endpoints for which they wait. No
	// row of products is locked after it.
	AddEvents(ctx context.Context, events []*delivery.Event) (waits []outbox.EndpointKey, err error)
	// AddAudit writes entries of the audit log.
	AddAudit(ctx context.Context, entries ...*audit.Entry) error
}

// ProductFilter selects products of one partner. A zero field does not restrict the
// selection.
type ProductFilter struct {
	PartnerID string
	Search    string // occurs in the name, the barcode or the sku, in any case
	SKU       string
	LowStock  bool // only products whose quantity is at most their stock_min
	Status    delivery.ProductStatus
	After     int64 // a product id: only products with greater ids
	Limit     int
	Offset    int64
}

// Codes are the ids of one partner's products by the codes that they have.
type Codes struct {
	Barcodes map[string][]int64 // in order
	SKUs     map[string][]int64 // one each
}

// MovementFilter selects movements of one partner. A zero field does not restrict the
// selection.
type MovementFilter struct {
	PartnerID string
	ProductID int64
	Type      delivery.MovementType
	Location  string
	From      time.Time // included
	To        time.Time // excluded
	Before    int64     // a movement id: only older movements
	Limit     int
	Offset    int64
}

// PartnerProduct is a product of one of all partners.
type PartnerProduct struct {
	PartnerID string
	delivery.Product
}

// Service carries out the use cases of stock. It is safe for concurrent use.
type Service struct {
	config    Config
	importing chan struct{} // holds one while an import of several parts runs
}

// Config holds what the service is made of.
type Config struct {
	Store  Store
	Now    func() time.Time
	Random io.Reader // safe for concurrent use
	// Wake is called with the endpoints for which events wait; nil if they are found otherwise.
	Wake func(keys ...outbox.EndpointKey)
}

// NewService returns a service.
func NewService(config Config) *Service {
	return &Service{config: config, importing: make(chan struct{}, 1)}
}

// announcing is a transaction in which events are added.
type announcing struct {
	Writer
	random io.Reader
	waits  []outbox.EndpointKey
}

// SaveStock writes a stock, and adds the events of what has changed in it.
func (tx *announcing) SaveStock(ctx context.Context, changed *movement.Stock) error {
	if len(changed.Booked) > 0 {
		if err := tx.Writer.SaveStock(ctx, changed); err != nil {
			return err
		}
	}
	events := changed.Announce()
	if len(events) == 0 {
		return nil
	}
	if err := outbox.Identify(tx.random, events); err != nil {
		return err
	}
	waits, err := tx.AddEvents(ctx, events)
	tx.waits = append(tx.waits, waits...)
	return err
}

// write runs fn in a transaction, and then wakes the endpoints for which events wait.
func (s *Service) write(ctx context.Context, fn func(Writer) error) error {
	var waits []outbox.EndpointKey
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		announcing := &announcing{Writer: tx, random: s.config.Random}
		err := fn(announcing)
		waits = announcing.waits
		return err
	})
	if err == nil && len(waits) > 0 && s.config.Wake != nil {
		s.config.Wake(waits...)
	}
	return err
}

// now returns the time as records hold it.
func (s *Service) now() time.Time { return timestamp.Truncate(s.config.Now()) }

// note returns an entry of the audit log about a partner's product.
func (s *Service) note(
	ctx context.Context, action audit.Action, partnerID string, productID int64, before, after any,
) (*audit.Entry, error) {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), action)
	if err != nil {
		return nil, err
	}
	entry.PartnerID, entry.ObjectID = partnerID, strconv.FormatInt(productID, 10)
	entry.Before, entry.After = before, after
	return entry, nil
}

// Products lists a page of a partner's products by id, and counts those on all pages.
func (s *Service) Products(
	ctx context.Context, filter ProductFilter,
) (products []delivery.Product, total int64, err error) {
	if unfindable(filter.Search) || unfindable(filter.SKU) {
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

// Product returns one product with its levels. The error may be not_found.
func (s *Service) Product(
	ctx context.Context, partnerID string, productID int64,
) (product delivery.Product, levels []delivery.Level, err error) {
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

// Catalogue lists a page of a partner's products for operators, without counting
// them; more reports whether a page follows. The error may be not_found.
func (s *Service) Catalogue(
	ctx context.Context, filter ProductFilter,
) (products []delivery.Product, more bool, err error) {
	err = s.ofPartner(ctx, filter.PartnerID, func(tx Reader) error {
		if unfindable(filter.Search) || unfindable(filter.SKU) {
			return nil
		}
		asked := filter
		asked.Search = fold(filter.Search)
		asked.Limit++ // one more product shows whether there is a next page
		products, err = tx.Products(ctx, asked)
		return err
	})
	return products[:min(len(products), filter.Limit)], len(products) > filter.Limit, err
}

// Journal lists a page of a partner's movements for operators, newest first; more
// reports whether a page follows. The error may be not_found.
func (s *Service) Journal(
	ctx context.Context, filter MovementFilter,
) (movements []delivery.Movement, more bool, err error) {
	err = s.ofPartner(ctx, filter.PartnerID, func(tx Reader) error {
		asked := filter
		asked.Limit++
		movements, err = tx.Movements(ctx, asked)
		return err
	})
	return movements[:min(len(movements), filter.Limit)], len(movements) > filter.Limit, err
}

// LowStock lists a page of the products of all partners whose quantity is at most
// their stock_min; more reports whether a page follows.
func (s *Service) LowStock(
	ctx context.Context, after PartnerProduct, limit int,
) (low []PartnerProduct, more bool, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		low, err = tx.LowStock(ctx, after, limit+1)
		return err
	})
	return low[:min(len(low), limit)], len(low) > limit, err
}

// FindProducts lists the first products of all partners with a text in their name, barcode or sku, or else those
// with the GTIN in their barcode that a scanner may have read; more reports whether there are others.
func (s *Service) FindProducts(
	ctx context.Context, search string, limit int,
) (found []PartnerProduct, more bool, err error) {
	if search == "" || unfindable(search) {
		return nil, false, nil
	}
	searches := []string{fold(search)}
	for _, reading := range barcode.Readings(search) {
		if number, ok := barcode.GTIN(reading); ok {
			searches = append(searches, number)
		}
	}
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		for _, text := range searches {
			if found, err = tx.FindProducts(ctx, text, limit+1); err != nil || len(found) > 0 {
				return err
			}
		}
		return nil
	})
	return found[:min(len(found), limit)], len(found) > limit, err
}

// ofPartner runs fn on a view of the data, or returns not_found if there is no such
// partner.
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

// SearchKey returns the text that searches of a product look through. It is stored
// with the product, because some engines turn only ASCII letters into lower case.
func SearchKey(p delivery.Product) string {
	key := p.Name + "\n" + p.Barcode
	if p.SKU != "" {
		key += "\n" + p.SKU
	}
	return fold(key)
}

func fold(text string) string { return strings.ToLower(text) }

// maxSearch is the most bytes that a search may have; every search key is shorter.
const maxSearch = 4096

// unfindable reports whether a text cannot occur in any search key. Some engines
// return an error for such a text.
func unfindable(search string) bool {
	return len(search) > maxSearch || strings.ContainsRune(search, 0)
}
