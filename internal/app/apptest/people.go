package apptest

import (
	"context"
	"fmt"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signature"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/google/uuid"
)

// Partner is a partner with an API key.
type Partner struct {
	*Service
	PartnerID string
	Email     string
	Password  string
	KeyID     string
	PublicKey string
	SecretKey string
}

// Register registers a partner and creates an API key for it.
func (s *Service) Register(t testing.TB, name string) *Partner {
	t.Helper()
	p := &Partner{Service: s, Email: name + "@example.com", Password: "a long password of " + name}
	account := s.Do(t, "POST", "/v1/auth/register",
		fmt.Appendf(nil, `{"name":%q,"email":%q,"password":%q}`, name, p.Email, p.Password)).Must(t, 201)
	p.PartnerID = account.Text("partner_id")
	p.prove(t)
	return p.NewKey(t)
}

// prove confirms the address of a partner's owner, as the link in the mail does.
func (p *Partner) prove(t testing.TB) {
	t.Helper()
	if !p.Mails {
		return
	}
	ctx := context.Background()
	err := p.InStore(ctx, func(db *store.Store) error {
		return db.UserSignIns().Write(ctx, func(tx signin.Writer) error {
			owner, err := tx.PersonByEmail(ctx, p.Email)
			if err != nil {
				return err
			}
			return tx.Prove(ctx, owner.PersonID)
		})
	})
	if err != nil {
		t.Fatal(err)
	}
}

// NewKey creates another API key, with the given scopes or all, and returns the same
// partner with that key.
func (p *Partner) NewKey(t testing.TB, scopes ...string) *Partner {
	t.Helper()
	body := []byte(`{"name":"test"}`)
	if len(scopes) > 0 {
		body = fmt.Appendf(nil, `{"name":"test","scopes":["%s"]}`, strings.Join(scopes, `","`))
	}
	key := p.Do(t, "POST", "/v1/auth/api-keys", body, p.Login()...).Must(t, 201)
	with := *p
	with.KeyID, with.PublicKey, with.SecretKey = key.Text("key_id"), key.Text("public_key"), key.Text("secret_key")
	return &with
}

// InTest creates a test key and returns the same partner with that key, and with the
// id of its test account.
func (p *Partner) InTest(t testing.TB) *Partner {
	t.Helper()
	key := p.Do(t, "POST", "/v1/auth/api-keys", []byte(`{"name":"test","mode":"test"}`), p.Login()...).Must(t, 201)
	with := *p
	with.PartnerID = delivery.TestAccount(p.PartnerID)
	with.KeyID, with.PublicKey, with.SecretKey = key.Text("key_id"), key.Text("public_key"), key.Text("secret_key")
	return &with
}

// Login returns the headers that authenticate by password.
func (p *Partner) Login() []string {
	return []string{"X-Partner-Email", p.Email, "X-Partner-Password", p.Password}
}

// InsertKey writes an API key of the test's choice into the database and returns
// the same partner with that key.
func (p *Partner) InsertKey(t testing.TB, publicKey, secretKey string) *Partner {
	t.Helper()
	with := *p
	with.KeyID, with.PublicKey, with.SecretKey = "key_"+publicKey, publicKey, secretKey
	if err := p.insert(t, &with); err != nil {
		t.Fatal(err)
	}
	return &with
}

func (p *Partner) insert(t testing.TB, with *Partner) error {
	master, err := credential.OpenMasterKey(filepath.Join(p.Data, "master.key"), "", Random(t))
	if err != nil {
		return err
	}
	sealer, err := credential.NewSealer(master.Derive("secrets"))
	if err != nil {
		return err
	}
	ctx := context.Background()
	return p.InStore(ctx, func(db *store.Store) error {
		return db.Partners().Write(ctx, func(tx partner.Writer) error {
			return tx.AddAPIKey(ctx, &partner.SealedKey{
				APIKey: partner.APIKey{
					KeyID: with.KeyID, PublicKey: with.PublicKey, CreatedAt: p.Clock.Now(), Mode: delivery.ModeLive,
				},
				PartnerID: p.PartnerID,
				Secret:    sealer.Seal([]byte(with.SecretKey), with.KeyID),
			})
		})
	})
}

// User is a person of a partner, who is logged in.
type User struct {
	*Partner
	UserID   string
	Email    string
	Password string
	Cookie   string // the Cookie header of the session
}

