package console

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
)

// boardLine is a row of the board as its document shows it until the modules run. It says
// what they say (lines.js), but nothing of the hours and days that they name: only the browser
// knows the reader's zone.
type boardLine struct {
	Left, Late             time.Duration // until it is due, or since then, if that is less than a day; else zero
	IsUrgent               bool
	Recipient, Place, Zone string
	PartnerOrderID         string
	Below                  string // what stands below the number of the order
	Status                 delivery.Status
	Reasons                string // why it needs attention, but for its being late
	Courier, Level         string
}

// urgent is how long before it is due an order is urgent.
const urgent = 30 * time.Minute

// linesOf returns rows as the document shows them.
func linesOf(entries []dispatch.Entry, s *sheet) []boardLine {
	lines, now := make([]boardLine, len(entries)), s.Site.Now()
	for i, e := range entries {
		left, place, below, reasons := e.Due().Sub(now), placeOf(&e), s.below(&e), s.reasons(&e)
		line := boardLine{
			IsUrgent: left < urgent, Recipient: cmp.Or(e.Recipient, e.City), Place: place, Zone: e.Zone,
			PartnerOrderID: e.PartnerOrderID, Below: below, Status: e.Status,
			Reasons: reasons, Courier: cmp.Or(e.CourierName, "–"),
			Level: s.Text("level." + string(e.ServiceLevel)),
		}
		if left.Abs() < 24*time.Hour {
			line.Left, line.Late = max(left, 0), max(-left, 0)
		}
		lines[i] = line
	}
	return lines
}

// placeOf returns the street and the city of a row, without the city if that stands in the place of the recipient.
func placeOf(e *dispatch.Entry) string {
	if e.Recipient == "" {
		return e.Street
	}
	return strings.Join(slices.DeleteFunc([]string{e.Street, e.City}, isEmpty), ", ")
}

// below returns what stands below the number of an order: what is to be collected, what to take care of, and
// the partner.
func (s *sheet) below(e *dispatch.Entry) string {
	var parts []string
	if e.COD > 0 {
		parts = append(parts, s.Text("board.cod", "amount", s.Language.Dollars(e.COD)))
	}
	if e.Flags&board.FlagFragile != 0 {
		parts = append(parts, s.Text("order.fragile"))
	}
	return strings.Join(append(parts, e.PartnerName), " · ")
}

// reasons returns why an order needs attention. That it is late, the time says.
func (s *sheet) reasons(e *dispatch.Entry) string {
	var words []string
	for _, reason := range e.Attention {
		if reason != board.ReasonLate {
			words = append(words, s.Text("board.reason."+string(reason)))
		}
	}
	return strings.Join(words, ", ")
}

func isEmpty(text string) bool { return text == "" }
