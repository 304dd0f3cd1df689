package mail

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strconv"
	"strings"
	"text/template"
	"time"
	"unicode"

	"github.com/dropyard/dropyard/internal/foundation/zone"
	"golang.org/x/text/message"
)

// Content is a message in words.
type Content struct{ Subject, Text, HTML string }

// files holds a text for each kind and language. Its first line is the subject; the
// paragraphs behind it, which blank lines separate, become both the text and the HTML.
// The lines of some paragraphs begin with two spaces, a label and a colon: these become
// a table. The paragraph that says why the message was sent begins the small print.
//
//go:embed templates
var files embed.FS

var (
	texts  = template.Must(template.New("").Option("missingkey=error").ParseFS(files, "templates/*.txt"))
	layout = htmltemplate.Must(htmltemplate.ParseFS(files, "templates/layout.html"))
)

// facts is what a template can say.
type facts struct {
	To, URL, Until, At, Team, Role, Reason string
	Address, Agent, Endpoint, EndpointID   string
	Detail                                 string
	Order, From, Expected, Next            string
	Month                                  string
	Number                                 int64
	StopURL, SupportURL, ToPay             string
	IsLater                                bool
	Test                                   bool
}

// factsOf returns what the template of a message can say. Texts from outside are on one
// line each.
func factsOf(m *Message, w *words) facts {
	f := facts{
		To: oneLine(m.To), URL: m.URL, Until: w.moment(m.Until), At: w.moment(m.At),
		Team: oneLine(m.Team), Role: w.roles[m.Role], Reason: w.reasons[m.Reason], Endpoint: oneLine(m.Endpoint),
		EndpointID: oneLine(m.EndpointID), Detail: oneLine(m.Detail),
		Test: m.Test, Number: m.Number,
	}
	if !m.Month.IsZero() {
		f.Month = fmt.Sprint(w.months[m.Month.Month()-1], " ", m.Month.Year())
	}
	if m.Device != nil {
		f.Address, f.Agent = oneLine(m.Device.Address), oneLine(m.Device.Agent)
	}
	if o := m.Order; o != nil {
		f.At, f.Expected = w.local(m.At, o.Zones.At), w.local(o.Expected, o.Zones.Expected)
		f.From, f.Next = w.local(o.From, o.Zones.From), w.local(o.Next, o.Zones.Next)
		f.Order, f.StopURL, f.SupportURL = oneLine(o.Name), o.StopURL, o.SupportURL
		f.IsLater, f.ToPay = o.IsLater, w.amount(o.ToPay)
	}
	return f
}

// Compose puts a message into words.
func Compose(m *Message, in Language) (*Content, error) {
	w, known := languages[in]
	if !known {
		return nil, fmt.Errorf("no mails are written in the language %q", in)
	}
	var text bytes.Buffer
	if err := texts.ExecuteTemplate(&text, fmt.Sprintf("%s.%s.txt", m.Kind, in), factsOf(m, w)); err != nil {
		return nil, err
	}
	subject, body, _ := strings.Cut(strings.TrimSpace(text.String()), "\n\n")
	subject = plainSubject(subject)
	var html bytes.Buffer
	err := layout.Execute(&html, pageOf(m, w, subject, body))
	return &Content{subject, body + "\n", html.String()}, err
}

// oneLine returns text from outside without line breaks, other control characters and
// changes of direction, so that it cannot begin a paragraph or a header, or turn what is
// around it. Blanks at its ends are removed: a paragraph that began with them would be
// taken for a table.
func oneLine(text string) string {
	return strings.TrimSpace(strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || unicode.In(r, unicode.Zl, unicode.Zp, unicode.Bidi_Control) {
			return ' '
		}
		return r
	}, text))
}

// dots are the characters that programs take for the dot of a host name.
const dots = ".\u3002\uff0e\uff61\u2024"

// plainSubject returns a subject in which nothing looks like a URL or an address, which
// mail programs would make a link of: its names come from outside.
func plainSubject(subject string) string {
	subject = strings.ReplaceAll(strings.ReplaceAll(subject, "://", " "), "@", " ")
	plain, before := []rune(subject), ' '
	for i, r := range plain {
		ofHost := strings.ContainsRune(dots, r) && !unicode.IsSpace(before) && i+1 < len(plain) &&
			!unicode.IsSpace(plain[i+1])
		if before = r; ofHost && (unicode.IsLetter(plain[i+1]) || strings.ContainsRune(dots, plain[i+1])) {
			plain[i] = ' '
		}
	}
	return string(plain)
}

// page is what the layout shows.
type page struct {
	Language, Subject string
	// Brand is the name that recipients know; empty for the service's own.
	Brand      string
	Blocks     []block
	SmallPrint []block
}

// block is a paragraph: one of its fields is set.
type block struct {
	Text string
	Rows []row
	Link string
	// Button labels a Link that is the purpose of the message; empty for any other.
	Button string
}

// row is a line of a table.
type row struct{ Label, Value string }

// pageOf returns what the layout shows of a text.
func pageOf(m *Message, w *words, subject, body string) *page {
	p := &page{Language: string(w.language), Subject: subject}
	if m.Order != nil {
		p.Brand = oneLine(m.Team)
	}
	blocks := &p.Blocks
	for text := range strings.SplitSeq(body, "\n\n") {
		if strings.HasPrefix(text, w.why) {
			blocks = &p.SmallPrint
		}
		*blocks = append(*blocks, m.block(text, w))
	}
	return p
}

// block returns a paragraph of the message.
func (m *Message) block(text string, w *words) block {
	switch {
	case text == m.URL:
		return block{Link: text, Button: w.buttons[m.Kind]}
	case m.Order != nil && (text == m.Order.StopURL || text == m.Order.SupportURL):
		return block{Link: text}
	case strings.HasPrefix(text, "  "):
		var rows []row
		for line := range strings.Lines(text) {
			label, value, _ := strings.Cut(strings.TrimSpace(line), ": ")
			rows = append(rows, row{strings.TrimSpace(label), value})
		}
		return block{Rows: rows}
	default:
		return block{Text: text}
	}
}

// moment returns a time in UTC.
func (w *words) moment(at time.Time) string {
	return w.time(at.UTC()) + " UTC"
}

// local returns a time as the clocks of its own zone show it, with the abbreviation of the
// zone if that is known; empty for the zero time.
func (w *words) local(at time.Time, abbreviation string) string {
	switch {
	case at.IsZero():
		return ""
	case abbreviation == "":
		return w.time(at)
	case w.language == French:
		abbreviation = zone.InFrench(abbreviation)
	}
	return w.time(at) + " " + abbreviation
}

func (w *words) time(at time.Time) string {
	day := w.first
	if at.Day() > 1 {
		day = strconv.Itoa(at.Day())
	}
	return fmt.Sprintf(w.date, day, w.months[at.Month()-1], at.Year(), w.clock(at))
}

// amount returns a sum of money as pages have it, with its currency unless that is the usual one; empty
// for none.
func (w *words) amount(a Amount) string {
	if a.Cents == 0 {
		return ""
	}
	whole := message.NewPrinter(w.tag).Sprintf("%d", a.Cents/100)
	text := fmt.Sprintf(w.dollars, whole, a.Cents%100)
	if a.Currency != "CAD" {
		text += " " + a.Currency
	}
	return text
}
