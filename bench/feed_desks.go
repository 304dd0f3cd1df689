package main

import (
	"bytes"
	"cmp"
	"compress/gzip"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"math"
	"net/http"
	"slices"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
)

// desksOfOperator is how many desks share an operator, fewer than a node allows.
const desksOfOperator = 50

// boardPartners is the number of partners whose orders the board shows.
const boardPartners = 8

// feedRun is one run of the feed command.
type feedRun struct {
	*feedCommand
	directory string
	url       string // of the database; empty: the embedded one of the first node
	server    int    // the process of the database's server; 0 if there is none
	client    *http.Client
	nodes     []*target
	tokens    []string // of the desks' operators
	orders    []string
	versions  map[string]int64 // of the orders under way, when no moves are being made
	desks     []*desk
	moved     int // the number of moves so far, in all situations
}

// newDeskClient returns a client that keeps a connection for each desk.
func newDeskClient() *http.Client {
	const connections = 2000
	return &http.Client{Transport: &http.Transport{MaxIdleConnsPerHost: connections, DisableCompression: true}}
}

// addOperator adds an operator for desks and logs it in.
func (r *feedRun) addOperator(ctx context.Context, i int) error {
	login := map[string]string{"email": fmt.Sprintf("desk-%d@bench.example", i), "password": targetPassword}
	body := maps.Clone(login)
	body["role"] = "dispatcher"
	if err := r.nodes[0].operate(ctx, http.MethodPost, "/ops/v1/operators", body); err != nil {
		return err
	}
	var answer struct {
		Token string `json:"token"`
	}
	err := post(ctx, r.nodes[0].url("/ops/v1/tokens"), login, &answer)
	r.tokens = append(r.tokens, answer.Token)
	return err
}

// situations measures moves alone, moves that desks follow, and desks that wait.
func (r *feedRun) situations(ctx context.Context, report *feedReport) error {
	if _, err := r.move(ctx, r.WarmUp); err != nil { // to warm up
		return err
	}
	length := time.Duration(r.Seconds * float64(time.Second))
	moves := func() (made []arrival, err error) { return r.move(ctx, length) }
	if _, err := r.use(report, "moves alone", moves); err != nil {
		return err
	}
	if err := r.snapshots(ctx, report); err != nil {
		return err
	}
	stop := r.follow(ctx, r.desks)
	made, err := r.use(report, fmt.Sprintf("moves and %d desks", r.Desks), moves)
	if failed := stop(); err == nil {
		err = failed
	}
	if err != nil {
		return err
	}
	report.latencies(r.desks, made)
	idle := r.newDesks(r.Idle)
	for _, d := range idle {
		d.after = r.desks[slices.IndexFunc(r.desks, func(other *desk) bool { return other.url == d.url })].after
	}
	stop = r.follow(ctx, idle)
	_, err = r.use(report, fmt.Sprintf("%d idle desks", r.Idle), func() ([]arrival, error) {
		time.Sleep(length)
		return nil, nil
	})
	return cmp.Or(err, stop())
}

// use adds a situation to the report: the CPU times of the servers during work.
func (r *feedRun) use(report *feedReport, name string, work func() ([]arrival, error)) ([]arrival, error) {
	nodes, database := &meter{}, databaseMeter(r.server)
	for _, node := range r.nodes {
		nodes.pids = append(nodes.pids, node.command.Process.Pid)
	}
	began := time.Now()
	var made []arrival
	err := inTurn(nodes.hook, database.hook, func() (err error) { made, err = work(); return err }, nodes.hook,
		database.hook)
	took := time.Since(began).Seconds()
	report.Rows = append(report.Rows, feedSituation{
		Name: name, Moves: len(made), Load: loadAverage(),
		Nodes: nodes.used().cpu.Seconds() / took, Database: database.used().cpu.Seconds() / took,
	})
	return made, err
}

