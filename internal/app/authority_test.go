package app_test

import (
	"context"
	"fmt"
	"net/http"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/actor"
	"github.com/dropyard/dropyard/internal/api"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/mail"
	orders "github.com/dropyard/dropyard/internal/order"
	"github.com/dropyard/dropyard/internal/testkit"
)

// A change is authenticated before its transaction begins. These tests hold every change in
// between, take its authority away from the person who makes it, and let it go on.

// hold stops the changes of one person.
type hold struct {
	mu     sync.Mutex
	person string // guarded by mu
	writes int    // how many transactions of the person begin until the one that is held; guarded by mu
	then   func() // what happens before that one; nil afterwards; guarded by mu
}

func (h *hold) arm(person string, writes int, then func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.person, h.writes, h.then = person, writes, then
}

// before is called before each transaction. The committer's are those of several people,
// of whom only the one who is held changes orders.
func (h *hold) before(ctx context.Context, committers bool) {
	if then := h.due(actor.Of(ctx), committers); then != nil {
		then()
	}
}

func (h *hold) due(by *actor.Actor, committers bool) (then func()) {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.then == nil || !committers && (by == nil || by.PersonID != h.person) {
		return nil
	}
	if h.writes--; h.writes == 0 {
		then, h.then = h.then, nil
	}
	return then
}

// heldOrders is a store of orders whose transactions are held.
type heldOrders struct {
	orders.Store
	hold *hold
}

func (s heldOrders) Write(ctx context.Context, fn func(orders.Writer) error) error {
	s.hold.before(ctx, true)
	return s.Store.Write(ctx, fn)
}

// countedMails counts mails instead of having them sent.
type countedMails struct {
	mu   sync.Mutex
	sent int    // guarded by mu
	link string // of the last one; guarded by mu
}

func (p *countedMails) Send(_ context.Context, _ mail.Writer, message *mail.Message) error {
	p.mu.Lock()
	defer p.mu.Unlock()
	p.sent, p.link = p.sent+1, message.URL
	return nil
}

// token returns the token of the link in the last mail.
func (p *countedMails) token() string {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.link[strings.LastIndex(p.link, "/")+1:]
}

func (p *countedMails) count() int {
	p.mu.Lock()
	defer p.mu.Unlock()
	return p.sent
}

// rig is a service whose changes can be held.
type rig struct {
	*apptest.Service
	t      testing.TB
	hold   *hold
	mails  *countedMails
	boss   *apptest.Operator // an admin who stays
	number int               // makes names unique

	dumping sync.Once
	rows    string // the query of dump; set by dumping
}

func newRig(t testing.TB, options ...apptest.Option) *rig {
	t.Helper()
	r := &rig{t: t, hold: &hold{}, mails: &countedMails{}}
	options = append(options, apptest.Webhooks(), func(_ *config.Config, world *app.Surroundings) {
		world.Post = r.mails
		world.BeforeWrites = func(ctx context.Context) error {
			r.hold.before(ctx, false)
			return nil
		}
		world.OrderStore = func(kept orders.Store) orders.Store { return heldOrders{kept, r.hold} }
	})
	r.Service = apptest.Start(t, options...)
	r.boss = r.Operate(t)
	return r
}

func (r *rig) name(of string) string {
	r.number++
	return fmt.Sprint(of, "-", r.number)
}

// someone is a person whose authority is taken away, and what others need for that.
type someone struct {
	id, email, password, role string
	headers                   []string // with which the person's requests are sent
	cookie, token, tokenID    string
	courierID                 string           // of a courier
	partner                   *apptest.Partner // of a user
	owner                     *apptest.User    // of the same partner, who stays
}

// operator adds an operator with a role, who has a token and a session.
func (r *rig) operator(role string, bySession bool) *someone {
	r.t.Helper()
	w := &someone{email: r.name(role) + "@example.com", password: "brume-et-vent-1907", role: role}
	courier := ""
	if role == "courier" {
		w.courierID = r.courier()
		courier = fmt.Sprintf(`,"courier_id":%q`, w.courierID)
	}
	body := fmt.Appendf(nil, `{"email":%q,"password":%q,"role":%q%s}`, w.email, w.password, role, courier)
	w.id = r.boss.Call(r.t, "POST", "/ops/v1/operators", body).Must(r.t, 201).Text("operator_id")
	login := fmt.Appendf(nil, `{"email":%q,"password":%q}`, w.email, w.password)
	token := r.Do(r.t, "POST", "/ops/v1/tokens", login).Must(r.t, 201)
	w.token, w.tokenID = token.Text("token"), token.Text("token_id")
	w.cookie = r.signIn("/ops/v1/login", w)
	w.headers = []string{"Authorization", "Bearer " + w.token}
	if bySession {
		w.headers = []string{"Cookie", w.cookie}
	}
	return w
}

