package ops

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/go-json-experiment/json/jsontext"
)

// The bounds of the board's parameters.
const (
	maxBoard  = 200     // orders on a page
	maxAge    = 100_000 // minutes: ten weeks
	maxRisk   = 10_000  // minutes: a week
	maxSearch = 255     // characters
)

type windowAnswer struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// EncodeRow returns a row of the board in JSON, without what changes by the clock
// alone. It uses the buffer, whose content is lost.
func EncodeRow(buffer []byte, e *dispatch.Entry) []byte {
	w := strictjson.Writer{Buffer: buffer[:0]}
	w.Object("")
	writeRow(&w, e)
	w.EndObject()
	return w.Buffer
}

// boardRow returns a whole row of the board in JSON.
func boardRow(e *dispatch.Entry) jsontext.Value {
	var w strictjson.Writer
	w.Object("")
	writeRow(&w, e)
	w.List("attention")
	for _, reason := range e.Attention {
		w.Text("", string(reason))
	}
	w.EndList()
	w.Integer("age_minutes", int64(e.Age/time.Minute))
	w.EndObject()
	return w.Buffer
}

// writeRow writes what both forms have. An encoder would take four times as long for
// the thousands of rows of a snapshot.
func writeRow(w *strictjson.Writer, e *dispatch.Entry) {
	w.Text("order_id", e.OrderID)
	w.Text("partner_id", e.PartnerID)
	w.Text("partner_name", e.PartnerName)
	w.Text("partner_order_id", e.PartnerOrderID)
	w.Text("status", string(e.Status))
	w.Integer("version", e.Version)
	w.Text("service_level", string(e.ServiceLevel))
	if e.CourierID == "" {
		w.Raw("courier", []byte("null"))
	} else {
		w.Object("courier")
		w.Text("courier_id", e.CourierID)
		w.Text("name", e.CourierName)
		w.Flag("active", e.CourierActive)
		w.EndObject()
	}
	w.Text("zone", e.Zone)
	w.Text("city", e.City)
	w.Text("recipient", e.Recipient)
	w.Text("street", e.Street)
	if e.COD > 0 {
		w.Integer("cod_cents", e.COD)
	}
	if e.Flags&board.FlagFragile != 0 {
		w.Flag("fragile", true)
	}
	writeWindow(w, "pickup_window", e.Pickup)
	writeWindow(w, "dropoff_window", e.Dropoff)
	w.Time("estimated_delivery", e.EstimatedDelivery)
	w.Integer("failures", e.Failures)
	w.Time("created_at", e.CreatedAt)
	w.Time("updated_at", e.UpdatedAt)
	if e.Flags.HasReasons() && board.IsOpen(e.Status) {
		w.List("flags")
		for _, reason := range e.Flags.AppendReasons(nil) {
			w.Text("", string(reason))
		}
		w.EndList()
	}
}

func writeWindow(w *strictjson.Writer, name string, window delivery.Window) {
	w.Object(name)
	w.Time("start", window.Start)
	w.Time("end", window.End)
	w.EndObject()
}

