package pricing_test

import (
	"encoding/json"
	"os"
	"regexp"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/pricing"
)

func ratesPage(t *testing.T) string {
	t.Helper()
	page, err := os.ReadFile("../../docs/rates.md")
	if err != nil {
		t.Fatal(err)
	}
	return string(page)
}

// example is the JSON block of docs/rates.md.
type example struct {
	Now      time.Time
	Shipment struct {
		Level           delivery.ServiceLevel `json:"service_level"`
		Pickup, Dropoff struct{ Address exampleAddress }
		Parcels         []exampleParcel
		Insurance, COD  exampleMoney
	}
	Price struct {
		Zone        pricing.Zone
		Charges     map[string]int64
		RateCents   int64 `json:"rate_cents"`
		Currency    delivery.Currency
		TransitDays int       `json:"transit_days"`
		Estimate    time.Time `json:"estimated_delivery"`
	}
}

type exampleAddress struct {
	City, Province, Country string
	PostalCode              string `json:"postal_code"`
}

type exampleParcel struct {
	Weight  float64 `json:"weight_kg"`
	Length  float64 `json:"length_cm"`
	Width   float64 `json:"width_cm"`
	Height  float64 `json:"height_cm"`
	Fragile bool
}

type exampleMoney struct {
	Amount   int64 `json:"amount_cents"`
	Currency delivery.Currency
}

func (e example) shipment() delivery.Shipment {
	s := delivery.Shipment{
		ServiceLevel: e.Shipment.Level,
		Pickup:       e.Shipment.Pickup.Address.contact(),
		Dropoff:      e.Shipment.Dropoff.Address.contact(),
		COD:          e.Shipment.COD.money(),
		Insurance:    e.Shipment.Insurance.money(),
	}
	for _, p := range e.Shipment.Parcels {
		s.Parcels = append(s.Parcels, delivery.Parcel{
			WeightKg: p.Weight, LengthCm: p.Length, WidthCm: p.Width, HeightCm: p.Height, Fragile: p.Fragile,
		})
	}
	return s
}

func (a exampleAddress) contact() delivery.Contact {
	return town{a.City, a.Province, a.PostalCode}.contact()
}

func (m exampleMoney) money() *delivery.Money {
	return &delivery.Money{AmountCents: m.Amount, Currency: m.Currency}
}

func TestDocsExample(t *testing.T) {
	t.Parallel()
	_, block, _ := strings.Cut(ratesPage(t), "```json\n")
	block, _, _ = strings.Cut(block, "```")
	var want example
	if err := json.Unmarshal([]byte(block), &want); err != nil {
		t.Fatal(err)
	}
	got := priced(t, want.shipment(), want.Now)
	if got.RateCents != want.Price.RateCents || got.Currency != want.Price.Currency ||
		got.Zone != want.Price.Zone || got.TransitDays != want.Price.TransitDays ||
		!got.EstimatedDelivery.Equal(want.Price.Estimate) {
		t.Errorf("the example of docs/rates.md:\n got %+v\nwant %+v", got, want.Price)
	}
	if len(got.Charges) != len(want.Price.Charges) {
		t.Errorf("got charges %+v, want %+v", got.Charges, want.Price.Charges)
	}
	for name, cents := range want.Price.Charges {
		if chargeOf(got, name) != cents {
			t.Errorf("%s: got %d, want %d", name, chargeOf(got, name), cents)
		}
	}
}

func TestDocsListCardFields(t *testing.T) {
	t.Parallel()
	page := ratesPage(t)
	card := defaultJSON(t) + `{"attempt_cents": 300, "return_cents": 450, "late_cancellation_cents": 400}`
	for _, member := range regexp.MustCompile(`"([a-z0-9_]+)":`).FindAllStringSubmatch(card, -1) {
		if !strings.Contains(page, "`"+member[1]+"`") {
			t.Errorf("docs/rates.md does not mention `%s`", member[1])
		}
	}
}

func TestDocsListTransitDays(t *testing.T) {
	t.Parallel()
	for _, level := range delivery.ServiceLevels {
		row := "| " + string(level) + " |"
		for _, to := range []string{"h3b2y5", "G1R 4P5", "M5V 2T6", "B3J 1S9", "X1A 2N4"} { // nearest zone first
			s := delivery.Shipment{
				ServiceLevel: level, Pickup: at("H2X 1Y4"), Dropoff: at(to),
				Parcels: []delivery.Parcel{parcelOf(1, 1)},
			}
			row += " " + strconv.Itoa(priced(t, s, monday).TransitDays) + " |"
		}
		if !strings.Contains(ratesPage(t), row) {
			t.Errorf("docs/rates.md lacks the row %s", row)
		}
	}
}

func TestDocsListClocks(t *testing.T) {
	t.Parallel()
	for province, clock := range pricing.Clocks() {
		if row := "| " + province + " | " + clock + " |"; !strings.Contains(ratesPage(t), row) {
			t.Errorf("docs/rates.md lacks the row %s", row)
		}
	}
}

// TestDocsListHolidays compares the table of docs/rates.md with the code, row by
// row.
func TestDocsListHolidays(t *testing.T) {
	t.Parallel()
	_, table, _ := strings.Cut(ratesPage(t), "| holiday | when | provinces |\n|---|---|---|\n")
	table, _, _ = strings.Cut(table, "\n\n")
	rows, holidays := strings.Split(table, "\n"), pricing.Holidays()
	if len(rows) != len(holidays) {
		t.Fatalf("docs/rates.md: got %d holidays, want %d", len(rows), len(holidays))
	}
	for i, holiday := range holidays {
		if !strings.HasPrefix(rows[i], "| "+holiday.Name+" | ") || !strings.HasSuffix(rows[i], " | "+holiday.Provinces+" |") {
			t.Errorf("docs/rates.md: got row %q, want %+v", rows[i], holiday)
		}
	}
}
