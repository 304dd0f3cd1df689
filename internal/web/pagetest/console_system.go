package pagetest

import (
	"context"
	"net/url"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

// keepTrials keeps the page of the installation with the result of a trial.
func (h *house) keepTrials(ctx context.Context) error {
	return h.keepAll(ctx, []sent{{"system-tried", "/console/system", url.Values{"trial": {"storage"}}}})
}

// keepCells keeps the page of a new rate card whose cells are refused.
func (h *house) keepCells(ctx context.Context) error {
	cells := url.Values{
		"name": {"default"}, "version": {"2026-09"}, "parcel_cents": {"1.505"}, "included_grams": {"1.5"},
		"fragile_cents": {"<script>hacked=1</script>"}, "insurance.basis_points": {"1"},
		"insurance.minimum_cents": {"2.00"}, "cod.basis_points": {"101"}, "cod.minimum_cents": {"4.50"},
		"fuel_basis_points": {"12.5"}, "cad_per_10000_usd": {"1.375"}, "return_cents": {"4,5 $"},
		"late_cancellation_cents": {"free"},
	}
	days := map[delivery.ServiceLevel]string{delivery.Standard: "3", delivery.Express: "1", delivery.SameDay: "1"}
	for _, level := range delivery.ServiceLevels {
		at := "levels." + string(level)
		cells.Set(at+".cut_off", "13:00")
		cells.Set(at+".deliver_by", "18:00")
		for _, zone := range pricing.Zones[:4] {
			row := at + ".zones." + string(zone)
			cells.Set(row, "yes")
			cells.Set(row+".base_cents", "12.95")
			cells.Set(row+".per_kg_cents", "0.45")
			cells.Set(row+".transit_days", days[level])
		}
	}
	return h.keepAll(ctx, []sent{{"rates-cells-hostile", "/console/rate-cards/new", cells}})
}
