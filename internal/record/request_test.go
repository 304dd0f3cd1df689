package record_test

import (
	"reflect"
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestEncodeRequest reads the encoded request as the service does, and gets the request
// without its quote and the names of its products.
func TestEncodeRequest(t *testing.T) {
	t.Parallel()
	request := testkit.Order("par_00000001", "ord_1", "A-1", testkit.Epoch).OrderRequest
	request.Insurance = &delivery.Money{AmountCents: 5000, Currency: delivery.USD}
	request.Items = []delivery.Item{{ProductID: 7, Quantity: 2, Name: "Lamp"}}
	request.QuoteID = "q_1"
	body, err := strictjson.Parse(record.EncodeRequest(&request))
	if err != nil {
		t.Fatal(err)
	}
	got, err := form.Decode(body, delivery.ReadOrderRequest)
	if err != nil {
		t.Fatal(err)
	}
	request.QuoteID, request.Items[0].Name = "", ""
	if !reflect.DeepEqual(got, request) {
		t.Errorf("got %+v\nwant %+v", got, request)
	}
}

// TestEncodeRequestKnowsEveryField fails for a field of a request that copies and edits would lose.
func TestEncodeRequestKnowsEveryField(t *testing.T) {
	t.Parallel()
	var request delivery.OrderRequest
	testkit.Fill(&request)
	got := testkit.Ignored(&request, func() any { return string(record.EncodeRequest(&request)) })
	want := []string{
		"Items.SKU", "Items.Barcode", "Items.Name", // of a product, which ProductID names
		"QuoteID", // it expires
	}
	testkit.CompareIgnored(t, "EncodeRequest", got, want)
}
