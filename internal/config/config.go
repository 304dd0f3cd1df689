// Package config holds the settings of a service: their meaning, defaults,
// checks and a print without secrets.
package config

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"net/netip"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"time"
)

// Config is everything that can be set. The command line fills it from flags
// and from the environment.
type Config struct {
	Listen           string        `help:"Address to serve on." default:"127.0.0.1:8080" env:"DROPYARD_LISTEN" placeholder:"HOST:PORT"`
	Data             string        `help:"Directory of the database, the master key and the proofs of delivery." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	DatabaseURL      string        `name:"database" help:"Where the data is: sqlite:FILE, or postgres://USER:PASSWORD@HOST:PORT/NAME. Default: dropyard.db in the data directory." env:"DROPYARD_DATABASE" placeholder:"URL"`
	BaseURL          string        `help:"Public address of the service, as in tracking URLs. Default: http:// and the listening address." env:"DROPYARD_BASE_URL" placeholder:"URL"`
	TrustedProxies   []string      `help:"Networks of reverse proxies whose X-Forwarded-For is believed, such as 10.0.0.0/8." env:"DROPYARD_TRUSTED_PROXIES" placeholder:"CIDR"`
	Proofs           string        `help:"Where proofs of delivery are kept: a directory, or s3://KEY:SECRET@HOST/BUCKET?region=REGION. Default: proofs in the data directory." env:"DROPYARD_PROOFS" placeholder:"DIR|URL"`
	RateLimit        int           `help:"Requests a partner may make per minute; 0 is no limit." default:"300" env:"DROPYARD_RATE_LIMIT"`
	MasterKeyFile    string        `help:"File of the master key. Default: master.key in the data directory." env:"DROPYARD_MASTER_KEY_FILE" placeholder:"FILE"`
	RetainOrders     string        `help:"How long delivered and cancelled orders are kept after their end, such as 400d; at least 7d. Default: for ever." env:"DROPYARD_RETAIN_ORDERS" placeholder:"DURATION"`
	RetainEvents     string        `help:"How long events are kept, such as 90d; at least 7d. Default: for ever." env:"DROPYARD_RETAIN_EVENTS" placeholder:"DURATION"`
	WebhookNetworks  []string      `name:"webhook-allow-networks" help:"Internal networks that webhooks may be sent to, such as 10.1.0.0/16. Default: none." env:"DROPYARD_WEBHOOK_ALLOW_NETWORKS" placeholder:"CIDR"`
	WebhookInsecure  bool          `name:"webhook-allow-insecure" help:"Let webhooks go to http:// URLs and to this machine; for development." env:"DROPYARD_WEBHOOK_ALLOW_INSECURE"`
	MetricsListen    string        `help:"Address to serve Prometheus metrics on. Default: none." env:"DROPYARD_METRICS_LISTEN" placeholder:"HOST:PORT"`
	Simulate         bool          `help:"Let a fictive dispatcher and couriers move every order along; for tests (docs/operating.md)." env:"DROPYARD_SIMULATE"`
	SimulatePace     time.Duration `help:"Time between two steps of an order that --simulate moves, such as 500ms." default:"5s" env:"DROPYARD_SIMULATE_PACE" placeholder:"DURATION"`
	Demo             bool          `help:"Seed a sample partner, stock, a courier and an operator, and print how to use them." env:"DROPYARD_DEMO"`
	OperatorEmail    string        `help:"E-mail of the first operator, made at start." env:"DROPYARD_OPERATOR_EMAIL" placeholder:"EMAIL"`
	OperatorPassword string        `help:"Password of the first operator." env:"DROPYARD_OPERATOR_PASSWORD" placeholder:"PASSWORD"`
}

// Check tells the first setting that cannot be, before anything is opened.
func (c *Config) Check() error {
	if _, port, err := net.SplitHostPort(c.Listen); err != nil || !isPort(port) {
		return fmt.Errorf("--listen %q is not an address such as 127.0.0.1:8080", c.Listen)
	}
	if err := c.checkFiles(); err != nil {
		return err
	}
	if _, err := c.ProofStore(); err != nil {
		return err
	}
	if _, err := c.Proxies(); err != nil {
		return err
	}
	if _, err := c.WebhookAllowed(); err != nil {
		return err
	}
	if c.MetricsListen != "" {
		if _, port, err := net.SplitHostPort(c.MetricsListen); err != nil || !isPort(port) {
			return fmt.Errorf("--metrics-listen %q is not an address such as 127.0.0.1:9090", c.MetricsListen)
		}
	}
	if c.DatabaseURL != "" && !IsDatabase(c.DatabaseURL) {
		return errors.New("--database must begin with sqlite: or postgres://")
	}
	if c.RateLimit < 0 {
		return fmt.Errorf("--rate-limit %d is below 0", c.RateLimit)
	}
	if _, _, err := c.Retention(); err != nil {
		return err
	}
	if c.Simulate && c.SimulatePace < shortestPace {
		return fmt.Errorf("--simulate-pace %v is less than %v", c.SimulatePace, shortestPace)
	}
	if (c.OperatorEmail == "") != (c.OperatorPassword == "") {
		return errors.New("--operator-email and --operator-password go together")
	}
	if c.BaseURL == "" {
		return nil
	}
	base, err := url.Parse(c.BaseURL) // which puts the scheme in lower case
	if err != nil {
		return errors.New("--base-url is no address such as https://delivery.example.com")
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Hostname() == "" || strings.ContainsAny(c.BaseURL, "?#") || base.User != nil {
		return fmt.Errorf("--base-url %q is no address such as https://delivery.example.com", base.Redacted())
	}
	return nil
}

// checkFiles tells whether the data directory and the master key's can be.
func (c *Config) checkFiles() error {
	if c.Data == "" {
		return errors.New("--data must name a directory")
	}
	if info, err := os.Stat(c.Data); err == nil && !info.IsDir() {
		return fmt.Errorf("--data %s is no directory", c.Data)
	}
	if c.MasterKeyFile == "" {
		return nil
	}
	if info, err := os.Stat(c.MasterKeyFile); err == nil && info.IsDir() {
		return fmt.Errorf("--master-key-file %s is a directory", c.MasterKeyFile)
	}
	if _, err := os.Stat(filepath.Dir(c.MasterKeyFile)); err != nil {
		return fmt.Errorf("--master-key-file: %w", err)
	}
	return nil
}

// Proxies are the trusted proxies' networks.
func (c *Config) Proxies() ([]netip.Prefix, error) {
	return networksOf("--trusted-proxies", c.TrustedProxies)
}

// WebhookAllowed are the internal networks that webhooks may be sent to.
func (c *Config) WebhookAllowed() ([]netip.Prefix, error) {
	return networksOf("--webhook-allow-networks", c.WebhookNetworks)
}

func networksOf(flag string, texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%s %q is no network such as 10.0.0.0/8", flag, text)
		}
		all = append(all, network.Masked())
	}
	return all, nil
}

// shortestPace keeps a simulation from doing nothing but look for work.
const shortestPace = 10 * time.Millisecond

// shortestRetention is the least that may be kept: idempotency keys live that
// long, and answer with what is kept.
const shortestRetention = 7 * 24 * time.Hour

// Retention is how long ended orders, and events, are kept; 0 is for ever.
func (c *Config) Retention() (orders, events time.Duration, err error) {
	if orders, err = retentionOf("--retain-orders", c.RetainOrders); err == nil {
		events, err = retentionOf("--retain-events", c.RetainEvents)
	}
	return orders, events, err
}

// retentionOf reads a duration as Go writes it, or a number of days.
func retentionOf(flag, text string) (kept time.Duration, err error) {
	if text == "" {
		return 0, nil
	}
	if days, whole := strings.CutSuffix(text, "d"); whole {
		var n int64
		if n, err = strconv.ParseInt(days, 10, 64); err == nil && (n < 0 || n > maxDays) {
			err = strconv.ErrRange
		}
		kept = time.Duration(n) * 24 * time.Hour
	} else {
		kept, err = time.ParseDuration(text)
	}
	switch {
	case err != nil:
		return 0, fmt.Errorf("%s %q is no duration such as 400d or 720h", flag, text)
	case kept != 0 && kept < shortestRetention:
		return 0, fmt.Errorf("%s %s is less than 7 days, which idempotency keys are kept for; 0 keeps for ever", flag, text)
	}
	return kept, nil
}

// maxDays is a century: more overflows sooner or later.
const maxDays = 36_525

func isPort(text string) bool {
	port, err := strconv.Atoi(text)
	return err == nil && port >= 0 && port <= 65535
}

// IsDatabase tells whether a text names a database: sqlite: and a file, or
// PostgreSQL.
func IsDatabase(url string) bool {
	c := Config{DatabaseURL: url}
	return c.Postgres() || c.sqliteFile() != ""
}

// Postgres tells whether the data is in PostgreSQL, at DatabaseURL.
func (c *Config) Postgres() bool {
	return strings.HasPrefix(c.DatabaseURL, "postgres://") || strings.HasPrefix(c.DatabaseURL, "postgresql://")
}

// Database is the path of the embedded database.
func (c *Config) Database() string {
	if file := c.sqliteFile(); file != "" {
		return file
	}
	return filepath.Join(c.Data, "dropyard.db")
}

func (c *Config) sqliteFile() string {
	file, _ := strings.CutPrefix(c.DatabaseURL, "sqlite:")
	if file == c.DatabaseURL {
		return ""
	}
	return file
}

// databaseName is where the data is, without passwords. PostgreSQL takes them
// as parameters too (password, sslpassword).
func (c *Config) databaseName() string {
	if !c.Postgres() {
		return c.Database()
	}
	where, err := url.Parse(c.DatabaseURL)
	if err != nil {
		return "postgres://(not readable)"
	}
	parameters := where.Query()
	for name := range parameters {
		if strings.Contains(name, "password") {
			parameters.Set(name, "****")
		}
	}
	where.RawQuery = parameters.Encode()
	return where.Redacted()
}

// MasterKey is the path of the master key's file.
func (c *Config) MasterKey() string {
	if c.MasterKeyFile != "" {
		return c.MasterKeyFile
	}
	return filepath.Join(c.Data, "master.key")
}

// Secure tells whether the public address is https.
func (c *Config) Secure() bool {
	base, err := url.Parse(c.BaseURL)
	return err == nil && base.Scheme == "https"
}

// Public is the public address without a slash at the end, given the address
// that is really listened on. One that stands for all addresses of the machine
// is no address to send anybody to; localhost at least works here.
func (c *Config) Public(listening net.Addr) string {
	if c.BaseURL != "" {
		return strings.TrimSuffix(c.BaseURL, "/")
	}
	address, err := netip.ParseAddrPort(listening.String())
	if err == nil && address.Addr().IsUnspecified() {
		return fmt.Sprintf("http://localhost:%d", address.Port())
	}
	return "http://" + listening.String()
}

// String prints the settings, secrets masked.
func (c *Config) String() string {
	operator := "none"
	if c.OperatorEmail != "" {
		operator = c.OperatorEmail + " (password ****)"
	}
	return fmt.Sprintf("listen=%s data=%s database=%s proofs=%s base_url=%s trusted_proxies=%s rate_limit=%d master_key=%s retain_orders=%s retain_events=%s webhook_allow_networks=%s webhook_allow_insecure=%t metrics_listen=%s simulate=%t simulate_pace=%v demo=%t operator=%s",
		c.Listen, c.Data, c.databaseName(), c.proofsName(), c.BaseURL, strings.Join(c.TrustedProxies, ","), c.RateLimit, c.MasterKey(),
		cmp.Or(c.RetainOrders, "0"), cmp.Or(c.RetainEvents, "0"),
		strings.Join(c.WebhookNetworks, ","), c.WebhookInsecure, c.MetricsListen, c.Simulate, c.SimulatePace, c.Demo, operator)
}
