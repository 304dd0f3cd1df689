package console_test

import (
	"bytes"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestRefusalsKeepTheMenu opens pages that do not exist and pages of other roles: operators
// and partners' people keep their menu and their language, and find a way back.
func TestRefusalsKeepTheMenu(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	admin, metro := s.Operate(t), s.Register(t, "metro")
	v := admin.Visit(t)
	for _, path := range []string{"/console/nowhere", "/console/orders/ord_none", "/console/couriers/none/at/all"} {
		v.Open(t, path).Shows(t, http.StatusNotFound, "There is no such page", `href="/console/board"`,
			`action="/console/logout"`, `class="back"`, `hreflang="fr"`)
	}
	v.Open(t, "/console/couriers/cou_none").Shows(t, http.StatusNotFound, `<p class="back"><a href="/console/couriers">`)
	v.Open(t, "/console/nowhere?lang=fr").Shows(t, http.StatusNotFound, `<html lang="fr"`, "Tableau",
		"Cette page n’existe pas", "Page d’accueil")
	warehouse := admin.As(t, "warehouse").Visit(t)
	warehouse.Open(t, "/console/board").Shows(t, http.StatusForbidden, `href="/console/stock"`, `class="back"`)
	admin.As(t, "courier").Visit(t).Open(t, "/console/board").Shows(t, http.StatusForbidden, `action="/console/logout"`)
	metro.Owner(t).Open(t, "/portal/nowhere").Shows(t, http.StatusNotFound, "There is no such page",
		`href="/portal/orders"`, `action="/portal/logout"`, `class="back"`)
	metro.Owner(t).Open(t, "/portal/orders/ord_none").Shows(t, http.StatusNotFound,
		`<p class="back"><a href="/portal/orders">`)

	stranger := s.Visit()
	stranger.Open(t, "/console/nowhere").Leads(t, "/console/login?next=%2Fconsole%2Fnowhere")
	elsewhere := stranger.Open(t, "/nowhere?lang=fr")
	elsewhere.Shows(t, http.StatusNotFound, "Cette page n’existe pas", `href="/"`, `hreflang="en"`)
	if strings.Contains(string(elsewhere.Body), "/console") {
		t.Errorf("got\n%s\nwant no menu for a stranger", elsewhere.Body)
	}
}

// TestOrderSaysWhenItEndedAndWho follows an order to its delivery: the list says when it was
// delivered, its history names the couriers, and numbers and codes are shown as people read them.
func TestOrderSaysWhenItEndedAndWho(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk, metro := s.Operate(t), s.Register(t, "metro")
	id := metro.Create(t, bytes.Replace(testkit.OrderJSON("A-1", ""), []byte(`"M5H 2N2"`), []byte(`"m5h2n2"`), 1)).Must(t,
		http.StatusCreated).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up", "out_for_delivery"} {
		desk.Move(t, id, status).Must(t, http.StatusOK)
	}
	v := desk.Visit(t)
	v.Open(t, "/console/orders/"+id).Shows(t, http.StatusOK, "Assigned to <bdi>Camille Tremblay</bdi>",
		">514 555-0100</a>", "ON M5H 2N2")
	read := desk.Call(t, http.MethodGet, "/ops/v1/orders/"+id, nil).Must(t, http.StatusOK)
	if courier := read.Text("moves", 0, "courier_id"); courier == "" ||
		read.Text("couriers", courier) != "Camille Tremblay" {
		t.Errorf("got %s, want the moves with their courier and the name", read.Body)
	}
	metro.Owner(t).Open(t, "/portal/orders/"+id).Shows(t, http.StatusOK, "Assigned to <bdi>Camille Tremblay</bdi>")
	desk.Move(t, id, "delivered").Must(t, http.StatusOK)
	delivered := `<time data-show="within"`
	v.Open(t, "/console/orders?q=A-1").Shows(t, http.StatusOK, delivered, ">today, ")
	metro.Owner(t).Open(t, "/portal/orders").Shows(t, http.StatusOK, "delivered "+delivered)
}
