package portal

import (
	"bytes"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/requestlog"
	"github.com/dropyard/dropyard/internal/requestlogger"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) logsRoutes() []web.Route {
	return []web.Route{
		pages.get("/logs", partner.PermissionLogsRead, (*Pages).logs),
		pages.get("/logs/{request_id}", partner.PermissionLogsRead, (*Pages).log),
	}
}

// logsView is a page of the request log.
type logsView struct {
	*sheet
	Query   string // what was searched for
	Refused bool   // only refused requests are shown
	Entries []requestlog.Entry
	Pages   page.Pages
	keys    map[string]string
}

// loggedPerPage is how many requests a page shows.
const loggedPerPage = 50

// showRefused is the value of the parameter show for refused requests only.
const showRefused = "refused"

func (pages *Pages) logs(s *sheet) (int, []byte, error) {
	query := s.Request.URL.Query()
	view := logsView{sheet: s, Query: strings.TrimSpace(query.Get("q")), Refused: query.Get("show") == showRefused}
	after, further := requestlogger.ParseCursor(query.Get("cursor"))
	filter, known, err := pages.logFilter(s, view.Query)
	if err != nil {
		return 0, nil, err
	}
	if filter.Refused = view.Refused; known {
		found, err := pages.config.RequestLog.List(s.Context(), filter, after, loggedPerPage)
		if err != nil {
			return 0, nil, err
		}
		view.Entries = found.Entries
		if found.Next != nil {
			view.Pages.Next = view.To(view.Refused, "cursor", found.Next.String())
		}
	}
	if further {
		view.Pages.First = view.To(view.Refused)
	}
	if view.keys, err = pages.keyNames(s); err != nil {
		return 0, nil, err
	}
	return s.show(leaf{template: "portal-logs", title: s.Text("portal.logs"), data: view})
}

// logFilter returns the filter for what a person searches for: the id of a request, or an
// order by either of its names. It is false if there is no such order.
func (pages *Pages) logFilter(s *sheet, query string) (filter requestlog.Filter, known bool, err error) {
	filter.PartnerID = s.Account
	switch {
	case query == "":
	case strings.HasPrefix(query, "req_"):
		filter.RequestID = query
	case strings.HasPrefix(query, "ord_"):
		filter.OrderID = query
	default:
		found, err := pages.config.Orders.List(s.Context(),
			order.Filter{PartnerID: s.Account, PartnerOrderID: query, Limit: 1})
		if err != nil || len(found.Orders) == 0 {
			return filter, false, err
		}
		filter.OrderID = found.Orders[0].OrderID
	}
	return filter, true, nil
}

// keyNames returns the names of the keys, by id; none for people who may not see keys.
func (pages *Pages) keyNames(s *sheet) (map[string]string, error) {
	names := map[string]string{}
	if !s.May(partner.PermissionKeys) {
		return names, nil
	}
	found, err := pages.config.Partners.Keys(s.Context(), s.Member.Partner.PartnerID)
	for _, key := range found {
		names[key.KeyID] = key.Name
	}
	return names, err
}

// KeyName returns the name of the key that signed a request; empty if it is not known.
func (v logsView) KeyName(e requestlog.Entry) string { return v.keys[e.KeyID] }

// To returns the address of the list with other parameters, and without the cursor.
func (v logsView) To(refused bool, parameters ...string) string {
	show := ""
	if refused {
		show = showRefused
	}
	return v.Link("/portal/logs", append(parameters, "q", v.Query, "show", show)...)
}

// PathOf returns the address of the page of a request. It has the time, by which the
// request is found without searching the log.
func (s *sheet) PathOf(e requestlog.Entry) string {
	return s.Link("/portal/logs/"+e.RequestID, "at", e.At.UTC().Format(time.RFC3339Nano))
}

// Shortened returns the path of a request without the id of its order, which stands beside
// it.
func (v logsView) Shortened(e requestlog.Entry) string {
	if e.OrderID == "" {
		return e.Path
	}
	return strings.Replace(e.Path, e.OrderID, "…", 1)
}

// Milliseconds returns how long a request took.
func (s *sheet) Milliseconds(e requestlog.Entry) string {
	return s.Text("logs.ms", "n", s.Language.Number(int(e.Took.Milliseconds())))
}

// logView is one request.
type logView struct {
	*sheet
	Entry   requestlog.Entry
	KeyName string
	Body    string // redacted; empty unless the request was refused
}

// ErrorGuide is the address at which the codes of refusals are explained.
func (logView) ErrorGuide() string { return errorGuide }

func (pages *Pages) log(s *sheet) (int, []byte, error) {
	filter := requestlog.Filter{PartnerID: s.Account, RequestID: s.ID("request_id")}
	if at, err := time.Parse(time.RFC3339Nano, s.Request.URL.Query().Get("at")); err == nil {
		filter.From, filter.To = at, at.Add(time.Millisecond)
	}
	found, err := pages.config.RequestLog.List(s.Context(), filter, requestlogger.Cursor{}, 1)
	if err != nil {
		return 0, nil, err
	}
	if len(found.Entries) == 0 {
		return 0, nil, refusal.NotFound("the request")
	}
	view := logView{sheet: s, Entry: found.Entries[0]}
	names, err := pages.keyNames(s)
	if err != nil {
		return 0, nil, err
	}
	view.KeyName, view.Body = names[view.Entry.KeyID], indented(view.Entry.Body)
	back := &page.Link{Text: s.Text("portal.logs"), Path: s.Link("/portal/logs")}
	return s.show(leaf{
		template: "portal-log", title: view.Entry.Method + " " + view.Entry.Path, data: view, back: back,
		otherMode: "/portal/logs",
	})
}

// indented returns a redacted body on lines. It need not be JSON: what is hidden is written
// as "…".
func indented(body []byte) string {
	var out bytes.Buffer
	depth, quoted, escaped := 0, false, false
	line := func(change int) {
		depth = max(0, depth+change)
		out.WriteString("\n" + strings.Repeat("  ", depth))
	}
	for _, c := range body {
		if !quoted && (c == '}' || c == ']') {
			line(-1)
		}
		out.WriteByte(c)
		switch {
		case quoted:
			quoted, escaped = escaped || c != '"', !escaped && c == '\\'
		case c == '"':
			quoted = true
		case c == '{' || c == '[':
			line(1)
		case c == ',':
			line(0)
		case c == ':':
			out.WriteByte(' ')
		}
	}
	return out.String()
}
