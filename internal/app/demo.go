package app

import (
	"context"
	"encoding/base32"
	"fmt"
	"os"
	"strings"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/stock"
)

// The demo's accounts. Their passwords are derived from the master key, so that
// they can be printed at every start and differ between installations.
const (
	demoPartnerEmail  = "demo@example.com"
	demoOperatorEmail = "operator@example.com"
	demoCourierEmail  = "courier@example.com"
	// demoSetting is the setting that holds the demo in JSON.
	demoSetting = "demo"
)

// demo holds the ids of the sample data.
type demo struct {
	PartnerID string `json:"partner_id"`
	PublicKey string `json:"public_key"`
	TestKey   string `json:"test_key"` // the public key of test mode
	CourierID string `json:"courier_id"`
	// OrderID is the order that is on its way; empty if an earlier version has made the
	// demo.
	OrderID string `json:"order_id,omitzero"`
}

// demoPassword returns the password of a demo account: "partner", "operator" or "courier".
func (a *App) demoPassword(account string) string {
	return strings.ToLower(base32.StdEncoding.EncodeToString(a.masterKey.Derive("demo " + account)[:10]))
}

// seedDemo creates the sample data at the first start with --demo, and prints at
// every start how to use it.
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
	if err == nil {
		err = a.connectDemo(ctx, seeded.PartnerID)
	}
	if err == nil && seeded.OrderID == "" {
		err = a.addDemoOrders(ctx, &seeded)
	}
	if err != nil {
		return fmt.Errorf("seed the demo: %w", err)
	}
	a.demo = &seeded
	return a.printDemo(ctx, seeded)
}

// createDemo creates the sample data. If an earlier start was killed half way, it
// adds what is missing.
func (a *App) createDemo(ctx context.Context) (seeded demo, err error) {
	ctx = audit.WithOperation(ctx, audit.Operation{OperatorID: "settings"})
	owner, err := a.demoOwner(ctx)
	if err != nil {
		return seeded, err
	}
	account := owner.Partner
	key, err := a.partners.CreateKey(ctx, owner, partner.KeyRequest{Name: "demo"})
	if err != nil {
		return seeded, err
	}
	testKey, err := a.partners.CreateKey(ctx, owner,
		partner.KeyRequest{Name: "demo in test mode", Mode: delivery.ModeTest})
	if err != nil {
		return seeded, err
	}
	if err := a.stockDemo(ctx, account.PartnerID); err != nil {
		return seeded, err
	}
	if _, err := a.operators.EnsureOperator(ctx, demoOperatorEmail, a.demoPassword("operator"),
		operator.RoleAdmin); err != nil {
		return seeded, err
	}
	courier, err := a.operators.CreateCourier(ctx,
		operator.CourierEntry{Name: "Camille Tremblay", Phone: "+15145550177", Vehicle: "cargo bike"})
	if err != nil {
		return seeded, err
	}
	seeded = demo{
		PartnerID: account.PartnerID, PublicKey: key.PublicKey, TestKey: testKey.PublicKey, CourierID: courier.CourierID,
	}
	return seeded, a.keepDemo(ctx, seeded)
}

func (a *App) keepDemo(ctx context.Context, seeded demo) error {
	text, err := strictjson.Marshal(seeded)
	if err != nil {
		return err
	}
	return a.store.SetSetting(ctx, demoSetting, string(text))
}

// demoOwner registers the sample partner unless it exists, and returns its owner.
func (a *App) demoOwner(ctx context.Context) (*partner.Member, error) {
	password := a.demoPassword("partner")
	_, err := a.partners.Register(ctx,
		partner.NewAccount{Name: "Épicerie Demo", Email: demoPartnerEmail, Password: password})
	if err != nil && !refusal.HasCode(err, refusal.CodeEmailTaken) {
		return nil, err
	}
	found, _, err := a.userSignIns.ByPassword(ctx, demoPartnerEmail, password, "demo")
	if err != nil {
		return nil, err
	}
	return found.(*partner.Member), nil //nolint:forcetypeassert // as all users are
}

// stockDemo adds three products with stock at two locations.
func (a *App) stockDemo(ctx context.Context, partnerID string) error {
	_, before, err := a.stock.Products(ctx, stock.ProductFilter{PartnerID: partnerID, Limit: 1})
	if err != nil {
		return err
	}
	products := []delivery.Product{
		{
			Name: "Maple syrup 540 ml", PriceCents: 12_99, StockMin: 20, StockMax: 500, Barcode: "0627843400011",
			Status: delivery.ProductActive,
		},
		{
			Name: "Dark roast coffee 1 kg", PriceCents: 24_50, StockMin: 10, StockMax: 200, Barcode: "0627843400028",
			Status: delivery.ProductActive,
		},
		{
			Name: "Wool blanket", PriceCents: 89_00, StockMin: 5, StockMax: 60, Barcode: "0627843400035",
			Status: delivery.ProductActive,
		},
	}
	for _, product := range products[min(before, int64(len(products))):] {
		created, err := a.stock.CreateProduct(ctx, partnerID, product)
		if err != nil {
			return err
		}
		for location, quantity := range map[string]int64{"MTL-1": 100, "TOR-1": 40} {
			_, err := a.stock.Record(ctx, partnerID, stock.Booking{
				Kind: delivery.MovementIn, ProductID: created.ProductID, Quantity: quantity, From: location, Notes: "opening stock",
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
  courier    %[13]s  password %[14]s
  courier id %[8]s
  test key   %[11]s
  its secret %[12]s

Create an order: paste this into another terminal.

export DROPYARD_URL=%[1]s
export DROPYARD_KEY=%[4]s
export DROPYARD_SECRET=%[5]s
%[9]s call POST /v1/orders -d '%[10]s'

Open the response's tracking_url with /html appended to see the recipient's page.
`, a.URL(), demoPartnerEmail, a.demoPassword("partner"), seeded.PublicKey, key.Secret,
		demoOperatorEmail, a.demoPassword("operator"), seeded.CourierID, programName(), pastedOrder(a.Now()), seeded.TestKey,
		testKey.Secret, demoCourierEmail, a.demoPassword("courier"), a.demoInvitation())
	return err
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
