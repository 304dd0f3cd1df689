package order

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/route"
)

// assume completes the addresses of a shipment by their postal codes, and returns what it has added. It
// reports whether both had a city.
func assume(s *delivery.Shipment) (assumed pricing.Assumed, cities bool) {
	cities = s.Pickup.Address.City != "" && s.Dropoff.Address.City != ""
	assumed.Pickup = assumeEnd(&s.Pickup.Address)
	assumed.Dropoff = assumeEnd(&s.Dropoff.Address)
	return assumed, cities
}

func assumeEnd(a *delivery.Address) (place pricing.Place) {
	if a.City == "" {
		place.City = route.CityOf(delivery.PostalArea(a.PostalCode))
		a.City = place.City
	}
	if a.Province == "" {
		place.Province = delivery.PostalProvince(a.PostalCode)
		a.Province = place.Province
	}
	return place
}
