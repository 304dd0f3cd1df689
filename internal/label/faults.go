package label

import (
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Warnings returns a warning for each text of an order that its labels do not show as it is, in
// the order of the labels. The order need not have an id yet.
func Warnings(o *delivery.Order) (warnings []delivery.Warning) {
	shared := &page{}
	shared.from(o)
	shared.to(o, time.UTC)
	faults := shared.faults
	for i, parcel := range o.Parcels {
		p := &page{}
		p.details(o, i+1)
		for _, fault := range p.faults {
			if !slices.Contains(faults, fault) { // all labels have the texts of the order
				faults = append(faults, fault)
			}
		}
		if parcel.Barcode != "" && !printsAsBars(parcel.Barcode) {
			warnings = append(warnings, delivery.NewWarning(delivery.WarningBarcode, fmt.Sprintf("parcels[%d].barcode", i)))
		}
	}
	printed := make([]delivery.Warning, 0, len(faults)+len(warnings))
	for _, fault := range faults {
		code := delivery.WarningNotPrinted
		if fault.Cut {
			code = delivery.WarningCut
		}
		printed = append(printed, delivery.NewWarning(code, fault.Field))
	}
	return append(printed, warnings...)
}
