package main

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// person uses the command line with a home of their own. No secret is on a command line
// or in the environment: passwords come from standard input.
type person struct {
	*testing.T
	run
}

func newPerson(t *testing.T) *person {
	t.Helper()
	home := t.TempDir()
	return &person{t, run{dir: home, env: []string{"HOME=" + home, "XDG_CONFIG_HOME=" + filepath.Join(home, "config")}}}
}

// do runs a command line, in which ~ is a space within a word, with the given lines of
// input, and expects an exit code.
func (p *person) do(code int, commandLine string, input ...string) result {
	p.Helper()
	from := p.run
	from.stdin = strings.Join(input, "\n")
	words := strings.Fields(commandLine)
	for i := range words {
		words[i] = strings.ReplaceAll(words[i], "~", " ")
	}
	got := from.do(p.T, words...)
	if got.code != code {
		p.Fatalf("dropyard %s: got %+v, want exit code %d", commandLine, got, code)
	}
	return got
}

// must runs a command line and expects success and a pattern in its output, of which it
// returns the first group.
func (p *person) must(commandLine, pattern string, input ...string) string {
	p.Helper()
	got := p.do(0, commandLine, input...)
	found := regexp.MustCompile(pattern).FindStringSubmatch(got.stdout)
	if found == nil {
		p.Fatalf("dropyard %s: got\n%s\nwant %s", commandLine, got.stdout, pattern)
	}
	return found[len(found)-1]
}

// eventually runs a command line until there is a pattern in its output.
func (p *person) eventually(commandLine, pattern string) {
	p.Helper()
	late := hang(p.T)
	for wanted := regexp.MustCompile(pattern); ; {
		got := p.do(0, commandLine)
		if wanted.MatchString(got.stdout) {
			return
		}
		select {
		case <-late:
			p.Fatalf("dropyard %s: got\n%s\nwant %s", commandLine, got.stdout, pattern)
		default:
		}
	}
}

// refused runs a command line and expects an exit code and one line with a text.
func (p *person) refused(code int, commandLine, want string, input ...string) {
	p.Helper()
	got := p.do(code, commandLine, input...)
	line := regexp.MustCompile(`^idempotency key: \S+\n`).ReplaceAllString(got.stderr, "")
	line = regexp.MustCompile(`^Create an API key.*\n`).ReplaceAllString(line, "")
	if strings.Count(line, "\n") != 1 || !strings.HasPrefix(line, "dropyard: ") || !strings.Contains(got.stderr, want) {
		p.Errorf("dropyard %s: got %q, want one line with %q", commandLine, got.stderr, want)
	}
}

