package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"text/tabwriter"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// slowEndpointsAttack lets many endpoints answer slowly, all from the same moment on,
// and measures how long events take to the endpoints of other partners.
type slowEndpointsAttack struct {
	Binary    string        `help:"Attack this dropyard binary, such as one of an earlier version. Default: one that is built from this tree." placeholder:"FILE"`
	Endpoints int           `default:"5000" help:"Number of slow endpoints."`
	Waiting   int           `default:"20" help:"Number of events that each of them gets at the same moment."`
	How       string        `enum:"answer,body,handshake,turn" default:"answer" help:"What is slow: the answer, the answer's body, the TLS handshake; or turn: the answer, of endpoints that were quick before."`
	Takes     time.Duration `default:"14s" help:"Time that an answer takes."`
	Quick     int           `default:"4" help:"Number of other partners."`
	Rate      int           `default:"100" help:"Events per second that they get."`
	Seconds   float64       `default:"20" help:"Length of each of the two measurements, before and during the attack."`
	JSON      bool          `name:"json" help:"Print the report as JSON."`
	// Start is how long a service takes to start, at most, and Last how long the last events
	// may take to arrive.
	Start time.Duration `hidden:"" default:"3s" json:"-"`
	Last  time.Duration `hidden:"" default:"20s" json:"-"`
}

// Validate is called by kong.
func (c *slowEndpointsAttack) Validate() error {
	if c.Endpoints < 1 || c.Endpoints > 50_000 || c.Waiting < 1 || c.Waiting > 1000 || c.Quick < 1 || c.Quick > 100 ||
		c.Rate < 1 || c.Rate > 2000 || c.Seconds <= 0 || c.Seconds > maxSeconds {
		return fmt.Errorf("at most 50000 endpoints, 1000 events each, 100 others, 2000 events per second, %d s", maxSeconds)
	}
	return nil
}

// Run attacks, and prints the report.
func (c *slowEndpointsAttack) Run(ctx context.Context) error {
	report, err := c.measure(ctx)
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

func (c *slowEndpointsAttack) measure(ctx context.Context) (*slowReport, error) {
	return inTempDir(func(directory string) (*slowReport, error) { return c.measureIn(ctx, directory) })
}

// measureIn measures a service whose data are in a directory.
func (c *slowEndpointsAttack) measureIn(ctx context.Context, directory string) (report *slowReport, err error) {
	slow, err := newReceiver(ctx, min(c.Endpoints, slowHosts), accepts)
	if err != nil {
		return nil, err
	}
	defer slow.close()
	// Nothing is due for them before the attack; on a busy machine that may begin early.
	slow.behave(c.behaviour(), c.Takes)
	others, err := newQuickReceiver(ctx)
	if err != nil {
		return nil, err
	}
	defer others.close()
	orders, begins, err := c.prepare(ctx, directory, slow, others)
	if err != nil {
		return nil, err
	}
	t, err := startTarget(ctx, directory, c.Binary, slowFlags...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, t.stop()) }()
	report = &slowReport{environment: thisEnvironment(), slowEndpointsAttack: *c}
	half := len(orders) / 2
	if report.Before, err = c.watch(ctx, t, others, orders[:half]); err != nil {
		return nil, err
	}
	if err := pace.Pause(ctx, time.Until(begins)); err != nil {
		return nil, err
	}
	report.Late = max(0, -time.Until(begins).Seconds())
	report.During, err = c.watch(ctx, t, others, orders[half:])
	report.SlowPeak, report.SlowDelivered = int(slow.peak.Load()), slow.count()
	return report, err
}

// slowFlags let the service post to this machine, and others call it often.
var slowFlags = []string{"--webhook-allow-insecure"}

// behaviour returns what the slow endpoints do during the attack.
func (c *slowEndpointsAttack) behaviour() behaviour {
	switch c.How {
	case "body":
		return dribbles
	case "handshake":
		return mute
	default:
		return lingers
	}
}

