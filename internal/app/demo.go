package app

import (
	"context"
	"encoding/base32"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	sample "github.com/dropyard/dropyard/internal/demo"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/date"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
)

// The demo's accounts. Their passwords are derived from the master key, so that
// they can be printed at every start and differ between installations.
const (
	demoOperatorEmail = "operator@example.com"
	demoCourierEmail  = "courier@example.com"
	// demoSetting is the setting that holds the demo in JSON.
	demoSetting = "demo"
)

// demoColleagues are operators with the password of the first one, one for each of the other roles at the desk.
var demoColleagues = []operator.Operator{
	{Email: "dispatcher@example.com", Role: operator.RoleDispatcher},
	{Email: "warehouse@example.com", Role: operator.RoleWarehouse},
	{Email: "accountant@example.com", Role: operator.RoleAccountant},
}

// demo holds the ids of the sample data, and how far the demo's day has come.
type demo struct {
	PartnerID string `json:"partner_id"`
	PublicKey string `json:"public_key"`
	TestKey   string `json:"test_key"` // the public key of test mode
	CourierID string `json:"courier_id"`
	// OrderID is the order that is on its way in a quiet demo; empty if there is none.
	OrderID string `json:"order_id,omitzero"`
	// Shops and Couriers are the ids of those of package demo, in its order; empty in a quiet
	// demo.
	Shops    []string `json:"shops,omitzero"`
	Couriers []string `json:"couriers,omitzero"`
	// Past is the last date before the day that needs no more orders.
	Past string `json:"past,omitzero"`
	// Date and Begin are those of the day, and Made is the number of its latest order: 0 until
	// those of the beginning are all there.
	Date  string    `json:"date,omitzero"`
	Begin time.Time `json:"begin,omitzero"`
	Made  int       `json:"made,omitzero"`
}

// demoFirm is who delivers in the demo. Its numbers are invented.
var demoFirm = money.Firm{
	Name: "Livraisons Plateau inc.", Address: "4200 Rue Saint-Denis\nMontréal QC  H2J 2K8",
	Numbers: money.Numbers{GSTHST: "123456789 RT0001", QST: "1234567890 TQ0001"},
}

// demoPassword returns the password of a demo account: "partner", "operator" or "courier".
func (a *App) demoPassword(account string) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(a.masterKey.Derive("demo " + account)[:10]))
}

// seedDemo creates the sample data at the first start with --demo, lets a demo that is not quiet go
// on where it was, and prints at every start how to use it.
func (a *App) seedDemo(ctx context.Context) error {
	stored, err := a.store.Setting(ctx, demoSetting)
	if err != nil {
		return err
	}
	var seeded demo
	if stored != "" {
		err = strictjson.Unmarshal([]byte(stored), &seeded)
	} else {
		seeded, err = a.createDemo(ctx)
	}
	a.demo = &seeded
	if err == nil && a.config.DemoQuiet {
		err = a.seedQuiet(ctx)
	} else if err == nil {
		err = a.openDay(ctx)
	}
	if err == nil {
		err = a.addColleagues(ctx)
	}
	if err == nil { // after the days that are past, whose movements need no events
		err = a.connectStock(ctx, seeded.PartnerID)
	}
	if err != nil {
		return fmt.Errorf("seed the demo: %w", err)
	}
	return a.printDemo(ctx, seeded)
}

