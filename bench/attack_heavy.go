package main

import (
	"bytes"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"hash"
	"math/rand/v2"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// heavyAttack is what one partner does to the others with requests that cost much.
type heavyAttack struct {
	attackFlags
	Connections int  `default:"4" help:"Number of connections of the attacker, for batches and for labels each."`
	Unlimited   bool `help:"Give the attacker the highest rate limit, instead of the service's own."`
}

type batchesAttack struct{ heavyAttack }

// Run attacks with batches, and prints the report.
func (c *batchesAttack) Run(ctx context.Context) error {
	return c.run(ctx, "batches", c.attack(c.sendBatches))
}

type labelsAttack struct{ heavyAttack }

// Run attacks with labels, and prints the report.
func (c *labelsAttack) Run(ctx context.Context) error {
	return c.run(ctx, "labels", c.attack(c.fetchLabels))
}

type batchesAndLabelsAttack struct{ heavyAttack }

// Run attacks with batches and labels, and prints the report.
func (c *batchesAndLabelsAttack) Run(ctx context.Context) error {
	return c.run(ctx, "batches-and-labels", c.attack(c.sendBatches, c.fetchLabels))
}

// repeated is what one connection of the attacker does until its context ends.
type repeated func(ctx context.Context, t *target, a account, count counter) error

// attack lets one partner do each of the given things on several connections.
func (c *heavyAttack) attack(each ...repeated) assault {
	return func(ctx context.Context, t *target, count counter) error {
		attacker, err := t.partner(ctx)
		if err == nil && c.Unlimited {
			err = t.lift(ctx, attacker)
		}
		if err != nil {
			return err
		}
		ended := make(chan error)
		for i := range c.Connections * len(each) {
			go func() { ended <- each[i%len(each)](ctx, t, attacker, count) }()
		}
		for range c.Connections * len(each) {
			if failed := <-ended; failed != nil && ctx.Err() == nil {
				err = failed
			}
		}
		return err
	}
}

// The largest batch and the largest order.
const (
	attackBatch   = 500
	attackParcels = 50
)

// sendBatches sends batches of the largest size without a pause.
func (c *heavyAttack) sendBatches(ctx context.Context, t *target, a account, count counter) error {
	conn, err := dial(ctx, t.address)
	if err != nil {
		return err
	}
	batches := newPosts(a, "/v1/orders/batch")
	var body []byte
	before, _ := orderBody(false)
	order, name := orderWith(batches.reference(), 2), slot{len(before), len(before) + referenceWidth}
	for ctx.Err() == nil {
		body = append(body[:0], `{"orders":[`...)
		for i := range attackBatch {
			if i > 0 {
				body = append(body, ',')
			}
			putReference(name.in(order), batches.random)
			body = append(body, order...)
		}
		status, err := conn.call(batches.request(append(body, `]}`...)))
		if err != nil {
			return err
		}
		count(fmt.Sprintf("batches answered with %d", status), 1)
		if status == http.StatusOK {
			count("orders created by batches", created(conn.body))
		}
	}
	return nil
}

// created returns how many orders a batch has created. It reads the end of the
// response only, because the client shares the machine with the service.
func created(results []byte) (orders int) {
	const member = `],"created":`
	at := bytes.LastIndex(results, []byte(member))
	if at >= 0 {
		_, _ = fmt.Sscanf(string(results[at+len(member):]), "%d", &orders) // 0 if there is no number
	}
	return orders
}

// fetchLabels creates an order of the largest size, and fetches its labels without a
// pause.
func (c *heavyAttack) fetchLabels(ctx context.Context, t *target, a account, count counter) error {
	conn, err := dial(ctx, t.address)
	if err != nil {
		return err
	}
	orders := newPosts(a, "/v1/orders")
	var answer struct {
		OrderID string `json:"order_id"`
	}
	for answer.OrderID == "" && ctx.Err() == nil { // the batches may have used up the rate
		status, err := conn.call(orders.request(orderWith(orders.reference(), attackParcels)))
		if err == nil && status == http.StatusCreated {
			err = json.Unmarshal(conn.body, &answer)
		}
		if err != nil {
			return err
		}
	}
	labels := newGet(a, func() (path, query string) { return "/v1/orders/" + answer.OrderID + "/label", "" })
	for ctx.Err() == nil {
		status, err := conn.call(labels.next())
		if err != nil {
			return err
		}
		count(fmt.Sprintf("labels answered with %d", status), 1)
	}
	return nil
}

// orderWith returns the body of an order with so many parcels.
func orderWith(reference string, parcels int) []byte {
	before, after := orderBody(false)
	start, rest, _ := strings.Cut(after, `"parcels":[`)
	_, end, _ := strings.Cut(rest, `],"reference"`)
	body := []byte(before + reference + start + `"parcels":[`)
	for i := range parcels {
		if i > 0 {
			body = append(body, ',')
		}
		body = fmt.Appendf(body, `{"parcel_id":"P-%d","description":"Books","length_cm":30,"width_cm":20,"height_cm":10,"weight_kg":2.5,"value_cents":4500}`, i+1)
	}
	return append(body, `],"reference"`+end...)
}

// posts makes signed requests with a body and an Idempotency-Key.
type posts struct {
	account account
	path    string
	mac     hash.Hash
	raw     []byte
	random  *rand.Rand
}

func newPosts(a account, path string) *posts {
	return &posts{account: a, path: path, mac: hmac.New(sha256.New, []byte(a.Secret)), random: newRandom()}
}

// reference returns a random partner_order_id.
func (p *posts) reference() string {
	var reference [referenceWidth]byte
	putReference(reference[:], p.random)
	return string(reference[:])
}

// request returns a request, which is valid until the next call.
func (p *posts) request(body []byte) []byte {
	var key [uuidWidth]byte
	putUUID(key[:], p.random)
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	p.mac.Reset()
	p.mac.Write([]byte(timestamp + "\nPOST\n" + p.path + "\n"))
	p.mac.Write(body)
	p.raw = fmt.Appendf(p.raw[:0], "POST %s HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+
		"X-Api-Key: %s\r\nX-Timestamp: %s\r\nX-Signature: v1=%x\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n",
		p.path, p.account.PublicKey, timestamp, p.mac.Sum(nil), key[:], len(body))
	p.raw = append(p.raw, body...)
	return p.raw
}
