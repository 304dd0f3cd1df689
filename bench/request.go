package main

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"hash"
	"math/rand/v2"
	"strconv"
	"time"
)

// sender makes the requests of a client, one after the other. A request is valid
// until the next call of next.
type sender interface{ next() []byte }

// slot is a place of fixed width inside a prepared request.
type slot struct{ from, to int }

func (s slot) in(raw []byte) []byte { return raw[s.from:s.to] }

// draft assembles a raw request with slots.
type draft struct{ raw []byte }

func (d *draft) text(text string) { d.raw = append(d.raw, text...) }

func (d *draft) slot(width int) slot {
	from := len(d.raw)
	d.raw = append(d.raw, make([]byte, width)...)
	return slot{from, from + width}
}

const (
	timestampWidth = 10
	signatureWidth = 2 * sha256.Size
	uuidWidth      = 36
	referenceWidth = 20
)

// prepared is a POST that is made ready before. For each use only its slots are written, and the signature
// with them.
type prepared struct {
	path                                 string
	raw                                  []byte
	timestamp, signature, key, reference slot
	body                                 slot
	mac                                  hash.Hash // nil if the request is not signed
}

// newPost returns a signed request. With a second part of the body it creates
// something: a reference stands between the parts, and it has an idempotency key.
func newPost(a account, path, before, after string) *prepared {
	r := &prepared{path: path, mac: hmac.New(sha256.New, []byte(a.Secret))}
	var d draft
	d.text("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nX-Api-Key: " +
		a.PublicKey + "\r\nX-Timestamp: ")
	r.timestamp = d.slot(timestampWidth)
	d.text("\r\nX-Signature: v1=")
	r.signature = d.slot(signatureWidth)
	if after != "" {
		d.text("\r\nIdempotency-Key: ")
		r.key = d.slot(uuidWidth)
	}
	return r.end(&d, before, after)
}

// newBarePost returns a request that carries a token instead of a signature.
func newBarePost(token, path, before, after string) *prepared {
	r := &prepared{path: path}
	var d draft
	d.text("POST " + path + " HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Type: application/json\r\nAuthorization: " + token)
	return r.end(&d, before, after)
}

// end adds the length and the body.
func (r *prepared) end(d *draft, before, after string) *prepared {
	length := len(before) + len(after)
	if after != "" {
		length += referenceWidth
	}
	d.text("\r\nContent-Length: " + strconv.Itoa(length) + "\r\n\r\n")
	start := len(d.raw)
	d.text(before)
	if after != "" {
		r.reference = d.slot(referenceWidth)
		d.text(after)
	}
	r.raw, r.body = d.raw, slot{start, len(d.raw)}
	return r
}

// fill turns the request into another one, with a reference and a key of its own.
func (r *prepared) fill(random *rand.Rand) []byte {
	if r.reference != (slot{}) {
		putReference(r.reference.in(r.raw), random)
	}
	if r.key != (slot{}) {
		putUUID(r.key.in(r.raw), random)
	}
	if r.mac == nil {
		return r.raw
	}
	strconv.AppendInt(r.timestamp.in(r.raw)[:0], time.Now().Unix(), 10)
	r.mac.Reset()
	r.mac.Write(r.timestamp.in(r.raw))
	r.mac.Write([]byte("\nPOST\n" + r.path + "\n"))
	r.mac.Write(r.body.in(r.raw))
	var sum [sha256.Size]byte
	hex.Encode(r.signature.in(r.raw), r.mac.Sum(sum[:0]))
	return r.raw
}

// putUUID writes a random UUID of version 4.
func putUUID(to []byte, random *rand.Rand) {
	b := newUUID(random)
	at := 0
	for _, part := range [][]byte{b[:4], b[4:6], b[6:8], b[8:10], b[10:]} {
		if at > 0 {
			to[at] = '-'
			at++
		}
		at += hex.Encode(to[at:], part)
	}
}

func newUUID(random *rand.Rand) (b [16]byte) {
	for i := range b {
		b[i] = byte(random.Uint32())
	}
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return b
}

// putReference writes a random partner_order_id, one of 10^18.
func putReference(to []byte, random *rand.Rand) {
	number := random.Uint64N(1e18)
	to[0], to[1] = 'B', '-'
	for i := len(to) - 1; i > 1; i-- {
		to[i] = '0' + byte(number%10)
		number /= 10
	}
}

