package app_test

import (
	"fmt"
	"reflect"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestSnapshotCompressed asks for the snapshot in every coding. All decode to the
// same text.
func TestSnapshotCompressed(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for i, state := range []delivery.Status{
		delivery.StatusPending, delivery.StatusCourierAssigned, delivery.StatusDelivered,
	} {
		f.orderIn(t, fmt.Sprint("A-", i), state)
	}
	plain := f.operator.Call(t, "GET", "/ops/v1/orders/snapshot", nil).Must(t, 200)
	if plain.Len("orders") != 2 {
		t.Errorf("got %s, want the two orders under way", plain.Body)
	}
	for _, coding := range codings {
		got := f.Do(t, "GET", "/ops/v1/orders/snapshot", nil, "Authorization", "Bearer "+f.operator.Token, "Accept-Encoding",
			coding).Must(t, 200)
		if text := decoded(t, got, coding); !reflect.DeepEqual((&apptest.Answer{Body: text}).JSON(), plain.JSON()) {
			t.Errorf("%s: got %s, want %s", coding, text, plain.Body)
		}
	}
}

// TestFeedCounts compares the counts of the feed, which it takes in memory, with those
// that the database counts, while orders grow old.
func TestFeedCounts(t *testing.T) {
	t.Parallel()
	f := newFloor(t)
	for i, state := range delivery.Statuses {
		f.orderIn(t, fmt.Sprint("A-", i), state)
	}
	for _, age := range []time.Duration{0, time.Hour, 48 * time.Hour, 30 * 24 * time.Hour} {
		f.Clock.Advance(age)
		o := f.operator
		if age > time.Hour {
			o = f.login(t, apptest.OperatorEmail) // tokens expire
		}
		after := o.Call(t, "GET", "/ops/v1/orders/snapshot", nil).Must(t, 200).Text("after")
		want := o.Call(t, "GET", "/ops/v1/attention", nil).Must(t, 200)
		for _, target := range []string{"snapshot", "changes?after=" + after} {
			got := o.Call(t, "GET", "/ops/v1/orders/"+target, nil).Must(t, 200)
			if !reflect.DeepEqual(got.JSON("counts"), want.JSON()) {
				t.Errorf("after %v, %s: got counts %v, want %s", age, target, got.JSON("counts"), want.Body)
			}
		}
	}
}

// TestStopEndsDesksWaits stops a service while a desk waits for changes. The request
// is answered immediately.
func TestStopEndsDesksWaits(t *testing.T) {
	t.Parallel()
	waits := make(chan time.Time, 1000)
	service := apptest.Start(t, apptest.WithMetrics(), func(_ *config.Config, world *app.Surroundings) {
		at := world.At
		world.At = func(until time.Time) <-chan time.Time {
			fires := at(until)
			waits <- until
			return fires
		}
	})
	operator := service.Operate(t)
	service.Register(t, "metro").Create(t, testkit.OrderJSON("A-1", "")).Must(t, 201)
	after := operator.Call(t, "GET", "/ops/v1/orders/snapshot", nil).Must(t, 200).Text("after")
	until := service.Clock.Now().Add(17 * time.Second)
	answered := make(chan *apptest.Answer, 1)
	go func() {
		answered <- operator.Call(t, "GET", "/ops/v1/orders/changes?wait=17&after="+after, nil)
	}()
	for at := range waits {
		if at.Equal(until) {
			break
		}
	}
	metrics := newScrape(t, service.MetricsURL)
	if desks, rows := metrics.value("dropyard_board_feed_desks"), metrics.value("dropyard_board_feed_rows"); desks != 1 ||
		rows != 1 {
		t.Errorf("got %v desks and %v rows in the metrics, want 1 and 1", desks, rows)
	}
	service.Stop()
	if got := (<-answered).Must(t, 200); got.Len("changed") != 0 || got.Text("after") == "" {
		t.Errorf("got %s, want no changes and a position", got.Body)
	}
}
