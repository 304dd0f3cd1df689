package portal_test

import (
	"bytes"
	"encoding/json"
	"net/http"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
)

// orderTo returns an order to an area of Toronto.
func orderTo(reference, area string) []byte {
	return bytes.ReplaceAll(testkit.OrderJSON(reference, ""), []byte("M5H 2N2"), []byte(area+" 2N2"))
}

// mappedAreas matches what the module of the map is given.
var mappedAreas = regexp.MustCompile(`(?s)<script type="application/json" id="areas">(.*?)</script>`)

// onMap returns the orders on a map: area, number, status, and whether they are late or need attention.
func onMap(t *testing.T, page *apptest.Answer) (found []string) {
	t.Helper()
	var areas []struct {
		Code   string
		Middle []float64
		Orders []struct {
			Number, Link, Status string
			Late, Attention      bool
		}
	}
	data := mappedAreas.FindSubmatch(page.Body)
	if data == nil {
		return nil
	}
	if err := json.Unmarshal(data[1], &areas); err != nil {
		t.Fatal(err)
	}
	for _, area := range areas {
		if len(area.Middle) != 2 {
			t.Errorf("%s: got the place %v, want a latitude and a longitude", area.Code, area.Middle)
		}
		for _, order := range area.Orders {
			text := strings.Join([]string{area.Code, order.Number, order.Status}, " ")
			if order.Late {
				text += " late"
			}
			if order.Attention {
				text += " attention"
			}
			if !strings.HasPrefix(order.Link, "/portal/orders/ord_") {
				t.Errorf("%s: got the link %q, want the page of the order", order.Number, order.Link)
			}
			found = append(found, text)
		}
	}
	slices.Sort(found)
	return found
}

// TestOrdersMap shows the account's own orders under way by area, with those of the area that the address names.
// What has ended, other partners' orders and those of the other mode are not on it.
func TestOrdersMap(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	metro, desk := s.Register(t, "metro"), s.Operate(t)
	ids := map[string]string{}
	for _, order := range [][2]string{{"A-1", "M5H"}, {"A-2", "M5H"}, {"A-3", "M5V"}, {"A-4", "M5V"}, {"A-5", "M4B"}} {
		ids[order[0]] = metro.Create(t, orderTo(order[0], order[1])).Must(t, 201).Text("order_id")
	}
	metro.Cancel(t, ids["A-4"], "").Must(t, 200)
	for _, status := range []string{"accepted", "courier_assigned", "failed"} {
		desk.Move(t, ids["A-3"], status).Must(t, http.StatusOK)
	}
	metro.InTest(t).Create(t, orderTo("T-1", "M6K")).Must(t, 201)
	nord := s.Register(t, "nord")
	nord.Create(t, orderTo("N-1", "M5H")).Must(t, 201)
	owner, reader := metro.Owner(t), metro.As(t, "reader")

	const path = "/portal/orders/map"
	whole := owner.Open(t, path).Must(t, http.StatusOK)
	want := []string{"M4B A-5 pending", "M5H A-1 pending", "M5H A-2 pending", "M5V A-3 failed attention"}
	if got := onMap(t, whole); !slices.Equal(got, want) {
		t.Errorf("got %q, want %q", got, want)
	}
	shows(t, "map", whole, []string{
		"4 orders under way", `href="/portal/orders">List`, `href="/portal/orders/map" aria-current="page">Map`,
		`href="/portal/orders/map?area=M5H">M5H</a>`, `<td class="number">2</td>`,
	}, []string{"All areas"})
	shows(t, "area", owner.Open(t, path+"?area=M5H").Must(t, http.StatusOK),
		[]string{"M5H · 2 orders", ">A-1</a>", ">A-2</a>", "All areas", `area=M5H" aria-current="true"`},
		[]string{">A-3</a>"})
	shows(t, "unknown area", owner.Open(t, path+"?area=X9X%3Cb").Must(t, http.StatusOK), []string{"4 orders under way"},
		[]string{"All areas", "X9X ·"})
	shows(t, "list", owner.Open(t, "/portal/orders").Must(t, http.StatusOK),
		[]string{`href="/portal/orders/map">Map`}, nil)
	inTest := owner.Open(t, path+"?mode=test").Must(t, http.StatusOK)
	if got := onMap(t, inTest); !slices.Equal(got, []string{"M6K T-1 pending"}) {
		t.Errorf("in test mode: got %q, want the test order", got)
	}
	shows(t, "in test mode", inTest, []string{`href="/portal/orders/map?area=M6K&amp;mode=test"`}, nil)
	shows(t, "to a reader", reader.Open(t, path).Must(t, http.StatusOK),
		[]string{"4 orders under way"}, []string{"New order"})
	shows(t, "without orders", s.Register(t, "vide").Owner(t).Open(t, path).Must(t, http.StatusOK),
		[]string{"No order is under way."}, nil)
	if got := whole.Header.Get("Content-Security-Policy"); !strings.Contains(got, "trusted-types dropyard-worker") {
		t.Errorf("got the policy %q, want that of pages with a map", got)
	}

	s.Clock.Advance(40 * 24 * time.Hour)
	late := onMap(t, metro.Owner(t).Open(t, path).Must(t, http.StatusOK))
	if want := "M5H A-1 pending late attention"; !slices.Contains(late, want) {
		t.Errorf("when they are due: got %q, want %q among them", late, want)
	}
}

// TestOrdersMapWithStreets: the map reads from the operator's tile server.
func TestOrdersMapWithStreets(t *testing.T) {
	t.Parallel()
	const server = "https://tiles.example.com"
	s := apptest.Start(t, func(c *config.Config, _ *app.Surroundings) { c.Map = server + "/{z}/{x}/{y}.png" })
	metro := s.Register(t, "metro")
	metro.Create(t, orderTo("A-1", "M5H")).Must(t, 201)
	page := metro.Owner(t).Open(t, "/portal/orders/map").Must(t, http.StatusOK)
	if got := page.Header.Get("Content-Security-Policy"); !strings.Contains(got, "connect-src 'self' "+server) {
		t.Errorf("got the policy %q, want one with the server of tiles", got)
	}
	shows(t, "map", page, []string{"data-streets="}, nil)
}
