package main

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
	"github.com/dropyard/dropyard/internal/foundation/zone"
)

// outputFlags say how results are printed.
type outputFlags struct {
	JSON    bool `name:"json" help:"Print the service's JSON, for programs: a record as it came, a list as one object a line." group:"Output"`
	NoColor bool `help:"Print without colours, as with NO_COLOR in the environment and outside of terminals." group:"Output"`
}

// output prints results on standard output.
type output struct {
	to      io.Writer
	json    bool
	palette terminal.Palette
}

func (f *outputFlags) output() *output {
	return &output{to: os.Stdout, json: f.JSON, palette: terminal.Colours(os.Stdout, !f.NoColor, os.Getenv)}
}

// record prints one record: its fields, or the service's answer.
func (o *output) record(answer *client.Answer, fields []terminal.Field) error {
	if o.json {
		return o.raw(answer.Body)
	}
	return terminal.PrintFields(o.to, o.palette, fields)
}

// raw prints JSON as it is, but for characters that would steer a terminal: they are escaped.
func (o *output) raw(body []byte) error {
	_, err := o.to.Write(append(terminal.CleanJSON(bytes.TrimRight(body, "\n")), '\n'))
	return err
}

// text prints lines of text.
func (o *output) text(lines []byte) error {
	_, err := io.WriteString(o.to, terminal.CleanLines(string(lines)))
	return err
}

// line prints JSON on one line.
func (o *output) line(body []byte) error {
	var compact bytes.Buffer
	if err := json.Compact(&compact, body); err != nil {
		return err
	}
	return o.raw(compact.Bytes())
}

// say prints a sentence for people, which is left out of JSON.
func (o *output) say(format string, args ...any) error {
	if o.json {
		return nil
	}
	_, err := io.WriteString(o.to, terminal.Sprintf(format+"\n", args...))
	return err
}

// statusStyles are the colours of the states of orders and events.
var statusStyles = map[string]terminal.Style{
	"pending": terminal.Faint, "accepted": terminal.Blue, "courier_assigned": terminal.Blue, "picked_up": terminal.Magenta,
	"in_transit": terminal.Cyan, "out_for_delivery": terminal.Yellow, "delivered": terminal.Green,
	"failed": terminal.Red, "cancelled": terminal.Faint, "skipped": terminal.Faint,
}

func statusStyle[S ~string](status S) terminal.Style { return statusStyles[string(status)] }

// statusCell returns a status as words, in its colour.
func statusCell[S ~string](status S) terminal.Cell {
	return terminal.Cell{Text: strings.ReplaceAll(string(status), "_", " "), Style: statusStyle(status)}
}

// statusField returns a field with a status.
func statusField[S ~string](name string, status S) terminal.Field {
	cell := statusCell(status)
	return terminal.Field{Name: name, Value: cell.Text, Style: cell.Style}
}

// field returns a field in plain style.
func field(name, value string) terminal.Field { return terminal.Field{Name: name, Value: value} }

// moment returns a time in the user's zone, to the minute; empty for the zero time.
func moment(at time.Time) string { return formatTime(at, "2006-01-02 15:04") }

// exactly returns a time in the user's zone, with its name; empty for the zero time.
func exactly(at time.Time) string { return formatTime(at, "2006-01-02 15:04:05 MST") }

func formatTime(at time.Time, layout string) string {
	if at.IsZero() {
		return ""
	}
	return at.In(userZone()).Format(layout)
}

// userZone returns the zone of the program's user. Go's own data, which it would use by
// itself, may be older than those that the program carries.
var userZone = sync.OnceValue(func() *time.Location {
	zones, _ := zone.Newest() // doctor reports the error
	return cmp.Or(zones.Local(), time.Local)
})

// dollars returns an amount of cents, such as $1234.50. Amounts in US dollars are marked.
func dollars(cents int64, currency client.Currency) string {
	sign := "$"
	if currency == client.USD {
		sign = "US$"
	}
	if cents < 0 {
		sign, cents = "-"+sign, -cents
	}
	return fmt.Sprintf("%s%d.%02d", sign, cents/100, cents%100)
}

func number[N ~int | ~int64](n N) string { return strconv.FormatInt(int64(n), 10) }

// yes returns yes or no.
func yes(b bool) string {
	if b {
		return "yes"
	}
	return "no"
}

// printf prints text for people. Texts and errors among args are cleaned.
func printf(format string, args ...any) error {
	_, err := os.Stdout.WriteString(terminal.Sprintf(format, args...))
	return err
}

// tell prints a line for people. Texts and errors among args are cleaned.
func tell(format string, args ...any) { tellOn(os.Stdout, format, args...) }

// notice prints a line on standard error, because standard output holds only events
// or results.
func notice(format string, args ...any) { tellOn(os.Stderr, format, args...) }

func tellOn(to *os.File, format string, args ...any) {
	_, _ = to.WriteString(terminal.Sprintf(format+"\n", args...))
}