// prepare fills the data directory, and returns the orders of the quick partners and
// the time at which the events of the slow endpoints become due.
func (c *slowEndpointsAttack) prepare(
	ctx context.Context, directory string, slow *receiver, others *quickReceiver,
) (orders []string, begins time.Time, err error) {
	t, err := startTarget(ctx, directory, c.Binary, slowFlags...)
	if err != nil {
		return nil, begins, err
	}
	orders, err = c.quickOrders(ctx, t, others)
	if err = errors.Join(err, t.stop()); err != nil {
		return nil, begins, err
	}
	begins = time.Now().Add(c.Start + c.seedTime() + time.Duration(c.Seconds*float64(time.Second)))
	return orders, begins, c.seed(filepath.Join(directory, "data", "dropyard.db"), slow.urls(), begins)
}

// seedTime is how long it takes to add the events, at most.
func (c *slowEndpointsAttack) seedTime() time.Duration {
	return time.Duration(c.Endpoints*c.Waiting) * 50 * time.Microsecond
}

// quickOrders registers the quick partners with their endpoints, and creates all
// orders that will be moved.
func (c *slowEndpointsAttack) quickOrders(
	ctx context.Context, t *target, others *quickReceiver,
) (orders []string, err error) {
	accounts, err := t.partners(ctx, c.Quick)
	if err != nil {
		return nil, err
	}
	var callers []*client.Client
	for _, a := range accounts {
		caller := client.New(t.url(""), a.PublicKey, a.Secret)
		if err := call(ctx, caller, http.MethodPut, "/v1/webhooks/endpoint", `{"url":"`+others.url()+`"}`, nil); err != nil {
			return nil, err
		}
		callers = append(callers, caller)
	}
	before, after := orderBody(false)
	for i := range 2 * int(c.Seconds*float64(c.Rate)) {
		var made struct {
			OrderID string `json:"order_id"`
		}
		body := fmt.Sprintf("%s%d%s", before, i, after)
		if err := call(ctx, callers[i%len(callers)], http.MethodPost, "/v1/orders", body, &made); err != nil {
			return nil, err
		}
		orders = append(orders, made.OrderID)
	}
	return orders, nil
}

func call(ctx context.Context, caller *client.Client, method, path, body string, into any) error {
	answer, err := caller.Call(ctx, method, path, []byte(body))
	if err == nil {
		err = answer.Err()
	}
	if err != nil || into == nil {
		return err
	}
	return json.Unmarshal(answer.Body, into)
}

// watch moves orders at a steady pace, and measures how long their events take to
// arrive, from the beginning of the request that causes them.
func (c *slowEndpointsAttack) watch(
	ctx context.Context, t *target, others *quickReceiver, orders []string,
) (s slowSituation, err error) {
	watching, end := context.WithCancel(ctx)
	used := make(chan usage, 1)
	go func() { used <- t.watch(watching) }()
	began, err := c.move(ctx, t, orders)
	if err == nil {
		others.wait(ctx, orders, c.Last)
	}
	end()
	s.usage = <-used
	var took []time.Duration
	for id, start := range began {
		if at, arrived := others.arrived(id); arrived {
			took = append(took, at.Sub(start))
		}
	}
	s.Events, s.Missing = len(orders), len(orders)-len(took)
	slices.Sort(took)
	if len(took) > 0 {
		s.P50, s.P99, s.Max = milliseconds(percentile(took,
			.5)), milliseconds(percentile(took, .99)), milliseconds(took[len(took)-1])
	}
	return s, err
}

// move accepts each order in turn, at a steady pace, and returns when it began to do
// so.
func (c *slowEndpointsAttack) move(ctx context.Context, t *target, orders []string) (map[string]time.Time, error) {
	began := map[string]time.Time{}
	var moving sync.WaitGroup
	failed := make(chan error, len(orders))
	ticks := time.NewTicker(time.Second / time.Duration(c.Rate))
	defer ticks.Stop()
	for _, id := range orders {
		<-ticks.C
		began[id] = time.Now()
		moving.Go(func() {
			path := "/ops/v1/orders/" + id + "/status"
			failed <- t.operate(ctx, http.MethodPost, path, map[string]any{"status": delivery.StatusAccepted})
		})
	}
	moving.Wait()
	for range orders {
		if err := <-failed; err != nil {
			return began, err
		}
	}
	return began, nil
}

