package main

import (
	"bufio"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/metrics"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/pricing"
	"github.com/dropyard/dropyard/internal/record"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/webhook"
)

// plan is the work of a child that sends events or causes them. It is passed in a
// file, because a command line cannot hold a thousand URLs and ten thousand orders.
type plan struct {
	Store   string   `json:"store"` // the database's file or URL
	URLs    []string `json:"urls"`  // of the partners' endpoints, for the floor
	Events  int      `json:"events"`
	Floor   bool     `json:"floor"`   // post the bare bodies, without storage
	AtOnce  int      `json:"at_once"` // the greatest number of concurrent requests of the floor; 0 for ten per endpoint
	Send    bool     `json:"send"`    // run the sender
	Moves   moves    `json:"moves"`   // orders to be moved
	Profile string   `json:"profile"` // file for a CPU profile
	Outcome string   `json:"outcome"` // file for the outcome
}

// moves are the transitions of orders: each order through all statuses, as fast as
// the callers can, or each order once, at a steady rate.
type moves struct {
	Orders    []string `json:"orders"`
	Callers   int      `json:"callers"`
	PerSecond float64  `json:"per_second"`
	Seconds   float64  `json:"seconds"`
}

// outcome is the result of a child.
type outcome struct {
	Moved     int              `json:"moved"`
	Seconds   float64          `json:"seconds"`
	Latencies []time.Duration  `json:"latencies"` // of the transitions
	Commits   map[string]int64 `json:"commits"`   // by event, in nanoseconds since 1970
}

// hooksCommand is the child: a node without its HTTP interface, so that all its CPU
// time is that of the sender or of transitions. It starts at the first line of its
// standard input, prints a line when its moves are made, and ends with its input.
type hooksCommand struct {
	Plan string `arg:"" help:"File with the plan, in JSON."`
}

// Run carries out the plan.
func (c *hooksCommand) Run(ctx context.Context) (err error) {
	var p plan
	text, err := os.ReadFile(filepath.Clean(c.Plan))
	if err == nil {
		err = json.Unmarshal(text, &p)
	}
	if err != nil {
		return err
	}
	run := p.node
	if p.Floor {
		run = p.floor
	}
	return run(ctx, newTalker(os.Stdin, os.Stdout))
}

// talker is how a child communicates with its parent.
type talker struct {
	in  *bufio.Reader
	out io.Writer
}

func newTalker(in io.Reader, out io.Writer) *talker { return &talker{bufio.NewReader(in), out} }

// start reports that the child is ready, and waits until it is to begin.
func (t *talker) start() error {
	if _, err := fmt.Fprintln(t.out, "{}"); err != nil {
		return err
	}
	_, err := t.in.ReadString('\n')
	return err
}

// finish reports that the work is done, and waits for the end of the input.
func (t *talker) finish() error {
	if _, err := fmt.Fprintln(t.out, "done"); err != nil {
		return err
	}
	_, err := io.Copy(io.Discard, t.in)
	return err
}

// node runs the parts of a node except HTTP: store, sender, order service.
func (p plan) node(ctx context.Context, parent *talker) (err error) {
	world := quietWorld()
	db, err := openStore(ctx, p.Store)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := parent.start(); err != nil {
		return err
	}
	finishProfile, err := startProfile(p.Profile)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, finishProfile()) }()
	wake := func(...string) {}
	if p.Send {
		sender, closeSender, err := newSender(ctx, db, world)
		if err != nil {
			return err
		}
		defer closeSender()
		wake = sender.Wake
	}
	done, err := p.move(ctx, db, wake)
	if err != nil {
		return err
	}
	if err := parent.finish(); err != nil {
		return err
	}
	return done.write(p.Outcome)
}

func (o *outcome) write(name string) error {
	text, err := json.Marshal(o)
	if err != nil || name == "" {
		return err
	}
	return os.WriteFile(filepath.Clean(name), text, 0o600)
}

func openStore(ctx context.Context, database string) (*store.Store, error) {
	if isPostgres(database) {
		return store.OpenPostgres(ctx, database)
	}
	return store.OpenSQLite(ctx, database)
}

// newSender returns a sender, started as app does, and a function that closes it.
func newSender(ctx context.Context, db *store.Store, world app.Surroundings) (*webhook.Sender, func(), error) {
	client := newHookClient()
	if !db.Shared() {
		if err := webhook.HandBack(ctx, db.Webhooks()); err != nil {
			return nil, nil, err
		}
	}
	sender, err := webhook.NewSender(ctx, webhook.SenderConfig{
		Store: db.Webhooks(), Client: client, Sealer: benchSealer(), Now: world.Now, At: world.At, Random: world.Random,
		Log: world.Log, Shared: db.Shared(), Observer: metrics.New("bench").Webhooks(),
		Requests: outbound.MaxRequests(),
	})
	return sender, func() {
		sender.Close()
		client.Close()
	}, err
}

// benchSealer returns a sealer with a key that is not secret.
func benchSealer() *credential.Sealer {
	sealer, err := credential.NewSealer(make([]byte, 32))
	if err != nil {
		panic(err)
	}
	return sealer
}

// hookClient is the outbound client as the webhook room sees it.
type hookClient struct{ *outbound.Client }

func newHookClient() hookClient {
	return hookClient{outbound.NewClient(outbound.Policy{Insecure: true})}
}

// Post sends a body once.
func (c hookClient) Post(ctx context.Context, url string, headers []webhook.Header, body []byte) webhook.Answer {
	lines := make([]outbound.Header, len(headers))
	for i, h := range headers {
		lines[i] = outbound.Header(h)
	}
	answer := c.Client.Post(ctx, url, lines, body)
	return webhook.Answer{Status: answer.Status, RetryAfter: answer.RetryAfter, Took: answer.Took, Problem: answer.Problem}
}

// newMover returns an order service, and its store, which records when events were
// committed.
func newMover(db *store.Store, wake func(...string)) (*order.Service, *timedStore) {
	timed := &timedStore{Store: db.Orders(), commits: map[string]int64{}}
	return order.NewService(order.Config{
		Store: timed, Writers: db.Writers(), Now: time.Now, Random: rand.Reader,
		Encode: record.Encode, EncodeForOperators: record.EncodeForOperators, Announce: wake,
		Card:        func(context.Context, string, time.Time) (*pricing.Card, error) { return pricing.DefaultCard(), nil },
		TrackingURL: func(orderID string) string { return "http://127.0.0.1/track/" + orderID },
	}), timed
}

// timedStore records when each event was committed.
type timedStore struct {
	order.Store
	mu      sync.Mutex
	commits map[string]int64 // guarded by mu
}

// Write runs fn in a transaction.
func (s *timedStore) Write(ctx context.Context, fn func(order.Writer) error) error {
	var saved savedEvents
	err := s.Store.Write(ctx, func(tx order.Writer) error {
		saved = savedEvents{Writer: tx}
		return fn(&saved)
	})
	if err != nil {
		return err
	}
	now := time.Now().UnixNano()
	s.mu.Lock()
	defer s.mu.Unlock()
	for _, id := range saved.ids {
		s.commits[id] = now
	}
	return nil
}

type savedEvents struct {
	order.Writer
	ids []string
}

// Save writes changes, and records the ids of their events.
func (s *savedEvents) Save(ctx context.Context, changes *order.Changes) error {
	for _, event := range changes.Events {
		s.ids = append(s.ids, event.EventID)
	}
	return s.Writer.Save(ctx, changes)
}
