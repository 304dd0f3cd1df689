package charts

import (
	"cmp"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/web/page"
)

// moneyCard is an amount of the period.
type moneyCard struct {
	Key   string // of its phrase
	Value string
}

// addMoney adds what the books have of a period.
func (v *figuresView) addMoney(now *report.Answer) {
	revenue, collected := v.amounts(now.TotalMoney())
	v.Money = []moneyCard{{"portal.figures.revenue", revenue}, {"portal.figures.collected", collected}}
	chart := page.Chart{
		Title: v.Text("portal.figures.chart.money"), Tones: []string{"delivered", "orders"},
		Names: []string{v.Text("portal.figures.revenue"), v.Text("portal.figures.collected")},
		About: v.Text("portal.figures.note.money", "revenue", revenue, "collected", collected),
	}
	for _, line := range now.Lines {
		booked, label := now.MoneyOn(line.Day), v.date(line.Day)
		revenue, collected := v.amounts(booked)
		note := v.Text("portal.figures.note.money", "revenue", revenue, "collected", collected)
		var dollars [2]int64
		for _, m := range booked {
			if m.Currency == delivery.CAD {
				const cents = 100
				dollars = [2]int64{max(0, m.Revenue/cents), max(0, m.Collected/cents)}
			}
		}
		chart.Steps = append(chart.Steps,
			page.Step{Label: label, Note: label + v.Text("page.colon") + " " + note, Values: dollars[:]})
	}
	v.Charts = append(v.Charts, chart)
}

// amounts returns what was charged and what was collected, in each currency that there is any of.
func (v *figuresView) amounts(booked []report.DayMoney) (revenue, collected string) {
	var earned, held []string
	for _, m := range booked {
		if m.Revenue != 0 {
			earned = append(earned, v.Language.Money(m.Revenue, m.Currency))
		}
		if m.Collected != 0 {
			held = append(held, v.Language.Money(m.Collected, m.Currency))
		}
	}
	none := v.Language.Dollars(0)
	return cmp.Or(strings.Join(earned, " · "), none), cmp.Or(strings.Join(held, " · "), none)
}
