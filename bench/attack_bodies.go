package main

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/pace"
)

// bodiesAttack sends large bodies on many connections.
type bodiesAttack struct {
	attackFlags
	Kind        string `enum:"strangers,forged,signed" default:"strangers" help:"strangers: pictures without credentials, 5 MiB each but for the last byte. forged: batches of 1 MiB with a known key and a wrong signature. signed: batches of 500 orders with a right signature."`
	Connections int    `default:"300" help:"Number of connections."`
}

// Run attacks, and prints the report.
func (b *bodiesAttack) Run(ctx context.Context) error {
	return b.run(ctx, "bodies: "+b.Kind, b.attack)
}

func (b *bodiesAttack) attack(ctx context.Context, t *target, count counter) error {
	attacker, err := t.partner(ctx)
	if err != nil {
		return err
	}
	bodies := make(chan []byte, b.Connections) // kept, because making one costs as much as refusing it
	requests := map[string]func(random *rand.Rand) [][]byte{
		"strangers": func(*rand.Rand) [][]byte { return strangersPicture() },
		"forged":    func(*rand.Rand) [][]byte { return batchRequest(attacker, forgedBatch, true) },
		"signed": func(random *rand.Rand) [][]byte {
			var body []byte
			select {
			case body = <-bodies:
			default:
				body = orderBatch(random)
			}
			bodies <- body
			return batchRequest(attacker, body, false)
		},
	}
	insist(ctx, b.Connections, count, func(random *rand.Rand) (string, error) {
		return attempt(ctx, t.address, requests[b.Kind](random), true)
	})
	return nil
}

// retryPause is how long an attacker waits before its next connection, on average: a
// second, as a service asks with Retry-After, give or take up to a half, so that the
// connections do not come in step.
func retryPause(random *rand.Rand) time.Duration {
	return time.Second/2 + time.Duration(random.Int64N(int64(time.Second)))
}

// insist repeats an attempt on each of many connections until the context ends, and
// counts the attempts and their outcomes.
func insist(
	ctx context.Context, connections int, count counter, attempt func(random *rand.Rand) (outcome string, err error),
) {
	var open sync.WaitGroup
	for range connections {
		open.Go(func() {
			for random := newRandom(); ctx.Err() == nil; {
				count("attempts", 1)
				outcome, err := attempt(random)
				switch {
				case ctx.Err() != nil:
					outcome = "held until the end"
				case err != nil:
					outcome = "connection cut"
				}
				count(outcome, 1)
				_ = pace.Pause(ctx, retryPause(random))
			}
		})
	}
	open.Wait()
}

// attempt sends a request in pieces on a new connection. It returns the status and
// error code of the response, which it reads whole if asked to; otherwise it keeps
// a response of 200 unread until the context ends.
func attempt(ctx context.Context, address string, pieces [][]byte, whole bool) (outcome string, err error) {
	var dialer net.Dialer
	conn, err := dialer.DialContext(ctx, "tcp", address)
	if err != nil {
		return "", err
	}
	defer func() { _ = conn.Close() }()
	defer context.AfterFunc(ctx, func() { _ = conn.Close() })()
	if !whole {
		_ = conn.(*net.TCPConn).SetReadBuffer(4 << 10) //nolint:forcetypeassert // what a dialer of tcp returns
	}
	buffers := net.Buffers(pieces)
	_, sent := buffers.WriteTo(conn) // a response may have come before the end
	response, err := http.ReadResponse(bufio.NewReaderSize(conn, 512), nil)
	if err != nil {
		return "", cmp.Or(sent, err)
	}
	defer func() { _ = response.Body.Close() }()
	if !whole && response.StatusCode == http.StatusOK {
		<-ctx.Done()
		return "held until the end", nil
	}
	var answer struct {
		Error struct{ Code string }
	}
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusOK {
		err = json.Unmarshal(content, &answer)
	}
	return strings.TrimSpace(strconv.Itoa(response.StatusCode) + " " + answer.Error.Code), err
}

// strangersPicture is a request without credentials to add a picture. The last byte
// of the body is missing.
func strangersPicture() [][]byte {
	const size = 5<<20 - 1
	head := fmt.Sprintf(
		"POST /ops/v1/orders/x/proofs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: image/png\r\nContent-Length: %d\r\n\r\n",
		size+1,
	)
	return [][]byte{[]byte(head), zeros[:size]}
}

