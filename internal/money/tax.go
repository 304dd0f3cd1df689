package money

import (
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/pricing"
)

// Leg is the way of what is charged, by the provinces of its ends. Goods that are brought back
// have one of their own.
type Leg struct{ From, To string }

// Tax is a tax on a charge.
type Tax struct {
	Account Account // TaxGST, TaxHST or TaxQST
	Rate    int64   // in thousandths of a percent
}

// rate is the rate of a tax from a day on.
type rate struct {
	from  date.Day
	tax   Account
	share int64 // in thousandths of a percent
}

const percent = 1000

// harmonized holds the provinces with harmonized sales tax, oldest rate first. In others GST
// is charged. The rates are those of the Canada Revenue Agency for supplies that are made in
// a province ("GST/HST rates by province"); the place of supply of a freight transportation
// service is its destination.
var harmonized = map[string][]rate{
	"ON": {{0, TaxHST, 13 * percent}},
	"NB": {{0, TaxHST, 15 * percent}},
	"NL": {{0, TaxHST, 15 * percent}},
	"PE": {{0, TaxHST, 15 * percent}},
	"NS": {{0, TaxHST, 15 * percent}, {date.On(2025, 4, 1), TaxHST, 14 * percent}},
}

var (
	federal = []rate{{0, TaxGST, 5 * percent}}
	// quebec is charged, by Revenu Québec, for ways that begin and end in Quebec.
	quebec = []rate{{0, TaxQST, 9_975}}
)

// TaxesOf returns the taxes on a leg at a day.
func TaxesOf(leg Leg, day date.Day, numbers Numbers) (taxes []Tax) {
	if numbers.GSTHST != "" {
		rates := harmonized[leg.To]
		if rates == nil {
			rates = federal
		}
		taxes = append(taxes, at(rates, day))
	}
	if numbers.QST != "" && leg.From == "QC" && leg.To == "QC" {
		taxes = append(taxes, at(quebec, day))
	}
	return taxes
}

// at returns the tax at a day.
func at(rates []rate, day date.Day) (tax Tax) {
	for _, r := range rates {
		if r.from <= day {
			tax = Tax{r.tax, r.share}
		}
	}
	return tax
}

// On returns the tax on an amount in cents, rounded half up. The tax on an amount below zero is
// that on the same amount above zero, so that a correction takes back what was charged.
func (t Tax) On(cents int64) int64 {
	if cents < 0 {
		return -t.On(-cents)
	}
	return pricing.MulDiv(cents, t.Rate, 100*percent)
}