// inTurns sends prepared requests in turn.
type inTurns struct {
	requests []*prepared
	count    int
	random   *rand.Rand
}

func takeTurns(first int, requests ...*prepared) *inTurns {
	return &inTurns{requests: requests, count: first, random: newRandom()}
}

func (c *inTurns) next() []byte {
	c.count++
	return c.requests[c.count%len(c.requests)].fill(c.random)
}

// newCreations makes requests to create orders, every second one with two items. Of
// several clients, half begin with items.
func newCreations(a account, client int) sender {
	return takeTurns(client, newCreation(a, false), newCreation(a, true))
}

// plainCreations makes requests to create orders without items.
func plainCreations(a account) sender { return takeTurns(0, newCreation(a, false)) }

func newCreation(a account, items bool) *prepared {
	before, after := orderBody(items)
	return newPost(a, "/v1/orders", before, after)
}

func newRandom() *rand.Rand { return rand.New(rand.NewPCG(rand.Uint64(), rand.Uint64())) }

// orderBody returns the body of a valid order, before and after its
// partner_order_id.
func orderBody(items bool) (before, after string) {
	tomorrow := time.Now().UTC().Truncate(24 * time.Hour).Add(24 * time.Hour)
	at := func(hour int) string { return tomorrow.Add(time.Duration(hour) * time.Hour).Format(time.RFC3339) }
	after = fmt.Sprintf(`","service_level":"express",`+
		`"pickup":{"name":"Épicerie Métro","phone":"+15145550100","email":"shop@example.com","address":{"line1":"4000 Rue Saint-Denis","line2":"2e étage","city":"Montréal","province":"QC","postal_code":"H2W 2M5","country":"CA","notes":"Quai de chargement derrière"},"time_window":{"start":%q,"end":%q}},`+
		`"dropoff":{"name":"Alex Martin","phone":"+14165550123","email":"alex.martin@example.com","address":{"line1":"100 Queen St W","line2":"Unit 4","city":"Toronto","province":"ON","postal_code":"M5H 2N2","country":"CA","notes":"Ring twice, then call"},"time_window":{"start":%q,"end":%q}},`+
		`"parcels":[{"parcel_id":"P-1","description":"Books","length_cm":30,"width_cm":20,"height_cm":10,"weight_kg":2.5,"value_cents":4500},`+
		`{"parcel_id":"P-2","description":"Desk lamp","length_cm":40.5,"width_cm":40,"height_cm":60,"weight_kg":3,"value_cents":12000,"fragile":true,"barcode":"LAMP-2"}],`+
		`"reference":"PO 77812","cod":{"amount_cents":0,"currency":"CAD"},"insurance":{"amount_cents":16500,"currency":"CAD"},`+
		`"instructions":"Leave at the desk if nobody answers the bell","metadata":{"shop":"métro","cart":"c-88121","channel":"web","gift":false}`,
		at(13), at(16), at(253), at(261)) // late enough for every estimate, so that no order has a warning
	if items {
		after += `,"items":[{"product_id":1,"quantity":1},{"product_id":2,"quantity":2}]`
	}
	return `{"partner_order_id":"`, after + "}"
}

// get makes signed requests for the paths that target returns.
type get struct {
	account account
	public  bool // sent without a signature
	target  func() (path, query string)
	raw     []byte
	mac     hash.Hash
}

func newGet(a account, target func() (path, query string)) *get {
	return &get{account: a, target: target, mac: hmac.New(sha256.New, []byte(a.Secret))}
}

func (g *get) next() []byte {
	path, query := g.target()
	g.raw = append(append(append(g.raw[:0], "GET "...), path...), query...)
	g.raw = append(g.raw, " HTTP/1.1\r\nHost: 127.0.0.1\r\n"...)
	if !g.public {
		g.sign(path)
	}
	g.raw = append(g.raw, "\r\n"...)
	return g.raw
}

func (g *get) sign(path string) {
	timestamp := strconv.FormatInt(time.Now().Unix(), 10)
	g.mac.Reset()
	g.mac.Write([]byte(timestamp + "\nGET\n" + path + "\n"))
	g.raw = fmt.Appendf(g.raw, "X-Api-Key: %s\r\nX-Timestamp: %s\r\nX-Signature: v1=%x\r\n",
		g.account.PublicKey, timestamp, g.mac.Sum(nil))
}
