package portal

import (
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/visit"
)

func (room *Room) figuresRoutes() []visit.Route {
	return []visit.Route{
		room.get("/figures", partner.PermissionOrdersRead, (*Room).figures),
		room.get("/figures.csv", partner.PermissionOrdersRead, (*Room).figuresFile),
	}
}

// The periods that end today, in days.
var usualPeriods = []int{7, 30, 90}

// period is which figures are asked for.
type period struct {
	days        int    // of a period that ends today; 0 if there are bounds
	from, to    string // the bounds as they were typed
	first, last figures.Day
	byCourier   bool
	faults      []page.Fault
}

// period reads the parameters of a page of figures.
func (s *sheet) period() (p period) {
	p.from, p.to, p.byCourier = s.parameter("from"), s.parameter("to"), s.parameter("by") == "courier"
	if p.from == "" && p.to == "" {
		p.days, _ = strconv.Atoi(s.parameter("days"))
		if !slices.Contains(usualPeriods, p.days) {
			p.days = report.DefaultDays
		}
		p.last = figures.Today(s.room.config.Site.Now())
		p.first = p.last - figures.Day(p.days) + 1
		return p
	}
	for _, bound := range []struct {
		name string
		text *string
		day  *figures.Day
	}{{"from", &p.from, &p.first}, {"to", &p.to, &p.last}} {
		day, ok := figures.ParseDay(*bound.text)
		if !ok && *bound.text != "" {
			*bound.text = "" // a field of dates shows no other text
			p.faults = append(p.faults, page.Fault{Field: bound.name, Text: s.Text("portal.figures.fault.date")})
		}
		*bound.day = day
	}
	return p
}

// parameters returns the parameters that ask for the same period.
func (p period) parameters() []string {
	days, by := "", ""
	if p.days != 0 {
		days = strconv.Itoa(p.days)
	}
	if p.byCourier {
		by = "courier"
	}
	return []string{"days", days, "from", p.from, "to", p.to, "by", by}
}

// ask returns the figures of a period of the partner. A fault of the period is added to
// p, and the answer is nil then.
func (s *sheet) ask(p *period, byCourier bool) (*report.Answer, error) {
	if len(p.faults) > 0 {
		return nil, nil
	}
	answer, err := s.room.config.Reports.Figures(s.Context(), report.Question{Filter: figures.Filter{
		PartnerID: s.Account, First: p.first, Last: p.last, ByCourier: byCourier,
	}})
	if len(form.ProblemsOf(err)) > 0 {
		longest := report.MaxDays
		if byCourier {
			longest = report.MaxDaysByCourier
		}
		p.faults = append(p.faults, page.Fault{Field: "from", Text: s.Text("portal.figures.fault.period", "n", longest)})
		return nil, nil
	}
	return answer, err
}

// figuresFile sends the figures as a file. It leads to the page if the page has to say
// why there is none.
func (room *Room) figuresFile(s *sheet) (int, []byte, error) {
	p := s.period()
	if s.Mode() == delivery.ModeTest {
		return s.LeadTo(s.Link("/portal/figures"), page.Flash{})
	}
	answer, err := s.ask(&p, p.byCourier)
	if err != nil {
		return 0, nil, err
	}
	if answer == nil {
		return s.LeadTo("/portal/figures?"+s.URL.Query().Encode(), page.Flash{})
	}
	s.Header.Set("Content-Type", "text/csv; charset=utf-8")
	s.Header.Set("Content-Disposition", `attachment; filename="figures-`+answer.First.String()+"-"+answer.Last.String()+`.csv"`)
	s.Header.Set("Cache-Control", "no-store")
	return http.StatusOK, answer.CSV(), nil
}

// figuresView is what the page of figures shows.
type figuresView struct {
	*sheet
	Form   *page.Form  // of the bounds
	Chips  []page.Link // the usual periods
	Period string      // in words; empty if there is no answer
	Empty  bool        // nothing was counted
	Cards  []figure
	Charts []page.Chart
	Stays  []stayRow
	// Views lead from the table of days to that of couriers and back.
	Views    []page.Link
	Days     []report.Line // the latest first; nil for couriers
	Couriers []courierRow
	// TooLong is set if couriers were asked for in a period that is too long for that.
	TooLong bool
	CSV     string // the address of the file
}