// user adds a user with a role to a new partner, who has a session.
func (r *rig) user(role string, byPassword bool) *someone {
	r.t.Helper()
	p := r.Register(r.t, r.name("partner"))
	w := r.join(&someone{partner: p, owner: p.Owner(r.t)}, role)
	if byPassword {
		w.headers = []string{"X-Partner-Email", w.email, "X-Partner-Password", w.password}
	}
	return w
}

// join adds a user with a role to the partner of another, who has a session.
func (r *rig) join(other *someone, role string) *someone {
	r.t.Helper()
	w := &someone{email: r.name("user") + "@example.com", password: "brume-et-vent-1907", role: role}
	w.partner, w.owner = other.partner, other.owner
	w.id = r.colleague(w, w.email, role)
	w.cookie = r.signIn("/v1/auth/login", w)
	w.headers = []string{"Cookie", w.cookie}
	return w
}

// colleague adds a person to the team of a user's partner, and returns the person's id.
func (r *rig) colleague(w *someone, email, role string) (id string) {
	r.t.Helper()
	invitation := fmt.Appendf(nil, `{"email":%q,"role":%q}`, email, role)
	w.owner.Call(r.t, "POST", "/v1/team/invitations", invitation).Must(r.t, 201)
	acceptance := []byte(`{"name":"Sam","password":"brume-et-vent-1907"}`)
	accepted := r.Do(r.t, "POST", "/v1/auth/invitations/"+r.mails.token(), acceptance)
	return accepted.Must(r.t, 201).Text("user", "user_id")
}

// signIn begins another session of a person and returns its cookie.
func (r *rig) signIn(path string, w *someone) string {
	r.t.Helper()
	in := r.Do(r.t, "POST", path, fmt.Appendf(nil, `{"email":%q,"password":%q}`, w.email, w.password)).Must(r.t, 200)
	cookie, _, _ := strings.Cut(in.Header.Get("Set-Cookie"), ";")
	return cookie
}

func (r *rig) courier() string {
	r.t.Helper()
	body := []byte(`{"name":"Camille","phone":"+15145550177","vehicle":"van","active":true}`)
	return r.boss.Call(r.t, "POST", "/ops/v1/couriers", body).Must(r.t, 201).Text("courier_id")
}

// loss is a way to lose one's authority.
type loss struct {
	name   string
	status int // with which a change is refused afterwards
}

var losses = []loss{{"removed", 401}, {"demoted", 403}, {"signed out", 401}}

// take takes a person's authority away. It is called on a goroutine of the service.
func (r *rig) take(l loss, w *someone) {
	answer, err := r.taking(l, w)
	if err != nil || answer.Status/100 != 2 {
		r.t.Errorf("%s: got %v, %+v, want the person's authority taken away", l.name, err, answer)
	}
}

// suspension is the body of a request that suspends a partner.
const suspension = `{"suspended":true,"suspended_reason":"unpaid"}`

