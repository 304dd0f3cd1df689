package pricing

import "time"

// holiday is a statutory holiday in some provinces.
type holiday struct {
	name string
	rule
	provinces string // separated by spaces
}

const (
	everywhere = "AB BC MB NB NL NS NT NU ON PE QC SK YT"
	butSK      = "AB BC MB NB NL NS NT NU ON PE QC YT"
)

// holidays lists the days that a statute of a province makes a holiday for all
// employers:
//
//	AB Employment Standards Code        NT Employment Standards Act
//	BC Employment Standards Act         NU Labour Standards Act
//	MB Employment Standards Code        ON Employment Standards Act, 2000
//	NB Employment Standards Act         PE Employment Standards Act
//	NL Labour Standards Act             QC Act respecting labour standards, National Holiday Act
//	NS Labour Standards Code            SK Saskatchewan Employment Act
//	                                    YT Employment Standards Act
//
// A holiday on a weekend moves only where a statute names the day it moves to:
// Canada Day from Sunday to Monday (Holidays Act of Canada; Quebec's act says
// the same), Quebec's National Holiday likewise, and Saskatchewan's New Year's,
// Remembrance and Christmas Day. Elsewhere the employer chooses a day in lieu,
// which cannot be computed.
//
// Left out: Remembrance Day in MB and NS, whose Remembrance Day Acts close
// shops without making a general holiday; Easter Monday, which Quebec lets an
// employer take instead of Good Friday; days of rest and optional days.
var holidays = []holiday{
	{"New Year's Day", on(time.January, 1), butSK},
	{"New Year's Day", movedFromSunday(on(time.January, 1)), "SK"},
	{"Family Day (MB Louis Riel Day, NS Heritage Day, PE Islander Day)", nthMonday(3,
		time.February), "AB BC MB NB NS ON PE SK"},
	{"Good Friday", goodFriday, everywhere},
	{"Victoria Day (QC National Patriots' Day)", mondayBefore(time.May, 25), "AB BC MB NT NU ON QC SK YT"},
	{"National Indigenous Peoples Day", on(time.June, 21), "NT YT"},
	{"National Holiday", movedFromSunday(on(time.June, 24)), "QC"},
	{"Canada Day (NL Memorial Day)", movedFromSunday(on(time.July, 1)), everywhere},
	{"Nunavut Day", on(time.July, 9), "NU"},
	{"Civic Holiday (BC Day, New Brunswick Day, Saskatchewan Day)", nthMonday(1, time.August), "BC NB NT NU SK"},
	{"Discovery Day", nthMonday(3, time.August), "YT"},
	{"Labour Day", nthMonday(1, time.September), everywhere},
	{"National Day for Truth and Reconciliation", on(time.September, 30), "BC MB NT NU PE YT"},
	{"Thanksgiving", nthMonday(2, time.October), "AB BC MB NT NU ON QC SK YT"},
	{"Remembrance Day", on(time.November, 11), "AB BC NB NL NT NU PE YT"},
	{"Remembrance Day", movedFromSunday(on(time.November, 11)), "SK"},
	{"Christmas Day", on(time.December, 25), butSK},
	{"Christmas Day", movedFromSunday(on(time.December, 25)), "SK"},
	{"Boxing Day", on(time.December, 26), "ON"},
}

// rule computes the date of a yearly holiday.
type rule struct {
	month time.Month         // the month of the holiday; 0 if it varies
	in    func(year int) day // returns the date in a year
}

// mayFallIn reports whether the holiday may be in a month. It saves most calls
// of in.
func (r rule) mayFallIn(month time.Month) bool { return r.month == 0 || r.month == month }

func on(month time.Month, date int) rule {
	return rule{month, func(year int) day { return dayOf(year, month, date) }}
}

// nthMonday returns the rule for the n-th Monday of a month, counted from 1.
func nthMonday(n int, month time.Month) rule {
	return rule{month, func(year int) day {
		return mondayUpTo(dayOf(year, month, 7*n))
	}}
}

// mondayBefore returns the rule for the last Monday before a date, exclusive.
func mondayBefore(month time.Month, date int) rule {
	return rule{month, func(year int) day {
		return mondayUpTo(dayOf(year, month, date-1))
	}}
}

// mondayUpTo returns the last Monday that is not after d.
func mondayUpTo(d day) day {
	return d - day((d.weekday()-time.Monday+7)%7)
}

// movedFromSunday returns the rule for the same day, or the Monday after it if
// the day is a Sunday. The day must not be the last of a month.
func movedFromSunday(r rule) rule {
	return rule{r.month, func(year int) day {
		d := r.in(year)
		if d.weekday() == time.Sunday {
			d++
		}
		return d
	}}
}

var goodFriday = rule{in: func(year int) day { return easter(year) - 2 }}

// easter returns Easter Sunday, by the anonymous Gregorian computus (Meeus,
// Jones and Butcher), whose letters the variables have.
func easter(year int) day {
	a, b, c := year%19, year/100, year%100
	d, e := b/4, b%4
	g := (8*b + 13) / 25
	h := (19*a + b - d - g + 15) % 30
	i, k := c/4, c%4
	l := (32 + 2*e + 2*i - h - k) % 7
	m := (a + 11*h + 22*l) / 451
	n := h + l - 7*m + 114
	return dayOf(year, time.Month(n/31), n%31+1)
}
