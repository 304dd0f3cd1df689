package console

import (
	"net/http"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/orderform"
	"github.com/dropyard/dropyard/internal/web/page"
)

const (
	locationsPath = "/console/locations"
	locationPath  = locationsPath + "/edit"
)

func (pages *Pages) locationRoutes() []web.Route {
	return []web.Route{
		pages.get("/locations", storing, (*Pages).locations),
		pages.get("/locations/edit", storing, (*Pages).location),
		pages.post("/locations/edit", storing, (*Pages).putLocation),
	}
}

// locationsView is what the list of locations shows.
type locationsView struct {
	*sheet
	Locations []locationRow
}

// locationRow is a location that has an address.
type locationRow struct {
	*delivery.Location
	Path string // of its form
}

// locations lists the locations that have an address, by code.
func (pages *Pages) locations(s *sheet) (int, []byte, error) {
	found, err := pages.config.Operators.Locations(s.Context())
	if err != nil {
		return 0, nil, err
	}
	view := locationsView{sheet: s}
	for _, location := range found {
		view.Locations = append(view.Locations, locationRow{location, s.Link(locationPath, "code", location.Code)})
	}
	return s.show(leaf{
		template: "console-locations", title: s.Text("console.locations"), data: view,
		action: &page.Link{Text: s.Text("locations.new"), Path: locationPath},
		back:   &page.Link{Text: s.Text("console.returns"), Path: returnsPath},
	})
}

// locationView is what the form of a location shows.
type locationView struct {
	*sheet
	Form *page.Form
}

// Fields returns the fields of a location in the form.
func (v locationView) Fields() []page.Field {
	provinces := v.Input("address.province", "neworder.province", "select", "off")
	provinces.Options = orderform.Provinces(v.Sheet)
	optional := func(name, label string) page.Field {
		return page.Field{Name: name, Label: v.Text(label), Autocomplete: "off"}
	}
	fields := []page.Field{
		v.Hinted(v.Input("code", "locations.code", "text", "off"), "locations.code.hint"),
		v.Input("name", "neworder.name", "text", "off"),
		v.Hinted(v.Input("phone", "neworder.phone", "tel", "off"), "locations.phone.hint"),
		v.Input("email", "neworder.email", "email", "off"),
		v.Input("address.line1", "neworder.line1", "text", "off"),
		optional("address.line2", "neworder.line2"),
		v.Input("address.city", "neworder.city", "text", "off"),
		provinces,
		v.Input("address.postal_code", "neworder.postal_code", "text", "off"),
		v.Hinted(optional("address.notes", "neworder.notes"), "neworder.notes.hint"),
	}
	for i := range fields {
		fields[i] = v.Form.With(fields[i])
	}
	return fields
}

// location shows the form of a location: that of the code in the query, or of a new one.
func (pages *Pages) location(s *sheet) (int, []byte, error) {
	sent, err := s.form(locationPath, 0)
	if err != nil {
		return 0, nil, err
	}
	code := s.parameter("code")
	sent.Values.Set("code", code)
	found, err := pages.config.Operators.Locations(s.Context())
	if err != nil {
		return 0, nil, err
	}
	if i := slices.IndexFunc(found, func(l *delivery.Location) bool { return l.Code == code }); i >= 0 {
		location := found[i]
		for name, value := range map[string]string{
			"name": location.Name, "phone": location.Phone, "email": location.Email,
			"address.line1": location.Address.Line1, "address.line2": location.Address.Line2,
			"address.city": location.Address.City, "address.province": location.Address.Province,
			"address.postal_code": location.Address.PostalCode, "address.notes": location.Address.Notes,
		} {
			sent.Values.Set(name, value)
		}
	}
	return s.showLocation(sent, http.StatusOK)
}

func (s *sheet) showLocation(sent *page.Form, status int) (int, []byte, error) {
	title := s.Text("locations.new")
	if code := s.parameter("code"); code != "" {
		title = s.Text("locations.title", "code", code)
	}
	return s.show(leaf{
		template: "console-location", title: title, data: locationView{s, sent}, status: status,
		back: &page.Link{Text: s.Text("console.locations"), Path: locationsPath},
	})
}

// putLocation sets the address of a location.
func (pages *Pages) putLocation(s *sheet) (int, []byte, error) {
	sent, err := page.ReadForm(s.PageRequest)
	if err != nil {
		return 0, nil, err
	}
	sent.Values.Set("address.country", "CA")
	code := page.Trim("", sent.Values.Get("code"))
	entered, _ := form.Decode(sent.Typed(page.Trim), operator.ReadLocationEntry) // keeps its faults
	_, err = pages.config.Operators.PutLocation(s.Context(), code, entered)
	if err == nil {
		return s.LeadTo(locationsPath, page.Flash{Key: "locations.saved", Arguments: []string{"code", code}})
	}
	if !sent.Refuse(err, s.Language) {
		return 0, nil, err
	}
	return s.showLocation(sent, http.StatusUnprocessableEntity)
}