// zeros are the bytes of pictures. All connections share them.
var zeros = make([]byte, 5<<20)

// forgedBatch is the body of a batch whose signature is wrong.
var forgedBatch = bytes.Repeat([]byte(" "), 1<<20)

// orderBatch returns the body of a batch of 500 orders.
func orderBatch(random *rand.Rand) []byte {
	before, after := orderBody(false)
	var body bytes.Buffer
	body.WriteString(`{"orders":[`)
	var reference [referenceWidth]byte
	for i := range 500 {
		if i > 0 {
			body.WriteByte(',')
		}
		putReference(reference[:], random)
		body.WriteString(before)
		body.Write(reference[:])
		body.WriteString(after)
	}
	body.WriteString("]}")
	return body.Bytes()
}

// batchRequest returns a request to create orders. A forged one has the signature of
// another body.
func batchRequest(a account, body []byte, forged bool) [][]byte {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	mac := hmac.New(sha256.New, []byte(a.Secret))
	_, _ = io.WriteString(mac, timestamp+"\nPOST\n/v1/orders/batch\n")
	if !forged {
		mac.Write(body)
	}
	var key [uuidWidth]byte
	putUUID(key[:], newRandom())
	head := fmt.Sprintf("POST /v1/orders/batch HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\n"+
		"X-Api-Key: %s\r\nX-Timestamp: %s\r\nX-Signature: v1=%x\r\nIdempotency-Key: %s\r\nContent-Length: %d\r\n\r\n",
		a.PublicKey, timestamp, mac.Sum(nil), key, len(body))
	return [][]byte{[]byte(head), body}
}

// answersAttack asks for large lists and does not read the responses.
type answersAttack struct {
	attackFlags
	Connections int `default:"200" help:"Number of connections."`
	Orders      int `default:"400" help:"Number of orders of the attacker, of 60 kB each."`
}

// Run attacks, and prints the report.
func (a *answersAttack) Run(ctx context.Context) error {
	return a.run(ctx, "answers", a.attack)
}

func (a *answersAttack) attack(ctx context.Context, t *target, count counter) error {
	attackers, err := t.partners(ctx, 1)
	if err != nil {
		return err
	}
	if err := a.fill(ctx, t, attackers[0]); err != nil {
		return err
	}
	insist(ctx, a.Connections, count, func(*rand.Rand) (string, error) {
		list := newGet(attackers[0], func() (path, query string) { return "/v1/orders", "?limit=500" })
		return attempt(ctx, t.address, [][]byte{list.next()}, false)
	})
	return nil
}

// fill creates large orders in batches.
func (a *answersAttack) fill(ctx context.Context, t *target, attacker account) error {
	const perBatch = 60
	for made := 0; made < a.Orders; made += perBatch {
		batch := batchRequest(attacker, largeBatch(newRandom(), min(perBatch, a.Orders-made)), false)
		outcome, err := attempt(ctx, t.address, batch, true)
		if err != nil || outcome != "200" {
			return fmt.Errorf("create large orders: got %q, want 200: %w", outcome, err)
		}
	}
	return nil
}

// largeBatch returns the body of a batch of orders with 50 parcels each, which are
// described at length.
func largeBatch(random *rand.Rand, orders int) []byte {
	parcel := fmt.Sprintf(
		`{"parcel_id":"P-%%d","description":%q,"length_cm":1,"width_cm":1,"height_cm":1,"weight_kg":1,"value_cents":1},`,
		strings.Repeat("x", 1000),
	)
	var parcels strings.Builder
	for i := range 48 {
		fmt.Fprintf(&parcels, parcel, i+10)
	}
	before, after := orderBody(false)
	after = strings.Replace(after, `"parcels":[`, `"parcels":[`+parcels.String(), 1)
	one := make([]string, orders)
	var reference [referenceWidth]byte
	for i := range one {
		putReference(reference[:], random)
		one[i] = before + string(reference[:]) + after
	}
	return []byte(`{"orders":[` + strings.Join(one, ",") + `]}`)
}
