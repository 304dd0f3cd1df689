package app_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/retention"
)

// picture returns a small PNG file, a different one for each number.
func picture(number int) []byte {
	drawn := image.NewGray(image.Rect(0, 0, 8, 8))
	for bit := range 16 {
		if number>>bit&1 == 1 {
			drawn.SetGray(bit%8, bit/8, color.Gray{Y: 255})
		}
	}
	var file bytes.Buffer
	_ = png.Encode(&file, drawn) // into memory
	return file.Bytes()
}

// photo returns a JPEG file whose metadata says where and by whom it was taken.
func photo(t *testing.T) []byte {
	t.Helper()
	drawn := image.NewRGBA(image.Rect(0, 0, 40, 30))
	for x := range 40 {
		for y := range 30 {
			drawn.SetRGBA(x, y, color.RGBA{uint8(6 * x), uint8(8 * y), uint8(x * y), 255})
		}
	}
	var file bytes.Buffer
	if err := jpeg.Encode(&file, drawn, nil); err != nil {
		t.Fatal(err)
	}
	exif := "Exif\x00\x00GPS 45.5N 73.6W, phone of Camille"
	segment := append([]byte{0xff, 0xe1, 0, byte(len(exif) + 2)}, exif...)
	return append(append([]byte{0xff, 0xd8}, segment...), file.Bytes()[2:]...)
}

