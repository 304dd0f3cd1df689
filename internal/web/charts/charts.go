// Package charts has the page of the figures of a period: partners see their own, and
// operators those of the house or of one partner.
package charts

import (
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates
var files embed.FS

// Section holds what differs between the audiences of the page.
type Section struct {
	Path    string // of the page, such as /portal/figures
	For     web.Audience
	Needs   any // what its readers must be permitted
	Reports *report.Service
	// Frame returns what surrounds the page. Its heading is set here.
	Frame func(page.Sheet) *page.Frame
	// Start leads to what to do while there are no figures; nil if there is nothing.
	Start func(page.Sheet) *page.Link
	// Names returns the name of a partner by the id that the parameter partner_id has;
	// nil where the figures are always those of the account that the page shows.
	Names func(s page.Sheet, partnerID string) (string, error)
	// Money reports whether the reader may see what the books have; nil on pages that never show it.
	Money func(page.Sheet) bool
}

// Pages has the page of one section.
type Pages struct {
	section   Section
	site      *page.Site
	templates page.Templates
}

// New returns the pages of a section.
func New(site *page.Site, section Section) *Pages {
	return &Pages{section, site, site.Templates(files, "templates/*.html")}
}

// sheet is a visit of the page.
type sheet struct {
	page.Sheet
	*Pages
	partnerID string // whose figures are shown; empty for those of the house
}

// Routes returns the routes of the page and of its file.
func (pages *Pages) Routes() []web.Route {
	return []web.Route{pages.route("", (*sheet).figures), pages.route(".csv", (*sheet).file)}
}

func (pages *Pages) route(suffix string, handle func(*sheet) (int, []byte, error)) web.Route {
	return web.Route{
		Method: http.MethodGet, Pattern: pages.section.Path + suffix, For: pages.section.For, Needs: pages.section.Needs,
		Serve: func(v *web.PageRequest) (int, []byte, error) {
			s := &sheet{Sheet: pages.site.Sheet(v), Pages: pages}
			if s.partnerID = s.Account; pages.section.Names != nil {
				s.partnerID = s.parameter("partner_id")
			}
			return handle(s)
		},
	}
}

// parameter returns a parameter of the address without the spaces around it.
func (s *sheet) parameter(name string) string {
	return strings.TrimSpace(s.Request.URL.Query().Get(name))
}

// isTest reports whether the page shows test mode, whose orders are not counted.
func (s *sheet) isTest() bool { return delivery.IsTest(s.Account) }

// to returns the address of the page, or of its file, with parameters given as pairs.
func (s *sheet) to(suffix string, parameters ...string) string {
	if s.section.Names != nil {
		parameters = append(parameters, "partner_id", s.partnerID)
	}
	if s.isTest() {
		parameters = append(parameters, "mode", string(delivery.ModeTest))
	}
	return page.Address(s.section.Path+suffix, parameters...)
}

// The periods that end today, in days.
var usualPeriods = []int{1, 7, 30, 90}

// period is which figures are asked for.
type period struct {
	days        int    // of a period that ends today; 0 if there are bounds
	from, to    string // the bounds as they were typed
	first, last date.Day
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
		p.last = s.section.Reports.Today()
		p.first = p.last - date.Day(p.days) + 1
		return p
	}
	for _, bound := range []struct {
		name string
		text *string
		day  *date.Day
	}{{"from", &p.from, &p.first}, {"to", &p.to, &p.last}} {
		day, ok := date.Parse(*bound.text)
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

// ask returns the figures of a period. A fault of the period is added to
// p, and the answer is nil then.
func (s *sheet) ask(p *period, byCourier bool) (*report.Answer, error) {
	if len(p.faults) > 0 {
		return nil, nil
	}
	answer, err := s.section.Reports.Figures(s.Context(), report.Question{Filter: figures.Filter{
		PartnerID: s.partnerID, First: p.first, Last: p.last, ByCourier: byCourier,
	}, Money: s.section.Money != nil && s.section.Money(s.Sheet)})
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

// file sends the figures as a file. It leads to the page if the page has to say
// why there is none.
func (s *sheet) file() (int, []byte, error) {
	p := s.period()
	if s.isTest() {
		return s.LeadTo(s.to(""), page.Flash{})
	}
	answer, err := s.ask(&p, p.byCourier)
	if err != nil {
		return 0, nil, err
	}
	if answer == nil {
		return s.LeadTo(s.section.Path+"?"+s.Request.URL.Query().Encode(), page.Flash{})
	}
	name := "figures-" + answer.First.String() + "-" + answer.Last.String() + ".csv"
	return page.ShowCSV(s.PageRequest, name, answer.CSV(page.CSVLayout(s.PageRequest)))
}

// figuresView is what the page of figures shows.
type figuresView struct {
	*sheet
	Partner string      // the name of the partner that an operator has chosen
	Form    *page.Form  // of the bounds
	Chips   []page.Link // the usual periods
	Period  string      // in words; empty if there is no answer
	Empty   bool        // nothing was counted
	Cards   []figure
	Money   []moneyCard // nil if there is none, and for those who do not read the books
	Charts  []page.Chart
	Stays   []stayRow
	// Views lead from the table of days to that of couriers and back.
	Views    []page.Link
	Days     []dayRow // those with any figures, the latest first; nil for couriers
	Couriers []courierRow
	// TooLong is set if couriers were asked for in a period that is too long for that.
	TooLong bool
	CSV     string // the address of the file
}

// figures shows what was counted in a period. Orders in test mode are not counted.
func (s *sheet) figures() (int, []byte, error) {
	p := s.period()
	v := figuresView{sheet: s}
	if s.partnerID != "" && s.section.Names != nil {
		var err error
		if v.Partner, err = s.section.Names(s.Sheet, s.partnerID); err != nil {
			return 0, nil, err
		}
	}
	if !s.isTest() {
		if err := v.fill(&p); err != nil {
			return 0, nil, err
		}
	}
	v.Form = &page.Form{Action: s.section.Path, Values: url.Values{"from": {p.from}, "to": {p.to}}, Faults: p.faults}
	status := http.StatusOK
	if len(p.faults) > 0 {
		status = http.StatusUnprocessableEntity
	}
	frame := s.section.Frame(s.Sheet)
	frame.Heading = s.Text("portal.figures")
	body, err := s.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: "figures", Title: frame.Heading + " · " + s.Text("home.title"), Data: &v,
		Frame: frame,
	})
	return status, body, err
}

// IsTest reports whether the page shows test mode.
func (v *figuresView) IsTest() bool { return v.isTest() }

// Path is the address of the page without parameters.
func (v *figuresView) Path() string { return v.section.Path }

// PartnerID is the partner whose figures an operator has chosen; empty for all.
func (v *figuresView) PartnerID() string {
	if v.section.Names == nil {
		return ""
	}
	return v.partnerID
}

// Start leads to what to do while there are no figures; nil if there is nothing.
func (v *figuresView) Start() *page.Link {
	if v.section.Start == nil {
		return nil
	}
	return v.section.Start(v.Sheet)
}

// fill reads the figures of a period.
func (v *figuresView) fill(p *period) error {
	for _, days := range usualPeriods {
		link := period{days: days, byCourier: p.byCourier}.parameters()
		text := v.Text("portal.figures.today")
		if days > 1 {
			text = v.Language.Count("portal.figures.last", days)
		}
		v.Chips = append(v.Chips, page.Link{Text: text, Path: v.to("", link...), Current: p.days == days})
	}
	v.addMonths(p)
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
	total := report.Total(now.Lines)
	if v.Period = v.date(now.First); now.First != now.Last {
		v.Period = v.Text("portal.figures.period", "from", v.date(now.First), "to", v.date(now.Last))
	}
	v.Empty = total == figures.Counts{} && len(now.Money) == 0
	v.Cards, v.Charts, v.Stays = v.cards(total, before), v.charts(now.Lines, total), staysOf(total)
	if len(now.Money) > 0 {
		v.addMoney(now)
	}
	return v.tables(p, now)
}

// addMonths adds the ways to this month until today, and to the month before.
func (v *figuresView) addMonths(p *period) {
	today := v.section.Reports.Today()
	first := today - date.Day(today.Midnight().Day()) + 1
	before := first - date.Day((first - 1).Midnight().Day())
	for _, month := range []struct {
		key         string
		first, last date.Day
	}{{"portal.figures.month", first, today}, {"portal.figures.month.last", before, first - 1}} {
		link := period{from: month.first.String(), to: month.last.String(), byCourier: p.byCourier}.parameters()
		v.Chips = append(v.Chips, page.Link{
			Text: v.Text(month.key), Path: v.to("", link...),
			Current: p.days == 0 && p.first == month.first && p.last == month.last,
		})
	}
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
	answer, err := v.section.Reports.Figures(v.Context(), report.Question{Filter: figures.Filter{
		PartnerID: v.partnerID, First: now.First - length, Last: now.First - 1,
	}})
	if err != nil {
		return figures.Counts{}, err
	}
	return report.Total(answer.Lines), nil
}

// tables adds the table that was asked for, and the ways to the others.
func (v *figuresView) tables(p *period, now *report.Answer) error {
	days, couriers := *p, *p
	days.byCourier, couriers.byCourier = false, true
	v.Views = []page.Link{
		{Text: v.Text("portal.figures.by.day"), Path: v.to("", days.parameters()...), Current: !p.byCourier},
		{Text: v.Text("portal.figures.by.courier"), Path: v.to("", couriers.parameters()...), Current: p.byCourier},
	}
	v.CSV = v.to(".csv", p.parameters()...)
	if !p.byCourier {
		v.Days = v.busyDays(now)
		return nil
	}
	if v.TooLong = now.Last-now.First >= report.MaxDaysByCourier; v.TooLong {
		v.CSV = v.to(".csv", days.parameters()...)
		return nil
	}
	split, err := v.ask(p, true)
	if err == nil {
		v.Couriers = couriersOf(split.Lines)
	}
	return err
}

// date returns a day in words, such as June 18; with the year if it is another one.
func (s *sheet) date(day date.Day) string {
	return s.Language.BriefDate(day.Midnight(), s.site.Now())
}

// Long returns the day of a line with its weekday.
func (v *figuresView) Long(line report.Line) string {
	return v.Language.Date(line.Day.Midnight(), v.site.Now().UTC())
}

// Share returns which part of the deliveries of a line was on time; a dash without any.
func (s *sheet) Share(line report.Line) string { return s.Language.Share(line.OnTime, line.Delivered) }
