package app_test

import (
	_ "embed"
	"encoding/json"
	"html"
	"reflect"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/foundation/zone"
	"github.com/dropyard/dropyard/internal/testkit"
)

// calgaryQuote asks for a pickup in Calgary half an hour after the cut-off, in the first
// winter in which Alberta has not set its clocks back.
//
//go:embed testdata/quote_calgary_after_cutoff.json
var calgaryQuote []byte

// firstWinter is a Monday of that winter, before noon in every province.
var firstWinter = time.Date(2026, time.December, 14, 15, 0, 0, 0, time.UTC)

// inWinter starts a service at that time.
func inWinter(t *testing.T) *apptest.Service {
	t.Helper()
	clock := testkit.NewClock(firstWinter)
	s := apptest.Start(t, apptest.OnClock(clock))
	s.Clock = clock
	return s
}

func TestQuoteAfterCutOffInCalgary(t *testing.T) {
	t.Parallel()
	s := inWinter(t)
	quote := s.Register(t, "metro").Call(t, "POST", "/v1/rates/quote", calgaryQuote).Must(t, 200)
	if got, want := quote.Text("estimated_delivery"), "2026-12-16T00:00:00.000Z"; got != want {
		t.Errorf("got the estimate %s, want %s: 18:00 of the next day", got, want)
	}
}

// TestClocksThatStopped: what the service computes and shows for the places that have
// stopped changing their clocks goes by their present law.
func TestClocksThatStopped(t *testing.T) {
	t.Parallel()
	s := inWinter(t)
	p := s.Register(t, "metro")
	for _, c := range []struct{ province, postal, offset, label, zone, page string }{
		{"AB", "T2P 1J9", "-06:00", "2026-12-15 08:00 – 16:00", "CST", "9:00 AM"},
		{"BC", "V6B 1A1", "-07:00", "2026-12-15 07:00 – 15:00", "MST", "8:00 AM"},
		{"MB", "R3C 0V8", "-05:00", "2026-12-15 09:00 – 17:00", "EST", "10:00 AM"},
		{"NT", "X1A 2N4", "-06:00", "2026-12-15 08:00 – 16:00", "CST", "9:00 AM"},
		{"SK", "S4P 3Y2", "-06:00", "2026-12-15 08:00 – 16:00", "CST", "9:00 AM"},
		{"ON", "M5H 2N2", "-05:00", "2026-12-15 09:00 – 17:00", "EST", "10:00 AM"},
	} {
		place := `"` + c.province + `","postal_code":"` + c.postal + `"`
		moved := strings.NewReplacer("2026-01-1", "2026-12-1", `"ON","postal_code":"M5H 2N2"`, place)
		body := moved.Replace(string(testkit.OrderJSON("A-"+c.province, "")))
		created := p.Create(t, []byte(body)).Must(t, 201)
		estimate, _ := timestamp.Parse(created.Text("estimated_delivery"))
		if local, _ := time.Parse("-07:00", c.offset); estimate.In(local.Location()).Format("15:04") != "18:00" {
			t.Errorf("%s: got the estimate %s, want 18:00 at %s", c.province, created.Text("estimated_delivery"), c.offset)
		}
		id := created.Text("order_id")
		label := p.Call(t, "GET", "/v1/orders/"+id+"/label", nil, "Accept", "application/zpl").Must(t, 200)
		if !strings.Contains(string(label.Body), "^FD"+c.label+" "+c.zone+"^FS") {
			t.Errorf("%s: got the label %s, want %q in it", c.province, label.Body, c.label)
		}
		page := s.Do(t, "GET", "/track/"+id+"/html", nil).Must(t, 200)
		if !strings.Contains(string(page.Body), ">Today, "+c.page+"</time>") {
			t.Errorf("%s: got the tracking page %s, want the creation at %s in it", c.province, page.Body, c.page)
		}
	}
}

// TestBoardHasTheClocks: the board reads times of a place by the clocks that the service
// knows, because those of a browser may be older.
func TestBoardHasTheClocks(t *testing.T) {
	t.Parallel()
	s := inWinter(t)
	page := s.Operate(t).Visit(t).Open(t, "/console/board").Must(t, 200)
	text := regexp.MustCompile(`data-zones="([^"]*)"`).FindSubmatch(page.Body)
	if text == nil {
		t.Fatalf("got no clocks in the page %s", page.Body)
	}
	var clocks struct {
		Zones  map[string][][2]int64 `json:"zones"`
		Places map[string]string     `json:"places"`
	}
	if err := json.Unmarshal([]byte(html.UnescapeString(string(text[1]))), &clocks); err != nil {
		t.Fatal(err)
	}
	yesterday := firstWinter.Add(-24 * time.Hour).Unix()
	want := [][2]int64{{yesterday, -7 * 3600}}
	if got := clocks.Zones[clocks.Places["BC"]]; clocks.Places["BC"] != "America/Vancouver" || !slices.Equal(got, want) {
		t.Errorf("BC: got %s, %v, want UTC-7 without a change", clocks.Places["BC"], got)
	}
	spring := time.Date(2027, time.March, 14, 7, 0, 0, 0, time.UTC).Unix()
	want = [][2]int64{{yesterday, -5 * 3600}, {spring, -4 * 3600}}
	if got := clocks.Zones[clocks.Places["QC"]]; len(got) != 3 || !slices.Equal(got[:2], want) {
		t.Errorf("QC: got %+v, want UTC-5, and UTC-4 from March 2027 on", got)
	}
}

