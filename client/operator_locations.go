package client

import (
	"context"
	"net/http"
	"time"
)

// LocationRequest is the address of a warehouse or a hub.
type LocationRequest struct {
	Name    string  `json:"name"`
	Phone   string  `json:"phone"` // E.164
	Email   string  `json:"email"`
	Address Address `json:"address"`
}

// Location is a warehouse or a hub with its address.
type Location struct {
	Code string `json:"code"`
	LocationRequest
	UpdatedAt time.Time `json:"updated_at"`
}

// Locations lists locations.
type Locations struct {
	Locations []Location `json:"locations"`
}

// ListLocations returns the locations that have an address, by their codes.
func (o *Operator) ListLocations(ctx context.Context, options ...CallOption) (*Locations, error) {
	return fetch[Locations](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/locations"}, options)
}

// PutLocation sets the address of a location, to which returns go from now on.
func (o *Operator) PutLocation(
	ctx context.Context, code string, location LocationRequest, options ...CallOption,
) (*Location, error) {
	return fetch[Location](ctx, o, operation{
		method: http.MethodPut, path: "/ops/v1/locations/{id}", id: code, body: location, keyed: true,
	}, options)
}