// pictures returns the number of stored files of proofs.
func pictures(t *testing.T, s *apptest.Service) (count int) {
	t.Helper()
	err := filepath.WalkDir(filepath.Join(s.Data, "proofs"), func(_ string, entry fs.DirEntry, err error) error {
		if err == nil && !entry.IsDir() {
			count++
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	return count
}

// prove adds a proof to an order.
func prove(t *testing.T, by *apptest.Operator, orderID, kind string, body []byte) *apptest.Answer {
	t.Helper()
	return by.Do(t, "POST", "/ops/v1/orders/"+orderID+"/proofs?kind="+kind, body,
		"Content-Type", "image/jpeg", "Authorization", "Bearer "+by.Token) // the type is found from the content
}

// shown requests the picture at the URL of a proof.
func shown(t *testing.T, s *apptest.Service, address string) *apptest.Answer {
	t.Helper()
	path, ours := strings.CutPrefix(address, s.URL)
	if !ours || !strings.HasPrefix(path, "/proofs/") {
		t.Fatalf("got URL %q, want one of a proof", address)
	}
	return s.Do(t, "GET", path, nil)
}

// TestCourierDelivers follows a courier from login to a delivered order with a
// signature. The partner's event has the URL of the signature.
func TestCourierDelivers(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.Webhooks())
	f := floor{service, service.Register(t, "metro"), service.Operate(t)}
	receiver := apptest.NewReceiver(t)
	f.partner.SetEndpoint(t, receiver.URL)
	r := f.rider(t, "mine")
	id := f.carried(t, r, "A-1", delivery.StatusCourierAssigned)

	cookie := opsLogin(t, f.Service, "mine@riders.example", "a long password of mine")
	ask := func(method, target, kind string, body []byte) *apptest.Answer {
		return f.Do(t, method, target, body, "Content-Type", kind, "Cookie", cookie)
	}
	job := ask("GET", "/ops/v1/jobs", "", nil).Must(t, 200)
	for job.Len("jobs", 0, "actions") > 0 && job.Text("jobs", 0, "status") != "out_for_delivery" {
		status, version := job.Text("jobs", 0, "actions", 0), job.JSON("jobs", 0, "version")
		ask("POST", "/ops/v1/orders/"+id+"/status", "application/json",
			fmt.Appendf(nil, `{"status":%q,"version":%v}`, status, version)).Must(t, 200)
		job = ask("GET", "/ops/v1/jobs", "", nil).Must(t, 200)
	}
	target := "/ops/v1/orders/" + id + "/proofs"
	ask("POST", target+"?kind=photo", "image/jpeg", photo(t)).Must(t, 201)
	f.Clock.Advance(time.Second)
	ask("POST", target+"?kind=signature", "image/png", picture(1)).Must(t, 201)
	f.Clock.Advance(time.Second)
	signed := ask("POST", target+"?kind=signature", "image/png", picture(2)).Must(t, 201)
	ask("POST", "/ops/v1/orders/"+id+"/status", "application/json", []byte(`{"status":"delivered"}`)).Must(t, 200)

	var hook *apptest.Hook
	for hook = receiver.Next(t); hook.Text("type") != "order.delivered"; hook = receiver.Next(t) {
		if hook.JSON("data", "signature_url") != nil {
			t.Errorf("got %s, want no signature before the delivery", hook.Body)
		}
	}
	if hook.Text("data", "signature_url") != signed.Text("url") {
		t.Errorf("got %s, want signature_url %s", hook.Body, signed.Text("url"))
	}
	kept := shown(t, f.Service, hook.Text("data", "signature_url")).Must(t, 200)
	if got, err := png.Decode(bytes.NewReader(kept.Body)); err != nil || got.Bounds().Dx() != 8 ||
		kept.Header.Get("Content-Type") != "image/png" {
		t.Errorf("signature: got %v, error %v, want a PNG of 8 pixels", kept.Header, err)
	}
	record := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200)
	if record.Len("proofs") != 3 || record.Text("proofs", 2, "url") != signed.Text("url") ||
		record.Text("proofs", 0, "operator_id") != r.OperatorID {
		t.Errorf("order: got %s, want three proofs", record.Body)
	}
	place := shown(t, f.Service, record.Text("proofs", 0, "url")).Must(t, 200)
	if _, err := jpeg.Decode(bytes.NewReader(place.Body)); err != nil || bytes.Contains(place.Body, []byte("Exif")) ||
		bytes.Contains(place.Body, []byte("Camille")) {
		t.Errorf("photo: got error %v, want a JPEG without metadata: %.80q", err, place.Body)
	}
	log := f.operator.Call(t, "GET", "/ops/v1/audit?action=order.proof_added", nil).Must(t, 200)
	if log.Len("entries") != 3 || log.Text("entries", 0, "operator_id") != r.OperatorID ||
		log.Text("entries", 0, "object_id") != id ||
		log.Text("entries", 0, "after", "kind") != "signature" || strings.Contains(string(log.Body), "/proofs/") ||
		strings.Contains(string(log.Body), ".png") {
		t.Errorf("audit log: got %s, want three proofs without their names", log.Body)
	}
	if done := ask("GET", "/ops/v1/jobs", "", nil).Must(t, 200); done.Len("jobs") != 0 ||
		done.JSON("delivered", "count") != 1.0 {
		t.Errorf("jobs at the end: got %s, want none, and one delivered", done.Body)
	}
	f.Audit(t)
}

// TestBestProof delivers orders with several proofs. The event has the newest
// signature, or else the newest photo, or else none.
func TestBestProof(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.Webhooks())
	f := floor{service, service.Register(t, "metro"), service.Operate(t)}
	receiver := apptest.NewReceiver(t)
	f.partner.SetEndpoint(t, receiver.URL)
	for i, kinds := range [][]string{{}, {"photo", "photo"}, {"signature", "photo"}} {
		id := f.orderIn(t, fmt.Sprint("A-", i), delivery.StatusOutForDelivery)
		var want any
		for n, kind := range kinds {
			f.Clock.Advance(time.Second)
			added := prove(t, f.operator, id, kind, picture(10*i+n)).Must(t, 201)
			if n == 1 && i == 1 || kind == "signature" {
				want = added.Text("url")
			}
		}
		f.operator.Move(t, id, "delivered").Must(t, 200)
		hook := receiver.Next(t)
		for hook.Text("type") != "order.delivered" {
			hook = receiver.Next(t)
		}
		if got := hook.JSON("data", "signature_url"); got != want ||
			!strings.Contains(string(hook.Body), `"signature_url":`) {
			t.Errorf("%v: got signature_url %v, want %v", kinds, got, want)
		}
	}
}

