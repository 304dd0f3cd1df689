package page

import (
	"bytes"
	"fmt"
	"html/template"
	"io/fs"
	"net/http"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// Templates are the templates of a package, once in each language.
type Templates struct {
	site *Site
	in   map[Language]func() *template.Template // parses on the first call
}

// Templates returns the templates of a package beside the shared ones. They are parsed when
// a page is first rendered in a language, so that a service that shows few pages, as most
// do in tests, starts quickly. Templates that cannot be parsed panic then.
//
// Templates have these functions: t, rich and n look up phrases (see Language.Text,
// Language.Rich, Language.Count), language returns the language, other the one that is
// offered besides, and otherName its name, asset returns the path of an asset, badge the
// badge of a status and tracked that for recipients, icon an icon by name, moment, within and
// relative a time, phone a phone number and postal a postal code as people read them, dollars an amount of cents,
// quantity a whole number, lasting a duration, shorten an id, spark a small chart, bar a horizontal bar, qr a QR code
// with a label, unnamed the mark of a fault without one, col the attribute of a cell that names its column on phones,
// where rows are stacked.
func (s *Site) Templates(files fs.FS, patterns ...string) Templates {
	t := Templates{site: s, in: map[Language]func() *template.Template{}}
	for _, l := range Languages {
		t.in[l] = sync.OnceValue(func() *template.Template {
			shared := template.Must(template.New("page").Funcs(s.functions(l)).ParseFS(ownFiles, "templates/*.html"))
			set := template.Must(shared.ParseFS(files, patterns...))
			fold(set, s.constant(l))
			return set
		})
	}
	return t
}

// constant returns those functions of templates that depend on nothing but their
// arguments and the language.
func (s *Site) constant(l Language) map[string]func(...string) string {
	return map[string]func(...string) string{
		"t": func(arguments ...string) string {
			pairs := make([]any, len(arguments)-1)
			for i, argument := range arguments[1:] {
				pairs[i] = argument
			}
			return l.Text(arguments[0], pairs...)
		},
		"asset":     func(arguments ...string) string { return s.Asset(arguments[0]) },
		"language":  func(...string) string { return string(l) },
		"other":     func(...string) string { return string(l.Other()) },
		"otherName": func(...string) string { return l.Other().Name() },
	}
}

func (s *Site) functions(l Language) template.FuncMap {
	return template.FuncMap{
		"t": l.Text, "rich": l.Rich, "n": l.Count, "number": l.Number, "dollars": l.Dollars,
		"quantity": func(n int64) string { return l.Number(int(n)) },
		"language": func() Language { return l }, "other": l.Other, "otherName": l.Other().Name,
		"asset": s.Asset, "icon": icon, "shorten": Shorten, "semicolons": WithSemicolons, "spark": spark, "bar": bar,
		"lasting": span, "qr": qrCode,
		"badge":   func(status delivery.Status) template.HTML { return badge(status, l, "status.") },
		"tracked": func(status delivery.Status) template.HTML { return badge(status, l, "tracked.") },
		"col":     func(key string, pairs ...any) template.HTMLAttr { return label(l.Text(key, pairs...)) },
		"unnamed": func() template.HTML { return unnamed },
		"moment":  func(at time.Time) template.HTML { return l.MomentTag(at, s.Now()) },
		"within":  func(at time.Time) template.HTML { return l.WithinTag(at, s.Now()) },
		"phone":   phone, "postal": postal,
		"relative": func(at time.Time) template.HTML { return l.RelativeTag(at, s.Now()) },
	}
}

// Document is a page to be rendered.
type Document struct {
	Language Language
	// Template is the name of a template that defines what is inside the body.
	Template string
	Title    string
	Data     any
	// Styles are assets besides the shared ones.
	Styles []string
	// Scripts are assets besides the shared ones, loaded as modules.
	Scripts []string
	// Island is the folder of assets whose modules the page runs, beside the libraries
	// of islands; empty for pages that are not one. Its modules import each other by
	// relative paths. The policy of the page is Site.IslandPolicy of the folder.
	Island string
	// PaintsFirst is set for a document that shows without the modules of its island what it
	// is opened for: they are loaded after it has been painted.
	PaintsFirst bool
	// App is set for an island that people put on their home screen; nil for others.
	App *App
	// Map is set for an island that shows a map; nil for others.
	Map *Map
	// Frame surrounds what the template defines; nil for pages that stand alone.
	Frame *Frame
	// Roomy is set for pages that are read standing: larger type and controls.
	Roomy bool
	// Preview describes the page where its address is shared; nil for none.
	Preview *Preview
}

// Preview is what messengers show of a shared address. It must hold nothing personal:
// they keep it, and show it to others.
type Preview struct {
	Title, Description string
	Site               string // the name of the sender, may be empty
}

// Map is what a page with a map needs. Its policy is Site.MapPolicy.
type Map struct {
	Origins []string // of other servers that it reads from
}

// App is what makes a page one that browsers install. Its policy is Site.AppPolicy.
type App struct {
	Manifest string // the path of its web app manifest
	Icon     string // the path of a square PNG, for phones that take none of the manifest
}

// layout is what templates/layout.html is given.
type layout struct {
	Document Document
	Modules  island
	Content  template.HTML
}

// framed is what templates/frame.html is given.
type framed struct {
	*Frame
	Content template.HTML
}

// Render sets the headers of a document and returns it. It is rendered as a whole
// before anything is sent, so that an error never leaves half a page.
func (t Templates) Render(h http.Header, d Document) ([]byte, error) {
	set := t.in[d.Language]()
	content, err := execute(set, d)
	if err != nil {
		return nil, fmt.Errorf("write the page %s: %w", d.Template, err)
	}
	var whole bytes.Buffer
	if d.Frame != nil {
		inside := framed{d.Frame, template.HTML(content.String())}
		content.Reset()
		if err := set.ExecuteTemplate(content, "frame", inside); err != nil {
			return nil, fmt.Errorf("write the frame of %s: %w", d.Template, err)
		}
	}
	modules := t.site.island(d.Island)
	whole.Grow(content.Len() + headSize)
	if err := set.ExecuteTemplate(&whole, "layout", layout{d, modules, template.HTML(content.String())}); err != nil {
		return nil, fmt.Errorf("write the layout of %s: %w", d.Template, err)
	}
	policy := modules.policy()
	switch {
	case d.App != nil:
		policy = modules.appPolicy()
	case d.Map != nil:
		policy = modules.mapPolicy(d.Map.Origins)
	}
	setHeaders(h, d.Language, policy)
	return whole.Bytes(), nil
}

// The sizes, in bytes, of what is inside the body of most pages, and around it.
const (
	contentSize = 8 << 10
	headSize    = 4 << 10
)

// unnamed is what the list of a form's faults writes beside a fault whose field has not
// been shown yet, and which therefore has no label.
const unnamed = "<!--unnamed-->"

// execute writes what is inside the body. A list of faults stands above the fields that
// name them, so that a page with such a list is written twice: the second time, all fields
// have been shown.
func execute(set *template.Template, d Document) (*bytes.Buffer, error) {
	var content bytes.Buffer
	content.Grow(contentSize)
	err := set.ExecuteTemplate(&content, d.Template, d.Data)
	if err != nil || !bytes.Contains(content.Bytes(), []byte(unnamed)) {
		return &content, err
	}
	content.Reset()
	err = set.ExecuteTemplate(&content, d.Template, d.Data)
	return bytes.NewBuffer(bytes.ReplaceAll(content.Bytes(), []byte(unnamed), nil)), err
}
