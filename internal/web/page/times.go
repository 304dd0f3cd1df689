package page

import (
	"fmt"
	"html/template"
	"strconv"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/zone"
)

var (
	months = map[Language][12]string{
		English: {
			"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November",
			"December",
		},
		French: {
			"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre",
			"décembre",
		},
	}
	weekdays = map[Language][7]string{
		English: {"Sunday", "Monday", "Tuesday", "Wednesday", "Thursday", "Friday", "Saturday"},
		French:  {"dimanche", "lundi", "mardi", "mercredi", "jeudi", "vendredi", "samedi"},
	}
)

// Day names the day of a time in the time's zone, as the beginning of a sentence: a
// word for yesterday, today and tomorrow, and the date for others.
func (l Language) Day(at, now time.Time) string {
	switch days := dayNumber(at) - dayNumber(now.In(at.Location())); days {
	case 0:
		return l.Text("time.today")
	case 1:
		return l.Text("time.tomorrow")
	case -1:
		return l.Text("time.yesterday")
	}
	return capital(l.Date(at, now))
}

// dayNumber counts the days of the calendar.
func dayNumber(at time.Time) int {
	year, month, day := at.Date()
	return int(time.Date(year, month, day, 0, 0, 0, 0, time.UTC).Unix() / (24 * 60 * 60))
}

func capital(text string) string {
	for i, r := range text {
		return strings.ToUpper(string(r)) + text[i+len(string(r)):]
	}
	return text
}

// Date returns the date of a time in the time's zone: with the weekday in the year of
// now, with the year in others.
func (l Language) Date(at, now time.Time) string {
	day, month := l.dayOfMonth(at), months[l][at.Month()-1]
	weekday := weekdays[l][at.Weekday()]
	thisYear := at.Year() == now.In(at.Location()).Year()
	switch {
	case l == French && thisYear:
		return weekday + " " + day + " " + month
	case l == French:
		return day + " " + month + " " + strconv.Itoa(at.Year())
	case thisYear:
		return weekday + ", " + month + " " + day
	default:
		return month + " " + day + ", " + strconv.Itoa(at.Year())
	}
}

// dayOfMonth returns the number of the day. French writes the first as an ordinal, 1er, as the modules of pages do.
func (l Language) dayOfMonth(at time.Time) string {
	if l == French && at.Day() == 1 {
		return "1er"
	}
	return strconv.Itoa(at.Day())
}

// ShortDate returns the day and the month of a time in the time's zone.
func (l Language) ShortDate(at time.Time) string {
	day, month := l.dayOfMonth(at), months[l][at.Month()-1]
	if l == French {
		return day + " " + month
	}
	return month + " " + day
}

// Month returns the month of a time with its year.
func (l Language) Month(at time.Time) string {
	return months[l][at.Month()-1] + " " + strconv.Itoa(at.Year())
}

// BriefDate returns the day and the month of a time in the time's zone, with the year if it is another than
// that of now.
func (l Language) BriefDate(at, now time.Time) string {
	if at.Year() != now.In(at.Location()).Year() {
		return l.Date(at, now)
	}
	return l.ShortDate(at)
}

// Clock returns the time of day in the time's zone: 1:05 PM, 13 h 05. The modules of pages,
// which use the browser's formats, and mails write it in the same way.
func (l Language) Clock(at time.Time) string {
	if l == French {
		return strconv.Itoa(at.Hour()) + at.Format(" h 04")
	}
	return at.Format("3:04 PM")
}

// Between returns a span of time within a day: 1:00 and 6:00 PM, 13 h 00 and 18 h 00.
func (l Language) Between(start, end time.Time) (from, to string) {
	from, to = l.Clock(start), l.Clock(end)
	if half := start.Format(" PM"); l == English && half == end.Format(" PM") {
		from = strings.TrimSuffix(from, half)
	}
	return from, to
}

// Moment returns a time with its day.
func (l Language) Moment(at, now time.Time) string {
	return l.Day(at, now) + l.Text("time.comma") + " " + l.Clock(at)
}

// Relative returns how far a time is from now if that is under a day, and else the time.
func (l Language) Relative(at, now time.Time) string {
	distance := at.Sub(now)
	switch {
	case distance.Abs() >= 24*time.Hour:
		return l.Within(at, now)
	case distance.Abs() < time.Minute:
		return l.Text("time.now")
	case distance < 0:
		return l.Text("time.ago", "t", span(-distance))
	default:
		return l.Text("time.in", "t", span(distance))
	}
}

// span returns a duration under a day: 2 h 10, 12 min.
func span(d time.Duration) string {
	minutes := int(d.Round(time.Minute) / time.Minute)
	if minutes < 60 {
		return strconv.Itoa(minutes) + " min"
	}
	return fmt.Sprintf("%d h %02d", minutes/60, minutes%60)
}

// exact is a time in full, with its zone.
func (l Language) exact(at, now time.Time) string {
	return l.Date(at, now) + l.Text("time.comma") + " " + l.Clock(at) + " " + l.Zone(at)
}

// Zone returns the abbreviation of the zone of a time: EST, HNE.
func (l Language) Zone(at time.Time) string {
	if l == French {
		return zone.InFrench(zone.Abbreviation(at))
	}
	return zone.Abbreviation(at)
}

// MomentTag returns a time as an element that a script shows in the reader's zone.
// Without scripts it is in its own zone, which the tooltip names.
func (l Language) MomentTag(at, now time.Time) template.HTML {
	return l.timeTag("moment", l.Moment(at, now), at, now)
}

// RelativeTag is MomentTag for a time that is shown relative to now.
func (l Language) RelativeTag(at, now time.Time) template.HTML {
	return l.timeTag("relative", l.Relative(at, now), at, now)
}

// timeTag returns a time element. None of its parts comes from outside.
func (l Language) timeTag(show, text string, at, now time.Time) template.HTML {
	return template.HTML(fmt.Sprintf(`<time data-show="%s" datetime="%s" title="%s">%s</time>`,
		show, at.UTC().Format(time.RFC3339), template.HTMLEscapeString(l.exact(at, now)), template.HTMLEscapeString(text)))
}
