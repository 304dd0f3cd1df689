package console

import (
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web/page"
)

// runSheetView is a courier's round on paper: the orders in their sequence with room for a name
// and a time, and a manifest of their parcels, which both sides sign when they are handed over.
type runSheetView struct {
	*sheet
	Courier *operator.Courier
	now     time.Time
	AsOf    string // when it was read, in the zone of the first place
	Round   *dispatch.Round
	Jobs    []sheetJob
	Parcels int
	Cash    []string // what is to be collected: an amount for each currency
}

// sheetJob is an order of a run sheet.
type sheetJob struct {
	dispatch.Job
	Attempt int // which attempt to deliver it is; 0 for the first
	Places  []sheetPlace
	Fragile int    // how many of its parcels are
	Cash    string // what is collected on delivery; empty for nothing
}

// sheetPlace is where a courier goes for an order.
type sheetPlace struct {
	Key   string // of the phrase for what is done there
	Times string // the window, in the zone of the place
	*delivery.Contact
}

// Codes lists what stands on the labels of the parcels.
func (j sheetJob) Codes() string {
	codes := make([]string, len(j.Order.Parcels))
	for i, parcel := range j.Order.Parcels {
		codes[i] = parcel.ParcelID
		if parcel.Barcode != "" {
			codes[i] += " (" + parcel.Barcode + ")"
		}
	}
	return strings.Join(codes, ", ")
}

func (pages *Pages) runSheet(s *sheet) (int, []byte, error) {
	v := runSheetView{sheet: s, now: s.Site.Now()}
	var err error
	if v.Courier, err = pages.config.Operators.Courier(s.Context(), s.ID("courier_id")); err != nil {
		return 0, nil, err
	}
	if v.Round, err = pages.config.Dispatch.Round(s.Context(), v.Courier.CourierID, v.now.Add(-lately)); err != nil {
		return 0, nil, err
	}
	cash := map[delivery.Currency]int64{}
	for _, job := range v.Round.Jobs {
		v.Jobs = append(v.Jobs, v.job(job))
		v.Parcels += len(job.Order.Parcels)
		if cod := job.Order.COD; cod != nil {
			cash[cod.Currency] += cod.AmountCents
		}
	}
	if len(v.Jobs) > 0 {
		at := v.now.In(pages.config.Calendar.ClockAt(v.Jobs[0].Places[0].Address))
		v.AsOf = s.Text("sheet.printed", "at", s.Language.Moment(at, v.dated()), "zone", s.Language.Zone(at))
	}
	for _, currency := range slices.Sorted(maps.Keys(cash)) {
		v.Cash = append(v.Cash, s.Language.Money(cash[currency], currency))
	}
	return s.show(leaf{
		template: "run-sheet", title: s.Text("sheet.title", "name", v.Courier.Name), data: &v,
		back: &page.Link{Text: v.Courier.Name, Path: pathOf(v.Courier.CourierID)},
	})
}

// job returns how the sheet shows an order: where it is picked up, unless it was, and where it
// is delivered.
func (v *runSheetView) job(job dispatch.Job) sheetJob {
	shown := sheetJob{Job: job}
	if job.Failures > 0 {
		shown.Attempt = int(job.Failures) + 1
	}
	if job.Stop.Kind == dispatch.StopPickup {
		shown.Places = append(shown.Places, v.place("couriers.pickup", &job.Order.Pickup))
	}
	shown.Places = append(shown.Places, v.place("couriers.dropoff", &job.Order.Dropoff))
	for _, parcel := range job.Order.Parcels {
		if parcel.Fragile {
			shown.Fragile++
		}
	}
	if cod := job.Order.COD; cod != nil && cod.AmountCents > 0 {
		shown.Cash = v.Language.Money(cod.AmountCents, cod.Currency)
	}
	return shown
}

func (v *runSheetView) place(key string, at *delivery.Contact) sheetPlace {
	return sheetPlace{key, v.Language.Window(at.Window, v.pages.config.Calendar.ClockAt(at.Address), v.dated()), at}
}

// dated returns a time from which all days of the sheet have dates: paper says no "today".
func (v *runSheetView) dated() time.Time { return v.now.AddDate(0, 0, -30) }
