package pagetest

import "net/url"

// newOrderScenes returns the scenes of the form for a new order.
func (h *house) newOrderScenes(add func(name, who, path string)) {
	const path = "/portal/orders/new"
	copied := path + "?from=" + url.QueryEscape(h.orders["A-1042"])
	mistakes := url.Values{
		"check": {"yes"}, "pickup.phone": {"call me"}, "dropoff.name": {"Alex Martin"},
		"dropoff.address.postal_code": {"90210"}, "dropoff.address.province": {"BC"},
		"dropoff.time_window.start": {"2026-06-19T13:00"}, "dropoff.time_window.end": {"2026-06-19T09:00"},
		"parcels[0].weight_kg": {"700"}, "parcels[0].value_cents": {"twelve"}, "parcels[1].parcel_id": {"P-1"},
		"items[0].product_id": {"3"}, "items[0].quantity": {"9"}, "cod.amount_cents": {"1.005"},
	}
	add("portal-new", newcomer, path)
	add("portal-new-remembered", owner, path)
	add("portal-new-priced", owner, copied)
	add("portal-new-faults", owner, path+"?"+mistakes.Encode())
	add("portal-new-parcels", owner, copied+"&parcels=20")
	add("portal-new-test", owner, path+"?mode=test")
	add("portal-new-hostile", hostiles, path+"?check=yes&from="+url.QueryEscape(h.orders[hostileText]))
}