// Owner logs in as the user who registered the partner.
func (p *Partner) Owner(t testing.TB) *User {
	t.Helper()
	u := &User{Partner: p, Email: p.Email, Password: p.Password}
	u.login(t)
	return u
}

// login begins a session of the user.
func (u *User) login(t testing.TB) {
	t.Helper()
	login := u.Do(t, "POST", "/v1/auth/login", fmt.Appendf(nil, `{"email":%q,"password":%q}`, u.Email, u.Password)).Must(t,
		200)
	u.UserID = login.Text("user", "user_id")
	u.Cookie, _, _ = strings.Cut(login.Header.Get("Set-Cookie"), ";")
}

// As adds a user with a role to the partner and logs in as that user.
func (p *Partner) As(t testing.TB, role string) *User {
	t.Helper()
	u := &User{Partner: p, Email: role + "-of-" + p.Email, Password: "a long password of a " + role}
	ctx := context.Background()
	hash, err := CheapHasher(Random(t)).Hash(ctx, u.Password)
	if err != nil {
		t.Fatal(err)
	}
	if u.UserID, err = identifier.New(Random(t), "usr_"); err != nil {
		t.Fatal(err)
	}
	err = p.InStore(ctx, func(db *store.Store) error {
		return db.Partners().Write(ctx, func(tx partner.Writer) error {
			_, err := tx.AddUser(ctx, &partner.Account{
				User: partner.User{
					UserID: u.UserID, PartnerID: p.PartnerID, Email: u.Email, Name: role, Role: partner.Role(role),
					CreatedAt: p.Clock.Now(),
				},
				EmailKey: u.Email, PasswordHash: hash,
			})
			return err
		})
	})
	if err != nil {
		t.Fatal(err)
	}
	u.login(t)
	return u
}

// Login returns the headers that authenticate by password.
func (u *User) Login() []string {
	return []string{"X-Partner-Email", u.Email, "X-Partner-Password", u.Password}
}

// Call sends a request in the user's session.
func (u *User) Call(t testing.TB, method, target string, body []byte) *Answer {
	t.Helper()
	return u.Do(t, method, target, body, "Cookie", u.Cookie)
}

// Signed returns the headers of a request that is signed now.
func (p *Partner) Signed(method, target string, body []byte) []string {
	return p.SignedAt(p.Clock.Now(), method, target, body)
}

// SignedAt returns the headers of a request that was signed at the given time.
func (p *Partner) SignedAt(at time.Time, method, target string, body []byte) []string {
	return p.SignedWith(strconv.FormatInt(at.Unix(), 10), method, target, body)
}

// SignedWith returns the headers of a request that is signed with a timestamp,
// which may be malformed.
func (p *Partner) SignedWith(timestamp, method, target string, body []byte) []string {
	path, _, _ := strings.Cut(target, "?")
	signed := signature.Request{Timestamp: timestamp, Method: method, Path: path, Body: body}
	return []string{"X-Api-Key", p.PublicKey, "X-Timestamp", timestamp, "X-Signature", signed.Sign([]byte(p.SecretKey))}
}

// SignedV2 is Signed with version 2 and the given headers, some of which are signed.
func (p *Partner) SignedV2(method, target string, body []byte, nonce string, headers ...string) []string {
	path, query, _ := strings.Cut(target, "?")
	contentType := HeaderOf(headers, "Content-Type")
	if contentType == "" && len(body) > 0 {
		contentType = "application/json" // which Do sends
	}
	at := strconv.FormatInt(p.Clock.Now().Unix(), 10)
	signed := signature.RequestV2{
		Request: signature.Request{Timestamp: at, Method: method, Path: path, Body: body},
		Query:   query, IdempotencyKey: HeaderOf(headers, "Idempotency-Key"), ContentType: contentType, Nonce: nonce,
	}
	all := append([]string{"X-Api-Key", p.PublicKey, "X-Timestamp", at, "X-Signature", signed.Sign([]byte(p.SecretKey))},
		headers...)
	if nonce != "" {
		all = append(all, "X-Nonce", nonce)
	}
	return all
}

// HeaderOf returns the value of a header; empty if there is none. Headers alternate names
// and values.
func HeaderOf(headers []string, name string) string {
	for i := 0; i+1 < len(headers); i += 2 {
		if headers[i] == name {
			return headers[i+1]
		}
	}
	return ""
}

