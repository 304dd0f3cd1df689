package courier_test

import (
	"bytes"
	"encoding/json"
	"fmt"
	"image"
	"image/color"
	"image/png"
	"net/http"
	"net/http/httptest"
	"net/http/httputil"
	"net/url"
	"os/exec"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/testkit"
)

const (
	sequencesPerService = 5
	stopsOfSequence     = 3
	picturesOfSequence  = 16
)

// TestOutboxSequences drives the outbox through random sequences of lost connections, lost
// answers, killed apps, changed clocks and a desk that interferes. Every act is carried out
// once, in order, at its own time and on its own stop, or is among the refusals.
func TestOutboxSequences(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	var total figures
	var mu sync.Mutex // guards total
	t.Run("services", func(t *testing.T) {
		for first := 0; first < testkit.Scaled(500, 25); first += sequencesPerService {
			t.Run(fmt.Sprint("seeds from ", first), func(t *testing.T) {
				t.Parallel()
				y := newYard(t)
				for _, s := range y.play(t, first, sequencesPerService, "") {
					if faults := y.compare(t, &s); len(faults) > 0 {
						t.Errorf("seed %d:\n%s", s.Seed, strings.Join(faults, "\n"))
					}
					mu.Lock()
					total.add(&s)
					mu.Unlock()
				}
			})
		}
	})
	t.Logf("%+v", total)
	if total.Untroubled == 0 || total.Refused == 0 || total.AnswersLost == 0 || total.Killed == 0 || total.Untimed == 0 {
		t.Errorf("got %+v, want some of each", total)
	}
}

// TestOutboxSequencesFindFaults builds faults into the outbox, which the sequences find.
func TestOutboxSequencesFindFaults(t *testing.T) {
	t.Parallel()
	testkit.NeedNode.OrSkip(t)
	for _, fault := range []string{"new-key", "new-time", "other-order", "drop"} {
		t.Run(fault, func(t *testing.T) {
			t.Parallel()
			y := newYard(t)
			found := 0
			for _, s := range y.play(t, 0, 5, fault) {
				found += len(y.compare(t, &s))
			}
			if found == 0 {
				t.Error("got no difference, want one")
			}
		})
	}
}

// sequence is what testdata/sequences.mjs reports.
type sequence struct {
	Seed   int
	Orders []struct {
		OrderID   string `json:"order_id"`
		Disturbed bool   // the desk has changed it
		Doubtful  bool   // acts were tapped while the phone's clock was wrong
	}
	Acts    []tapped // in the order in which they were tapped
	Waiting int      // acts that were not sent
	Trouble []string
	Figures figures
}

// tapped is an act of a courier.
type tapped struct {
	OrderID string `json:"order_id"`
	Kind    string
	Status  string
	At      string    // by the phone's clock
	Tapped  time.Time // by a right clock
	Sure    bool      // the phone's clock was right, and had been for the acts before it
	Refused string    // empty if it was carried out
	Untimed bool      // a picture that was sent again without its time
}

// figures say what happened in sequences.
type figures struct {
	Sequences, Acts, Untroubled, Refused, Untimed                  int
	Sent, Lost, AnswersLost, Killed, Clocks, Desk, SignedOut, Tabs int
}

func (f *figures) add(s *sequence) {
	f.Sequences++
	for _, a := range s.Acts {
		f.Acts++
		if a.Refused != "" {
			f.Refused++
		}
		if a.Untimed {
			f.Untimed++
		}
	}
	for _, o := range s.Orders {
		if !o.Disturbed && !o.Doubtful {
			f.Untroubled++
		}
	}
	f.Sent, f.Lost, f.AnswersLost = f.Sent+s.Figures.Sent, f.Lost+s.Figures.Lost, f.AnswersLost+s.Figures.AnswersLost
	f.Killed, f.Clocks, f.Desk = f.Killed+s.Figures.Killed, f.Clocks+s.Figures.Clocks, f.Desk+s.Figures.Desk
	f.SignedOut, f.Tabs = f.SignedOut+s.Figures.SignedOut, f.Tabs+s.Figures.Tabs
}

// yard is a service with a clock that sequences move on, and a desk that they call.
type yard struct {
	*apptest.Service
	partner *apptest.Partner
	desk    *apptest.Operator
	address string // of the proxy in front of the service

	mu     sync.Mutex
	riders map[string]*apptest.Operator // by seed; guarded by mu
	moved  map[string]bool              // order, status and time of the desk's moves; guarded by mu
}