// TestProofDuringDelivery adds a signature while the order is delivered. The event
// has its URL or none, and the proof is stored.
func TestProofDuringDelivery(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	named := 0 // events with the proof
	for i := range 12 {
		id := f.orderIn(t, fmt.Sprint("A-", i), delivery.StatusOutForDelivery)
		both := apptest.Together(2, func(which int) *apptest.Answer {
			if which == 0 {
				return prove(t, f.operator, id, "signature", picture(i))
			}
			return f.operator.Move(t, id, "delivered")
		})
		address := both[0].Must(t, 201).Text("url")
		both[1].Must(t, 200)
		facts := strings.Join(f.Query(t, "SELECT facts FROM events WHERE type = 'order.delivered' AND order_id = '"+id+"'"),
			"")
		if has := strings.Contains(facts, "signature_url"); has != strings.Contains(facts, address) {
			t.Errorf("got %s, want signature_url %s or none", facts, address)
		} else if has {
			named++
		}
		shown(t, f.Service, address).Must(t, 200)
	}
	t.Logf("%d of 12 events have the proof", named)
	f.Audit(t)
}

// TestRefusedProofs adds invalid proofs. Nothing is stored.
func TestRefusedProofs(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	r := f.rider(t, "mine")
	id := f.carried(t, r, "A-1", delivery.StatusOutForDelivery)
	large := append(picture(1), make([]byte, 5<<20+1-len(picture(1)))...)
	prove(t, r, id, "photo", large).Refused(t, 413, "payload_too_large")
	prove(t, r, id, "photo", large[:5<<20]).Must(t, 201) // what follows the picture is dropped
	if pictures(t, f.Service) != 1 {
		t.Fatalf("got %d pictures, want 1", pictures(t, f.Service))
	}
	for name, body := range map[string][]byte{
		"text": []byte("a signature"), "nothing": nil, "half": picture(1)[:60],
		"GIF": []byte("GIF89a\x01\x00\x01\x00\x00\x00\x00;"), "HTML": []byte("<svg onload=alert(1)>"),
		"only a header": []byte("\x89PNG\r\n\x1a\n"),
	} {
		if got := prove(t, r, id, "photo", body).Refused(t, 422,
			"validation_error"); got.Text("error", "details", "field") != "proof" {
			t.Errorf("%s: got %s, want an error of proof", name, got.Body)
		}
	}
	for _, kind := range []string{"", "drawing", "photo&kind=photo"} {
		prove(t, r, id, kind, picture(1)).Refused(t, 422, "validation_error")
	}
	for _, kind := range []string{"image/gif", "application/json", "text/plain", "image"} {
		r.Do(t, "POST", "/ops/v1/orders/"+id+"/proofs?kind=photo", picture(1), "Content-Type", kind, "Authorization",
			"Bearer "+r.Token).Refused(t, 415, "unsupported_media_type")
	}
	for _, none := range []string{"ord_none", "%00", "ord_00000000000000000000000000000000"} {
		prove(t, f.operator, none, "photo", picture(1)).Refused(t, 404, "not_found")
	}
	early := f.carried(t, r, "early", delivery.StatusCourierAssigned)
	for _, by := range []*apptest.Operator{r, f.operator} {
		prove(t, by, early, "photo", picture(1)).Refused(t, 409, "conflict")
	}
	prove(t, f.operator, f.orderIn(t, "cancelled", delivery.StatusCancelled), "photo", picture(1)).Refused(t, 409,
		"conflict")
	for i := range 9 {
		prove(t, r, id, "photo", picture(100+i)).Must(t, 201)
	}
	prove(t, r, id, "photo", picture(200)).Refused(t, 409, "conflict")
	prove(t, r, id, "photo", picture(101)).Must(t, 201) // a repetition
	late := f.carried(t, r, "late", delivery.StatusDelivered)
	f.Clock.Advance(24 * time.Hour)
	prove(t, r, late, "photo", picture(1)).Must(t, 201)
	f.Clock.Advance(time.Millisecond)
	prove(t, r, late, "photo", picture(2)).Refused(t, 409, "conflict")
	prove(t, r, late, "photo", picture(1)).Must(t, 201)
	prove(t, f.operator, late, "photo", picture(3)).Must(t, 201)
	if got := pictures(t, f.Service); got != 12 {
		t.Errorf("got %d pictures, want 12", got)
	}
	f.Audit(t)
}

