package console_test

import (
	"bytes"
	"fmt"
	"net/http"
	"net/url"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLabelsAtTheDesk prints the labels of several partners' orders in one file, and names those without.
func TestLabelsAtTheDesk(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	desk := s.Operate(t)
	v := desk.As(t, "dispatcher").Visit(t)
	metro, nord := s.Register(t, "metro"), s.Register(t, "nord")
	first := metro.Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201).Text("order_id")
	second := nord.Create(t, testkit.OrderJSON("B-1", "")).Must(t, 201).Text("order_id")
	erased := nord.Create(t, testkit.OrderJSON("B-2", "")).Must(t, 201).Text("order_id")
	test := metro.InTest(t).Create(t, testkit.OrderJSON("T-1", "")).Must(t, 201).Text("order_id")
	desk.Call(t, "POST", "/ops/v1/partners/"+nord.PartnerID+"/erasures",
		fmt.Appendf(nil, `{"order_ids":[%q],"force":true}`, erased)).Must(t, 200)
	labels := func(orderIDs ...string) string {
		return "/console/orders/labels?" + url.Values{"order_id": orderIDs}.Encode()
	}

	file := v.Open(t, labels(second, first)).Must(t, http.StatusOK)
	if got := bytes.Count(file.Body, []byte("/Type /Page\n")); got != 4 ||
		file.Header.Get("Content-Type") != "application/pdf" {
		t.Errorf("got %d labels as %s, want 4 as a PDF", got, file.Header.Get("Content-Type"))
	}
	v.Open(t, labels(first, erased)).Shows(t, 200, "One order has no label in the file", "B-2",
		"personal data of this order was erased", "Label of the other order (PDF)")
	v.Open(t, labels(first, test)).Must(t, http.StatusNotFound)
	v.Open(t, labels(first)+"&format=zpl").Shows(t, 200, "^XA")
	v.Open(t, labels(first)+"&format=gif").Must(t, http.StatusBadRequest)
	v.Open(t, labels()).Leads(t, "/console/orders")
	v.Open(t, "/console/orders").Shows(t, 200, "Choose the orders whose labels you want.")
	desk.As(t, "warehouse").Visit(t).Open(t, labels(first)).Must(t, http.StatusForbidden)
}