func newYard(t *testing.T) *yard {
	t.Helper()
	s := apptest.Start(t)
	y := &yard{Service: s, partner: s.Register(t, "metro"), desk: s.Operate(t), riders: map[string]*apptest.Operator{}, moved: map[string]bool{}}
	target, err := url.Parse(s.URL)
	if err != nil {
		t.Fatal(err)
	}
	proxy := httputil.NewSingleHostReverseProxy(target)
	proxy.ModifyResponse = func(r *http.Response) error {
		r.Header.Set("Date", y.Clock.Now().UTC().Format(http.TimeFormat)) // which is the system's otherwise
		return nil
	}
	routes := http.NewServeMux()
	routes.Handle("/", proxy)
	for path, serve := range map[string]func(*testing.T, url.Values) any{"begin": y.begin, "advance": y.advance, "desk": y.interfere, "sign-in": y.signIn} {
		routes.HandleFunc("POST /world/"+path, func(w http.ResponseWriter, r *http.Request) {
			_ = json.NewEncoder(w).Encode(serve(t, r.URL.Query())) // the sequences read it
		})
	}
	front := httptest.NewServer(routes)
	t.Cleanup(front.Close)
	y.address = front.URL
	return y
}

// begin makes a courier with orders, and pictures that differ.
func (y *yard) begin(t *testing.T, q url.Values) any {
	seed := q.Get("seed")
	r := y.newRider(t, seed)
	orders := make([]string, stopsOfSequence)
	for i := range orders {
		orders[i] = y.assigned(t, r, fmt.Sprint(seed, "-", i))
	}
	y.Clock.Advance(10 * time.Second) // the courier reads the round
	pictures := make([][]byte, picturesOfSequence)
	for i := range pictures {
		number, _ := strconv.Atoi(seed)
		pictures[i] = drawing(number*picturesOfSequence + i)
	}
	return map[string]any{"operator_id": r.OperatorID, "token": r.Token, "now": y.Clock.Now().UnixMilli(), "orders": orders, "pictures": pictures}
}

// newRider adds an operator who is a courier.
func (y *yard) newRider(t *testing.T, name string) *apptest.Operator {
	t.Helper()
	r := &apptest.Operator{Service: y.Service, Email: "rider" + name + "@example.com", Password: "a long password of " + name}
	r.CourierID = y.desk.Call(t, "POST", "/ops/v1/couriers", fmt.Appendf(nil, `{"name":"Rider %s","phone":"+15145550190","vehicle":"bike"}`, name)).Text("courier_id")
	r.OperatorID = y.desk.Call(t, "POST", "/ops/v1/operators",
		fmt.Appendf(nil, `{"email":%q,"password":%q,"role":"courier","courier_id":%q}`, r.Email, r.Password, r.CourierID)).Text("operator_id")
	y.mu.Lock()
	y.riders[name] = r
	y.mu.Unlock()
	y.signIn(t, url.Values{"seed": {name}})
	return r
}

// assigned makes an order that a courier is assigned to.
func (y *yard) assigned(t *testing.T, r *apptest.Operator, reference string) (orderID string) {
	t.Helper()
	orderID = y.partner.Create(t, testkit.OrderJSON(reference, "")).Text("order_id")
	for _, body := range []string{`{"status":"accepted"}`, fmt.Sprintf(`{"status":"courier_assigned","courier_id":%q}`, r.CourierID)} {
		if got := y.desk.Call(t, "POST", "/ops/v1/orders/"+orderID+"/status", []byte(body)); got.Status != http.StatusOK {
			t.Errorf("%s of %s: got %d %s, want 200", body, reference, got.Status, got.Body)
		}
	}
	return orderID
}

func (y *yard) signIn(t *testing.T, q url.Values) any {
	y.mu.Lock()
	r := y.riders[q.Get("seed")]
	y.mu.Unlock()
	got := y.Do(t, "POST", "/ops/v1/tokens", fmt.Appendf(nil, `{"email":%q,"password":%q}`, r.Email, r.Password))
	if r.Token = got.Text("token"); r.Token == "" {
		t.Errorf("sign in as %s: got %d %s, want a token", r.Email, got.Status, got.Body)
	}
	return map[string]any{"token": r.Token}
}

func (y *yard) advance(t *testing.T, q url.Values) any {
	ms, err := strconv.Atoi(q.Get("ms"))
	if err != nil {
		t.Error(err)
	}
	y.Clock.Advance(time.Duration(ms) * time.Millisecond)
	return map[string]any{"now": y.Clock.Now().UnixMilli()}
}

// interfere changes an order at the desk, if its status allows that.
func (y *yard) interfere(t *testing.T, q url.Values) any {
	order, status := q.Get("order"), q.Get("status")
	body := fmt.Sprintf(`{"status":%q,"courier_id":%q,"reason":"by the desk","failure_reason":"closed"}`, status, y.desk.CourierID)
	got := y.desk.Call(t, "POST", "/ops/v1/orders/"+order+"/status", []byte(body))
	done := 0
	if got.Status == http.StatusOK {
		done = 1
		y.mu.Lock()
		y.moved[order+" "+status+" "+timestamp.Format(y.Clock.Now())] = true
		y.mu.Unlock()
	}
	return map[string]any{"done": done}
}