// Call sends a signed request. Headers alternate names and values.
func (p *Partner) Call(t testing.TB, method, target string, body []byte, headers ...string) *Answer {
	t.Helper()
	return p.Do(t, method, target, body, append(p.Signed(method, target, body), headers...)...)
}

// Create creates an order under a fresh idempotency key.
func (p *Partner) Create(t testing.TB, body []byte) *Answer {
	t.Helper()
	return p.Call(t, "POST", "/v1/orders", body, "Idempotency-Key", uuid.NewString())
}

// Cancel cancels an order under a fresh idempotency key.
func (p *Partner) Cancel(t testing.TB, orderID, reason string) *Answer {
	t.Helper()
	return p.Call(t, "POST", "/v1/orders/"+orderID+"/cancel", fmt.Appendf(nil, `{"reason":%q}`, reason), "Idempotency-Key",
		uuid.NewString())
}

// Operator is an operator with a token.
type Operator struct {
	*Service
	OperatorID      string
	Email, Password string
	Token           string
	TokenID         string
	CourierID       string // the courier that Move assigns
}

// Operate logs in the operator that every service has, and adds a courier.
func (s *Service) Operate(t testing.TB) *Operator {
	t.Helper()
	o := &Operator{Service: s, Email: OperatorEmail, Password: OperatorPassword}
	token := s.Do(t, "POST", "/ops/v1/tokens",
		fmt.Appendf(nil, `{"email":%q,"password":%q,"name":"test"}`, OperatorEmail, OperatorPassword)).Must(t, 201)
	o.Token, o.TokenID = token.Text("token"), token.Text("token_id")
	o.OperatorID = o.Call(t, "GET", "/ops/v1/me", nil).Must(t, 200).Text("operator_id")
	o.CourierID = o.Call(t, "POST", "/ops/v1/couriers",
		[]byte(`{"name":"Camille Tremblay","phone":"+15145550177","vehicle":"cargo bike","active":true}`)).Must(t,
		201).Text("courier_id")
	return o
}

// As adds an operator with another role, logs it in and returns it. With the role
// courier it is linked to the courier of o.
func (o *Operator) As(t testing.TB, role string) *Operator {
	t.Helper()
	email, password := role+"@example.com", "a long password of a "+role
	as := &Operator{Service: o.Service, Email: email, Password: password, CourierID: o.CourierID}
	courier := ""
	if role == "courier" {
		courier = fmt.Sprintf(`,"courier_id":%q`, o.CourierID)
	}
	as.OperatorID = o.Call(t, "POST", "/ops/v1/operators",
		fmt.Appendf(nil, `{"email":%q,"password":%q,"role":%q%s}`, email, password, role, courier)).Must(t,
		201).Text("operator_id")
	token := o.Do(t, "POST", "/ops/v1/tokens", fmt.Appendf(nil, `{"email":%q,"password":%q}`, email, password)).Must(t,
		201)
	as.Token, as.TokenID = token.Text("token"), token.Text("token_id")
	return as
}

// Call sends a request that carries the operator's token.
func (o *Operator) Call(t testing.TB, method, target string, body []byte) *Answer {
	t.Helper()
	return o.Do(t, method, target, body, "Authorization", "Bearer "+o.Token)
}

// Move moves an order to another state.
func (o *Operator) Move(t testing.TB, orderID, status string) *Answer {
	t.Helper()
	return o.Call(t, "POST", "/ops/v1/orders/"+orderID+"/status",
		fmt.Appendf(nil, `{"status":%q,"courier_id":%q,"notes":"by test"}`, status, o.CourierID))
}

// Stock adds a product of the partner, with the given quantity at each location,
// and returns its id.
func (o *Operator) Stock(t testing.TB, partnerID, name string, levels map[string]int) (productID int) {
	t.Helper()
	product := o.Call(t, "POST", "/ops/v1/partners/"+partnerID+"/products",
		fmt.Appendf(nil, `{"name":%q,"price":9.99,"stock_min":5,"stock_max":100,"barcode":"B-%s"}`, name, name)).Must(t, 201)
	id, _ := product.JSON("product_id").(float64)
	for location, quantity := range levels {
		o.Call(t, "POST", "/ops/v1/partners/"+partnerID+"/movements",
			fmt.Appendf(nil, `{"type":"IN","product_id":%d,"quantity":%d,"location":%q}`, int(id), quantity, location)).Must(t,
			201)
	}
	return int(id)
}
