package operator

import (
	"context"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// LocationEntry is a request to set the address of a location.
type LocationEntry struct {
	form.Faults
	delivery.Contact
}

// ReadLocationEntry reads a request to set the address of a location.
func ReadLocationEntry(f *form.Form) LocationEntry {
	return LocationEntry{Contact: delivery.ReadLocation(f)}
}

// locationFacts is what the audit log holds of a location.
type locationFacts struct {
	Name       string `json:"name"`
	Line1      string `json:"line1"`
	City       string `json:"city"`
	PostalCode string `json:"postal_code"`
}

func factsOfLocation(l *delivery.Location) any {
	if l == nil {
		return nil
	}
	return locationFacts{l.Name, l.Address.Line1, l.Address.City, l.Address.PostalCode}
}

// PutLocation sets the address of a location.
func (s *Service) PutLocation(ctx context.Context, code string, entry LocationEntry) (*delivery.Location, error) {
	problems := entry.Problems()
	if !delivery.LocationRule.Allows(code) {
		problems.Add("code", code, delivery.LocationRule.Rule)
	}
	if err := problems.Err(); err != nil {
		return nil, err
	}
	location := &delivery.Location{Code: code, Contact: entry.Contact, UpdatedAt: s.now()}
	return location, s.config.Store.Write(ctx, func(tx Writer) error {
		before, err := tx.Locations(ctx, code)
		if err != nil {
			return err
		}
		var old *delivery.Location
		if len(before) > 0 {
			old = before[0]
		}
		entry, err := s.note(ctx, audit.ActionLocationChanged, code, factsOfLocation(old), factsOfLocation(location))
		if err != nil {
			return err
		}
		if err := tx.SaveLocation(ctx, location); err != nil {
			return err
		}
		return tx.AddAudit(ctx, entry)
	})
}

// Locations lists the locations that have an address, by their codes.
func (s *Service) Locations(ctx context.Context) (found []*delivery.Location, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) (err error) {
		found, err = tx.Locations(ctx, "")
		return err
	})
	return found, err
}