func (r *rig) taking(l loss, w *someone) (*apptest.Answer, error) {
	boss, json := []string{"Authorization", "Bearer " + r.boss.Token}, "Content-Type"
	owner := func(method, body string) (*apptest.Answer, error) {
		return r.Try(method, "/v1/team/"+w.id, []byte(body), "Cookie", w.owner.Cookie, json, "application/json")
	}
	operator := func(body string) (*apptest.Answer, error) {
		return r.Try("PATCH", "/ops/v1/operators/"+w.id, []byte(body), append(boss, json, "application/json")...)
	}
	switch {
	case l.name == "suspended":
		boss = append(boss, json, "application/json")
		return r.Try("PATCH", "/ops/v1/partners/"+w.partnerID(), []byte(suspension), boss...)
	case l.name == "removed" && w.partner != nil:
		return owner("DELETE", "")
	case l.name == "removed":
		return operator(`{"active":false}`)
	case l.name == "demoted" && w.partner != nil:
		return owner("PATCH", `{"role":"reader"}`)
	case l.name == "demoted" && w.role == "warehouse":
		return operator(`{"role":"dispatcher"}`)
	case l.name == "demoted":
		return operator(`{"role":"warehouse"}`)
	case slices.Contains(w.headers, "X-Partner-Password"): // whose password is changed
		change := fmt.Appendf(nil, `{"current_password":%q,"new_password":"lune-sur-les-quais-88"}`, w.password)
		return r.Try("POST", "/v1/auth/password", change, "Cookie", w.cookie, json, "application/json")
	case w.partner != nil:
		return r.Try("POST", "/v1/auth/logout", nil, "Cookie", w.cookie)
	case w.headers[0] == "Cookie":
		return r.Try("POST", "/ops/v1/logout", nil, "Cookie", w.cookie)
	default:
		return r.Try("DELETE", "/ops/v1/tokens/"+w.tokenID, nil, boss...)
	}
}

// unrelated are the tables in which the service itself counts and notes what happens. The
// loose pictures are counted at the end.
var unrelated = []string{
	"goose_db_version", "loose_pictures", "nodes", "rate_ledgers", "rate_leases", "request_log", "settings",
	"sign_in_counts",
}

// dump returns the rows of all tables that people's changes write. Of events and
// endpoints, which the sender writes too, it returns those of one partner. It leaves out
// the last use of keys, which the service notes.
func (r *rig) dump(partnerID string) string {
	r.t.Helper()
	r.dumping.Do(func() { r.rows = r.rowsQuery() })
	rows := r.Query(r.t, strings.ReplaceAll(r.rows, "PARTNER", partnerID))
	slices.Sort(rows)
	return strings.Join(rows, "\n")
}

// rowsQuery returns a query that returns each row of the tables as a text.
func (r *rig) rowsQuery() string {
	r.t.Helper()
	columns, value := `SELECT m.name, p.name FROM sqlite_master AS m JOIN pragma_table_info(m.name) AS p
		WHERE m.type = 'table' AND m.name NOT LIKE 'sqlite%'`, "quote(%s)"
	if r.Database != "" {
		columns = "SELECT table_name::text, column_name::text FROM information_schema.columns WHERE table_schema = current_schema()"
		value = "quote_literal(%s)"
	}
	values := map[string][]string{}
	for _, row := range r.Query(r.t, columns) {
		table, column, _ := strings.Cut(row, " ")
		if !slices.Contains(unrelated, table) && column != "last_used_at" {
			values[table] = append(values[table], fmt.Sprintf(value, column))
		}
	}
	var parts []string
	for table, all := range values {
		part := fmt.Sprintf("SELECT '%s: ' || %s FROM %s", table, strings.Join(all, " || ' ' || "), table)
		if strings.HasPrefix(table, "event") || strings.HasPrefix(table, "webhook") {
			part += " WHERE partner_id = 'PARTNER'"
		}
		parts = append(parts, part)
	}
	if len(parts) < 20 {
		r.t.Errorf("got %d tables to compare, want more", len(parts))
	}
	return strings.Join(parts, " UNION ALL ")
}

// request is one request that changes something.
type request struct {
	target  string
	body    string
	kind    string // its Content-Type, unless that is JSON
	key     string // its Idempotency-Key; empty for none
	partner string // whose events and endpoint it may change
}

// send sends a request with the credentials of a person.
func (r *rig) send(method string, q request, w *someone) *apptest.Answer {
	r.t.Helper()
	headers := w.headers
	if q.kind != "" {
		headers = append([]string{"Content-Type", q.kind}, headers...)
	}
	if q.key != "" {
		headers = append([]string{"Idempotency-Key", q.key}, headers...)
	}
	return r.Do(r.t, method, q.target, []byte(q.body), headers...)
}

