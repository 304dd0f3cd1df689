// Package portal is the portal of partners: their orders, stock and figures, what their
// developers need, their team and their settings.
package portal

import (
	"cmp"
	"context"
	"embed"
	"net/http"
	"net/url"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/report"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/saved"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/basemap"
	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/webhook"
)

//go:embed templates samples assets
var files embed.FS

// Config holds what the pages need.
type Config struct {
	Site       *page.Site
	Calendar   *pricing.Calendar
	Orders     *order.Service
	Proofs     Proofs
	Partners   *partner.Service
	SignIns    *signin.Service
	Stock      *stock.Service
	Webhooks   *webhook.Service
	Reports    *report.Service
	RequestLog *requestlogger.Service
	Saved      *saved.Service
	// Accounting has the statements.
	Accounting *accounting.Service
	// BaseURL returns the public address of the service.
	BaseURL func() string
	// Mail is set when the service sends mail.
	Mail bool
	// Streets are the street tiles of maps.
	Streets basemap.Streets
}

// Proofs knows the proofs of deliveries.
type Proofs interface {
	List(ctx context.Context, partnerID, orderID string) ([]*delivery.Proof, error)
}

// Pages is the portal.
type Pages struct {
	config    Config
	templates page.Templates
}

// New returns the pages and adds their assets to the site.
func New(config Config) *Pages {
	config.Site.AddAssets(files, "assets")
	basemap.AddTo(config.Site, mapFolder, config.Streets)
	pages := &Pages{config, config.Site.Templates(files, "templates/*.html")}
	config.Site.AddFrame("portal", pages.Frame)
	return pages
}

// sheet is a visit of the portal, and what its pages have in common.
type sheet struct {
	page.Sheet
	Member *partner.Member
	pages  *Pages
}

func (pages *Pages) sheet(of page.Sheet) *sheet {
	return &sheet{of, partner.MemberOf(of.Principal), pages}
}

// handler responds to a visit of the portal.
type handler func(*Pages, *sheet) (status int, body []byte, err error)

// Routes returns the routes of the pages.
func (pages *Pages) Routes() []web.Route {
	return slices.Concat(
		pages.homeRoutes(),
		pages.ordersRoutes(),
		pages.mapRoutes(),
		pages.newOrderRoutes(),
		pages.importRoutes(),
		pages.addressRoutes(),
		pages.editRoutes(),
		pages.webhookRoutes(),
		pages.teamRoutes(),
		pages.companyRoutes(),
		pages.settingsRoutes(),

		pages.keysRoutes(),
		pages.startRoutes(),
		pages.logsRoutes(),
		pages.statementRoutes(),
		pages.stockRoutes(),
		[]web.Route{pages.get("/{rest...}", partner.PermissionSelf, (*Pages).unknown)},
	)
}

// unknown refuses a path that has no page, to a person who then keeps the menu.
func (pages *Pages) unknown(*sheet) (int, []byte, error) {
	return 0, nil, refusal.NotFound("this page")
}

// get returns the route of a page. The path is that below /portal.
func (pages *Pages) get(path string, needs partner.Permission, handle handler) web.Route {
	return pages.route(http.MethodGet, path, needs, handle)
}

// post returns the route of a form.
func (pages *Pages) post(path string, needs partner.Permission, handle handler) web.Route {
	return pages.route(http.MethodPost, path, needs, handle)
}

func (pages *Pages) route(method, path string, needs partner.Permission, handle handler) web.Route {
	serve := func(v *web.PageRequest) (int, []byte, error) {
		return handle(pages, pages.sheet(pages.config.Site.Sheet(v)))
	}
	return web.Route{Method: method, Pattern: "/portal" + path, For: web.Partners, Needs: needs, Serve: serve}
}

// Link returns the address of a page of the portal in the mode of this one. The
// parameters are pairs of name and value; those without a value are left out.
func (s *sheet) Link(path string, parameters ...string) string {
	if s.Mode() == delivery.ModeTest {
		parameters = append(slices.Clone(parameters), "mode", string(delivery.ModeTest))
	}
	return page.Address(path, parameters...)
}

// May reports whether the person's role has a permission.
func (s *sheet) May(p partner.Permission) bool { return s.Member.User.Role.May(p) == nil }

// leaf is a page of the portal that is about to be shown.
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
	// otherMode is the path that the link to the other mode leads to, for a page about
	// what only one mode has; empty for the page itself.
	otherMode string
	// modeless pages are the same in live and test mode.
	modeless bool
}

// show renders a page in the frame of the portal.
func (s *sheet) show(l leaf) (int, []byte, error) {
	frame := s.frame()
	frame.Heading, frame.Action, frame.Back = l.title, l.action, l.back
	if !l.modeless {
		frame.Modes, frame.Test = s.modes(l.otherMode), s.Mode() == delivery.ModeTest
	}
	var styles []string
	if l.island != "" {
		styles = append(styles, l.island+"/"+l.island+".css")
	}
	body, err := s.pages.templates.Render(s.Header, page.Document{
		Language: s.Language, Template: l.template, Title: l.title + " · " + s.Text("home.title"), Data: l.data,
		Styles: styles, Scripts: l.scripts, Island: l.island, Map: l.onMap, Frame: frame,
	})
	return cmp.Or(l.status, http.StatusOK), body, err
}

