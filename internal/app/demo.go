package app

import (
	"context"
	"encoding/base32"
	"fmt"
	"os"
	"strings"
	"time"

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
	// demoSetting is the setting that holds the demo in JSON.
	demoSetting = "demo"
)

// demo holds the ids of the sample data.
type demo struct {
	PartnerID string `json:"partner_id"`
	PublicKey string `json:"public_key"`
	TestKey   string `json:"test_key"` // the public key of test mode
	CourierID string `json:"courier_id"`
}

// demoPassword returns the password of a demo account: "partner" or "operator".
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
	if err != nil {
		return fmt.Errorf("seed the demo: %w", err)
	}
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
	testKey, err := a.partners.CreateKey(ctx, owner, partner.KeyRequest{Name: "demo in test mode", Mode: delivery.ModeTest})
	if err != nil {
		return seeded, err
	}
	if err := a.stockDemo(ctx, account.PartnerID); err != nil {
		return seeded, err
	}
	if _, err := a.operators.EnsureOperator(ctx, demoOperatorEmail, a.demoPassword("operator"), operator.RoleAdmin); err != nil {
		return seeded, err
	}
	courier, err := a.operators.CreateCourier(ctx, must(`{"name":"Camille Tremblay","phone":"+15145550177","vehicle":"cargo bike","active":true}`))
	if err != nil {
		return seeded, err
	}
	seeded = demo{PartnerID: account.PartnerID, PublicKey: key.PublicKey, TestKey: testKey.PublicKey, CourierID: courier.CourierID}
	text, err := strictjson.Marshal(seeded)
	if err != nil {
		return seeded, err
	}
	return seeded, a.store.SetSetting(ctx, demoSetting, string(text))
}

// demoOwner registers the sample partner unless it exists, and returns its owner.
func (a *App) demoOwner(ctx context.Context) (*partner.Member, error) {
	password := a.demoPassword("partner")
	_, err := a.partners.Register(ctx, must(fmt.Sprintf(`{"name":"Épicerie Demo","email":%q,"password":%q}`, demoPartnerEmail, password)))
	if err != nil && !refusal.HasCode(err, refusal.CodeEmailTaken) {
		return nil, err
	}
	return a.partners.ByPassword(ctx, demoPartnerEmail, password, "demo")
}

// stockDemo adds three products with stock at two locations.
func (a *App) stockDemo(ctx context.Context, partnerID string) error {
	_, before, err := a.stock.Products(ctx, stock.ProductFilter{PartnerID: partnerID, Limit: 1})
	if err != nil {
		return err
	}
	products := []string{
		`{"name":"Maple syrup 540 ml","price":12.99,"stock_min":20,"stock_max":500,"barcode":"0627843400011"}`,
		`{"name":"Dark roast coffee 1 kg","price":24.5,"stock_min":10,"stock_max":200,"barcode":"0627843400028"}`,
		`{"name":"Wool blanket","price":89,"stock_min":5,"stock_max":60,"barcode":"0627843400035"}`,
	}
	for _, product := range products[min(before, int64(len(products))):] {
		created, err := a.stock.CreateProduct(ctx, partnerID, must(product))
		if err != nil {
			return err
		}
		for location, quantity := range map[string]int{"MTL-1": 100, "TOR-1": 40} {
			receipt := fmt.Sprintf(`{"type":"IN","product_id":%d,"quantity":%d,"location":%q,"notes":"opening stock"}`, created.ProductID, quantity, location)
			if _, err := a.stock.Record(ctx, partnerID, must(receipt)); err != nil {
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
	_, err = fmt.Fprintf(a.Out, `Dropyard is ready at %[1]s

  partner    %[2]s  password %[3]s
  API key    %[4]s
  secret     %[5]s
  operator   %[6]s  password %[7]s
  courier    %[8]s
  test key   %[11]s
  its secret %[12]s

Create an order: paste this into another terminal.

%[9]s call POST /v1/orders --url %[1]s \
  --key %[4]s --secret %[5]s \
  -d '%[10]s'

Open the response's tracking_url with /html appended to see the recipient's page.
`, a.URL(), demoPartnerEmail, a.demoPassword("partner"), seeded.PublicKey, key.Secret,
		demoOperatorEmail, a.demoPassword("operator"), seeded.CourierID, programName(), demoOrder(a.Now()), seeded.TestKey, testKey.Secret)
	return err
}

// programName returns the command that starts this program: the binary or go run.
func programName() string {
	if strings.Contains(os.Args[0], "go-build") {
		return "go run ./cmd/dropyard"
	}
	return os.Args[0]
}

// demoOrder returns a valid order on one line, to be picked up tomorrow. Its
// partner_order_id differs at every start, so that it can be pasted after each.
func demoOrder(now time.Time) string {
	day := now.AddDate(0, 0, 1).Format(time.DateOnly)
	return fmt.Sprintf(`{"partner_order_id":"DEMO-%[1]d","service_level":"express",`+
		`"pickup":{"name":"Epicerie Demo","phone":"+15145550100","email":"shop@example.com",`+
		`"address":{"line1":"4000 Rue Saint-Denis","city":"Montreal","province":"QC","postal_code":"H2W 2M5","country":"CA"},`+
		`"time_window":{"start":"%[2]sT09:00:00-05:00","end":"%[2]sT12:00:00-05:00"}},`+
		`"dropoff":{"name":"Alex Martin","phone":"+14165550123","email":"alex@example.com",`+
		`"address":{"line1":"100 Queen St W","city":"Toronto","province":"ON","postal_code":"M5H 2N2","country":"CA","notes":"Ring twice"},`+
		`"time_window":{"start":"%[2]sT13:00:00-05:00","end":"%[2]sT18:00:00-05:00"}},`+
		`"parcels":[{"parcel_id":"P-1","description":"Books","length_cm":30,"width_cm":20,"height_cm":10,"weight_kg":2.5,"value_cents":4500},`+
		`{"parcel_id":"P-2","description":"Lamp","length_cm":40,"width_cm":40,"height_cm":60,"weight_kg":3,"value_cents":12000,"fragile":true}],`+
		`"items":[{"product_id":1,"quantity":2}]}`, now.Unix(), day)
}
