// Package console is the desk of operators: the dispatch board, and the records of
// couriers, stock, partners, rate cards and operators.
package console

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/backups"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/ratecard"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/retention"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/basemap"
	"github.com/dropyard/dropyard/internal/web/page"
)

//go:embed templates assets
var files embed.FS

// Config holds what the pages need.
type Config struct {
	Site      *page.Site
	Calendar  *pricing.Calendar
	Orders    *order.Service
	Dispatch  *dispatch.Service
	Proofs    *proof.Service
	Operators *operator.Service
	Partners  *partner.Service
	Stock     *stock.Service
	RateCards *ratecard.Service
	Retention *retention.Service
	Reports   *report.Service
	// Accounting has the books.
	Accounting *accounting.Service
	// UserSignIns and OperatorSignIns are the sign-ins of partners' people and of
	// operators, and Rules what they must do.
	UserSignIns, OperatorSignIns *signin.Service
	Rules                        *signin.Rules
	// EncodeRow encodes a row of the board as the interface does. It may write into the buffer.
	EncodeRow func(buffer []byte, e *dispatch.Entry) []byte
	// Counts returns how many orders are under way, if that is known without counting.
	Counts func() (dispatch.Counts, bool)
	// Installation describes the installation as it is now.
	Installation func(context.Context) (installation.State, error)
	// AcceptClock has data age by the clock of the machine that answers.
	AcceptClock func(context.Context) error
	// Resume has webhooks and mails sent again that are held.
	Resume func(context.Context) error
	// Trials are the settings that can be tried, in the order of the page.
	Trials []Trial
	// Backups makes backups of the embedded database; nil if the settings do not say where they are kept.
	Backups *backups.Service
	// Exports describes the nightly exports, and lists days before one, the latest first; all if it is 0.
	Exports func(ctx context.Context, before date.Day, limit int) (installation.ExportList, error)
	// BeginExport has all days exported that have ended and were not.
	BeginExport func(context.Context) error
	// Streets are the street tiles of maps.
	Streets basemap.Streets
	// Defaults are the limits of partners without their own.
	Defaults Defaults
}

// Defaults are the service's limits for a partner; 0 means no limit.
type Defaults struct {
	RateLimit                 int64 // requests a minute
	OrdersPerDay, StoredBytes int64
	NewAccountBytes           int64 // that new accounts may store on their first day
}

// Pages is the console.
type Pages struct {
	config    Config
	templates page.Templates
}

// New returns the pages and adds their assets to the site.
func New(config Config) *Pages {
	config.Site.AddAssets(files, "assets")
	config.Site.LoadLater(boardFolder, boardLater...)
	basemap.AddTo(config.Site, boardFolder, config.Streets)
	config.Site.AddAsset(areasFile, areas())
	pages := &Pages{config, config.Site.Templates(files, "templates/*.html")}
	config.Site.AddFrame("console", pages.Frame)
	return pages
}

// Routes returns the routes of the pages.
func (pages *Pages) Routes() []web.Route {
	return slices.Concat(
		[]web.Route{pages.get("", desks, (*Pages).home)},
		pages.boardRoutes(),
		pages.orderRoutes(),
		pages.newOrderRoutes(),
		pages.transferRoutes(),
		pages.returnRoutes(),
		pages.pickRoutes(),
		pages.locationRoutes(),
		pages.courierRoutes(),
		pages.stockRoutes(),
		pages.movementRoutes(),
		pages.partnerRoutes(),
		pages.moneyRoutes(),
		pages.statementRoutes(),
		pages.cashRoutes(),
		pages.rateCardRoutes(),
		pages.operatorRoutes(),
		pages.settingsRoutes(),
		pages.auditRoutes(),
		pages.systemRoutes(),
		pages.exportRoutes(),
		[]web.Route{pages.get("/{rest...}", desks, (*Pages).unknown)},
	)
}

// unknown refuses a path that has no page, to an operator, who then keeps the menu.
func (pages *Pages) unknown(*sheet) (int, []byte, error) {
	return 0, nil, refusal.NotFound("this page")
}

