package cluster_test

import (
	"bufio"
	"bytes"
	"errors"
	"fmt"
	"image"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"syscall"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/disk"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// examiners is how many cuts are examined at a time.
const examiners = 4

// TestPowerLoss lets the power fail at random moments in the life of an installation on
// the embedded engine, from its first start on. A service that starts on what the disk
// then holds has everything that was acknowledged, once.
func TestPowerLoss(t *testing.T) {
	t.Parallel()
	r := recordService(t)
	r.live(t, testkit.Scaled(150, 8))
	_ = r.program.Signal(syscall.SIGTERM) // the end moves the whole log into the database
	r.program.Wait()
	cuts := testkit.Scaled(200, 10)
	acknowledged := apptest.Together(examiners, func(worker int) (sum int) {
		for i := worker; i < cuts; i += examiners {
			cut := r.cut(t, i)
			if lost, err := cut.examine(t); err != nil || len(lost) > 0 {
				t.Errorf("cut %d, after %d of %d operations: got %v, lost %d of %d: %s", i, cut.after, r.program.Len(), err,
					len(lost), len(cut.claims), first(lost))
			}
			sum += len(cut.claims)
		}
		return sum
	})
	t.Logf("%d operations on files; %d cuts; acknowledged facts examined by each examiner: %v", r.program.Len(), cuts,
		acknowledged)

	// The test can fail: on a disk that ignores syncs, something is lost.
	const ignoring = 10
	damaged, tried := 0, 0
	for ; tried < ignoring && (damaged == 0 || testkit.Long()); tried++ {
		cut := r.cutAfter(t, r.program.Len(), fmt.Sprint("ignoring ", tried), true)
		if lost, err := cut.examine(t); err != nil || len(lost) > 0 {
			damaged++
		}
	}
	t.Logf("on a disk that ignores syncs %d of %d cuts lose something", damaged, tried)
	if damaged == 0 {
		t.Errorf("%d cuts on a disk that ignores syncs: got no loss, want one", tried)
	}
}

func first(lost []claim) string {
	if len(lost) == 0 {
		return ""
	}
	return lost[0].query
}

// recorded is a running service whose operations on files are recorded, and what it has
// acknowledged.
type recorded struct {
	settings settings
	root     string // the parent of its data directory
	program  *disk.Program
	service  *apptest.Service

	partner  *apptest.Partner
	operator *apptest.Operator
	lamp     int

	mu      sync.Mutex
	claims  []claim      // guarded by mu
	printed bytes.Buffer // what the program has printed since it was ready; guarded by mu
}

// Write takes what the program prints.
func (r *recorded) Write(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.printed.Write(p)
}

// outages returns how often the service has printed that the database cannot be reached.
func (r *recorded) outages() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return strings.Count(r.printed.String(), `level=ERROR msg="the database cannot be reached"`)
}

// claim is something that the service has acknowledged.
type claim struct {
	after int    // operations on files that had been done
	query string // returns 1 as long as it is true
}

func recordService(t *testing.T) *recorded {
	t.Helper()
	root := testkit.FastDir(t)
	r := &recorded{settings: settings{data: filepath.Join(root, "data"), webhooks: true}, root: root}
	var read *os.File
	r.program, read = disk.Record(t, r.settings.command(t), root)
	ended := make(chan struct{})
	t.Cleanup(func() {
		r.program.Kill()
		if <-ended; t.Failed() {
			t.Logf("the service printed:\n%s", r.printed.String())
		}
	})
	reader := bufio.NewReader(read)
	url, printed, err := awaitReady(reader)
	if err != nil {
		close(ended)
		t.Fatal(err, printed)
	}
	go func() {
		defer close(ended)
		_, _ = io.Copy(r, reader)
	}()
	r.service = r.settings.attach(url)
	return r
}

// claim notes what the service has acknowledged just now. The query counts rows.
func (r *recorded) claim(query string, args ...any) {
	c := claim{r.program.Len(), "SELECT count(*) FROM " + fmt.Sprintf(query, args...)}
	r.mu.Lock()
	defer r.mu.Unlock()
	r.claims = append(r.claims, c)
}

// claimed returns all claims so far. A receiver of events may still add some.
func (r *recorded) claimed() []claim {
	r.mu.Lock()
	defer r.mu.Unlock()
	return slices.Clone(r.claims)
}

// live does with the service what partners and operators do.
func (r *recorded) live(t *testing.T, orders int) {
	t.Helper()
	r.partner = r.service.Register(t, "metro")
	r.claim("api_keys WHERE public_key = '%s'", r.partner.PublicKey)
	r.operator = r.service.Operate(t)
	r.claim("couriers WHERE courier_id = '%s'", r.operator.CourierID)
	r.lamp = r.operator.Stock(t, r.partner.PartnerID, "Lamp", map[string]int{"MTL-1": 1000})
	r.claim("stock_movements WHERE partner_id = '%s' AND type = 'IN' AND quantity = 1000", r.partner.PartnerID)
	receiver := apptest.NewReceiver(t)
	receiver.Answers(func(h *apptest.Hook) int {
		r.claim("events WHERE event_id = '%s'", h.Header.Get("Drop-Event-Id"))
		return 200
	})
	r.partner.SetEndpoint(t, receiver.URL)
	r.claim("webhook_endpoints WHERE partner_id = '%s' AND url = '%s'", r.partner.PartnerID, receiver.URL)
	apptest.Together(4, func(creator int) (none struct{}) {
		for i := range orders {
			r.order(t, fmt.Sprintf("%d-%d", creator, i), i)
		}
		return none
	})
}

