package console

import (
	"context"
	"encoding/json"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/basemap"
	"github.com/dropyard/dropyard/internal/web/page"
)

func (pages *Pages) boardRoutes() []web.Route {
	routes := []web.Route{pages.get("/board", dispatching, (*Pages).board)}
	if pages.config.Streets.File != "" {
		routes = append(routes, pages.get(streetsPath, dispatching, (*Pages).streets))
	}
	return routes
}

// streetsPath is where the file of street tiles is, below /console.
const streetsPath = "/board/streets"

// streets responds with a part of the file of street tiles.
func (pages *Pages) streets(s *sheet) (int, []byte, error) {
	return pages.config.Streets.Serve(s.PageRequest)
}

// boardFolder is the folder of the assets in which the modules of the board are. main.js puts them together; the
// first line of each says what it is for.
//
// What all islands share is imported as dropyard/text.js (phrases, numbers and times), clock.js (the server's
// time), html.js (templates, icons, badges) and dialog.js; the map below the stops as dropyard/basemap.js, how
// stops lie on it as dropyard/clusters.js, and how they are drawn as dropyard/dots.js.
const boardFolder = "board"

// boardLater are the modules that the first rows do not need.
var boardLater = []string{
	"areas.js", "asking.js", "charged.js", "choosing.js", "columns.js", "couriers.js", "geo.js", "goods.js",
	"history.js", "map.js", "messages.js", "panel.js", "picker.js", "places.js", "printing.js", "proofs.js",
	"sequence.js", "trouble.js",
}

// BoardPolicy returns the content security policy of the dispatch board without street tiles.
func BoardPolicy() string { return BoardPolicyWith(basemap.Streets{}) }

// BoardPolicyWith returns it with street tiles.
func BoardPolicyWith(streets basemap.Streets) string {
	site := page.NewSite(page.Config{})
	site.AddAssets(files, "assets")
	basemap.AddTo(site, boardFolder, streets)
	return site.MapPolicy(boardFolder, streets.Origins()...)
}

// boardPhrases are the beginnings of the keys of the phrases that the board's modules use.
var boardPhrases = []string{
	"board.", "views.", "act.", "status.", "statuses.", "level.", "failure.", "time.in", "time.ago", "time.comma",
	"refused.again", "refused.request", "track.parcels", "order.courier", "order.cod", "order.instructions",
	"cash.method", "cash.collected", "cash.to_collect", "cash.why", "neworder.fault.amount", "fault.required",
	"order.dropoff", "order.pickup", "order.fragile", "order.proofs", "console.board", "console.couriers",
	"console.partners", "console.stock", "return.due", "returns.receive",
	"console.order.custody", "console.order.scans", "holder.",
	// The fields that the history of an order names.
	"edit.open", "order.edited", "order.level", "order.line2", "order.notes", "order.items", "order.country",
	"order.metadata", "neworder.name", "neworder.phone", "neworder.email", "neworder.line1", "neworder.city",
	"neworder.province", "neworder.postal_code", "neworder.window", "neworder.reference", "neworder.instructions",
	"neworder.parcels", "neworder.insurance",
}

// boardSheet is what the document of the board shows until its modules run.
type boardSheet struct {
	*sheet
	Phrases map[string]string
	Rows    []json.RawMessage // the first rows, so that they are used before the whole board has been read
	Lines   []boardLine       // the same as they are shown before the modules run; none if the address narrows the board
	Counts  string            // as JSON, so that the chips have their width before; empty if they are not known
	Now     string
	Bones   []struct{} // rows that are drawn while the orders are read
	// Speed, in km/h, and AtStop, in seconds, are how fast couriers are.
	Speed, AtStop float64
	Zones         string // the clocks of places, as JSON
	Streets       string // where street tiles are from, as JSON; may be empty
}

// firstRows is how many rows the document of the board has: some more than a window of
// 1,200 pixels shows.
const firstRows = 22

// firstRows returns the rows that are due first.
func (pages *Pages) firstRows(ctx context.Context) ([]dispatch.Entry, error) {
	found, err := pages.config.Dispatch.Board(ctx, dispatch.Filter{Sort: dispatch.SortDue, Limit: firstRows})
	return found.Entries, err
}

// rows returns rows as the interface has them.
func (pages *Pages) rows(entries []dispatch.Entry) []json.RawMessage {
	rows := make([]json.RawMessage, len(entries))
	for i := range entries {
		rows[i] = pages.config.EncodeRow(nil, &entries[i])
	}
	return rows
}

// counts returns how many orders are open, by status and by reason, as JSON. It is empty if
// nobody has looked at the board for a while: to count takes longer than the rest of the document.
func (pages *Pages) counts() (string, error) {
	counts, known := pages.config.Counts()
	if !known {
		return "", nil
	}
	encoded, err := json.Marshal(map[string]any{
		"open": counts.Open, "statuses": counts.Statuses, "reasons": counts.Reasons,
	})
	return string(encoded), err
}

// board is the document of the dispatch board.
func (pages *Pages) board(s *sheet) (int, []byte, error) {
	var entries []dispatch.Entry
	query := s.Request.URL.Query()
	if !query.Has("view") { // the other views show all orders or none
		found, err := pages.firstRows(s.Context())
		if err != nil {
			return 0, nil, err
		}
		entries = found
	}
	var lines []boardLine
	if len(query) == 0 { // else fewer rows, or narrower ones beside an order's panel
		lines = linesOf(entries, s)
	}
	counts, err := pages.counts()
	if err != nil {
		return 0, nil, err
	}
	clocks, err := s.Clocks(pages.config.Calendar.Clocks())
	if err != nil {
		return 0, nil, err
	}
	pace := pages.config.Dispatch.Pace()
	return s.show(leaf{
		template: "console-board", title: s.Text("board.title"), whole: true, island: boardFolder,
		onMap: &page.Map{Origins: pages.config.Streets.Origins()}, paintsFirst: len(lines) > 0,
		scripts: []string{"island/text.js", boardFolder + "/main.js"},
		data: boardSheet{
			sheet: s, Phrases: s.Language.Phrases(boardPhrases...), Rows: pages.rows(entries), Lines: lines,
			Counts: counts, Now: s.Site.Now().UTC().Format(time.RFC3339Nano), Bones: make([]struct{}, 12),
			Speed: pace.Speed, AtStop: pace.AtStop.Seconds(), Zones: clocks,
			Streets: pages.config.Streets.Described("/console" + streetsPath),
		},
	})
}