// form returns a new form that is sent to a path of the portal.
func (s *sheet) form(path string) (*page.Form, error) {
	return s.Site.NewForm(s.Link(path), 0)
}

// on returns the sheet as if the page at a path had been asked for. Forms whose own path
// has no page are answered with it.
func (s *sheet) on(path string) *sheet { return s.pages.sheet(s.At(path)) }

// modes returns the links between live and test mode. They stay on this page unless other
// is the path of what to show in the other mode.
func (s *sheet) modes(other string) []page.Link {
	links := []page.Link{{Text: s.Text("frame.live")}, {Text: s.Text("frame.testing")}}
	for i, mode := range []delivery.Mode{delivery.ModeLive, delivery.ModeTest} {
		path, query := s.Request.URL.Path, s.Request.URL.Query()
		if other != "" && mode != s.Mode() {
			path, query = other, url.Values{}
		}
		query.Del("cursor")
		query.Del("mode")
		if mode == delivery.ModeTest {
			query.Set("mode", string(mode))
		}
		links[i].Path, links[i].Current = path, s.Mode() == mode
		if len(query) > 0 {
			links[i].Path += "?" + query.Encode()
		}
	}
	return links
}

// way is an entry of the portal's menu.
type way struct {
	key  string // of its phrase
	path string
	// needs is what the person's role must permit.
	needs partner.Permission
}

// ways is the menu of the portal, by groups.
var ways = [][]way{
	{
		{"portal.home", "/portal", partner.PermissionSelf},
		{"portal.orders", "/portal/orders", partner.PermissionOrdersRead},
		{"portal.new", newOrderPath, partner.PermissionOrders},
		{"portal.stock", "/portal/stock", partner.PermissionStockRead},
		{"portal.figures", "/portal/figures", partner.PermissionOrdersRead},
		{"statement.title", statementsPath, partner.PermissionMoneyRead},
	},
	{
		{"portal.keys", "/portal/keys", partner.PermissionKeys},
		{"portal.hooks", webhooksPath, partner.PermissionWebhooksRead},
		{"portal.logs", "/portal/logs", partner.PermissionLogsRead},
		{"portal.start", "/portal/start", partner.PermissionKeys},
		{"home.docs", "/docs", partner.PermissionSelf},
	},
	{
		{"team.title", "/portal/team", partner.PermissionTeamRead},
		{"settings.title", "/portal/settings", partner.PermissionAccountRead},
		{"me.title", "/portal/sign-in", partner.PermissionSelf},
	},
}

// Frame returns what surrounds the pages of the portal.
func (pages *Pages) Frame(s page.Sheet) *page.Frame { return pages.sheet(s).frame() }

// FrameInModes is Frame with the links between live and test mode.
func (pages *Pages) FrameInModes(of page.Sheet) *page.Frame {
	s := pages.sheet(of)
	frame := s.frame()
	frame.Modes, frame.Test = s.modes(""), s.Mode() == delivery.ModeTest
	return frame
}

// NewOrder leads to the form of a new order; nil for a person who may create none.
func (pages *Pages) NewOrder(of page.Sheet) *page.Link {
	s := pages.sheet(of)
	if !s.May(partner.PermissionOrders) {
		return nil
	}
	return &page.Link{Text: s.Text("portal.new"), Path: s.Link(newOrderPath)}
}

// frame returns the frame of the portal for a person.
func (s *sheet) frame() *page.Frame {
	titles := []string{"", s.Text("portal.developers"), s.Member.Partner.Name}
	frame := &page.Frame{
		Home:    page.Link{Text: s.Text("home.title"), Path: s.Link("/portal")},
		Message: s.Site.TakeFlash(s.PageRequest, s.Language),
		Person:  s.Member.DisplayName(), PersonID: s.PersonID, SignOut: "/portal/logout",
		Other: s.Language.InOther(s.PageRequest),
	}
	all := slices.Concat(ways...)
	paths := make([]string, len(all))
	for i, way := range all {
		paths[i] = way.path
	}
	at := s.Request.URL.Path
	switch {
	case strings.HasPrefix(at, importsPath+"/"):
		at = importPath // among the orders
	case strings.HasPrefix(at, addressesPath):
		at = newOrderPath
	}
	current := page.Nearest(at, paths...)
	for i, group := range ways {
		links := page.Group{Title: titles[i]}
		for _, way := range group {
			if s.May(way.needs) {
				links.Links = append(links.Links,
					page.Link{Text: s.Text(way.key), Path: s.Link(way.path), Current: way.path == current})
			}
		}
		if len(links.Links) > 0 {
			frame.Groups = append(frame.Groups, links)
		}
	}
	if s.May(partner.PermissionOrdersRead) && s.Request.URL.Path != "/portal/orders" {
		frame.Search = &page.Search{Action: "/portal/orders", Label: s.Text("console.orders.find")}
		if s.Mode() == delivery.ModeTest {
			frame.Search.Mode = "test"
		}
	}
	return frame
}