func (s *Server) handleBoard(c *httpd.Call) (httpd.Reply, error) {
	filter, err := s.boardFilter(c)
	if err != nil {
		return httpd.Reply{}, err
	}
	page, err := s.config.Dispatch.Board(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	orders := make([]jsontext.Value, len(page.Entries))
	for i := range page.Entries {
		orders[i] = boardRow(&page.Entries[i])
	}
	return httpd.OK(struct {
		Orders     []jsontext.Value `json:"orders"`
		NextCursor string           `json:"next_cursor,omitzero"`
	}{orders, page.Next.String()})
}

// anyReason selects the orders that need attention for any reason.
const anyReason = "any"

var (
	zoneRule = form.TextRule{
		Rule:   form.Define("postal_prefix", "the beginning of a postal code, up to three characters"),
		Allows: regexp.MustCompile(`^[A-Za-z]([0-9][A-Za-z]?)?$`).MatchString,
	}
	reasonRule = form.OneOf(append(slices.Clone(board.Reasons), anyReason)...)
	statusRule = form.OneOf(delivery.Statuses...)
)

func (s *Server) boardFilter(c *httpd.Call) (filter dispatch.Filter, err error) {
	q, err := c.ListQuery()
	if err != nil {
		return filter, err
	}
	filter = dispatch.Filter{
		PartnerID:    q.Text("partner_id"),
		CourierID:    q.Text("courier_id"),
		Zone:         strings.ToUpper(q.OneOf("zone", zoneRule)),
		ServiceLevel: delivery.ServiceLevel(q.OneOf("service_level", form.OneOf(delivery.ServiceLevels...))),
		CreatedFrom:  q.Time("created_from"),
		CreatedTo:    q.Time("created_to"),
		Search:       label.Meant(q.OneOf("q", form.AnyLength(1, maxSearch))),
		Sort:         dispatch.Sort(q.OneOf("sort", form.OneOf(dispatch.Sorts...))),
		Limit:        q.Limit(maxBoard),
	}
	if filter.Sort == "" {
		filter.Sort = dispatch.SortOldest
	}
	now := timestamp.Truncate(s.config.Now())
	if minutes := q.Integer("older_than", 0, 1, maxAge); minutes > 0 {
		before := now.Add(-time.Duration(minutes) * time.Minute)
		if filter.CreatedTo.IsZero() || before.Before(filter.CreatedTo) {
			filter.CreatedTo = before
		}
	}
	if minutes := q.Integer("at_risk", 0, 1, maxRisk); minutes > 0 {
		filter.DueBefore = now.Add(time.Duration(minutes) * time.Minute)
	}
	filter.Statuses = wordsOf[delivery.Status](q, "status", statusRule)
	filter.Attention = wordsOf[board.Reason](q, "attention", reasonRule)
	if slices.Contains(filter.Attention, anyReason) {
		filter.Attention = board.Reasons
	}
	if text := q.Text("cursor"); text != "" {
		var known bool
		if filter.After, known = dispatch.ParseCursor(text); !known {
			q.Fault("cursor", text, httpd.CursorRule)
		}
	}
	return filter, q.Err()
}

// wordsOf returns the values of a parameter that may be repeated, sorted and
// without duplicates.
func wordsOf[T ~string](q *httpd.Query, name string, rule form.TextRule) (words []T) {
	for _, text := range q.All(name) {
		if !rule.Allows(text) {
			q.Fault(name, text, rule.Rule)
			continue
		}
		words = append(words, T(text))
	}
	slices.Sort(words)
	return slices.Compact(words)
}

// countsAnswer holds the counts of the board in JSON.
type countsAnswer struct {
	Open      int64                     `json:"open"`
	Statuses  map[delivery.Status]int64 `json:"statuses"`
	Attention int64                     `json:"attention"`
	Reasons   map[board.Reason]int64    `json:"reasons"`
}

func (s *Server) handleAttention(c *httpd.Call) (httpd.Reply, error) {
	counts, err := s.config.Dispatch.Count(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(countsAnswer(counts))
}

type settingsAnswer struct {
	PartnerID  string `json:"partner_id"`
	AutoAccept bool   `json:"auto_accept"`
}

func (s *Server) handleDispatchSettingsGet(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Dispatch.Settings(c.Context(), c.PathID("partner_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(settingsAnswer(*found))
}

func (s *Server) handleDispatchSettingsPut(c *httpd.Call) (httpd.Reply, error) {
	wanted, err := httpd.Decode(c, dispatch.ReadSettings)
	if err != nil {
		return httpd.Reply{}, err
	}
	wanted.PartnerID = c.PathID("partner_id")
	settings, err := s.config.Dispatch.SetSettings(c.Context(), wanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(settingsAnswer(*settings))
}