// play runs sequences, and returns what they report.
func (y *yard) play(t *testing.T, first, count int, fault string) (played []sequence) {
	t.Helper()
	var failed bytes.Buffer
	command := exec.CommandContext(t.Context(), "node", "--import", "../types/resolve.mjs", "testdata/sequences.mjs", y.address, strconv.Itoa(first), strconv.Itoa(count), fault)
	command.Stderr = &failed
	out, err := command.Output()
	if err != nil {
		t.Errorf("seeds from %d: %v\n%s", first, err, &failed)
	}
	for line := range bytes.Lines(out) {
		var one sequence
		if err := json.Unmarshal(line, &one); err != nil {
			t.Fatalf("%s: %v", line, err)
		}
		played = append(played, one)
	}
	if len(played) != count {
		t.Errorf("got the reports of %d sequences from %d on, want %d", len(played), first, count)
	}
	return played
}

// compare returns the differences between what a courier tapped and the service's record.
func (y *yard) compare(t *testing.T, s *sequence) (faults []string) {
	t.Helper()
	faults = append(faults, s.Trouble...)
	if s.Waiting > 0 {
		faults = append(faults, fmt.Sprintf("%d acts were not sent", s.Waiting))
	}
	for _, order := range s.Orders {
		read := y.desk.Call(t, "GET", "/ops/v1/orders/"+order.OrderID, nil)
		acts := slices.DeleteFunc(slices.Clone(s.Acts), func(a tapped) bool { return a.OrderID != order.OrderID })
		got, want := y.arrived(read, order.OrderID), carried(acts)
		if got != want {
			faults = append(faults, fmt.Sprintf("%s: got\n%swant\n%s", order.OrderID, got, want))
		}
		for _, fault := range append(wrongTimes(acts), y.wrongRefusals(acts, order.Disturbed || order.Doubtful)...) {
			faults = append(faults, order.OrderID+": "+fault)
		}
		faults = append(faults, wrongPictures(read, acts)...)
	}
	return faults
}

// arrived returns the moves of an order that are not the desk's.
func (y *yard) arrived(read *apptest.Answer, orderID string) string {
	y.mu.Lock()
	defer y.mu.Unlock()
	var got strings.Builder
	for i := 3; i < read.Len("order", "status_history"); i++ { // after pending, accepted and courier_assigned
		move := read.Text("order", "status_history", i, "status") + " " + read.Text("order", "status_history", i, "timestamp")
		if !y.moved[orderID+" "+move] {
			fmt.Fprintln(&got, move)
		}
	}
	return got.String()
}

// carried returns the moves that were tapped and not refused.
func carried(acts []tapped) string {
	var want strings.Builder
	for _, a := range acts {
		if a.Kind == "move" && a.Refused == "" {
			fmt.Fprintln(&want, a.Status, a.At)
		}
	}
	return want.String()
}

// wrongTimes returns what is wrong with the times of an order's acts: they increase, and
// are those of the taps.
func wrongTimes(acts []tapped) (faults []string) {
	last := time.Time{}
	for _, a := range acts {
		at, err := time.Parse(time.RFC3339, a.At)
		if err != nil || !at.After(last) {
			faults = append(faults, fmt.Sprintf("%s at %s, which is not after %s", a.Status, a.At, timestamp.Format(last)))
		}
		if off := at.Sub(a.Tapped).Abs(); a.Sure && off > 3*time.Second {
			faults = append(faults, fmt.Sprintf("%s at %s, which was tapped at %s", a.Status, a.At, timestamp.Format(a.Tapped)))
		}
		if last = at; a.Refused == "422 too_early" {
			last = time.Time{} // the clock was wrong: times begin again
		}
	}
	return faults
}

// wrongRefusals returns the refusals that have no cause: nothing has troubled the order.
func (y *yard) wrongRefusals(acts []tapped, troubled bool) (faults []string) {
	for i, a := range acts {
		if a.Refused == "" || troubled || a.Refused == "422 too_old" || slices.ContainsFunc(acts[:i], func(b tapped) bool { return b.Refused == "422 too_old" }) {
			continue
		}
		faults = append(faults, fmt.Sprintf("%s %s of %s was refused: %s", a.Kind, a.Status, a.At, a.Refused))
	}
	return faults
}

// wrongPictures compares an order's proofs with the pictures that were tapped and not
// refused.
func wrongPictures(read *apptest.Answer, acts []tapped) (faults []string) {
	var got, want []string
	times := map[string]bool{}
	for i := range read.Len("proofs") {
		got = append(got, read.Text("proofs", i, "kind"))
		times[read.Text("proofs", i, "at")] = true
	}
	for _, a := range acts {
		if a.Kind == "move" || a.Refused != "" {
			continue
		}
		want = append(want, a.Kind)
		if !a.Untimed && !times[a.At] {
			faults = append(faults, fmt.Sprintf("%s: got no %s at %s", a.OrderID, a.Kind, a.At))
		}
	}
	if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
		faults = append(faults, fmt.Sprintf("got the proofs %v, want %v", got, want))
	}
	return faults
}

// drawing returns a small picture that differs for each number.
func drawing(number int) []byte {
	drawn := image.NewGray(image.Rect(0, 0, 8, 8))
	for bit := range 32 {
		if number>>bit&1 == 1 {
			drawn.SetGray(bit%8, bit/8, color.Gray{Y: 255})
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, drawn) // into memory
	return file.Bytes()
}
