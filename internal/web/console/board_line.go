package console

import (
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// boardLine is a row of the board as its document shows it until the modules run. It says
// what they say (lines.js), but nothing of the hour of an order that is due a day away or
// more: only the browser knows the reader's zone.
type boardLine struct {
	Left, Late                  time.Duration // until it is due, or since then, if that is less than a day; else zero
	IsUrgent, IsWarned          bool
	PartnerOrderID, PartnerName string
	City, Zone                  string
	Status                      delivery.Status
	Courier, Level              string
}

// urgent is how long before it is due an order is urgent.
const urgent = 30 * time.Minute

// linesOf returns rows as the document shows them.
func linesOf(entries []dispatch.Entry, s *sheet) []boardLine {
	lines, now := make([]boardLine, len(entries)), s.Site.Now()
	for i, e := range entries {
		left := e.EstimatedDelivery.Sub(now)
		lines[i] = boardLine{
			IsUrgent: left < urgent,
			IsWarned: slices.ContainsFunc(e.Attention,
				func(reason board.Reason) bool { return reason != board.ReasonLate }),
			PartnerOrderID: e.PartnerOrderID, PartnerName: e.PartnerName, City: e.City, Zone: e.Zone, Status: e.Status,
			Courier: e.CourierName, Level: s.Text("level." + string(e.ServiceLevel)),
		}
		if left.Abs() < 24*time.Hour {
			lines[i].Left, lines[i].Late = max(left, 0), max(-left, 0)
		}
		if e.CourierName == "" {
			lines[i].Courier = "–"
		}
	}
	return lines
}
