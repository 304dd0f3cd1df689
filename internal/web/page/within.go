package page

import (
	"html/template"
	"strings"
	"time"
)

// Within returns a time with its day as it stands within a sentence: since yesterday,
// 1:05 PM. Moment begins one.
func (l Language) Within(at, now time.Time) string {
	return l.DayWithin(at, now) + l.Text("time.comma") + " " + l.Clock(at)
}

// DayWithin names the day of a time as Day does, but as it stands within a sentence.
func (l Language) DayWithin(at, now time.Time) string {
	if days := dayNumber(at) - dayNumber(now.In(at.Location())); -1 <= days && days <= 1 {
		return strings.ToLower(l.Day(at, now))
	}
	return l.Date(at, now)
}

// WithinTag is MomentTag for a time within a sentence.
func (l Language) WithinTag(at, now time.Time) template.HTML {
	return l.timeTag("within", l.Within(at, now), at, now)
}
