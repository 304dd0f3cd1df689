package console_test

import (
	"fmt"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// phoned is what a dispatcher types for a valid order, as pairs of name and value.
var phoned = []string{
	"partner_order_id", "PHONE-1", "service_level", "express",
	"pickup.name", "Épicerie Métro", "pickup.phone", "514 555-0100", "pickup.email", "shop@example.com",
	"pickup.address.line1", "4000 Rue Saint-Denis", "pickup.address.city", "Montréal", "pickup.address.province", "QC",
	"pickup.address.postal_code", "H2W 2M5", "pickup.time_window.start", "2026-01-14T13:00", "pickup.time_window.end",
	"2026-01-14T16:00", "dropoff.name", "Alex Martin", "dropoff.phone", "+14165550100", "dropoff.email",
	"alex@example.com", "dropoff.address.line1", "1 Queen Street", "dropoff.address.city", "Toronto",
	"dropoff.address.province", "ON", "dropoff.address.postal_code", "M5H 2N2", "dropoff.time_window.start",
	"2026-01-16T09:00", "dropoff.time_window.end", "2026-01-16T18:00", "parcels[0].description", "Books",
	"parcels[0].weight_kg", "2.5", "parcels[0].length_cm", "30", "parcels[0].width_cm", "20", "parcels[0].height_cm",
	"10", "parcels[0].value_cents", "45.00", "items[0].quantity", "2",
}

var shownPrice = regexp.MustCompile(`<p class="price"><b>\$([0-9.]+)</b>`)

// TestNewOrderForPartner chooses a partner, looks at the price and creates the order by a double click. It is the
// partner's, takes what is in its stock, and says who created it.
func TestNewOrderForPartner(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, operator := s.Register(t, "metro"), s.Operate(t)
	lamp := operator.Stock(t, metro.PartnerID, "Lamp", map[string]int{"MTL-1": 3})
	desk := operator.As(t, "dispatcher").Visit(t)
	path := "/console/partners/" + metro.PartnerID + "/orders/new"
	desk.Open(t, "/console/orders").Shows(t, http.StatusOK, `href="/console/orders/new"`)
	desk.Open(t, "/console/orders?partner="+metro.PartnerID).Shows(t, http.StatusOK, `href="`+path+`"`)
	desk.Open(t, "/console/partners/"+metro.PartnerID).Shows(t, http.StatusOK, `href="`+path+`"`)
	desk.Open(t, "/console/orders/new?q=METRO").Shows(t, http.StatusOK, `href="`+path+`"`)
	desk.Open(t, "/console/orders/new?q=none").Shows(t, http.StatusOK, "No partner has “none”")

	empty := desk.Open(t, path)
	empty.Shows(t, http.StatusOK, "New order for metro", "Lamp", "The number of metro;", "For the records of metro.",
		"the address of metro ("+metro.Email+")", "From the stock of metro", "These leave the stock of metro")
	lacks(t, operator.Visit(t).Open(t, path+"?lang=fr"), "votre stock", "la vôtre", "Le vôtre", "vos dossiers")
	typed := slices.Concat(phoned, []string{"items[0].product_id", fmt.Sprint(lamp), "_act", "price"})
	body := empty.Form(t, path, typed...)
	priced := desk.Request(t, "POST", path+"/quote", body, "Content-Type", "application/x-www-form-urlencoded").Must(t,
		http.StatusOK)
	price := shownPrice.FindSubmatch(priced.Body)
	if price == nil {
		t.Fatalf("got no price: %s", priced.Body)
	}
	made := desk.Send(t, priced, path).Must(t, http.StatusSeeOther)
	if again := desk.Send(t, priced, path); again.Header.Get("Location") != made.Header.Get("Location") {
		t.Errorf("got %d to %s, want the same order again", again.Status, again.Header.Get("Location"))
	}
	order := desk.Open(t, made.Header.Get("Location"))
	order.Shows(t, http.StatusOK, "Order PHONE-1 was created.", "Created by dispatch", "dispatcher@example.com")
	id := strings.TrimPrefix(made.Header.Get("Location"), "/console/orders/")
	read := metro.Call(t, "GET", "/v1/orders/"+id, nil).Must(t, http.StatusOK)
	if got := fmt.Sprintf("%.2f", read.JSON("rate_cents").(float64)/100); got != string(price[1]) {
		t.Errorf("got the price %s, want %s as the page has shown", got, price[1])
	}
	own := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, http.StatusCreated).Text("order_id")
	lacks(t, desk.Open(t, "/console/orders/"+own), "Created by dispatch")
	list := metro.Call(t, "GET", "/v1/orders?partner_order_id=PHONE-1", nil).Must(t, http.StatusOK)
	if list.Len("orders") != 1 {
		t.Errorf("got %s, want the order once", list.Body)
	}

	// A partner that may not order has no form to be chosen for, and the desk is refused.
	waiting := desk.Open(t, path)
	operator.Call(t, "PATCH", "/ops/v1/partners/"+metro.PartnerID, []byte(`{"suspended":true}`)).Must(t, http.StatusOK)
	lacks(t, desk.Open(t, "/console/partners/"+metro.PartnerID), path)
	lacks(t, desk.Open(t, "/console/orders/new"), path)
	refused := desk.Send(t, waiting, path, append(phoned, "partner_order_id", "PHONE-2", "items[0].quantity", "")...)
	if refused.Status < 400 {
		t.Errorf("got %d, want a refusal: %s", refused.Status, refused.Body)
	}
}