// TestSystemNamesTheTimeZones: an admin sees which time zones the service goes by, and when
// they should be renewed.
func TestSystemNamesTheTimeZones(t *testing.T) {
	t.Parallel()
	version := zone.Own().Version
	for at, old := range map[time.Time]bool{firstWinter: false, firstWinter.AddDate(30, 0, 0): true} {
		clock := testkit.NewClock(at)
		s := apptest.Start(t, apptest.OnClock(clock))
		s.Clock = clock
		o := s.Operate(t)
		answer := o.Call(t, "GET", "/ops/v1/system", nil).Must(t, 200)
		want := map[string]any{"version": version, "source": "program", "old": old}
		if got := answer.JSON("time_zones"); !reflect.DeepEqual(got, want) {
			t.Errorf("%s: got %v, want %v", at, got, want)
		}
		page := o.Visit(t).Open(t, "/console/system?lang=fr")
		page.Shows(t, 200, "Fuseaux horaires", version+" <span class=\"soft\">(intégrés)")
		if got := strings.Contains(string(page.Body), "Plus d’un an"); got != old {
			t.Errorf("%s: the page says that the time zones are old: %t, want %t", at, got, old)
		}
	}
}

// TestMailsNameTheZone: mails to recipients have all times on the clocks of the destination, and
// name its zone, as their readers may be elsewhere.
func TestMailsNameTheZone(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	for _, c := range []struct{ city, place, expected, next, at string }{
		{
			"Cranbrook", `"BC","postal_code":"V1C 1A1"`, "Later than planned, by: January 16, 2026 at 6:00 PM MST",
			"Next attempt: January 15, 2026 at 11:00 AM MST", "Attempt: January 14, 2026 at 8:00 AM MST",
		}, {
			"St. John’s", `"NL","postal_code":"A1C 5S7"`, "Later than planned, by: January 16, 2026 at 6:00 PM NST",
			"Next attempt: January 15, 2026 at 2:30 PM NST", "Attempt: January 14, 2026 at 11:30 AM NST",
		}, {
			"Kenora", `"ON","postal_code":"P9N 1A1"`, "Later than planned, by: January 16, 2026 at 6:00 PM CST",
			"Next attempt: January 15, 2026 at 12:00 PM CST", "Attempt: January 14, 2026 at 9:00 AM CST",
		}, {
			"Havre-Aubert", `"QC","postal_code":"G4T 9A1"`, "Prévue au plus tard : 15 janvier 2026 à 18 h 00 HNA",
			"Prochaine tentative : 15 janvier 2026 à 14 h 00 HNA", "Tentative : 14 janvier 2026 à 11 h 00 HNA",
		},
	} {
		moved := strings.NewReplacer(`"ON","postal_code":"M5H 2N2"`, c.place)
		id := f.partner.Create(t, []byte(moved.Replace(string(testkit.OrderJSON(c.city, ""))))).Must(t, 201).Text("order_id")
		for _, step := range waysTo[delivery.StatusOutForDelivery][:len(waysTo[delivery.StatusOutForDelivery])-1] {
			f.operator.Move(t, id, step).Must(t, 200)
		}
		out := f.moved(t, server, id, `{"status":"out_for_delivery"}`)
		failed := f.moved(t, server, id,
			`{"status":"failed","failure_reason":"not_home","next_attempt":"2026-01-15T18:00:00Z"}`)
		for _, want := range []struct {
			mail *testkit.Mail
			line string
		}{{out, c.expected}, {failed, c.next}, {failed, c.at}} {
			label, value, _ := strings.Cut(want.line, ": ")
			if !strings.Contains(want.mail.Text, want.line) {
				t.Errorf("%s: got the text\n%s\nwant %q in it", c.city, want.mail.Text, want.line)
			}
			if label = strings.TrimSpace(label); !strings.Contains(want.mail.HTML, ">"+label+"</td>") ||
				!strings.Contains(want.mail.HTML, ">"+value+"</td>") {
				t.Errorf("%s: got the HTML\n%s\nwant %q and %q in it", c.city, want.mail.HTML, label, value)
			}
		}
	}
}

// TestMailOfClocksThatStopped: the next attempt in a mail to a recipient in Calgary.
func TestMailOfClocksThatStopped(t *testing.T) {
	t.Parallel()
	f, server := newMailFloor(t)
	moved := strings.NewReplacer(`"ON","postal_code":"M5H 2N2"`, `"AB","postal_code":"T2P 1J9"`)
	id := f.partner.Create(t, []byte(moved.Replace(string(testkit.OrderJSON("A-1", ""))))).Must(t, 201).Text("order_id")
	for _, step := range waysTo[delivery.StatusOutForDelivery][:len(waysTo[delivery.StatusOutForDelivery])-1] {
		f.operator.Move(t, id, step).Must(t, 200)
	}
	f.moved(t, server, id, `{"status":"out_for_delivery"}`)
	got := f.moved(t, server, id, `{"status":"failed","failure_reason":"not_home","next_attempt":"2026-12-15T15:00:00Z"}`)
	if want := "Next attempt: December 15, 2026 at 9:00 AM CST"; !strings.Contains(got.Text, want) {
		t.Errorf("got the text\n%s\nwant %q in it", got.Text, want)
	}
}