// quickReceiver is the endpoint of the quick partners. It notes when the event of
// each order arrives.
type quickReceiver struct {
	server   *http.Server
	listener net.Listener
	mu       sync.Mutex
	arrivals map[string]time.Time // by order; guarded by mu
}

func newQuickReceiver(ctx context.Context) (*quickReceiver, error) {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", "127.0.0.1:0")
	if err != nil {
		return nil, err
	}
	r := &quickReceiver{listener: listener, arrivals: map[string]time.Time{}}
	r.server = &http.Server{Handler: http.HandlerFunc(r.receive), ReadHeaderTimeout: time.Minute}
	go func() { _ = r.server.Serve(listener) }()
	return r, nil
}

func (r *quickReceiver) close() { _ = r.server.Close() }

func (r *quickReceiver) url() string { return "http://" + r.listener.Addr().String() + "/hooks" }

func (r *quickReceiver) receive(_ http.ResponseWriter, request *http.Request) {
	now := time.Now()
	var event struct {
		Data struct {
			OrderID string `json:"order_id"`
		} `json:"data"`
	}
	if err := json.NewDecoder(request.Body).Decode(&event); err != nil {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	if _, again := r.arrivals[event.Data.OrderID]; !again {
		r.arrivals[event.Data.OrderID] = now
	}
}

func (r *quickReceiver) arrived(orderID string) (at time.Time, arrived bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	at, arrived = r.arrivals[orderID]
	return at, arrived
}

// wait waits until the events of all orders have arrived, or a time is over.
func (r *quickReceiver) wait(ctx context.Context, orders []string, atMost time.Duration) {
	missing := func(id string) bool {
		_, arrived := r.arrived(id)
		return !arrived
	}
	for deadline := time.Now().Add(atMost); time.Now().Before(deadline) && slices.ContainsFunc(orders, missing); {
		if pace.Pause(ctx, 20*time.Millisecond) != nil {
			return
		}
	}
}

// slowSituation is what the quick partners see, and what the service uses.
type slowSituation struct {
	usage
	Events  int     `json:"events"`
	Missing int     `json:"missing"` // events that have not arrived in time
	P50     float64 `json:"p50_ms"`
	P99     float64 `json:"p99_ms"`
	Max     float64 `json:"max_ms"`
}

// slowReport is the result of the attack.
type slowReport struct {
	environment
	slowEndpointsAttack
	Before        slowSituation `json:"before"`
	During        slowSituation `json:"during"`
	Late          float64       `json:"late_seconds"`    // by how much the attack began before it was measured
	SlowPeak      int           `json:"slow_peak"`       // requests that slow endpoints had at once
	SlowDelivered int           `json:"slow_deliveries"` // events that they have acknowledged
}

func (r *slowReport) text(out io.Writer) error {
	t := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(t, "%d endpoints with %d events each are slow (%s, %v); %d others get %d events/s, %.3g s before and during that\n%v\n\n",
		r.Endpoints, r.Waiting, r.How, r.Takes, r.Quick, r.Rate, r.Seconds, r.environment)
	_, _ = fmt.Fprintln(t, "\tevents\tmissing\tp50 ms\tp99 ms\tmax ms\tresident MB\tdescriptors\t")
	for _, row := range []struct {
		name string
		slowSituation
	}{{"before", r.Before}, {"during", r.During}} {
		_, _ = fmt.Fprintf(t, "%s\t%d\t%d\t%.1f\t%.1f\t%.1f\t%.0f\t%d\t\n",
			row.name, row.Events, row.Missing, row.P50, row.P99, row.Max, row.MegaBytes, row.Descriptors)
	}
	if err := t.Flush(); err != nil {
		return err
	}
	lines := []string{
		fmt.Sprintf("\nslow endpoints: at most %d requests at once, %d events acknowledged", r.SlowPeak, r.SlowDelivered),
	}
	if r.Late > 0.1 {
		lines = append(lines, fmt.Sprintf("the attack began %.1f s before it was measured", r.Late))
	}
	_, err := fmt.Fprintln(out, strings.Join(lines, "\n"))
	return err
}
