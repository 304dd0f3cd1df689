package main

import (
	"math/rand/v2"
	"net/http"
	"strconv"
)

// work is a kind of request.
type work struct {
	name   string
	want   int  // the expected status
	reads  bool // needs stored orders
	sender func(s *server, client int) sender
}

// server is what requests are sent to.
type server struct {
	address  string
	accounts []account
	samples  []string // ids of stored orders of the first account
	stored   int      // orders of the first account
	pid      int
	database int // the process of the database's server; 0 if there is none
	token    string
	stop     func() error
}

// account returns who signs the requests of a client.
func (s *server) account(client int) account { return s.accounts[client%len(s.accounts)] }

// The works, by their names in the report.
const (
	creating      = "create"
	creatingItems = "create, items in every second"
	quoting       = "quote"
	oneOrder      = "one order"
	tracking      = "tracking"
	trackingPage  = "tracking page"
	listing       = "list of 50"
	listingDeep   = "list of 50, halfway down by offset"
	health        = "health"
)

// works returns the kinds of requests.
func works() map[string]work {
	all := map[string]work{}
	for _, w := range []work{
		{creating, http.StatusCreated, false, func(s *server, client int) sender {
			return plainCreations(s.account(client))
		}},
		{creatingItems, http.StatusCreated, false, func(s *server, client int) sender {
			return newCreations(s.account(client), client/len(s.accounts))
		}},
		{quoting, http.StatusOK, false, func(s *server, client int) sender {
			return takeTurns(0, newPost(s.account(client), "/v1/rates/quote", quoteBody, ""))
		}},
		reading(oneOrder, false, func(s *server, r *rand.Rand) (string, string) { return "/v1/orders/" + s.sample(r), "" }),
		reading(tracking, true, func(s *server, r *rand.Rand) (string, string) { return "/track/" + s.sample(r), "" }),
		reading(trackingPage, true,
			func(s *server, r *rand.Rand) (string, string) { return "/track/" + s.sample(r) + "/html", "" }),
		reading(listing, false, func(*server, *rand.Rand) (string, string) { return "/v1/orders", "?limit=50" }),
		reading(listingDeep, false, func(s *server, _ *rand.Rand) (string, string) {
			return "/v1/orders", "?limit=50&offset=" + strconv.Itoa(s.stored/2)
		}),
		reading(health, true, func(*server, *rand.Rand) (string, string) { return "/v1/health", "" }),
	} {
		all[w.name] = w
	}
	return all
}

// reading returns a work of GET requests, signed by the first account or by nobody.
func reading(name string, public bool, target func(s *server, random *rand.Rand) (path, query string)) work {
	return work{name, http.StatusOK, true, func(s *server, _ int) sender {
		random := newRandom()
		g := newGet(s.accounts[0], func() (path, query string) { return target(s, random) })
		g.public = public
		return g
	}}
}

// sample returns the id of a stored order.
func (s *server) sample(random *rand.Rand) string { return s.samples[random.IntN(len(s.samples))] }

// peerCreating is creating in PocketBase: the same body, with a token.
var peerCreating = work{creating, http.StatusOK, false, func(s *server, _ int) sender {
	before, after := orderBody(false)
	return takeTurns(0, newBarePost(s.token, "/api/collections/orders/records", before, after))
}}

// quoteBody holds no more than a quote needs.
const quoteBody = `{"service_level":"express",` +
	`"pickup":{"address":{"city":"Montréal","province":"QC","postal_code":"H2W 2M5","country":"CA"}},` +
	`"dropoff":{"address":{"city":"Toronto","province":"ON","postal_code":"M5H 2N2","country":"CA"}},` +
	`"parcels":[{"weight_kg":2.5},{"weight_kg":3}]}`