// figures shows what was counted in a period. Orders in test mode are not counted.
func (room *Room) figures(s *sheet) (int, []byte, error) {
	p := s.period()
	v := figuresView{sheet: s}
	if s.Mode() == delivery.ModeLive {
		if err := v.fill(&p); err != nil {
			return 0, nil, err
		}
	}
	v.Form = &page.Form{Action: "/portal/figures", Values: url.Values{"from": {p.from}, "to": {p.to}}, Faults: p.faults}
	status := http.StatusOK
	if len(p.faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	return s.show(leaf{template: "portal-figures", title: s.Text("portal.figures"), data: &v, status: status})
}

// fill reads the figures of a period.
func (v *figuresView) fill(p *period) error {
	for _, days := range usualPeriods {
		link := period{days: days, byCourier: p.byCourier}.parameters()
		v.Chips = append(v.Chips, page.Link{Text: v.Language.Count("portal.figures.last", days), Path: v.Link("/portal/figures", link...), Current: p.days == days})
	}
	now, err := v.ask(p, false)
	if err != nil || now == nil {
		return err
	}
	if p.days == 0 { // the bounds that were left out
		p.from, p.to = now.First.String(), now.Last.String()
	}
	before, err := v.before(now)
	if err != nil {
		return err
	}
	total := totalOf(now.Lines)
	v.Period = v.Text("portal.figures.period", "from", v.date(now.First), "to", v.date(now.Last))
	v.Empty = total == figures.Counts{}
	v.Cards, v.Charts, v.Stays = v.cards(total, before), v.charts(now.Lines, total), staysOf(total)
	return v.tables(p, now)
}

// Bounds returns the fields of the bounds.
func (v *figuresView) Bounds() []page.Field {
	return []page.Field{
		v.Form.With(page.Field{Name: "from", Label: v.Text("portal.figures.from"), Type: "date"}),
		v.Form.With(page.Field{Name: "to", Label: v.Text("portal.figures.to"), Type: "date"}),
	}
}

// before returns the sums of the period of the same length before an answer.
func (v *figuresView) before(now *report.Answer) (figures.Counts, error) {
	length := now.Last - now.First + 1
	if now.First <= length { // there are no days before 1970
		return figures.Counts{}, nil
	}
	answer, err := v.room.config.Reports.Figures(v.Context(), report.Question{Filter: figures.Filter{
		PartnerID: v.Account, First: now.First - length, Last: now.First - 1,
	}})
	if err != nil {
		return figures.Counts{}, err
	}
	return totalOf(answer.Lines), nil
}

// tables adds the table that was asked for, and the ways to the others.
func (v *figuresView) tables(p *period, now *report.Answer) error {
	days, couriers := *p, *p
	days.byCourier, couriers.byCourier = false, true
	v.Views = []page.Link{
		{Text: v.Text("portal.figures.by.day"), Path: v.Link("/portal/figures", days.parameters()...), Current: !p.byCourier},
		{Text: v.Text("portal.figures.by.courier"), Path: v.Link("/portal/figures", couriers.parameters()...), Current: p.byCourier},
	}
	v.CSV = v.Link("/portal/figures.csv", p.parameters()...)
	if !p.byCourier {
		v.Days = slices.Clone(now.Lines)
		slices.Reverse(v.Days)
		return nil
	}
	if v.TooLong = now.Last-now.First >= report.MaxDaysByCourier; v.TooLong {
		v.CSV = v.Link("/portal/figures.csv", days.parameters()...)
		return nil
	}
	split, err := v.ask(p, true)
	if err == nil {
		v.Couriers = couriersOf(split.Lines)
	}
	return err
}

// date returns a day in words, such as June 18; with the year if it is another one.
func (s *sheet) date(day figures.Day) string {
	at, now := timeOf(day), s.room.config.Site.Now()
	if at.Year() != now.Year() {
		return s.Language.Date(at, now)
	}
	return s.Language.ShortDate(at)
}

// Long returns the day of a line with its weekday.
func (v *figuresView) Long(line report.Line) string {
	return v.Language.Date(timeOf(line.Day), v.room.config.Site.Now().UTC())
}

// Share returns which part of the deliveries of a line was on time; a dash without any.
func (s *sheet) Share(line report.Line) string { return s.share(line.Counts) }

func (s *sheet) share(counts figures.Counts) string {
	if counts.Delivered == 0 {
		return "–"
	}
	return s.Language.Percent(counts.OnTime, counts.Delivered)
}

// timeOf returns the beginning of a day in UTC.
func timeOf(day figures.Day) time.Time { return time.Unix(int64(day)*24*60*60, 0).UTC() }