// TestPartnerSession is a partner from login to a delivered order and a replayed event.
func TestPartnerSession(t *testing.T) {
	t.Parallel()
	s := (run{dir: testkit.FastDir(t), env: []string{
		"DROPYARD_SIMULATE_PACE=10ms", "DROPYARD_RATE_LIMIT=0", "DROPYARD_WEBHOOK_ALLOW_INSECURE=true",
	}}).serve(t)
	account := s.Register(t, "metro")
	p := newPerson(t)
	p.refused(exitUsage, "orders list", "dropyard login")
	p.refused(exitRefused, "login --email metro@example.com --server "+s.URL, "unauthorized", "wrong password")
	p.must("login --server "+s.URL, `in test mode, with the new API key pk_test_`, account.Email, account.Password)
	p.must("login --email "+account.Email, `at `+s.URL+` .* in test mode`, account.Password)
	p.must("whoami", `partner +metro\ne-mail +metro@example.com\nmode +test`)

	p.must("quote --from=Montréal,QC~H2W2M5 --to=Toronto,ON~M5H2N2", `standard +\$\d`)
	p.must("quote --from=H2W2M5 --to=m5h~2n2", `same_day +\$\d`)
	if got := p.do(0, "quote --from=H2W2M5 --to=M5H2N2 --level=express"); !strings.Contains(got.stderr,
		"from: assumed Montréal, QC\nto: assumed Toronto, ON\n") {
		t.Errorf("got %q, want the places that were assumed", got.stderr)
	}
	p.refused(exitUsage, "quote --from=H2W --to=M5H2N2", "is not a postal code or CITY, PROVINCE POSTAL CODE")
	p.refused(exitRefused, "orders create --set service_level=overnight", "service_level: expected")
	order := p.must("orders create --sample --set reference=sim:deliver --set parcels[0].weight_kg:=2.5",
		`order +(ord_\w+)`)
	p.must("trigger order.delivered", `delivered +causes order.delivered`)
	p.must("orders list --status delivered", `delivered`)
	p.must("orders get "+order, `level +express`)
	p.must("track "+order, `from +Montréal, QC`)
	p.refused(exitNotFound, "orders get ord_none", "not_found")
	cancelled := p.must("orders create --sample", `order +(ord_\w+)`)
	link := p.must("orders label "+cancelled+" --link", `^(http\S+)\n$`)
	s.Do(t, "GET", strings.TrimPrefix(link, s.URL), nil).Must(t, 200)
	p.refused(exitUsage, "orders label "+cancelled+" --link -o label.pdf", "--link: name one order, and no --output")
	_ = p.do(0, "orders label "+cancelled+" -o label.pdf")
	if label, err := os.ReadFile(filepath.Join(p.dir, "label.pdf")); err != nil ||
		!strings.HasPrefix(string(label), "%PDF") {
		t.Errorf("got label %.20q, %v, want a PDF", label, err)
	}

	h := receive(t, 200, "")
	secret := p.must("webhooks set "+h.URL, `secret +(whsec_\S+)`)
	if got := p.do(0, "webhooks set "+h.URL); !strings.Contains(got.stderr, "keeps its secret; webhooks rotate-secret") {
		t.Errorf("webhooks set again: got %+v, want a notice about the secret", got)
	}
	p.must("webhooks get", `enabled +yes`)
	event := p.must("events list --type order.delivered --json -n 1", `"event_id":"([^"]+)"`)
	p.must("events redeliver "+event, `state +(pending|delivered)`)
	for {
		got := <-h.requests
		if err := client.VerifyWebhook(secret, got.Header, []byte(got.body)); err != nil {
			t.Errorf("got %s, %v, want it signed", got.body, err)
		}
		if got.Header.Get("Webhook-Id") == event {
			break
		}
	}
	p.must("events get "+event, `"type":"order.delivered"`)
	p.eventually("logs list --method POST", `201 +POST +/v1/orders`)
	p.must("keys list --json", `"public_key":"pk_test_`, account.Password)
	p.must("products --json --search syrup", `"name":"Maple syrup 540 ml"`)

	var listed struct {
		OrderID string `json:"order_id"`
	}
	if line := p.do(0, "orders list --json -n 1").stdout; json.Unmarshal([]byte(line), &listed) != nil ||
		listed.OrderID == "" || strings.Count(line, "\n") != 1 {
		t.Errorf("orders list --json: got %q, want one object on a line", line)
	}
	if got := p.do(0, "orders list -n 1"); got.stderr != "There are more; see --limit and --all.\n" ||
		strings.Contains(got.stdout, "\x1b") {
		t.Errorf("orders list -n 1: got %+v, want a notice, and no colours in a pipe", got)
	}
	p.must("logout", `Logged out`, account.Password)
	p.refused(exitUsage, "orders list", "dropyard login")
}

// TestLoginKeepsNoProfile logs in where the profile cannot be kept: no key is made whose
// secret would be lost.
func TestLoginKeepsNoProfile(t *testing.T) {
	t.Parallel()
	s := (run{dir: t.TempDir()}).serve(t)
	account := s.Register(t, "metro")
	before := s.Do(t, "GET", "/v1/auth/api-keys", nil, account.Login()...).Must(t, 200).Len("api_keys")
	p := newPerson(t)
	p.env = []string{"HOME=/proc/none", "XDG_CONFIG_HOME="} // where nothing can be made
	p.refused(exitFailed, "login --server "+s.URL, "no key was created, because it could not be kept", account.Email,
		account.Password)
	if after := s.Do(t, "GET", "/v1/auth/api-keys", nil, account.Login()...).Must(t,
		200).Len("api_keys"); after != before {
		t.Errorf("got %d keys, want the %d of before", after, before)
	}
}

// TestLoginWithKeyFromBrowser pastes an API key, and logs out, which asks for the account.
func TestLoginWithKeyFromBrowser(t *testing.T) {
	t.Parallel()
	s := (run{dir: testkit.FastDir(t)}).serve(t)
	account := s.Register(t, "metro").InTest(t)
	p := newPerson(t)
	p.refused(exitRefused, "login --browser --server "+s.URL, "unauthorized", account.PublicKey, "sk_wrong")
	p.must("login --browser --server "+s.URL, `in test mode, with the API key pk_test_`, account.PublicKey,
		account.SecretKey)
	p.must("whoami", `mode +test`)
	p.refused(exitRefused, "logout", "nothing was removed", account.Email, "wrong password")
	p.must("orders list --json", `^$`)
	p.must("logout", `Logged out`, account.Email, account.Password)
	if got := account.Call(t, "GET", "/v1/orders", nil); got.Status != 401 {
		t.Errorf("the key after logout: got %d, want 401", got.Status)
	}
}