// The roles that use a page: those that the interface for programs admits.
var (
	administering = []operator.Role{operator.RoleAdmin}
	dispatching   = []operator.Role{operator.RoleAdmin, operator.RoleDispatcher}
	// reading sees what dispatchers see, and changes none of it.
	reading = []operator.Role{operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant}
	// bookkeeping reads the books.
	bookkeeping = []operator.Role{operator.RoleAdmin, operator.RoleAccountant}
	// counting counts what couriers have collected.
	counting    = []operator.Role{operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant}
	warehousing = []operator.Role{operator.RoleAdmin, operator.RoleWarehouse}
	storing     = []operator.Role{operator.RoleAdmin, operator.RoleDispatcher, operator.RoleWarehouse}
	desks       = []operator.Role{
		operator.RoleAdmin, operator.RoleDispatcher, operator.RoleAccountant, operator.RoleWarehouse,
	}
)

// sheet is a visit of the console.
type sheet struct {
	page.Sheet
	Operator *operator.Operator
	pages    *Pages
}

func (pages *Pages) sheet(of page.Sheet) *sheet {
	return &sheet{of, operator.Of(of.Principal), pages}
}

// handler responds to a visit of the console.
type handler func(*Pages, *sheet) (status int, body []byte, err error)

// get returns the route of a page. The path is that below /console.
func (pages *Pages) get(path string, roles []operator.Role, handle handler) web.Route {
	return pages.route(http.MethodGet, path, roles, handle)
}

// post returns the route of a form.
func (pages *Pages) post(path string, roles []operator.Role, handle handler) web.Route {
	return pages.route(http.MethodPost, path, roles, handle)
}

func (pages *Pages) route(method, path string, roles []operator.Role, handle handler) web.Route {
	serve := func(v *web.PageRequest) (int, []byte, error) {
		return handle(pages, pages.sheet(pages.config.Site.Sheet(v)))
	}
	return web.Route{
		Method: method, Pattern: "/console" + path, For: web.Operators, Needs: operator.Needs{Roles: roles}, Serve: serve,
	}
}

// Link returns the address of a page. The parameters are pairs of name and value; those
// without a value are left out.
func (s *sheet) Link(path string, parameters ...string) string {
	return page.Address(path, parameters...)
}

// in reports whether the operator has one of some roles.
func (s *sheet) in(roles []operator.Role) bool { return slices.Contains(roles, s.Operator.Role) }

// IsAdmin reports whether the operator is an admin.
func (s *sheet) IsAdmin() bool { return s.in(administering) }

// KeepsBooks reports whether the operator reads the books.
func (s *sheet) KeepsBooks() bool { return s.in(bookkeeping) }

// MayDispatch reports whether the operator dispatches orders.
func (s *sheet) MayDispatch() bool { return s.in(dispatching) }

// on returns the sheet as if the page at a path had been asked for. Forms whose own path
// has no page are answered with it.
func (s *sheet) on(path string) *sheet { return s.pages.sheet(s.At(path)) }

// form returns a new form that is sent to a path of the console. The version is that of
// the record that it changes; 0 for none.
func (s *sheet) form(path string, version int64) (*page.Form, error) {
	return s.Site.NewForm(path, version)
}

// leaf is a page of the console that is about to be shown.
type leaf struct {
	template string
	title    string
	data     any // what the template is given; it embeds the *sheet
	status   int // 0 for 200
	action   *page.Link
	back     *page.Link
	scripts  []string // assets that only this page loads
	// island is the folder of the modules of an island, which also has its style sheet.
	island string
	// onMap is set for an island that shows a map.
	onMap *page.Map
	// paintsFirst is set for an island whose document is painted before its modules are loaded.
	paintsFirst bool
	// whole is set for a page that has the window for itself, and a heading of its own.
	whole bool
}

// show renders a page in the frame of the console.
func (s *sheet) show(l leaf) (int, []byte, error) {
	frame, styles := s.frame(), []string{"console.css"}
	if l.island != "" {
		styles = append(styles, l.island+"/"+l.island+".css")
	}
	frame.Action, frame.Back = l.action, l.back
	if !l.whole {
		frame.Heading = l.title
	} else {
		frame.Search = nil
	}
	body, err := s.pages.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: l.template, Title: l.title + " · " + s.Text("home.title"), Data: l.data,
		Styles: styles, Scripts: l.scripts, Island: l.island, PaintsFirst: l.paintsFirst,
		Map: l.onMap, Frame: frame,
	})
	return cmp.Or(l.status, http.StatusOK), body, err
}

// The groups of the menu: what desks work with, and what is set and seen rarely.
const (
	daily = iota
	aboutHouse
)