// move moves orders from state to state until they are delivered, at the wanted rate,
// and returns the rows with the times of the answers.
func (r *feedRun) move(ctx context.Context, length time.Duration) (made []arrival, err error) {
	const movers = 16 // each has orders of its own, so that no two moves of one overlap
	steps := []delivery.Status{delivery.StatusInTransit, delivery.StatusOutForDelivery, delivery.StatusDelivered}
	count := int(length.Seconds() * float64(r.Rate))
	made = make([]arrival, count)
	failed := make([]error, movers)
	began := time.Now()
	var running sync.WaitGroup
	for m := range movers {
		running.Go(func() {
			for i := m; i < count && failed[m] == nil; i += movers {
				time.Sleep(time.Until(began.Add(time.Duration(i) * time.Second / time.Duration(r.Rate))))
				turn := (r.moved + i) / movers // of the mover's orders, each takes as many turns as there are steps
				at := (r.moved+i)%movers + turn/len(steps)*movers
				if at >= len(r.orders) {
					failed[m] = fmt.Errorf("%d orders are too few", len(r.orders))
					return
				}
				step := turn % len(steps)
				failed[m] = r.moveOne(ctx, i, r.orders[at], steps[step])
				made[i] = arrival{feedRow{r.orders[at], int64(step) + 2}, time.Now()} // seeded orders have version 1
			}
		})
	}
	running.Wait()
	r.moved += count
	for _, row := range made {
		if r.versions[row.OrderID] = row.Version; row.Version == int64(len(steps))+1 {
			delete(r.versions, row.OrderID)
		}
	}
	return made, cmp.Or(failed...)
}

func (r *feedRun) moveOne(ctx context.Context, i int, orderID string, status delivery.Status) error {
	node := r.nodes[i%len(r.nodes)]
	_, err := r.send(ctx, http.MethodPost, node.url("/ops/v1/orders/"+orderID+"/status"), node.token,
		[]byte(`{"status":"`+string(status)+`"}`), nil)
	return err
}