// TestOperatorSession is an operator from login to a delivered order.
func TestOperatorSession(t *testing.T) {
	t.Parallel()
	s := (run{dir: testkit.FastDir(t), env: operatorEnv}).serve(t)
	account := s.Register(t, "metro")
	p := newPerson(t)
	p.must("login --profile live --mode live --server "+s.URL, `in live mode`, account.Email, account.Password)
	p.must("login --profile desk --operator --server "+s.URL, `as operator \S+ \(admin\)`, apptest.OperatorEmail,
		apptest.OperatorPassword)
	p.must("profiles", `\* +desk .*\n +live `)
	p.refused(exitUsage, "orders list", `profile "desk" has no API key`)
	p.refused(exitUsage, "board --server http://127.0.0.1:1", "not the server of profile")

	if got := p.do(0, "export list"); got.stdout != "" ||
		got.stderr != "There are none. This service exports nothing: start it with --export-to.\n" {
		t.Errorf("export list: got %+v, want a notice that names --export-to", got)
	}
	order := p.must("orders create --sample --profile live", `order +(ord_\w+)`)
	courier := p.must("couriers add Camille --phone +15145550100 --vehicle bike", `id +(cou_\w+)`)
	p.must("board", order+` +pending +metro`)
	p.must("partners --search METRO", account.PartnerID+` +metro +`)
	p.must("couriers", courier+` +Camille`)
	p.must("orders -n 1 --profile live", order)
	p.refused(exitUsage, "board move courier_assigned "+order, "--courier: needed with courier_assigned")
	p.refused(exitUsage, "picks record "+order, "--line or --packed")
	p.refused(exitRefused, "board move delivered "+order,
		"invalid_transition: an order that is pending cannot become delivered, only accepted, ")
	for _, step := range []string{
		"accepted ", "courier_assigned --courier " + courier + " ", "picked_up ", "out_for_delivery ", "delivered ",
	} {
		p.must("board move "+step+order, `status +\w`)
	}
	p.must("board get "+order, `status +delivered`)
	p.must("board --status delivered --partner "+account.PartnerID, order+` +delivered +metro`)
	if got := p.do(0, "board"); got.stderr != "There are none.\n" {
		t.Errorf("board: got %+v, want none", got)
	}
	p.must("track "+order+" --profile live", `status +delivered`)

	partner := "--partner " + account.PartnerID
	p.refused(exitRefused, "stock receive 1 40 --location A-01 "+partner, "product_id: expected")
	product := p.must("stock add Maple~syrup --price 12.50 "+partner, `product +(\d+)`)
	p.must("stock receive "+product+" 40 --location A-01 "+partner, `IN +40`)
	p.must("stock transfer "+product+" 15 --from A-01 --to B-02 "+partner, `TRANSFER +-15`)
	p.must("stock adjust "+product+" --by=-1 --location A-01 "+partner, `ADJUSTMENT +-1`)
	p.must("stock count "+product+"=20 --location A-01 "+partner, product+` +24 +20`)
	p.must("stock levels "+product+" "+partner, `at B-02 +15`)
	p.must("stock list "+partner, `Maple syrup +35`)
	p.must("stock journal --json -n 1 "+partner, `"type":"ADJUSTMENT"`)
	p.refused(exitUsage, "books count "+courier+" 5", `carries $0.00, so $5.00 is too much: count again, or enter why`)
	p.refused(exitUsage, "books adjust --reason Boxes "+account.PartnerID+" -4", "write -- in front of the arguments")
	p.refused(exitUsage, "books adjust --reason Boxes --order A-1 -- "+account.PartnerID+" -4", "the id of an order (")
	p.refused(exitUsage, "books pay "+account.PartnerID+" 1,469.00", "not an amount in dollars and cents")
	p.must("books set --from 2026-01-01", `charged since +2026-01-01`)
	p.must("books pay "+account.PartnerID+" 5,70", `owed in addition +-\$5.70`)
	p.must("books journal --columns quickbooks", `^JournalNo,JournalDate,`)
	p.refused(exitRefused, "books journal --columns sage", "columns: expected")
	owner := account.Owner(t)
	owner.Call(t, "PUT", "/v1/account/openid",
		fmt.Appendf(nil, `{"issuer":"https://login.metro.example","client_id":"yard","client_secret":"hunter2","password":%q}`,
			owner.Password)).Must(t, 200)
	owner.Call(t, "POST", "/v1/account/domains", []byte(`{"domain":"metro.invalid"}`)).Must(t, 201)
	p.must("company-sign-in show "+account.PartnerID, `provider +https://login.metro.example\n(.*\n)*metro.invalid +unchecked`)
	p.must("company-sign-in off "+account.PartnerID, `state +off`)
	p.must("company-sign-in on "+account.PartnerID+" --json", `"stopped":false`)
	p.refused(exitNotFound, "company-sign-in check "+account.PartnerID+" other.invalid", "not_found")
	p.must("company-sign-in remove "+account.PartnerID+" METRO.invalid", `state +on\n$`)
	card := p.must("rate-cards list --json", `"card_id":"([^"]+)"`)
	p.must("rate-cards preview --card "+card+" --order "+order, `CHARGE +NOW +PROPOSED\nbase`)
	p.must("logout --profile desk", `Logged out`)
	p.must("profiles list", `^ +NAME`)
}

