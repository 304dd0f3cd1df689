package order

import (
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/label"
)

// warnings returns what is probably not meant about an order that is estimated to arrive at a
// time. Of an order that is only quoted less is known.
func (s *Service) warnings(o *delivery.Order, estimate time.Time) []delivery.Warning {
	return slices.Concat(o.Shipment.Warnings(estimate), s.config.Calendar.Warnings(&o.Shipment), label.Warnings(o))
}
