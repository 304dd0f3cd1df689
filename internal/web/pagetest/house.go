package pagetest

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/testkit"
)

// house is a whole service with invented partners, for the pages of people who sign in.
// Its clock stands still at Now once it is furnished.
type house struct {
	url   string
	clock *testkit.Clock
	// orderStore writes what happened before the house was there.
	orderStore order.Store
	desk       *client.Operator // an admin
	// emails are the addresses by which those who look at pages sign in, by name, and
	// cookies are their session cookies.
	emails  map[string]string
	cookies map[string]string
	end     func() error
	// orders are the ids of orders by the partners' own numbers.
	orders map[string]string
	// someone is a user of the owner's team.
	someone string
	// ownersKey and hostilesKey are the ids of API keys.
	ownersKey, hostilesKey string
	// refusedRequest is the id of a request that was refused.
	refusedRequest string
	logins         logins // what people need who sign in
	// receivers get the events of webhooks, and events are the ids of some, by their state.
	receivers *receivers
	// provider is the OpenID provider of a partner, and records those of the DNS.
	provider  *httptest.Server
	records   records
	events    map[string]string
	courierID string
	couriers  map[string]string // ids of others, by name
	shops     shops
	cards     cards
	// operatorID is that of an operator, and stockedID that of the partner with figures.
	operatorID, stockedID string
	// storerooms are the ids of partners by their names, for the pages of their stock.
	storerooms map[string]string
}

// The people who look at pages.
const (
	owner    = "owner"    // of the partner with data of all kinds
	newcomer = "newcomer" // who has just registered
	hostiles = "hostiles" // of a partner that writes markup wherever it can
)

// sessionCookie is the name of the cookie of partners' sessions.
const sessionCookie = "dropyard_session"

// shortly is how long before Now people have signed in.
const shortly = 20 * time.Minute

const housePassword = "correct horse battery"

// openHouse starts the service in a temporary folder, and furnishes it.
func openHouse(ctx context.Context) (*house, error) {
	dir, err := os.MkdirTemp("", "dropyard-scenes-")
	if err != nil {
		return nil, err
	}
	h := &house{
		clock: testkit.NewClock(Now.AddDate(0, 0, -pastDays).Add(-6 * time.Hour)), receivers: startReceivers(),
		provider: startProvider(), records: records{},
		emails: map[string]string{}, cookies: map[string]string{}, orders: map[string]string{}, events: map[string]string{},
	}
	service, err := app.Start(ctx, &config.Config{
		Listen: "127.0.0.1:0", Data: dir, OperatorEmail: "camille@dropyard.example", OperatorPassword: housePassword,
		RequestLogBytes: 1 << 30, WebhookInsecure: true, SimulatePace: time.Minute,
		Registration: "approval", Backups: filepath.Join(dir, "backups"), BackupAt: "off", BackupKeep: 7,
		ExportTo: filepath.Join(dir, "exports"),
	}, h.surroundings())
	if err != nil {
		h.receivers.Close()
		h.provider.Close()
		return nil, errors.Join(err, os.RemoveAll(dir))
	}
	running, stop := context.WithCancel(ctx)
	ended := make(chan error, 1)
	go func() { ended <- service.Run(running) }()
	h.url = service.URL()
	h.end = sync.OnceValue(func() error {
		stop()
		err := errors.Join(<-ended, os.RemoveAll(dir))
		h.receivers.Close()
		h.provider.Close()
		return err
	})
	if err := h.furnish(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("furnish the house: %w", err), h.end())
	}
	return h, nil
}

// surroundings are those of a service whose passwords protect nothing.
func (h *house) surroundings() app.Surroundings {
	world := app.System()
	world.Version = "scenes"
	world.Now, world.At, world.Elapsed, world.Out = h.clock.Now, h.clock.At, nil, io.Discard
	world.Log = slog.New(slog.DiscardHandler)
	world.OrderStore = func(kept order.Store) order.Store {
		h.orderStore = kept
		return kept
	}
	world.Resolver = h.records
	world.Hasher = credential.NewHasher(credential.Cost{Memory: 64, Passes: 1, Lanes: 1}, world.Random)
	return world
}

