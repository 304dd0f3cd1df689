package docs

// trial is the form that sends the request of a page from the browser.
type trial struct {
	Method, Route string
	Signed, Token bool
	Fields        []trialField
	Body, Kind    string // Kind is the Content-Type; empty without a body
}

// trialField is a parameter: In is path, query or header.
type trialField struct{ Name, In, Value string }

// trial returns the form of an operation; nil if it needs a session, or sends a picture.
// Only partners' keys and operators' tokens are typed into it, so that a page of the
// documentation never acts as the person who is signed in.
func (o operation) trial() *trial {
	kind, body, writable := o.sampleBody()
	open := len(o.get("security").items()) == 0
	if !writable || !open && !o.needs("signedKey") && !o.needs("token") {
		return nil
	}
	form := &trial{
		Method: o.Method, Route: o.Route, Signed: o.needs("signedKey"), Token: o.needs("token"), Body: body, Kind: kind,
	}
	for _, p := range o.parameters {
		field := trialField{Name: p.get("name").text(), In: p.get("in").text()}
		if field.In == "path" {
			field.Value = exampleOf(p)
		}
		form.Fields = append(form.Fields, field)
	}
	return form
}
