package pagetest

import (
	"bytes"
	"context"
	"fmt"
	"mime/multipart"
	"net/http"
	"net/url"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/web/page"
)

// boreal is the name of a partner with thousands of products.
const boreal = "Entrepôt Boréal"

// manyProducts is the number of its products.
const manyProducts = 2_000

// hostileLocation is where the goods of the hostile partner lie.
const hostileLocation = "<script>hacked = 1</script>"

// warehouseScenes are the pages of stock in the console. beside is the address of answered.
func (h *house) warehouseScenes(beside string) (scenes []Scene) {
	add := func(name, path string) {
		scenes = append(scenes, Scene{
			Name: "stock-" + name, URL: h.url + "/console/stock" + path, Policy: page.Policy,
			Cookie: h.operatorSession(secured(page.English)),
		})
	}
	at := func(name string) string { return "/" + h.storerooms[name] }
	add("first", "")
	add("first-unknown", "?partner=lampe+%C3%A0+huile")
	add("products", at(boreal)+"?page=3")
	add("products-low", at(boreal)+"?low=yes")
	add("products-empty", at("Librairie Nord"))
	add("products-hostile", at(hostileName))
	add("product", at(boreal)+fmt.Sprintf("/products/%d", manyProducts+1))
	add("product-hostile", at(hostileName)+"/products/1")
	add("new", at(boreal)+"/new")
	add("book", at("Épicerie Métro")+"/book?type=TRANSFER&product=1&location=MTL-1")
	add("receive", at("Épicerie Métro")+"/book")
	add("where", at("Épicerie Métro")+"/count")
	add("where-hostile", at(hostileName)+"/count")
	add("where-new", at("Librairie Nord")+"/count")
	add("count-empty", at("Épicerie Métro")+"/count?location=MTL-1")
	add("movements", at("Épicerie Métro")+"/movements")
	add("movements-empty", at("Librairie Nord")+"/movements")
	add("movements-hostile", at(hostileName)+"/movements")
	add("import", at(boreal)+"/import")
	for _, name := range []string{
		"new-faults", "book-faults", "book-several", "count", "count-hostile", "differences", "differences-hostile",
		"import-faults", "import-plan",
	} {
		scenes = append(scenes, Scene{Name: "stock-" + name, URL: beside + "/answered/stock-" + name, Policy: page.Policy})
	}
	return scenes
}

// addWarehouse adds a partner with manyProducts, and keeps the answers to the forms of
// the warehouse.
func (h *house) addWarehouse(ctx context.Context) error {
	if _, err := client.NewService(h.url).Register(ctx,
		client.RegisterRequest{Name: boreal, Email: "boreal@boreal.example", Password: housePassword}); err != nil {
		return err
	}
	h.storerooms = map[string]string{}
	for partner, err := range h.desk.Partners(ctx, client.PartnerQuery{}) {
		if err != nil {
			return err
		}
		h.storerooms[partner.Name] = partner.PartnerID
	}
	if _, err := h.desk.ImportProducts(ctx, h.storerooms[boreal], catalogue(manyProducts)); err != nil {
		return err
	}
	long := client.ProductRequest{Name: strings.Repeat("Assortiment de vis à bois et de chevilles ",
		6), Price: 1234.5, StockMax: 50, Barcode: strings.Repeat("0627843", 30)}
	if _, err := h.desk.CreateProduct(ctx, h.storerooms[boreal], long); err != nil {
		return err
	}
	for _, language := range page.Languages {
		if err := h.keepWarehouse(ctx, language); err != nil {
			return err
		}
	}
	return nil
}

