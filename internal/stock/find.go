package stock

import (
	"context"
	"slices"

	"github.com/dropyard/dropyard/internal/movement"
)

// Find returns the products that codes name, with their levels, by code: those that have
// it as their barcode, or else the one that has it as its sku or product_id. All readings of a code
// are tried (barcode.Readings), and GTINs are compared without leading zeros. A code that names
// no product is left out.
func (s *Service) Find(ctx context.Context, partnerID string, codes ...string) (map[string][]*movement.Product, error) {
	found := map[string][]*movement.Product{}
	return found, s.ofPartner(ctx, partnerID, func(tx Reader) error {
		kept, err := tx.Codes(ctx, partnerID)
		if err != nil {
			return err
		}
		known, named, all := newCodes(kept.Barcodes), map[string][]int64{}, []int64{}
		for _, code := range codes {
			ids := known.read(code, kept.SKUs)
			named[code], all = ids, append(all, ids...)
		}
		slices.Sort(all)
		held, err := tx.Held(ctx, partnerID, slices.Compact(all)...)
		for code, ids := range named {
			for _, id := range ids {
				if product := held[id]; product != nil {
					found[code] = append(found[code], product)
				}
			}
		}
		return err
	})
}

// Held returns those of some products of a partner that exist, with their levels, by id.
func (s *Service) Held(
	ctx context.Context, partnerID string, productIDs ...int64,
) (held map[int64]*movement.Product, err error) {
	err = s.ofPartner(ctx, partnerID, func(tx Reader) error {
		held, err = tx.Held(ctx, partnerID, productIDs...)
		return err
	})
	return held, err
}

// Locations returns the locations at which a partner's products lie or have lain, sorted.
func (s *Service) Locations(ctx context.Context, partnerID string) (locations []string, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		locations, err = tx.Locations(ctx, partnerID)
		return err
	})
	return locations, err
}
