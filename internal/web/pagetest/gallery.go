package pagetest

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// gallery is the page that shows all components.
type gallery struct {
	site      *page.Site
	templates page.Templates
}

func newGallery(site *page.Site) gallery {
	return gallery{site, site.Templates(files, "templates/components-page.html")}
}

func (g gallery) routes() []web.Route {
	return []web.Route{{Method: http.MethodGet, Pattern: "/components", Serve: g.serve}}
}

type galleryView struct {
	Statuses []delivery.Status
	Form     *page.Form
	Fields   []page.Field
	Times    []time.Time
	Rows     []galleryRow
	Course   []int64
	Done     *page.Message
	Failed   *page.Message
	OrderID  string
}

type galleryRow struct {
	Reference, To string
	Status        delivery.Status
	Cents         int64
	At            time.Time
}

func (g gallery) serve(v *web.PageRequest) (int, []byte, error) {
	language := page.LanguageOf(v.Request, "")
	form, err := g.site.NewForm("/components", 3)
	if err != nil {
		return 0, nil, err
	}
	form.Values.Set("name", "Épicerie Métro")
	form.Values.Set("email", "lea@metro")
	form.Values.Set("level", "express")
	form.Faults = []page.Fault{
		{Field: "email", Text: language.Text("fault.email")}, {Field: "postal", Text: language.Text("fault.postal_code")},
	}
	now := Now.In(zone.Own().Location("America/Toronto"))
	view := galleryView{
		Statuses: delivery.Statuses, Form: form,
		Fields: []page.Field{
			form.With(page.Field{Name: "name", Label: "Name", Type: "text", Hint: "As recipients see it."}),
			form.With(page.Field{Name: "email", Label: "E-mail", Type: "email", Required: true}),
			form.With(page.Field{Name: "postal", Label: "Postal code", Type: "text", Hint: "Of the pickup."}),
			form.With(page.Field{Name: "level", Label: "Level", Type: "select", Options: []page.Option{
				{Value: "standard", Label: "Standard"}, {Value: "express", Label: "Express"},
			}}),
			form.With(page.Field{Name: "notes", Label: "Notes", Type: "textarea"}),
		},
		Times: []time.Time{now, now.Add(12 * time.Minute), now.Add(130 * time.Minute), now.Add(-3 * time.Hour), now.AddDate(0,
			0, 3)},
		Course:  []int64{22, 31, 30, 19, 24, 31, 28, 32, 31, 17, 31, 14, 29, 22},
		Done:    &page.Message{Text: "The order was created."},
		Failed:  &page.Message{Text: "The endpoint could not be reached.", Danger: true},
		OrderID: "ord_e3rmcbfx06gzv5ekn284wv1j4pyr4kne",
		Rows: []galleryRow{
			{"A-1042", "Alex Martin, Toronto", delivery.StatusOutForDelivery, 6493, now.Add(-time.Hour)},
			{"A-1041", "Chloé Gagnon, Laval", delivery.StatusDelivered, 1820, now.Add(-26 * time.Hour)},
			{"A-1040", "Sam Roy, Ottawa", delivery.StatusFailed, 1234567, now.Add(-28 * time.Hour)},
		},
	}
	body, err := g.templates.Render(v.Header, page.Document{
		Language: language, Template: "components-page", Title: "Components", Data: view,
		Styles: []string{"components-page.css"},
	})
	return http.StatusOK, body, err
}