// race sends a request, and takes the person's authority away before the person's
// transaction of the given number begins. It reports false if there is none, and fails the
// test if anything is written afterwards on the person's behalf.
func (r *rig) race(o operation, l loss, transaction int, bySession bool) (held bool) {
	r.t.Helper()
	w := r.person(o, bySession)
	q := o.prepare(r, w)
	var before string
	var mails int
	r.hold.arm(w.id, transaction, func() {
		r.take(l, w)
		before, mails, held = r.dump(q.partner), r.mails.count(), true
	})
	answer := r.send(o.method(), q, w)
	r.hold.arm("", 0, nil)
	if !held {
		if answer.Status/100 != 2 {
			r.t.Errorf("%s: got status %d without a loss, want it carried out: %s", o.route, answer.Status, answer.Body)
		}
		return false
	}
	this := fmt.Sprintf("%s, %s before transaction %d", o.route, l.name, transaction)
	if transaction == 1 && answer.Status != l.status || answer.Status/100 == 5 {
		r.t.Errorf("%s: got status %d, want %d: %s", this, answer.Status, l.status, answer.Body)
	}
	if after := r.dump(q.partner); after != before {
		r.t.Errorf("%s: got rows\n%s\nwant none, and not these to be gone\n%s", this, missing(after, before),
			missing(before, after))
	}
	if sent := r.mails.count(); sent != mails {
		r.t.Errorf("%s: got %d mails, want none", this, sent-mails)
	}
	return true
}

// missing returns the lines of a text that another does not have.
func missing(text, other string) string {
	lines, known := strings.Split(text, "\n"), strings.Split(other, "\n")
	return strings.Join(slices.DeleteFunc(lines, func(line string) bool { return slices.Contains(known, line) }), "\n")
}

func (r *rig) person(o operation, bySession bool) *someone {
	r.t.Helper()
	if o.isOperators() {
		return r.operator(o.as, bySession)
	}
	return r.user(o.as, o.byPassword)
}

// engines are the options for a service on each engine.
func engines(t *testing.T, test func(*testing.T, ...apptest.Option)) {
	t.Run("embedded", func(t *testing.T) {
		t.Parallel()
		test(t)
	})
	t.Run("postgres", func(t *testing.T) {
		t.Parallel()
		test(t, apptest.Sharable(t))
	})
}

// TestChangesOfPeopleWhoLoseTheirAuthority holds every change of every route before each of
// its transactions, until the person has been removed or deactivated, has another role, or
// has been signed out. The change is refused, and leaves nothing behind.
func TestChangesOfPeopleWhoLoseTheirAuthority(t *testing.T) {
	t.Parallel()
	checkOperations(t)
	engines(t, func(t *testing.T, options ...apptest.Option) {
		r := newRig(t, options...)
		races := 0
		for i, o := range operations {
			last := 1
			for r.race(o, losses[0], last, i%2 == 0) {
				last++
			}
			others := losses[1:]
			if !testkit.Long() {
				others = others[i%2 : i%2+1]
			}
			for _, l := range others {
				for transaction := 1; transaction < last; transaction++ {
					r.race(o, l, transaction, i%2 == 1)
					races++
				}
			}
			races += last
			if last == 1 {
				t.Errorf("%s: got no transaction, want one that can be held", o.route)
			}
			if t.Failed() {
				t.FailNow()
			}
			t.Logf("%-62s %-10s %d transactions", o.route+o.way(), o.as, last-1)
		}
		if left := r.Query(t, "SELECT count(*) FROM loose_pictures"); left[0] != "0" {
			t.Errorf("got %s pictures without a proof, want none", left[0])
		}
		t.Logf("%d operations in %d races", len(operations), races)
	})
}

// checkOperations compares the table of operations with the routes: every route by which
// something is changed is in it, or is exempt.
func checkOperations(t *testing.T) {
	t.Helper()
	listed := map[string]bool{}
	for _, o := range operations {
		listed[o.route] = true
	}
	exempted := 0
	for _, route := range api.Routes() {
		name := route.Method + " " + route.Pattern
		if route.Method == http.MethodGet {
			continue
		}
		why := exempt[name]
		if why == "" {
			why = exemptAccess[route.Access]
		}
		switch {
		case listed[name] && exempt[name] != "":
			t.Errorf("%s: got it among the operations and exempt, want one of them", name)
		case listed[name]:
		case why == "":
			t.Errorf("%s changes something, but is not among the operations: add how it is sent", name)
		default:
			exempted++
			t.Logf("exempt: %-56s %s", name, why)
		}
		delete(listed, name)
	}
	for name := range listed {
		t.Errorf("%s is among the operations, but not among the routes", name)
	}
	t.Logf("%d operations, %d exempt", len(operations), exempted)
}
