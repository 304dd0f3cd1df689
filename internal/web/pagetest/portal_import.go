package pagetest

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/web/page"
)

// The files that are being imported, by the keys of the forms that sent them.
var (
	freshImport, faultyImport = strings.Repeat("1a", 16), strings.Repeat("2a", 16)
	doneImport, hostileImport = strings.Repeat("3a", 16), strings.Repeat("4a", 16)
	warnedImport              = strings.Repeat("9a", 16)
)

// importScenes are the pages on which orders are imported. beside is the address of answered.
func (h *house) importScenes(beside string) (scenes []Scene) {
	add := func(name, who, path string) {
		scenes = append(scenes, Scene{
			Name: name, URL: h.url + path, Policy: page.Policy, Cookie: sessionCookie + "=" + h.cookies[who],
		})
	}
	add("portal-import", owner, "/portal/orders/import")
	add("portal-import-fresh", owner, "/portal/imports/"+freshImport)
	add("portal-import-faults", owner, "/portal/imports/"+faultyImport)
	add("portal-import-warned", owner, "/portal/imports/"+warnedImport)
	add("portal-import-done", owner, "/portal/imports/"+doneImport+"?mode=test")
	add("portal-import-hostile", hostiles, "/portal/imports/"+hostileImport)
	add("portal-addresses", owner, "/portal/addresses")
	add("portal-addresses-empty", newcomer, "/portal/addresses")
	add("portal-addresses-hostile", hostiles, "/portal/addresses")
	add("portal-addresses-recipient", owner, "/portal/addresses/recipient/"+delivery.SavedID("Anne-Marie Côté", "H2W 1A1"))
	add("portal-addresses-parcel", owner, "/portal/addresses/parcel")
	add("portal-new-saved", owner, "/portal/orders/new?parcels=2")
	add("portal-new-hostile-saved", hostiles, "/portal/orders/new")
	return append(scenes, Scene{
		Name: "portal-import-refused", URL: beside + "/answered/portal-import-refused", Policy: page.Policy,
	})
}

// addImports sends the files, and keeps the answer to one that cannot be imported.
func (h *house) addImports(ctx context.Context) error {
	if err := h.addSaved(ctx); err != nil {
		return err
	}
	const header = "Order number;Recipient;Phone;E-mail;Address;City;Province;Postal code;Weight (kg);Gift wrap\n"
	good := header
	for i, name := range []string{"Zoé Tremblay", "Marc Roy", "Anne-Marie Côté"} {
		good += fmt.Sprintf("S-%d;%s;514 555-010%d;;%d rue Rachel;Montréal;QC;H2W 1A1;1,5;yes\n", i+1, name, i, i+10)
	}
	faulty := strings.NewReplacer("514 555-0101", "call me", "1,5;yes\nS-3", "mille;no\nS-3").Replace(good) +
		"S-4;" + strings.Repeat("Very long name ", 20) + ";;;1 Main St;Toronto;Ontario;90210;2;\n" +
		";A second parcel;;;;;;;2;\nS-4;;;\n"
	warned := header + "Bo?te 12;Fran?ois C?t\xe9;514 555-0107;;PO Box 12;Toronto;ON;V5K 0A1;1;\n"
	const closed = "Name,Lineitem name,Shipping Name,Financial Status,Fulfillment Status\n" +
		"#1001,Mug,Zoé Tremblay,paid,unfulfilled\n#1000,Mug,Marc Roy,refunded,fulfilled\n"
	quoted := `"` + strings.ReplaceAll(hostileText, `"`, `""`) + `"`
	hostile := strings.NewReplacer("Zoé Tremblay", quoted, "Gift wrap", quoted, "514 555-0101", quoted).Replace(good)
	for _, one := range []struct{ who, path, key, content string }{
		{owner, "/portal/orders/import", freshImport, closed},
		{owner, "/portal/orders/import", warnedImport, warned},
		{owner, "/portal/orders/import", faultyImport, faulty},
		{owner, "/portal/orders/import?mode=test", doneImport, good},
		{hostiles, "/portal/orders/import", hostileImport, hostile},
	} {
		sent, err := h.sendOrders(ctx, one.who, one.path, one.key, one.content, page.English)
		if err == nil && sent.status != http.StatusOK {
			err = fmt.Errorf("import of %s: status %d", one.key, sent.status)
		}
		if err != nil {
			return err
		}
	}
	for draft, who := range map[string]string{
		faultyImport: owner, warnedImport: owner, doneImport + "?mode=test": owner, hostileImport: hostiles,
	} {
		if err := h.completeImport(ctx, draft, who); err != nil {
			return err
		}
	}
	if err := h.createImported(ctx); err != nil {
		return err
	}
	for _, language := range page.Languages {
		refused, err := h.sendOrders(ctx, owner, "/portal/orders/import", strings.Repeat("5a", 16), "PK\x03\x04", language)
		if err != nil {
			return err
		}
		h.logins.answers["portal-import-refused/"+string(language)] = refused
	}
	return nil
}

