package portal

import (
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/figures"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) homeRoutes() []web.Route {
	return []web.Route{pages.get("", partner.PermissionOrdersRead, (*Pages).home)}
}

// homeView is what the first page of the portal shows.
type homeView struct {
	*sheet
	Figures []figure
	Tasks   []task
	Orders  []*delivery.Order
}

// ChoosesOrders reports whether orders can be chosen in the list.
func (homeView) ChoosesOrders() bool { return false }

// figure is a number of the last two weeks.
type figure struct {
	Key    string // of its phrase
	Value  string
	Change string // from the two weeks before; empty if there is nothing to compare
	Course []int64
	Danger bool
}

// task is what needs doing.
type task struct {
	What   string
	Why    string // may be empty
	Link   page.Link
	Danger bool
}

// shownAtHome is how many orders and how many tasks of a kind the first page shows.
const shownAtHome = 5

func (pages *Pages) home(s *sheet) (int, []byte, error) {
	view := homeView{sheet: s}
	recent, err := pages.config.Orders.List(s.Context(), order.Filter{PartnerID: s.Account, Limit: shownAtHome})
	if err != nil {
		return 0, nil, err
	}
	view.Orders = recent.Orders
	if view.Tasks, err = pages.tasks(s); err != nil {
		return 0, nil, err
	}
	if s.Mode() == delivery.ModeLive {
		if view.Figures, err = pages.fortnight(s); err != nil {
			return 0, nil, err
		}
	}
	shown := leaf{template: "portal-home", title: s.greeting(), data: view}
	if s.May(partner.PermissionOrders) {
		shown.action = &page.Link{Text: s.Text("portal.new"), Path: s.Link("/portal/orders/new")}
	}
	return s.show(shown)
}

// greeting greets the person by first name. The person who registers a partner
// has the partner's name until it is changed.
func (s *sheet) greeting() string {
	name := s.Member.User.Name
	if name == "" || name == s.Member.Partner.Name {
		return s.Text("portal.hello")
	}
	first, _, _ := strings.Cut(name, " ")
	return s.Text("portal.hello.name", "name", first)
}

// fortnightDays is the number of days whose figures the first page shows.
const fortnightDays = 14

// fortnight returns the figures of the last two weeks, compared with the two before.
func (pages *Pages) fortnight(s *sheet) ([]figure, error) {
	today := pages.config.Reports.Today()
	found, err := pages.config.Reports.Figures(s.Context(), report.Question{Filter: figures.Filter{
		PartnerID: s.Account, First: today - 2*fortnightDays + 1, Last: today,
	}})
	if err != nil {
		return nil, err
	}
	days := found.Lines[fortnightDays:]
	before, now := report.Total(found.Lines[:fortnightDays]), report.Total(days)
	figureOf := func(key string, of func(figures.Counts) int64) figure {
		f := figure{Key: key, Value: s.Language.Number(int(of(now)))}
		for _, day := range days {
			f.Course = append(f.Course, of(day.Counts))
		}
		if earlier := of(before); earlier > 0 {
			f.Change = s.Text("portal.figure.before", "n", s.Language.Number(int(earlier)))
		}
		return f
	}
	orders := figureOf("portal.figure.orders", func(c figures.Counts) int64 { return c.Orders })
	onTime := figureOf("portal.figure.on_time", func(c figures.Counts) int64 { return c.Delivered })
	failed := figureOf("portal.figure.failed", func(c figures.Counts) int64 { return c.FailedAttempts })
	webhooks := figureOf("portal.figure.webhooks", func(c figures.Counts) int64 { return c.WebhooksDelivered })
	onTime.Value, onTime.Change, failed.Danger = s.Language.Share(now.OnTime, now.Delivered), "", true
	if now.Delivered > 0 {
		onTime.Change = s.Text("portal.figure.of", "n", s.Language.Number(int(now.Delivered)))
	}
	return []figure{orders, onTime, failed, webhooks}, nil
}

// tasks returns what needs doing, the most urgent first.
func (pages *Pages) tasks(s *sheet) (all []task, err error) {
	for _, find := range []func(*sheet) ([]task, error){
		pages.failingEndpoints, pages.failedOrders, pages.lowStock, pages.firstSteps,
	} {
		found, err := find(s)
		if err != nil {
			return nil, err
		}
		all = append(all, found...)
	}
	return all, nil
}

func (pages *Pages) failingEndpoints(s *sheet) (tasks []task, err error) {
	if !s.May(partner.PermissionWebhooksRead) {
		return nil, nil
	}
	endpoints, err := pages.config.Webhooks.Endpoints(s.Context(), s.Account)
	for _, endpoint := range endpoints {
		look := page.Link{Text: s.Text("portal.look"), Path: s.Link(webhooksPath, "endpoint", endpoint.EndpointID)}
		switch {
		case !endpoint.Enabled && endpoint.DisabledReason != "":
			tasks = append(tasks, task{What: s.Text("portal.task.disabled"), Why: endpoint.URL, Link: look, Danger: true})
		case !endpoint.FailingSince.IsZero():
			since := s.Language.Relative(endpoint.FailingSince, pages.config.Site.Now())
			tasks = append(tasks, task{What: s.Text("portal.task.failing"), Why: since, Link: look, Danger: true})
		}
	}
	return tasks, err
}

func (pages *Pages) failedOrders(s *sheet) (tasks []task, err error) {
	found, err := pages.config.Orders.List(s.Context(),
		order.Filter{PartnerID: s.Account, Status: delivery.StatusFailed, Limit: shownAtHome})
	for _, o := range found.Orders {
		tasks = append(tasks, task{
			What: s.Text("portal.task.failed", "order", o.PartnerOrderID), Why: o.Dropoff.Address.City,
			Link: page.Link{Text: s.Text("portal.look"), Path: s.Link("/portal/orders/" + o.OrderID)},
		})
	}
	return tasks, err
}

func (pages *Pages) lowStock(s *sheet) (tasks []task, err error) {
	if !s.May(partner.PermissionStockRead) {
		return nil, nil
	}
	filter := stock.ProductFilter{PartnerID: s.Account, LowStock: true, Status: delivery.ProductActive, Limit: shownAtHome}
	found, _, err := pages.config.Stock.Products(s.Context(), filter)
	for _, p := range found {
		tasks = append(tasks, task{
			What: s.Text("portal.task.low", "product", p.Name),
			Why: s.Text("portal.task.low.why", "left", s.Language.Number(int(p.Quantity)), "least",
				s.Language.Number(int(p.StockMin))),
			Link: page.Link{Text: s.Text("portal.stock"), Path: s.Link("/portal/stock", "low", "yes")},
		})
	}
	return tasks, err
}

// firstSteps leads those who have no key to the page with which developers begin.
func (pages *Pages) firstSteps(s *sheet) ([]task, error) {
	if !s.May(partner.PermissionKeys) {
		return nil, nil
	}
	keys, err := pages.config.Partners.Keys(s.Context(), s.Member.Partner.PartnerID)
	if err != nil || len(keys) > 0 {
		return nil, err
	}
	return []task{
		{What: s.Text("portal.task.first"), Link: page.Link{Text: s.Text("portal.start"), Path: "/portal/start"}},
	}, nil
}