// TestRepeatedProofs adds the same proof again and again, and concurrently, as a
// phone does that gets no response. There is one proof, one picture and one entry
// in the log.
func TestRepeatedProofs(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	id, other := f.orderIn(t, "A-1", delivery.StatusOutForDelivery), f.orderIn(t, "A-2", delivery.StatusOutForDelivery)
	first := prove(t, f.operator, id, "photo", picture(1)).Must(t, 201)
	again := prove(t, f.operator, id, "photo", picture(1)).Must(t, 201)
	if string(again.Body) != string(first.Body) || first.Header.Get("Idempotent-Replayed") != "" ||
		again.Header.Get("Idempotent-Replayed") != "true" {
		t.Errorf("got %s\nwant a replay of %s", again.Body, first.Body)
	}
	prove(t, f.operator, other, "photo", picture(1)).Must(t, 201)
	bodies := map[string]bool{}
	for _, answer := range apptest.Together(8,
		func(int) *apptest.Answer { return prove(t, f.operator, id, "signature", picture(2)) }) {
		bodies[string(answer.Must(t, 201).Body)] = true
	}
	if len(bodies) != 1 || pictures(t, f.Service) != 3 {
		t.Errorf("got %d different responses and %d pictures, want 1 and 3", len(bodies), pictures(t, f.Service))
	}
	if record := f.operator.Call(t, "GET", "/ops/v1/orders/"+id, nil).Must(t, 200); record.Len("proofs") != 2 {
		t.Errorf("order: got %s, want 2 proofs", record.Body)
	}
	if log := f.operator.Call(t, "GET", "/ops/v1/audit?action=order.proof_added", nil).Must(t,
		200); log.Len("entries") != 3 {
		t.Errorf("audit log: got %s, want 3 entries", log.Body)
	}
}