// order creates an order and lets something happen to it.
func (r *recorded) order(t *testing.T, reference string, number int) {
	items := ""
	if number%2 == 0 {
		items = buying(r.lamp, 1+number%5)
	}
	key := newKey()
	id := r.partner.Call(t, "POST", "/v1/orders", testkit.OrderJSON(reference, items), "Idempotency-Key", key).Must(t,
		201).Text("order_id")
	r.claim("orders WHERE partner_order_id = '%s' AND order_id = '%s'", reference, id)
	r.claim("idempotency_keys WHERE order_id = '%s' AND hex(idempotency_key) = '%s'", id,
		strings.ToUpper(strings.ReplaceAll(key, "-", "")))
	switch number % 5 {
	case 1:
		r.partner.Cancel(t, id, "other plans").Must(t, 200)
		r.claim("order_history WHERE order_id = '%s' AND status = 'cancelled'", id)
	case 2:
		for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
			r.operator.Move(t, id, status).Must(t, 200)
			r.claim("order_history WHERE order_id = '%s' AND status = '%s'", id, status)
		}
		r.claim("order_proofs WHERE proof_id = '%s'", r.prove(t, id, reference).Must(t, 201).Text("proof_id"))
	case 3:
		if number > 50 {
			return // more sign-ins than are allowed in a minute
		}
		r.claim("api_keys WHERE public_key = '%s'", r.partner.NewKey(t).PublicKey)
	case 4:
		r.operator.Call(t, "POST", "/ops/v1/partners/"+r.partner.PartnerID+"/movements",
			fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":3,"location":"MTL-1","notes":%q}`, r.lamp,
				reference)).Must(t, 201)
		r.claim("stock_movements WHERE notes = '%s'", reference)
	}
}

// prove adds a picture, made of a text, to an order.
func (r *recorded) prove(t *testing.T, orderID, text string) *apptest.Answer {
	t.Helper()
	return r.operator.Do(t, "POST", "/ops/v1/orders/"+orderID+"/proofs?kind=photo", photo(text),
		"Content-Type", "image/png", "Authorization", "Bearer "+r.operator.Token)
}

// photo returns a small picture, a different one for each text.
func photo(text string) []byte {
	drawn := image.NewGray(image.Rect(0, 0, 8, 8))
	copy(drawn.Pix, text)
	var file bytes.Buffer
	_ = png.Encode(&file, drawn) // into memory
	return file.Bytes()
}

// cut is what a power failure has left.
type cut struct {
	settings settings
	after    int
	claims   []claim // that had been acknowledged
	service  *recorded
}

// cut lets the power fail at a moment and in a way that depend on the seed of the run.
func (r *recorded) cut(t *testing.T, number int) *cut {
	t.Helper()
	name := fmt.Sprint("cut ", number)
	return r.cutAfter(t, repeatable.Rand(t, name, "moment").IntN(r.program.Len()+1), name, false)
}

// cutAfter lets the power fail after so many operations. What the disk does then depends
// on the name.
func (r *recorded) cutAfter(t *testing.T, after int, name string, ignoreSyncs bool) *cut {
	t.Helper()
	c := &cut{after: after, service: r}
	for _, claim := range r.claimed() {
		if claim.after <= c.after {
			c.claims = append(c.claims, claim)
		}
	}
	root := testkit.FastDir(t)
	if err := r.program.Restore(root,
		disk.PowerFailure{After: c.after, Random: repeatable.Rand(t, name), IgnoreSyncs: ignoreSyncs}); err != nil {
		t.Fatal(err)
	}
	c.settings = settings{data: filepath.Join(root, "data"), webhooks: true}
	return c
}

// examine starts a service on what is left and returns what it has lost. The error says
// what else is wrong.
func (c *cut) examine(t *testing.T) (lost []claim, err error) {
	t.Helper()
	p, err := startProcess(t, c.settings)
	if err != nil {
		return c.claims, fmt.Errorf("the service does not start: %w", err)
	}
	if len(c.claims) > 0 {
		partner := at(c.service.partner, p.service)
		if got, tried := partner.Try("GET", "/v1/orders", nil, partner.Signed("GET", "/v1/orders", nil)...); tried != nil ||
			got.Status != 200 {
			err = fmt.Errorf("the list of orders is not answered: %+v, %w", got, tried)
		}
	}
	p.kill()
	lost = notTrue(t, p.service, c.claims)
	diagnosis, diagnosed := app.Doctor(t.Context(), &config.Config{Data: c.settings.data})
	if diagnosed == nil && len(diagnosis.Findings) > 0 {
		diagnosed = fmt.Errorf("doctor: got %d faults, want none: %s", len(diagnosis.Findings), diagnosis.Findings[0])
	}
	if len(lost) == 0 && err == nil && diagnosed == nil {
		p.service.Audit(t)
	}
	return lost, errors.Join(err, diagnosed)
}

// notTrue returns the claims that are not true of a service's database.
func notTrue(t *testing.T, service *apptest.Service, claims []claim) (lost []claim) {
	t.Helper()
	const together = 400 // SQLite has a limit of 500
	for some := range slices.Chunk(claims, together) {
		var query []string
		for i, claim := range some {
			query = append(query, fmt.Sprintf("SELECT %d WHERE (%s) != 1", i, claim.query))
		}
		for _, row := range service.Query(t, strings.Join(query, " UNION ALL ")) {
			i, err := strconv.Atoi(row)
			if err != nil {
				t.Fatal(err)
			}
			lost = append(lost, some[i])
		}
	}
	return lost
}