// keepWarehouse keeps the answers to forms in a language.
func (h *house) keepWarehouse(ctx context.Context, language page.Language) error {
	metro, bad := h.storerooms["Épicerie Métro"], h.storerooms[hostileName]
	counted := url.Values{"location": {"MTL-1"}, "code": {"0627843400011", "2", "3"}, "counted": {"120", "58", "4"}}
	hostile := url.Values{"location": {hostileLocation}, "code": {hostileText}, "counted": {"7"}}
	with := func(fields url.Values, more ...string) url.Values {
		all := url.Values{}
		for name, values := range fields {
			all[name] = values
		}
		for i := 0; i+1 < len(more); i += 2 {
			all.Set(more[i], more[i+1])
		}
		return all
	}
	for _, sent := range []struct {
		scene, path string
		fields      url.Values
		status      int
	}{
		{"new-faults", metro + "/new", url.Values{
			"name": {""}, "price": {"12,999"}, "stock_min": {"9"}, "stock_max": {"8"},
		}, http.StatusUnprocessableEntity},
		{"book-faults", metro + "/book?type=OUT", url.Values{
			"product": {"3"}, "quantity": {"999"}, "location": {"MTL-1"},
		}, http.StatusUnprocessableEntity},
		{"book-several", metro + "/book?type=IN", url.Values{
			"product": {"1", "06278"}, "quantity": {"12", "1"}, "location": {"MTL-1"},
		}, http.StatusUnprocessableEntity},
		{"count", metro + "/count", with(counted, "scan", "9990001"), http.StatusOK},
		{"count-hostile", bad + "/count", with(hostile, "scan", hostileText), http.StatusOK},
		{"differences", metro + "/count", with(counted, "act", "review"), http.StatusOK},
		{"differences-hostile", bad + "/count", with(hostile, "act", "review"), http.StatusOK},
	} {
		kept, err := h.keep(ctx, "stock-"+sent.scene, "/console/stock/"+sent.path, h.operatorSession(secured(page.English)),
			language, sent.fields)
		if err == nil && kept.status != sent.status {
			err = fmt.Errorf("%s: status %d", sent.scene, kept.status)
		}
		if err != nil {
			return err
		}
	}
	faulty := "product_id,name,price,stock_min,barcode\n1,Lampe,\"12,50\",5,\n,,many,-1,7\n" + strings.Repeat("x",
		300) + ",Tapis,1,1,\n,Table,1,1,7\n1,Chaise,1\n"
	if err := h.keepImport(ctx, language, "import-faults", faulty, http.StatusUnprocessableEntity); err != nil {
		return err
	}
	good := "product_id,name,price,stock_min,barcode,status,opening_quantity,opening_location\n1,Lampe de bureau,12.50,5,,inactive,,\n2,,19.00,,0627843499999,,,\n,Table <b>basse</b>,249.00,2,7,,12,MTL-1\n,Tapis " + strings.Repeat("long ", 40) + ",1,1,,,,\n"
	return h.keepImport(ctx, language, "import-plan", good, http.StatusOK)
}

// keepImport keeps the answer to a file that is checked.
func (h *house) keepImport(ctx context.Context, language page.Language, scene, content string, status int) error {
	var body bytes.Buffer
	form := multipart.NewWriter(&body)
	_ = form.WriteField("_key", strings.Repeat("0b", 16)) // writes to memory
	file, err := form.CreateFormFile("file", "products.csv")
	if err != nil {
		return err
	}
	_, _ = file.Write([]byte(content))
	_ = form.Close()
	request, err := http.NewRequestWithContext(ctx, http.MethodPost,
		h.url+"/console/stock/"+h.storerooms[boreal]+"/import", &body)
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", form.FormDataContentType())
	request.Header.Set("Accept-Language", string(language))
	request.Header.Set("Cookie", h.operatorSession(secured(page.English)))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	var answered bytes.Buffer
	if _, err := answered.ReadFrom(response.Body); err != nil {
		return err
	}
	if response.StatusCode != status {
		return fmt.Errorf("%s: status %d", scene, response.StatusCode)
	}
	h.logins.answers["stock-"+scene+"/"+string(language)] = answer{response.StatusCode, response.Header, answered.Bytes()}
	return nil
}
