package docs_test

import (
	"encoding/json"
	"net/http"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/webhook"
	"github.com/go-json-experiment/json/jsontext"
)

// sent is the body of an event.
type sent struct {
	ID        string             `json:"id"`
	Type      delivery.EventType `json:"type"`
	CreatedAt time.Time          `json:"created_at"`
	Sequence  int64              `json:"sequence"`
	Livemode  bool               `json:"livemode"`
	Data      struct {
		delivery.EventFacts
		OrderID     string                `json:"order_id"`
		PickedUpAt  time.Time             `json:"picked_up_at"`
		DeliveredAt time.Time             `json:"delivered_at"`
		Lines       []delivery.ReturnLine `json:"lines"`
		StatementID string                `json:"statement_id"`
		Period      string                `json:"period"`
		Number      int64                 `json:"number"`
		Balances    []struct {
			Currency delivery.Currency `json:"currency"`
			Cents    int64             `json:"closing_balance_cents"`
		} `json:"balances"`
		delivery.StockFacts
		Quantity int64 `json:"quantity"`
	} `json:"data"`
}

// event returns the event that has a body.
func (s sent) event(t *testing.T) *delivery.Event {
	t.Helper()
	facts := s.Data.EventFacts
	if facts.At = s.Data.PickedUpAt; facts.At.IsZero() {
		facts.At = s.Data.DeliveredAt
	}
	facts.Return = &delivery.Return{Lines: s.Data.Lines}
	facts.Statement = &delivery.StatementFacts{
		StatementID: s.Data.StatementID, Period: s.Data.Period, Number: s.Data.Number,
	}
	for _, one := range s.Data.Balances {
		facts.Statement.Balances = append(facts.Statement.Balances, delivery.Balance(one))
	}
	if facts.Stock = &s.Data.StockFacts; s.Type == delivery.EventStockLow {
		facts.Stock.Total = s.Data.Quantity
	}
	facts.Stock.Quantity, facts.Stock.OrderID = s.Data.Quantity, s.Data.OrderID
	partner := "par_0" // a live account
	if !s.Livemode {
		partner = delivery.TestAccount(partner)
	}
	return &delivery.Event{
		EventID: s.ID, PartnerID: partner, OrderID: s.Data.OrderID, Type: s.Type, Sequence: s.Sequence,
		CreatedAt: s.CreatedAt, Facts: facts,
	}
}

var (
	jsonBlock = regexp.MustCompile("(?s)```json\n(.*?)\n```")
	httpBlock = regexp.MustCompile("(?s)```http\nPOST /hooks HTTP/1.1\nHost: [^\n]+\n(.*?)\n\n(.*?)\n```")
	secret    = regexp.MustCompile("`(whsec_[^`]+)`")
)

// TestEventPages compares the examples on the pages of the events with the bytes that the
// service sends for such an event.
func TestEventPages(t *testing.T) {
	t.Parallel()
	server := site(t)
	for _, kind := range append([]delivery.EventType{webhook.EventTest}, delivery.EventTypes...) {
		address := "/docs/events/" + string(kind) + ".md"
		status, page := read(server, address)
		bodies := jsonBlock.FindAllStringSubmatch(page, -1)
		if status != http.StatusOK || len(bodies) == 0 {
			t.Errorf("%s: got status %d and %d bodies, want 200 and at least one", address, status, len(bodies))
		}
		for _, body := range bodies {
			value := jsontext.Value(body[1])
			if err := value.Compact(); err != nil {
				t.Errorf("%s: %v", address, err)
			}
			if want := webhook.Body(parseSent(t, value).event(t)); string(value) != string(want) {
				t.Errorf("%s: got %s, want what the service sends: %s", address, value, want)
			}
		}
		checkRequest(t, address, page)
	}
}

func parseSent(t *testing.T, body []byte) (parsed sent) {
	t.Helper()
	if err := json.Unmarshal(body, &parsed); err != nil {
		t.Fatalf("%s: %v", body, err)
	}
	return parsed
}

// TestFieldThatMayBeNull reads the type of such a field from its page.
func TestFieldThatMayBeNull(t *testing.T) {
	t.Parallel()
	_, page := read(site(t), "/docs/events/order.failed.md")
	if want := "| `data.next_attempt` | string, date-time or null |"; !strings.Contains(page, want) {
		t.Errorf("got %s, want it to hold %q", page, want)
	}
}

// checkRequest compares the request on a page with what the service sends.
func checkRequest(t *testing.T, address, page string) {
	t.Helper()
	shown, signedWith := httpBlock.FindStringSubmatch(page), secret.FindStringSubmatch(page)
	if shown == nil || signedWith == nil {
		t.Fatalf("%s: got no request with its secret, want one", address)
	}
	parsed := parseSent(t, []byte(shown[2]))
	var want strings.Builder
	for _, header := range webhook.Headers(parsed.ID, parsed.CreatedAt, webhook.Secrets{Current: signedWith[1]},
		[]byte(shown[2])) {
		want.WriteString("\n" + header.Name + ": " + header.Value)
	}
	if got := "\n" + shown[1]; got != want.String() {
		t.Errorf("%s: got headers %s\nwant %s", address, got, want.String())
	}
	if !strings.Contains(page, "/docs/events.md#verify") || !strings.Contains(page, "/docs/events.md#retries") {
		t.Errorf("%s: got no links to verifying and retries, want both", address)
	}
}