// addSaved saves addresses and parcels.
func (h *house) addSaved(ctx context.Context) error {
	for i, one := range []struct {
		who, kind string
		fields    url.Values
	}{
		{owner, "recipient", url.Values{
			"name": {"Anne-Marie Côté"}, "phone": {"514 555-0142"}, "email": {"am.cote@example.org"},
			"address.line1": {"12 rue Rachel"}, "address.city": {"Montréal"}, "address.province": {"QC"},
			"address.postal_code": {"H2W 1A1"}, "address.notes": {"Code 1234"},
		}},
		{owner, "recipient", url.Values{"name": {"Marc Roy"}}},
		{owner, "sender", url.Values{
			"name": {"Épicerie Métro"}, "address.line1": {"4000 Rue Saint-Denis"}, "address.city": {"Montréal"},
			"address.province": {"QC"}, "address.postal_code": {"H2W 2M5"},
		}},
		{owner, "parcel", url.Values{
			"name": {"Small box"}, "weight_kg": {"1,5"}, "length_cm": {"30"}, "width_cm": {"20"}, "height_cm": {"10"},
		}},
		{hostiles, "recipient", url.Values{"name": {hostileText}, "address.line1": {hostileText}}},
		{hostiles, "parcel", url.Values{"name": {hostileText}}},
	} {
		one.fields.Set("_key", fmt.Sprintf("8a%030x", i))
		cookie := sessionCookie + "=" + h.cookies[one.who]
		kept, err := h.post(ctx, "/portal/addresses/"+one.kind, cookie, one.fields, page.English)
		if err == nil && kept.status != http.StatusOK {
			err = fmt.Errorf("save a %s: status %d", one.kind, kept.status)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// completeImport types what the files lack.
func (h *house) completeImport(ctx context.Context, draft, who string) error {
	fields := url.Values{"_key": {strings.Repeat("6a", 16)}}
	for name, value := range map[string]string{
		"pickup.name": "Épicerie Métro", "pickup.phone": "514 555-0100", "pickup.email": "shop@metro.example",
		"pickup.address.line1": "4000 Rue Saint-Denis", "pickup.address.city": "Montréal", "pickup.address.province": "QC",
		"pickup.address.postal_code": "H2W 2M5", "pickup.time_window.start": "2026-06-19T09:00",
		"pickup.time_window.end": "2026-06-19T12:00", "dropoff.time_window.start": "2026-06-24T09:00",
		"dropoff.time_window.end": "2026-06-24T18:00", "length_cm": "30", "width_cm": "20", "height_cm": "10",
		"value": "25.00", "description": "Books",
	} {
		fields.Set("default:"+name, value)
	}
	path, query, isTest := strings.Cut("/portal/imports/"+draft, "?")
	if path += "/check"; isTest {
		path += "?" + query
	}
	found, err := h.post(ctx, path, sessionCookie+"="+h.cookies[who], fields, page.English)
	if err == nil && found.status != http.StatusOK {
		err = fmt.Errorf("%s: got status %d", path, found.status)
	}
	return err
}

// createImported creates the orders of a file in test mode.
func (h *house) createImported(ctx context.Context) error {
	path := "/portal/imports/" + doneImport + "?mode=test"
	shown, err := h.as(ctx, owner, http.MethodGet, path, "")
	if err != nil {
		return err
	}
	_, price, _ := bytes.Cut(shown, []byte(`name="_price" value="`))
	price, _, _ = bytes.Cut(price, []byte(`"`))
	created, err := h.post(ctx, path, sessionCookie+"="+h.cookies[owner],
		url.Values{"_key": {strings.Repeat("7a", 16)}, "_count": {"3"}, "_price": {string(price)}}, page.English)
	if err == nil && created.status != http.StatusOK {
		err = fmt.Errorf("create the imported orders: status %d", created.status)
	}
	return err
}

// sendOrders sends a file of orders.
func (h *house) sendOrders(
	ctx context.Context, who, path, key, content string, language page.Language,
) (found answer, err error) {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("_key", key) // writes to memory
	file, err := form.CreateFormFile("file", "orders.csv")
	if err != nil {
		return found, err
	}
	_, _ = file.Write([]byte(content))
	_ = form.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, h.url+path, &body)
	if err != nil {
		return found, err
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Accept-Language", string(language))
	request.Header.Set("Accept", "text/html")
	request.Header.Set("Cookie", sessionCookie+"="+h.cookies[who])
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return found, err
	}
	defer func() { _ = response.Body.Close() }()
	var answered bytes.Buffer
	_, err = answered.ReadFrom(response.Body)
	return answer{response.StatusCode, response.Header, answered.Bytes()}, err
}