// addColleagues adds the accounts of the other roles that are missing, as in the demo of an earlier release.
func (a *App) addColleagues(ctx context.Context) (err error) {
	accounts := a.openDemoAccounts(a.Now())
	defer func() { err = errors.Join(err, accounts.partners.Close()) }()
	for _, c := range demoColleagues {
		_, err = accounts.operators.EnsureOperator(demoContext(ctx), c.Email, a.demoPassword("operator"), c.Role)
		if errors.Is(err, errOlderNode) { // the next start adds it
			return nil
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// seedQuiet adds what a quiet demo has besides its accounts.
func (a *App) seedQuiet(ctx context.Context) (err error) {
	partnerID := a.demo.PartnerID
	if err := a.connectDemo(ctx, partnerID, delivery.TestAccount(partnerID)); err != nil || a.demo.OrderID != "" {
		return err
	}
	accounts := a.openDemoAccounts(a.Now())
	defer func() { err = errors.Join(err, accounts.partners.Close()) }()
	if err := a.addCourierAccount(demoContext(ctx), accounts); err != nil {
		return err
	}
	return a.addDemoOrders(ctx, a.demo)
}

// demoAccounts are the services by which a demo opens accounts, at a time that may be past.
type demoAccounts struct {
	at        time.Time
	partners  *partner.Service
	operators *operator.Service
	stock     *stock.Service
}

// demoCost is that of the demo's passwords. They are as long as keys, so that making guesses dear would
// add nothing, and a demo that starts would wait for it eight times.
var demoCost = credential.Cost{Memory: 64, Passes: 1, Lanes: 1}

// openDemoAccounts returns the services. The caller closes them.
func (a *App) openDemoAccounts(at time.Time) *demoAccounts {
	partners, operators := a.partnerConfig(), a.operatorConfig()
	partners.Now, operators.Now = func() time.Time { return at }, func() time.Time { return at }
	partners.Hasher = credential.NewHasher(demoCost, a.Random)
	operators.Hasher = partners.Hasher
	return &demoAccounts{
		at: at, partners: partner.NewService(partners), operators: operator.NewService(operators),
		stock: stock.NewService(stock.Config{Store: a.store.Stock(), Now: partners.Now, Random: a.Random}),
	}
}

// demoContext returns a context in which what the demo creates is noted as what the settings ask for.
func demoContext(ctx context.Context) context.Context {
	return audit.WithOperation(ctx, audit.Operation{OperatorID: "settings"})
}

// createDemo creates the sample accounts. If an earlier start was killed half way, it adds what is
// missing. Those of a demo with a history are older than that.
func (a *App) createDemo(ctx context.Context) (seeded demo, err error) {
	ctx = demoContext(ctx)
	opened := a.Now()
	if !a.config.DemoQuiet {
		opened = opened.AddDate(0, 0, -sample.History-1)
		seeded.Past = a.demoDate(opened)
	}
	accounts := a.openDemoAccounts(opened)
	defer func() { err = errors.Join(err, accounts.partners.Close()) }()
	owner, err := a.demoOwner(ctx, accounts, &sample.Shops[0])
	if err != nil {
		return seeded, err
	}
	seeded.PartnerID = owner.Partner.PartnerID
	key, err := accounts.partners.CreateKey(ctx, owner, partner.KeyRequest{Name: "demo"})
	if err != nil {
		return seeded, err
	}
	testKey, err := accounts.partners.CreateKey(ctx, owner,
		partner.KeyRequest{Name: "demo in test mode", Mode: delivery.ModeTest})
	if err != nil {
		return seeded, err
	}
	seeded.PublicKey, seeded.TestKey = key.PublicKey, testKey.PublicKey
	if err := a.stockDemo(ctx, accounts, seeded.PartnerID, &sample.Shops[0]); err != nil {
		return seeded, err
	}
	if _, err := accounts.operators.EnsureOperator(ctx, demoOperatorEmail, a.demoPassword("operator"),
		operator.RoleAdmin); err != nil {
		return seeded, err
	}
	if seeded.CourierID, err = a.demoCourier(ctx, accounts, &sample.Couriers[0]); err != nil {
		return seeded, err
	}
	if err := a.openBooks(ctx, opened); err != nil {
		return seeded, err
	}
	err = a.keepDemo(ctx, &seeded)
	return seeded, err
}

// openBooks sets the firm of the demo and the first day of its books, before the first order, unless
// they are set.
func (a *App) openBooks(ctx context.Context, opened time.Time) error {
	set, err := a.accounting.Settings(ctx)
	if err != nil || set.From != 0 {
		return err
	}
	if err := a.accounting.SetFirm(ctx, nil, accounting.FirmEntry{Firm: demoFirm}); err != nil {
		return err
	}
	from := date.Of(opened, a.demoClock())
	_, err = a.accounting.ChangeSettings(ctx, nil, accounting.SettingsChange{From: &from})
	return err
}

func (a *App) keepDemo(ctx context.Context, seeded *demo) error {
	text, err := strictjson.Marshal(seeded)
	if err != nil {
		return err
	}
	return a.store.SetSetting(ctx, demoSetting, string(text))
}

// demoOwner registers a shop unless it exists, and returns its owner.
func (a *App) demoOwner(ctx context.Context, by *demoAccounts, shop *sample.Shop) (*partner.Member, error) {
	password := a.demoPassword("partner")
	if shop != &sample.Shops[0] {
		password = a.demoPassword("partner " + shop.Prefix)
	}
	_, err := by.partners.Register(ctx,
		partner.NewAccount{Name: shop.Name, PersonName: shop.Person, Email: shop.Email, Password: password})
	if err != nil && !refusal.HasCode(err, refusal.CodeEmailTaken) {
		return nil, err
	}
	found, _, err := a.userSignIns.ByPassword(ctx, shop.Email, password, "demo")
	if err != nil {
		return nil, err
	}
	return found.(*partner.Member), nil //nolint:forcetypeassert // as all users are
}

// demoCourier adds a courier unless there is one with the name, and returns the id.
func (a *App) demoCourier(ctx context.Context, by *demoAccounts, courier *sample.Courier) (string, error) {
	known, err := simulated{a.orders, a.operators}.Couriers(ctx)
	if err != nil || known[courier.Name] != "" {
		return known[courier.Name], err
	}
	added, err := by.operators.CreateCourier(ctx,
		operator.CourierEntry{Name: courier.Name, Phone: courier.Phone, Vehicle: courier.Vehicle})
	if err != nil {
		return "", err
	}
	return added.CourierID, nil
}

// addCourierAccount adds the account by which the first courier signs in, unless there is one.
func (a *App) addCourierAccount(ctx context.Context, by *demoAccounts) error {
	account := operator.Operator{Email: demoCourierEmail, Role: operator.RoleCourier, CourierID: a.demo.CourierID}
	_, err := by.operators.Add(ctx, account, a.demoPassword("courier"))
	if errors.Is(err, operator.ErrCourierTaken) || refusal.HasCode(err, refusal.CodeEmailTaken) {
		return nil
	}
	return err
}

// quietStock is what a quiet demo has of each product.
var quietStock = map[string]int64{"MTL-1": 100, "TOR-1": 40}

// stockDemo adds the products of a shop that are missing, with their stock.
func (a *App) stockDemo(ctx context.Context, by *demoAccounts, partnerID string, shop *sample.Shop) error {
	_, before, err := a.stock.Products(ctx, stock.ProductFilter{PartnerID: partnerID, Limit: 1})
	if err != nil {
		return err
	}
	for _, product := range shop.Products[min(before, int64(len(shop.Products))):] {
		created, err := by.stock.CreateProduct(ctx, partnerID, product.Product)
		if err != nil {
			return err
		}
		opening := product.Opening
		if a.config.DemoQuiet {
			opening = quietStock
		}
		for _, location := range slices.Sorted(maps.Keys(opening)) {
			_, err := by.stock.Record(ctx, partnerID, stock.Booking{
				Kind: delivery.MovementIn, ProductID: created.ProductID, Quantity: opening[location], From: location,
				Notes: "opening stock",
			})
			if err != nil {
				return err
			}
		}
	}
	return nil
}

// must parses a document from this file, and panics if it is not JSON.
func must(text string) *strictjson.Value {
	root, err := strictjson.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return root
}

func (a *App) printDemo(ctx context.Context, seeded demo) error {
	key, err := a.partners.SigningKey(ctx, seeded.PublicKey)
	if err != nil {
		return err
	}
	testKey, err := a.partners.SigningKey(ctx, seeded.TestKey)
	if err != nil {
		return err
	}
	if key == nil || testKey == nil {
		_, err = fmt.Fprintln(a.Out, "An API key of the demo has been revoked. Log in and create another one.")
		return err
	}
	_, err = fmt.Fprintf(a.Out, `Dropyard is ready at %[1]s/

%[15]s

  partner    %[2]s  password %[3]s
  API key    %[4]s
  secret     %[5]s
  operator   %[6]s  password %[7]s
%[16]s  courier    %[13]s  password %[14]s
  courier id %[8]s
  test key   %[11]s
  its secret %[12]s

Create an order: paste this into another terminal.

export DROPYARD_URL=%[1]s
export DROPYARD_KEY=%[4]s
export DROPYARD_SECRET=%[5]s
%[9]s call POST /v1/orders -d '%[10]s'

Open the response's tracking_url with /html appended to see the recipient's page.
`, a.URL(), sample.Shops[0].Email, a.demoPassword("partner"), seeded.PublicKey, key.Secret,
		demoOperatorEmail, a.demoPassword("operator"), seeded.CourierID, programName(), pastedOrder(a.Now()), seeded.TestKey,
		testKey.Secret, demoCourierEmail, a.demoPassword("courier"), a.demoInvitation(), a.demoColleagueLines())
	return err
}

// demoColleagueLines returns a line for each of the other roles.
func (a *App) demoColleagueLines() string {
	var lines strings.Builder
	for _, c := range demoColleagues {
		_, _ = fmt.Fprintf(&lines, "  %-10s %s  password %s\n", c.Role, c.Email, a.demoPassword("operator"))
	}
	return lines.String()
}

// programName returns the command that starts this program: the binary or go run.
func programName() string {
	if strings.Contains(os.Args[0], "go-build") {
		return "go run ./cmd/dropyard"
	}
	return os.Args[0]
}

// demoInvitation says how to look at the demo in a browser.
func (a *App) demoInvitation() string {
	if !a.config.LocalDemo() {
		return "Open that in a browser: an order is on its way. Sign in with these passwords:"
	}
	return "Open that in a browser on this machine: one click signs you in as the partner, the\n" +
		"operator or the courier, and an order is on its way. With a password or a program:"
}