// TestEraseProofs erases orders with proofs. The proofs disappear immediately. A
// picture that cannot be deleted is deleted by a later sweep.
func TestEraseProofs(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	ids := []string{f.orderIn(t, "A-1", delivery.StatusOutForDelivery), f.orderIn(t, "A-2",
		delivery.StatusOutForDelivery), f.orderIn(t, "A-3", delivery.StatusOutForDelivery)}
	addresses := make([]string, len(ids))
	for i, id := range ids {
		prove(t, f.operator, id, "photo", picture(50)).Must(t, 201)
		addresses[i] = prove(t, f.operator, id, "signature", picture(i)).Must(t, 201).Text("url")
		f.operator.Move(t, id, "delivered").Must(t, 200)
	}
	gone := func(i int) {
		t.Helper()
		shown(t, f.Service, addresses[i]).Refused(t, 404, "not_found")
	}
	if erased, err := f.erase(t, ids[:1], "", false); err != nil || erased != 1 {
		t.Fatalf("got %d orders erased, error %v, want 1", erased, err)
	}
	gone(0)
	record := f.operator.Call(t, "GET", "/ops/v1/orders/"+ids[0], nil).Must(t, 200)
	rows := f.Query(t, "SELECT partner_id FROM order_proofs WHERE order_id = '"+ids[0]+"'")
	if record.Len("proofs") != 0 || len(rows) != 0 || pictures(t, f.Service) != 4 {
		t.Errorf("got %d pictures and %d rows, want 4 and none: %s", pictures(t, f.Service), len(rows), record.Body)
	}
	name := addresses[0][strings.LastIndex(addresses[0], "/")+1:]
	if events := f.Query(t,
		"SELECT facts FROM events WHERE order_id = '"+ids[0]+"'"); strings.Contains(strings.Join(events, ""), name) {
		t.Errorf("got %s in the event, want it erased", name)
	}

	// The picture cannot be deleted. The order is erased nevertheless.
	name = addresses[1][strings.LastIndex(addresses[1], "/")+1:]
	folder := filepath.Join(f.Data, "proofs", name[:2], name[2:4])
	if err := os.Rename(filepath.Join(folder, name), filepath.Join(folder, "kept")); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(folder, name, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	settings := &config.Config{Data: f.Data, DatabaseURL: f.Database, DatabaseMayLoseData: true}
	erased, err := app.ErasePartnerOrders(t.Context(), settings, app.System(), f.partner.PartnerID, ids[1:2], "", false)
	if erased != 1 || err == nil || !strings.Contains(err.Error(), "will delete the remaining pictures") {
		t.Errorf("got %d orders erased, error %v, want 1 and a picture to delete later", erased, err)
	}
	if record := f.operator.Call(t, "GET", "/ops/v1/orders/"+ids[1], nil).Must(t, 200); record.Len("proofs") != 0 {
		t.Errorf("got %s, want no proofs", record.Body)
	}
	if err := os.RemoveAll(filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(filepath.Join(folder, "kept"), filepath.Join(folder, name)); err != nil {
		t.Fatal(err)
	}
	shown(t, f.Service, addresses[1]).Must(t, 200)
	if removed := f.Sweep(t, retention.Policy{}); removed.Pictures != 1 {
		t.Errorf("sweep: got %+v, want 1 picture removed", removed)
	}
	gone(1)

	// Retention removes pictures as well.
	f.Clock.Advance(31 * day)
	if removed := f.Sweep(t, retention.Policy{Orders: 30 * day}); removed.Orders != 3 || removed.Pictures != 2 {
		t.Errorf("sweep: got %+v, want 3 orders and 2 pictures removed", removed)
	}
	gone(2)
	left := f.Query(t, "SELECT order_id FROM order_proofs UNION ALL SELECT name FROM loose_pictures UNION ALL SELECT order_id FROM courier_deliveries")
	if pictures(t, f.Service) != 0 || len(left) != 0 {
		t.Errorf("got %d pictures and rows %v, want none", pictures(t, f.Service), left)
	}
	f.Audit(t)
}

// TestSweepWithUndeletablePictures sweeps while pictures of two partners cannot be
// deleted. Everything else that is old is removed.
func TestSweepWithUndeletablePictures(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for _, other := range []floor{f, {f.Service, f.Register(t, "port"), f.operator}} {
		id := other.orderIn(t, "A-1", delivery.StatusOutForDelivery)
		address := prove(t, f.operator, id, "photo", picture(1)).Must(t, 201).Text("url")
		f.operator.Move(t, id, "delivered").Must(t, 200)
		name := address[strings.LastIndex(address, "/")+1:]
		file := filepath.Join(f.Data, "proofs", name[:2], name[2:4], name)
		if err := os.Remove(file); err != nil {
			t.Fatal(err)
		}
		if err := os.MkdirAll(filepath.Join(file, "in the way"), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	f.Clock.Advance(31 * day)
	for _, orders := range []int{2, 0} {
		f.Retain(t, retention.Policy{Orders: 30 * day}, nil, func(service *retention.Service) error {
			removed, err := service.Sweep(t.Context())
			if removed.Orders != orders || removed.Pictures != 0 || err == nil ||
				!strings.Contains(err.Error(), "pictures of par_") {
				t.Errorf("got %+v, error %v, want %d orders removed and an error of the pictures", removed, err, orders)
			}
			return nil
		})
	}
	if left := f.Query(t, "SELECT name FROM loose_pictures"); len(left) != 2 {
		t.Errorf("got %v still to be deleted, want 2", left)
	}
}

// away is a store for pictures that cannot be reached.
type away struct{ tries int }

func (a *away) Delete(context.Context, string) error {
	a.tries++
	return errors.New("the bucket is away")
}

// TestSweepWithoutBucket sweeps while the store for pictures cannot be reached. It
// tries few pictures, because each try may take long, and removes what else is old.
func TestSweepWithoutBucket(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	const each = 5
	for _, other := range []floor{f, {f.Service, f.Register(t, "port"), f.operator}} {
		for i := range each {
			id := other.orderIn(t, fmt.Sprintf("A-%d", i), delivery.StatusOutForDelivery)
			prove(t, f.operator, id, "photo", picture(i)).Must(t, 201)
			f.operator.Move(t, id, "delivered").Must(t, 200)
		}
	}
	f.Clock.Advance(31 * day)
	bucket := &away{}
	f.Retain(t, retention.Policy{Orders: 30 * day}, bucket, func(service *retention.Service) error {
		removed, err := service.Sweep(t.Context())
		if removed.Orders != 2*each || removed.Pictures != 0 || err == nil || bucket.tries != 3 {
			t.Errorf("got %+v, error %v after %d tries, want %d orders removed after 3", removed, err, bucket.tries, 2*each)
		}
		return nil
	})
	f.Retain(t, retention.Policy{Orders: 30 * day}, nil, func(service *retention.Service) error {
		if removed, err := service.Sweep(t.Context()); removed.Pictures != 2*each || err != nil {
			t.Errorf("later: got %+v, error %v, want %d pictures removed", removed, err, 2*each)
		}
		return nil
	})
}
