package mail

import (
	"bytes"
	"embed"
	"fmt"
	htmltemplate "html/template"
	"strings"
	"text/template"
	"time"
	"unicode"
)

// Content is a message in words.
type Content struct{ Subject, Text, HTML string }

// files holds a text for each kind and language. Its first line is the subject; the
// paragraphs behind it, which blank lines separate, become both the text and the HTML.
//
//go:embed templates
var files embed.FS

var (
	texts  = template.Must(template.New("").Option("missingkey=error").ParseFS(files, "templates/*.txt"))
	layout = htmltemplate.Must(htmltemplate.ParseFS(files, "templates/layout.html"))
)

// words is what differs between languages besides the texts.
type words struct {
	date  string // of the day, the month's name and the year
	clock string // as time.Format takes it
	// months are the names from January on.
	months [12]string
	roles  map[string]string // of users, by their names in the interface
}

var languages = map[Language]words{
	English: {
		date: "%[2]s %[1]d, %[3]d", clock: " at 15:04 UTC",
		months: [12]string{"January", "February", "March", "April", "May", "June", "July", "August", "September", "October", "November", "December"},
		roles:  map[string]string{"owner": "owner", "developer": "developer", "clerk": "clerk", "reader": "reader"},
	},
	French: {
		date: "%d %s %d", clock: " à 15 h 04 UTC",
		months: [12]string{"janvier", "février", "mars", "avril", "mai", "juin", "juillet", "août", "septembre", "octobre", "novembre", "décembre"},
		roles:  map[string]string{"owner": "propriétaire", "developer": "développement", "clerk": "commis", "reader": "lecture seule"},
	},
}

func (w words) moment(at time.Time) string {
	at = at.UTC()
	return fmt.Sprintf(w.date, at.Day(), w.months[at.Month()-1], at.Year()) + at.Format(w.clock)
}

// facts is what a template can say.
type facts struct{ To, URL, Until, Team, Role string }

// Compose puts a message into words.
func Compose(m *Message, in Language) (*Content, error) {
	w, known := languages[in]
	if !known {
		return nil, fmt.Errorf("no mails are written in the language %q", in)
	}
	var text bytes.Buffer
	said := facts{oneLine(m.To), m.URL, w.moment(m.Until), oneLine(m.Team), w.roles[m.Role]}
	if err := texts.ExecuteTemplate(&text, fmt.Sprintf("%s.%s.txt", m.Kind, in), said); err != nil {
		return nil, err
	}
	subject, body, _ := strings.Cut(strings.TrimSpace(text.String()), "\n\n")
	html, err := compose(subject, body, m.URL, in)
	return &Content{subject, body + "\n", html}, err
}

// oneLine returns text from outside without line breaks and other control characters,
// so that it cannot begin a paragraph or a header.
func oneLine(text string) string {
	return strings.Map(func(r rune) rune {
		if unicode.IsControl(r) || r == '\u2028' || r == '\u2029' {
			return ' '
		}
		return r
	}, text)
}

// compose returns the HTML of a text. A paragraph that is the URL becomes a link.
func compose(subject, body, url string, in Language) (string, error) {
	type paragraph struct {
		Text string
		Link bool
	}
	var paragraphs []paragraph
	for text := range strings.SplitSeq(body, "\n\n") {
		paragraphs = append(paragraphs, paragraph{text, text == url})
	}
	var html bytes.Buffer
	err := layout.Execute(&html, map[string]any{"Language": string(in), "Subject": subject, "Paragraphs": paragraphs})
	return html.String(), err
}