// send sends a request, which must succeed, and returns the size of the body as it was
// sent. Without an answer to fill, the body is read and not decoded.
func (r *feedRun) send(ctx context.Context, method, url, token string, body []byte, answer any) (size int, err error) {
	request, err := http.NewRequestWithContext(ctx, method, url, bytes.NewReader(body))
	if err != nil {
		return 0, err
	}
	request.Header.Set("Authorization", "Bearer "+token)
	request.Header.Set("Content-Type", "application/json")
	request.Header.Set("Accept-Encoding", "gzip")
	response, err := r.client.Do(request)
	if err != nil {
		return 0, err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	size = len(content)
	if err != nil || response.StatusCode == http.StatusOK && answer == nil {
		return size, err
	}
	if content, err = decoded(response, content); err != nil {
		return size, err
	}
	if response.StatusCode != http.StatusOK {
		return size, fmt.Errorf("%s %s: %s: %s", method, url, response.Status, content)
	}
	return size, json.Unmarshal(content, answer)
}

// decoded returns the content of a body, which may be compressed.
func decoded(response *http.Response, body []byte) ([]byte, error) {
	if response.Header.Get("Content-Encoding") != "gzip" {
		return body, nil
	}
	plain, err := gzip.NewReader(bytes.NewReader(body))
	if err != nil {
		return nil, err
	}
	return io.ReadAll(plain)
}

// desk follows the board at one node.
type desk struct {
	run        *feedRun
	url, token string
	after      string
	seen       map[string]int64 // the version of each order; nil for a desk that only waits
	arrivals   []arrival
}

// feedRow is what a desk needs of a row.
type feedRow struct {
	OrderID string `json:"order_id"`
	Version int64  `json:"version"`
}

// arrival is when a program had a row.
type arrival struct {
	feedRow
	at time.Time
}

// left is the version of an order that has left the board: it follows all others.
const left = math.MaxInt64

func (r *feedRun) newDesks(count int) (desks []*desk) {
	for i := range count {
		desks = append(desks,
			&desk{run: r, url: r.nodes[i%len(r.nodes)].url("/ops/v1/orders/"), token: r.tokens[i/desksOfOperator]})
	}
	return desks
}

// snapshots measures snapshots, and gives every desk one.
func (r *feedRun) snapshots(ctx context.Context, report *feedReport) (err error) {
	r.desks = r.newDesks(r.Desks)
	for _, to := range []*float64{&report.First, &report.Next} {
		began := time.Now()
		if report.Bytes, err = r.send(ctx, http.MethodGet, r.desks[0].url+"snapshot", r.desks[0].token, nil,
			nil); err != nil {
			return err
		}
		*to = milliseconds(time.Since(began))
	}
	for _, d := range r.desks {
		d.seen = map[string]int64{}
		if _, err := d.ask(ctx, "snapshot"); err != nil {
			return err
		}
	}
	return nil
}

// mostSilent is how many requests without a change, of 20 s each, show that none comes.
const mostSilent = 6

// follow lets desks follow the board until stop is called. Then those that have a
// picture ask until it is complete, or nothing more comes.
func (r *feedRun) follow(ctx context.Context, desks []*desk) (stop func() error) {
	following, cancel := context.WithCancel(ctx)
	failed := make([]error, len(desks))
	var running sync.WaitGroup
	for i, d := range desks {
		running.Go(func() {
			for following.Err() == nil && failed[i] == nil {
				_, failed[i] = d.ask(following, "changes?wait=20&after="+d.after)
			}
			if following.Err() != nil {
				failed[i] = nil // the request was cancelled
			}
			// A loaded node may compare after seconds only.
			for silent := 0; d.seen != nil && silent < mostSilent && failed[i] == nil && d.differs(r.versions) != nil; {
				var more bool
				if more, failed[i] = d.ask(ctx, "changes?wait=20&after="+d.after); more {
					silent = 0
				} else {
					silent++
				}
			}
		})
	}
	time.Sleep(r.Settle) // until all wait
	return func() error {
		cancel()
		running.Wait()
		return cmp.Or(failed...)
	}
}

// ask asks for changes or for a snapshot, and reports whether there were any rows.
func (d *desk) ask(ctx context.Context, target string) (more bool, err error) {
	var answer struct {
		Orders, Changed []feedRow
		Gone            []string
		After           string
	}
	if _, err := d.run.send(ctx, http.MethodGet, d.url+target, d.token, nil, &answer); err != nil {
		return false, err
	}
	now := time.Now()
	d.after = answer.After
	for _, row := range answer.Orders {
		d.seen[row.OrderID] = row.Version
	}
	for _, row := range answer.Changed {
		d.arrivals = append(d.arrivals, arrival{row, now})
		if d.seen != nil {
			d.seen[row.OrderID] = row.Version
		}
	}
	for _, id := range answer.Gone {
		d.arrivals = append(d.arrivals, arrival{feedRow{id, left}, now})
		delete(d.seen, id)
	}
	return len(answer.Orders)+len(answer.Changed)+len(answer.Gone) > 0, nil
}

// differs returns an error if the desk's picture is not the wanted one.
func (d *desk) differs(want map[string]int64) error {
	if len(d.seen) != len(want) {
		return fmt.Errorf("got %d orders, want %d", len(d.seen), len(want))
	}
	for id, version := range want {
		if d.seen[id] != version {
			return fmt.Errorf("%s: got version %d, want %d", id, d.seen[id], version)
		}
	}
	return nil
}

// latencies sets the times from the answers to moves until desks had the rows, or
// later versions of them. A desk that has a row before the answer counts as 0.
func (r *feedReport) latencies(desks []*desk, made []arrival) {
	var all []time.Duration
	for _, d := range desks {
		seen := map[string][]arrival{}
		for _, a := range d.arrivals {
			seen[a.OrderID] = append(seen[a.OrderID], a)
		}
		for _, move := range made {
			arrived := slices.IndexFunc(seen[move.OrderID], func(a arrival) bool { return a.Version >= move.Version })
			if arrived >= 0 {
				all = append(all, max(0, seen[move.OrderID][arrived].at.Sub(move.at)))
			}
		}
	}
	slices.Sort(all)
	r.Arrivals = len(all)
	r.P50, r.P99, r.Max = milliseconds(percentile(all,
		0.5)), milliseconds(percentile(all, 0.99)), milliseconds(percentile(all, 1))
}
