package cluster_test

import (
	"fmt"
	"io/fs"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
	"github.com/dropyard/dropyard/internal/testkit/disk"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// diskFault is something that is wrong with a disk.
type diskFault struct {
	name string
	// Calls of these kinds, for files below this folder, fail with a probability.
	kinds  []disk.CallKind
	folder string
	odds   float64
	err    syscall.Errno
}

var changes = []disk.CallKind{disk.Write, disk.Create}

// passing are faults after which the service goes on.
var passing = []diskFault{
	{"full", changes, "data", 1, syscall.ENOSPC},
	{"nearly full", changes, "data", 0.2, syscall.ENOSPC},
	{"writes fail", changes, "data", 0.2, syscall.EIO},
	{"syncs fail", []disk.CallKind{disk.Sync}, "data", 0.5, syscall.EIO},
	{"pictures cannot be read", []disk.CallKind{disk.Read}, "data/proofs", 0.5, syscall.EIO},
}

// unreadable is a fault after which the service refuses changes until it is started again,
// because a database that cannot be read may be damaged.
var unreadable = diskFault{"nothing can be read", []disk.CallKind{disk.Read}, "data", 1, syscall.EIO}

// TestDiskFaults lets calls of a service fail while it works, and then the power. Every
// answer is a success or 503, the service recovers when the disk does, and everything
// acknowledged is still there afterwards. What was refused can be sent again.
func TestDiskFaults(t *testing.T) {
	t.Parallel()
	r := recordService(t)
	r.live(t, 3)
	refused := 0
	for round := range testkit.Scaled(2, 1) {
		for _, fault := range passing[:testkit.Scaled(len(passing), 1)] { // each makes requests wait
			sent := r.suffer(t, fault, round)
			r.recover(t, sent)
			refused += len(sent)
			if round == 0 && fault.name == "full" { // the first: no other outage can be under way
				r.printsOneOutage(t)
			}
		}
	}
	if refused == 0 {
		t.Error("got no request refused, want some")
	}
	r.suffer(t, unreadable, 0)
	r.program.Kill()
	t.Logf("%d requests refused; %d acknowledged facts", refused, len(r.claimed()))
	r.noneLoose(t)
	for i := range testkit.Scaled(10, 3) {
		cut := r.cutAfter(t, r.program.Len(), fmt.Sprint("cut ", i), false)
		if lost, err := cut.examine(t); err != nil || len(lost) > 0 {
			t.Errorf("cut %d: got %v, lost %d of %d: %s", i, err, len(lost), len(cut.claims), first(lost))
		}
	}
}

// upload is a request that may be refused, and how it is acknowledged.
type upload struct {
	send func() *apptest.Answer
	done func(*apptest.Answer) // notes what was acknowledged
}

// suffer sends requests of several clients while calls fail, and returns those that were
// refused.
func (r *recorded) suffer(t *testing.T, fault diskFault, round int) (refused []upload) {
	t.Helper()
	name := fmt.Sprintf("%s %d", fault.name, round)
	random := repeatable.Rand(t, name)
	setClock(r.service) // signatures are valid for minutes
	carried, picture := r.carry(t, name)
	r.program.Fail(func(call disk.Call) syscall.Errno {
		if slices.Contains(fault.kinds, call.Kind) && strings.HasPrefix(call.Path, fault.folder) &&
			random.Float64() < fault.odds {
			return fault.err
		}
		return 0
	})
	defer r.program.Fail(nil)
	lists := apptest.Together(8, func(client int) (refused []upload) {
		for _, request := range r.requests(t, fmt.Sprint(name, " ", client), carried, picture) {
			if !r.accepted(t, request) {
				refused = append(refused, request)
			}
		}
		return refused
	})
	return slices.Concat(lists...)
}

// carry creates an order that a courier has, with a proof, and returns the order's id and
// the path of the picture.
func (r *recorded) carry(t *testing.T, name string) (orderID, picture string) {
	t.Helper()
	orderID = r.partner.Create(t, testkit.OrderJSON("carried "+name, "")).Must(t, 201).Text("order_id")
	for _, status := range []string{"accepted", "courier_assigned", "picked_up"} {
		r.operator.Move(t, orderID, status).Must(t, 200)
	}
	proof := r.prove(t, orderID, name).Must(t, 201)
	return orderID, strings.TrimPrefix(proof.Text("url"), r.service.URL)
}

// requests returns requests of several kinds, some about an order and a picture.
func (r *recorded) requests(t *testing.T, name, carried, picture string) []upload {
	order, key := testkit.OrderJSON(name, buying(r.lamp, 1)), newKey()
	received := newKey()
	return []upload{
		{
			func() *apptest.Answer { return r.partner.Call(t, "POST", "/v1/orders", order, "Idempotency-Key", key) },
			func(a *apptest.Answer) {
				r.claim("orders WHERE partner_order_id = '%s' AND order_id = '%s'", name, a.Text("order_id"))
			},
		},
		{
			func() *apptest.Answer { return r.prove(t, carried, name) },
			func(a *apptest.Answer) { r.claim("order_proofs WHERE proof_id = '%s'", a.Text("proof_id")) },
		},
		{
			func() *apptest.Answer {
				return r.operator.Do(t, "POST", "/ops/v1/partners/"+r.partner.PartnerID+"/movements",
					fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":1,"location":"MTL-1","notes":%q}`, r.lamp, name),
					"Authorization", "Bearer "+r.operator.Token, "Idempotency-Key", received)
			},
			func(*apptest.Answer) { r.claim("stock_movements WHERE notes = '%s'", name) },
		},
		{
			func() *apptest.Answer { return r.partner.Call(t, "GET", "/v1/orders?limit=500", nil) },
			func(*apptest.Answer) {},
		},
		{
			func() *apptest.Answer { return r.service.Do(t, "GET", picture, nil) },
			func(*apptest.Answer) {},
		},
	}
}

// accepted sends a request and reports whether it was accepted. If not, the answer must be
// 503.
func (r *recorded) accepted(t *testing.T, request upload) bool {
	t.Helper()
	switch answer := request.send(); answer.Status {
	case 200, 201:
		request.done(answer)
		return true
	default:
		answer.Refused(t, 503, "unavailable")
		return false
	}
}

// recover sends refused requests again until all are accepted.
func (r *recorded) recover(t *testing.T, refused []upload) {
	t.Helper()
	deadline := hangs()
	for _, request := range refused {
		for !r.accepted(t, request) {
			if time.Now().After(deadline) {
				t.Fatalf("the service refuses requests %v after the last fault", repeatable.Hang)
			}
			backOff()
		}
	}
}

// printsOneOutage fails the test unless the service has printed once that the database
// cannot be reached.
func (r *recorded) printsOneOutage(t *testing.T) {
	t.Helper()
	for end := hangs(); r.outages() == 0 && time.Now().Before(end); {
		backOff()
	}
	if got := r.outages(); got != 1 {
		t.Errorf("got %d outages in the log of one full disk, want 1", got)
	}
}

// noneLoose fails the test if there are more files of pictures than the database knows.
func (r *recorded) noneLoose(t *testing.T) {
	t.Helper()
	files := 0
	err := filepath.WalkDir(filepath.Join(r.settings.data, "proofs"), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			files++
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	known, err := strconv.Atoi(r.service.Query(t,
		"SELECT (SELECT count(*) FROM order_proofs) + (SELECT count(*) FROM loose_pictures)")[0])
	if err != nil || files > known {
		t.Errorf("got %d files of pictures, want at most the %d that the database names (%v)", files, known, err)
	}
}
