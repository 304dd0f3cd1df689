package console

import (
	"strings"

	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/web/page"
)

// plainOnPage is the number of orders on a page of the plain list.
const plainOnPage = 100

// maxSearch is the length of the longest search, in bytes.
const maxSearch = 255

// plainSheet is what the plain list shows.
type plainSheet struct {
	*sheet
	Entries []dispatch.Entry
	Search  string
	Pages   page.Pages
}

// plain lists the open orders for browsers without scripts, those first whose windows
// end first.
func (room *Room) plain(s *sheet) (int, []byte, error) {
	query := s.URL.Query()
	v := plainSheet{sheet: s, Search: strings.TrimSpace(query.Get("q"))}
	if len(v.Search) > maxSearch || !form.IsText(v.Search) {
		v.Search = ""
	}
	filter := dispatch.Filter{Search: v.Search, Sort: dispatch.SortWindow, Limit: plainOnPage}
	if cursor, ok := dispatch.ParseCursor(query.Get("cursor")); ok {
		filter.After = cursor
		v.Pages.First = s.Link("/console/board/plain", "q", v.Search)
	}
	found, err := room.config.Dispatch.Board(s.Context(), filter)
	if err != nil {
		return 0, nil, err
	}
	v.Entries = found.Entries
	if next := found.Next.String(); next != "" {
		v.Pages.Next = s.Link("/console/board/plain", "q", v.Search, "cursor", next)
	}
	return s.show(leaf{
		template: "console-board-plain", title: s.Text("board.plain.title"), data: v,
		back: &page.Link{Text: s.Text("console.board"), Path: "/console/board"},
	})
}
