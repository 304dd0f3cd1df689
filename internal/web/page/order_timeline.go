package page

import (
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// TimelineEntry is a move or an edit of an order, as its history shows it.
type TimelineEntry struct {
	Title    string
	Courier  string // the name of the courier that it assigned
	At       time.Time
	By       string    // who made it; empty if that is not known
	Fields   string    // what was edited, or collected
	Recorded time.Time // when it was recorded, if that was later than it happened
	Note     string
	version  int64
}

// Timeline returns the moves and the edits of an order, newest first. move and edited add what the
// pages of one audience know of each.
func (v OrderView) Timeline(
	move func(delivery.HistoryEntry, *TimelineEntry), edited func(delivery.Edit, *TimelineEntry),
) []TimelineEntry {
	entries := make([]TimelineEntry, 0, len(v.Order.History)+len(v.Order.Course.Edits))
	for _, entry := range v.Order.History {
		shown := TimelineEntry{
			Title: v.language.Text("status." + string(entry.Status)), At: entry.At, Note: v.Note(entry), version: entry.Version,
		}
		if entry.Status == delivery.StatusDelivered {
			shown.Fields = v.Collected()
		}
		move(entry, &shown)
		entries = append(entries, shown)
	}
	for _, edit := range v.Order.Course.Edits {
		shown := TimelineEntry{
			Title: v.language.Text("order.edited"), At: edit.At, Fields: v.language.OrderFields(edit.Fields),
			version: edit.Version,
		}
		edited(edit, &shown)
		entries = append(entries, shown)
	}
	slices.Reverse(entries)
	slices.SortStableFunc(entries, func(a, b TimelineEntry) int { return int(b.version - a.version) })
	return entries
}

// Collected says what was collected at the door; empty if nothing was to be.
func (v OrderView) Collected() string {
	c := v.Order.Course.Collected
	if c == nil {
		return ""
	}
	text := v.language.Text("cash.order."+string(c.Method), "amount", v.language.Money(c.AmountCents, c.Currency))
	if c.Notes != "" {
		text += " – " + c.Notes
	}
	return text
}