// TestOperatorReceivesReturns hands parcels over, gives their order up, and receives what comes back.
func TestOperatorReceivesReturns(t *testing.T) {
	t.Parallel()
	s := (run{dir: testkit.FastDir(t), env: operatorEnv}).serve(t)
	account, p := s.Register(t, "metro"), newPerson(t)
	p.must("login --profile desk --operator --server "+s.URL, `as operator \S+ \(admin\)`, apptest.OperatorEmail,
		apptest.OperatorPassword)
	partner := "--partner " + account.PartnerID
	product := p.must("stock add Lamp --price 12.50 "+partner, `product +(\d+)`)
	p.must("stock receive "+product+" 5 --location A-01 "+partner, `IN +5`)
	items := `[{"product_id":` + product + `,"quantity":3}]`
	order := account.Create(t, testkit.OrderJSON("A-1", items)).Must(t, 201).Text("order_id")
	courier := p.must("couriers add Camille --phone +15145550100 --vehicle bike", `id +(cou_\w+)`)
	for _, step := range []string{"accepted ", "courier_assigned --courier " + courier + " ", "picked_up "} {
		p.must("board move "+step+order, `status +\w`)
	}
	p.refused(exitUsage, "board hand-over "+order+" --courier "+courier+" --location HUB-1", "can't be used together")
	p.refused(exitRefused, "board hand-over "+order, "either courier_id or location")
	p.must("board hand-over "+order+" --location HUB-1", `with +HUB-1`)
	p.must("board hand-over "+order+" --courier "+courier, `with +Camille`)
	account.Call(t, "PATCH", "/v1/orders/"+order, []byte(`{"dropoff":{"phone":"+14165550199"}}`), "Idempotency-Key",
		client.NewIdempotencyKey()).Must(t, 200)
	version := p.must("board get "+order, `version +(\d+)\n(?:.*\n)*edited .* dropoff\.phone, not confirmed`)
	p.must("board confirm "+order+" --order-version "+version, `edited .* confirmed .* by `)
	p.must("board get "+order, `edited .* dropoff\.phone, confirmed .* UTC by `+apptest.OperatorEmail)
	p.must("board move failed "+order, `status +failed`)
	p.refused(exitRefused, "board receive "+order+" --location A-01", "no parcels of this order are due back (request")
	p.must("board move cancelled "+order, `status +cancelled`)

	p.must("board returns", order+` +metro +A-1 +Camille .*3 × Lamp \(`+product+`\)`)
	for _, line := range []string{"7", product + ":x:sellable", product + ":3:wet", "x:3:sellable"} {
		p.refused(exitUsage, "board receive "+order+" --location A-01 --line="+line, "not PRODUCT:QUANTITY:CONDITION")
	}
	receive := "board receive " + order + " --location A-01 --line " + product + ":2:sellable"
	p.refused(exitRefused, receive, "add up to 3")
	p.must(receive+" --line "+product+":1:damaged", `return +received\nproduct `+product+` +2 sellable`)
	p.refused(exitRefused, receive, "received already")
	p.must("board returns --received", order+` +metro +A-1 +A-01 .*`+product+`:1:damaged`)
	p.must("stock levels "+product+" "+partner, `at A-01 +4`)
	if got := p.do(0, "board returns"); got.stderr != "There are none.\n" {
		t.Errorf("board returns: got %+v, want none", got)
	}
}

// TestServiceSettings shows that the desk has no number, and sets and removes one.
func TestServiceSettings(t *testing.T) {
	t.Parallel()
	s, p := (run{dir: testkit.FastDir(t), env: operatorEnv}).serve(t), newPerson(t)
	p.must("login --profile desk --operator --server "+s.URL, `as operator \S+ \(admin\)`, apptest.OperatorEmail,
		apptest.OperatorPassword)
	p.must("settings", `^dispatch phone +none\n`)
	p.must("settings set --dispatch-phone +15145550100", `^dispatch phone +\+15145550100\n`)
	p.must("settings show", `^dispatch phone +\+15145550100\n`)
	p.refused(exitUsage, "settings set", "one of them is needed")
	p.refused(exitUsage, "settings set --dispatch-phone +15145550100 --no-dispatch-phone", "only one of them")
	p.must("settings set --no-dispatch-phone", `^dispatch phone +none\n`)
	p.must("settings show --json", `"dispatch_phone":null`)
}