// way is an entry of the menu, with the roles that see it.
type way struct {
	group int
	key   string // of its phrase
	path  string
	roles []operator.Role
}

// ways is the menu of the console.
var ways = []way{
	{daily, "console.board", "/console/board", dispatching},
	{daily, "console.couriers", "/console/couriers", dispatching},
	{daily, "console.picks", picksPath, warehousing},
	{daily, "console.stock", "/console/stock", warehousing},
	{daily, "console.returns", returnsPath, storing},
	{daily, "console.orders", ordersPath, []operator.Role{operator.RoleAccountant}}, // others have the board
	{daily, "console.partners", "/console/partners", reading},
	{daily, "console.money", moneyPath, []operator.Role{operator.RoleAccountant}},
	{daily, "console.rates", "/console/rate-cards", []operator.Role{operator.RoleAccountant}},
	{daily, "console.figures", figuresPath, reading},
	{aboutHouse, "console.money", moneyPath, administering},                   // their line of daily work is full
	{daily, "cash.title", cashPath, []operator.Role{operator.RoleDispatcher}}, // others have it beside the books
	{aboutHouse, "console.rates", "/console/rate-cards", administering},
	{aboutHouse, "console.operators", "/console/operators", administering},
	{aboutHouse, "console.settings", "/console/settings", administering},
	{aboutHouse, "console.audit", "/console/audit", administering},
	{aboutHouse, "console.system", "/console/system", administering},
}

// Frame returns what surrounds the pages of the console.
func (pages *Pages) Frame(s page.Sheet) *page.Frame { return pages.sheet(s).frame() }

// PartnerName returns the name of a partner. It refuses with not_found.
func (pages *Pages) PartnerName(s page.Sheet, partnerID string) (string, error) {
	found, err := pages.config.Partners.Overview(s.Context(), partnerID)
	if err != nil {
		return "", err
	}
	return found.Name, nil
}

// KeepsBooks reports whether the operator who sees a page reads the books.
func (pages *Pages) KeepsBooks(s page.Sheet) bool { return pages.sheet(s).KeepsBooks() }

// frame returns the frame of the console for an operator. What a role may not use is
// absent.
func (s *sheet) frame() *page.Frame {
	var paths []string
	for _, way := range ways {
		if s.in(way.roles) {
			paths = append(paths, way.path)
		}
	}
	current := page.Nearest(s.Request.URL.Path, paths...)
	if current == "" && s.KeepsBooks() && page.Nearest(s.Request.URL.Path, cashPath, exportsPath) != "" {
		current = moneyPath // they are beside the books, and not in the menu
	}
	groups := []page.Group{{}, {Title: s.Text("console.house"), Folded: true}}
	for _, way := range ways {
		if s.in(way.roles) {
			group := &groups[way.group]
			group.Links = append(group.Links, page.Link{Text: s.Text(way.key), Path: way.path, Current: way.path == current})
		}
	}
	if len(groups[aboutHouse].Links) == 0 {
		groups = groups[:aboutHouse]
	}
	frame := &page.Frame{
		Across: true, Home: page.Link{Text: s.Text("home.title"), Path: "/console"}, Groups: groups,
		Message: s.Site.TakeFlash(s.PageRequest, s.Language),
		Person:  s.Operator.Email, PersonID: s.PersonID, Self: "/console/sign-in", SignOut: "/console/logout",
		Other: s.Language.InOther(s.PageRequest),
	}
	if s.in(reading) && s.Request.URL.Path != ordersPath {
		frame.Search = &page.Search{Action: ordersPath, Label: s.Text("console.orders.find")}
	}
	return frame
}

// figuresPath is the page of the figures, which package charts has.
const figuresPath = "/console/figures"

// homes are the first pages of roles that do not begin with the first of their menu.
var homes = map[operator.Role]string{
	operator.RoleAccountant: moneyPath, operator.RoleWarehouse: warehousePath,
}

// home leads an operator to the first page of the operator's role.
func (pages *Pages) home(s *sheet) (int, []byte, error) {
	if first := homes[s.Operator.Role]; first != "" {
		return s.LeadTo(first, page.Flash{})
	}
	for _, way := range ways {
		if s.in(way.roles) {
			return s.LeadTo(way.path, page.Flash{})
		}
	}
	return 0, nil, refusal.New(refusal.CodeForbidden, "couriers have no desk")
}