// furnish adds the people and their data, and then moves the clock to Now.
func (h *house) furnish(ctx context.Context) error {
	token, err := client.NewService(h.url).CreateToken(ctx,
		client.TokenRequest{Email: "camille@dropyard.example", Password: housePassword})
	if err != nil {
		return err
	}
	h.desk = client.NewOperator(h.url, token.Token)
	for _, add := range []func(context.Context) error{
		h.addStocked, h.addMetro, h.addNewcomer, h.addHostile, h.addOrders, h.addTeams, h.addDevelopers,
		h.addReturns,
	} {
		if err := add(ctx); err != nil {
			return err
		}
	}
	h.clock.Advance(Now.Add(-shortly).Sub(h.clock.Now()))
	for who := range h.emails { // their sessions have expired
		if _, err := h.signIn(ctx, who); err != nil {
			return err
		}
	}
	if err := h.secureTeam(ctx); err != nil {
		return err
	}
	if err := h.addTrouble(ctx); err != nil {
		return err
	}
	h.clock.Advance(Now.Sub(h.clock.Now()))
	if err := h.addLogins(ctx); err != nil {
		return err
	}
	return h.addImports(ctx)
}

// signIn begins a session of a person.
func (h *house) signIn(ctx context.Context, who string) (*client.Session, error) {
	session, err := client.NewService(h.url).Login(ctx, client.LoginRequest{Email: h.emails[who], Password: housePassword})
	if err == nil {
		h.cookies[who] = session.Cookie
	}
	return session, err
}

// open registers a partner, whose account is approved.
func (h *house) open(ctx context.Context, name, email string) (*client.PartnerOverview, error) {
	account, err := client.NewService(h.url).Register(ctx,
		client.RegisterRequest{Name: name, Email: email, Password: housePassword})
	if err != nil {
		return nil, err
	}
	return h.desk.ApprovePartner(ctx, account.PartnerID)
}

// register adds a partner, signs its owner in under a name, and returns a client with an
// API key and the partner's id.
func (h *house) register(ctx context.Context, who, name, email string) (*client.Client, string, error) {
	account, err := h.open(ctx, name, email)
	if err != nil {
		return nil, "", err
	}
	h.emails[who] = email
	session, err := h.signIn(ctx, who)
	if err != nil {
		return nil, "", err
	}
	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: "production"})
	if err != nil {
		return nil, "", err
	}
	return h.signing(key), account.PartnerID, nil
}

// signing returns a client that signs with an API key.
func (h *house) signing(key *client.APIKey) *client.Client {
	signing := client.New(h.url, key.PublicKey, key.SecretKey)
	signing.HTTP = &http.Client{Transport: resigner{h.clock, []byte(key.SecretKey)}}
	return signing
}

// resigner signs requests at the time of the house; the client knows that of the system
// only.
type resigner struct {
	clock  *testkit.Clock
	secret []byte
}

func (s resigner) RoundTrip(r *http.Request) (*http.Response, error) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		return nil, err
	}
	r = r.Clone(r.Context())
	r.Body = io.NopCloser(bytes.NewReader(body))
	now := strconv.FormatInt(s.clock.Now().Unix(), 10)
	r.Header.Set("X-Timestamp", now)
	r.Header.Set("X-Signature",
		signature.Request{Timestamp: now, Method: r.Method, Path: r.URL.EscapedPath(), Body: body}.Sign(s.secret))
	return http.DefaultTransport.RoundTrip(r)
}

// as sends a request in a person's session, and returns the body of the response.
func (h *house) as(ctx context.Context, who, method, path, body string) ([]byte, error) {
	r, err := http.NewRequestWithContext(ctx, method, h.url+path, strings.NewReader(body))
	if err != nil {
		return nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("Cookie", sessionCookie+"="+h.cookies[who])
	response, err := http.DefaultClient.Do(r)
	if err != nil {
		return nil, err
	}
	defer func() { _ = response.Body.Close() }()
	var answer bytes.Buffer
	if _, err := answer.ReadFrom(response.Body); err != nil {
		return nil, err
	}
	if response.StatusCode >= http.StatusBadRequest {
		return nil, fmt.Errorf("%s %s: %s %s", method, path, response.Status, answer.Bytes())
	}
	return answer.Bytes(), nil
}
