package api

import (
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// The bounds of the board's parameters.
const (
	defaultBoard = 50
	maxBoard     = 200
	maxAge       = 100_000 // minutes: ten weeks
	maxRisk      = 10_000  // minutes: a week
	maxSearch    = 255     // characters
)

type windowAnswer struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

type boardCourier struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
	Active    bool   `json:"active"`
}

// rowAnswer is a row of the board in JSON, without what changes by the clock alone.
type rowAnswer struct {
	OrderID           string                `json:"order_id"`
	PartnerID         string                `json:"partner_id"`
	PartnerName       string                `json:"partner_name"`
	PartnerOrderID    string                `json:"partner_order_id"`
	Status            delivery.Status       `json:"status"`
	Version           int64                 `json:"version"`
	ServiceLevel      delivery.ServiceLevel `json:"service_level"`
	Courier           *boardCourier         `json:"courier"` // null until one is assigned
	Zone              string                `json:"zone"`
	City              string                `json:"city"`
	PickupWindow      windowAnswer          `json:"pickup_window"`
	DropoffWindow     windowAnswer          `json:"dropoff_window"`
	EstimatedDelivery time.Time             `json:"estimated_delivery"`
	Failures          int64                 `json:"failures"`
	CreatedAt         time.Time             `json:"created_at"`
	UpdatedAt         time.Time             `json:"updated_at"`
}

// boardAnswer is a whole row of the board in JSON.
type boardAnswer struct {
	rowAnswer
	Attention  []board.Reason `json:"attention"`
	AgeMinutes int64          `json:"age_minutes"`
}

func rowOf(e *dispatch.Entry) rowAnswer {
	answer := rowAnswer{
		OrderID: e.OrderID, PartnerID: e.PartnerID, PartnerName: e.PartnerName, PartnerOrderID: e.PartnerOrderID,
		Status: e.Status, Version: e.Version, ServiceLevel: e.ServiceLevel, Zone: e.Zone, City: e.City,
		PickupWindow: windowAnswer(e.Pickup), DropoffWindow: windowAnswer(e.Dropoff), EstimatedDelivery: e.EstimatedDelivery,
		Failures: e.Failures, CreatedAt: e.CreatedAt, UpdatedAt: e.UpdatedAt,
	}
	if e.CourierID != "" {
		answer.Courier = &boardCourier{e.CourierID, e.CourierName, e.CourierActive}
	}
	return answer
}

func boardOf(e *dispatch.Entry) boardAnswer {
	return boardAnswer{rowOf(e), e.Attention, int64(e.Age / time.Minute)}
}

func (s *Server) handleBoard(c *call) (reply, error) {
	filter, err := s.boardFilter(c)
	if err != nil {
		return reply{}, err
	}
	page, err := s.config.Dispatch.Board(c.Context(), filter)
	if err != nil {
		return reply{}, err
	}
	orders := make([]boardAnswer, len(page.Entries))
	for i := range page.Entries {
		orders[i] = boardOf(&page.Entries[i])
	}
	return ok(struct {
		Orders     []boardAnswer `json:"orders"`
		NextCursor string        `json:"next_cursor,omitzero"`
	}{orders, page.Next.String()})
}

// anyReason selects the orders that need attention for any reason.
const anyReason = "any"

var (
	zoneRule = form.TextRule{
		Expected: "the beginning of a postal code, up to three characters",
		Allows:   regexp.MustCompile(`^[A-Za-z]([0-9][A-Za-z]?)?$`).MatchString,
	}
	reasonRule = form.OneOf(append(slices.Clone(board.Reasons), anyReason)...)
	statusRule = form.OneOf(delivery.Statuses...)
)

func (s *Server) boardFilter(c *call) (filter dispatch.Filter, err error) {
	q, err := c.query()
	if err != nil {
		return filter, err
	}
	filter = dispatch.Filter{
		PartnerID:    q.text("partner_id"),
		CourierID:    q.text("courier_id"),
		Zone:         strings.ToUpper(q.oneOf("zone", zoneRule)),
		ServiceLevel: delivery.ServiceLevel(q.oneOf("service_level", form.OneOf(delivery.ServiceLevels...))),
		CreatedFrom:  q.time("created_from"),
		CreatedTo:    q.time("created_to"),
		Search:       q.oneOf("q", form.Length(1, maxSearch)),
		Sort:         dispatch.Sort(q.oneOf("sort", form.OneOf(dispatch.Sorts...))),
		Limit:        int(q.integer("limit", defaultBoard, 1, maxBoard)),
	}
	if filter.Sort == "" {
		filter.Sort = dispatch.SortOldest
	}
	now := timestamp.Truncate(s.config.Now())
	if minutes := q.integer("older_than", 0, 1, maxAge); minutes > 0 {
		before := now.Add(-time.Duration(minutes) * time.Minute)
		if filter.CreatedTo.IsZero() || before.Before(filter.CreatedTo) {
			filter.CreatedTo = before
		}
	}
	if minutes := q.integer("at_risk", 0, 1, maxRisk); minutes > 0 {
		filter.DueBefore = now.Add(time.Duration(minutes) * time.Minute)
	}
	filter.Statuses = wordsOf[delivery.Status](q, "status", statusRule)
	filter.Attention = wordsOf[board.Reason](q, "attention", reasonRule)
	if slices.Contains(filter.Attention, anyReason) {
		filter.Attention = board.Reasons
	}
	if text := q.text("cursor"); text != "" {
		var known bool
		if filter.After, known = dispatch.ParseCursor(text); !known {
			q.problems.Add("cursor", text, cursorExpected)
		}
	}
	return filter, q.problems.Err()
}

// wordsOf returns the values of a parameter that may be repeated, sorted and
// without duplicates.
func wordsOf[T ~string](q *query, name string, rule form.TextRule) (words []T) {
	for _, text := range q.values[name] {
		if !rule.Allows(text) {
			q.problems.Add(name, text, rule.Expected)
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

func (s *Server) handleAttention(c *call) (reply, error) {
	counts, err := s.config.Dispatch.Count(c.Context())
	if err != nil {
		return reply{}, err
	}
	return ok(countsAnswer(counts))
}

type settingsAnswer struct {
	PartnerID  string `json:"partner_id"`
	AutoAccept bool   `json:"auto_accept"`
}

func (s *Server) handleDispatchSettingsGet(c *call) (reply, error) {
	found, err := s.config.Dispatch.Settings(c.Context(), c.pathID("partner_id"))
	if err != nil {
		return reply{}, err
	}
	return ok(settingsAnswer(*found))
}

func (s *Server) handleDispatchSettingsPut(c *call) (reply, error) {
	body, err := c.json()
	if err != nil {
		return reply{}, err
	}
	settings, err := s.config.Dispatch.SetSettings(c.Context(), c.pathID("partner_id"), body)
	if err != nil {
		return reply{}, err
	}
	return ok(settingsAnswer(*settings))
}
