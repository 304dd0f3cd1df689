// Package config describes the settings of a service: their meaning, defaults
// and validation, and how they are logged without secrets.
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

	"github.com/dropyard/dropyard/internal/foundation/machine"
)

// Config holds all settings. The command line fills it from flags and from the
// environment.
type Config struct {
	Listen           string `help:"Address to serve on. Default: ${default}." default:"127.0.0.1:8080" env:"DROPYARD_LISTEN" placeholder:"HOST:PORT"`
	Data             string `help:"Directory of the database, the master key and the proofs of delivery. Default: ${default}." default:"./data" env:"DROPYARD_DATA" placeholder:"DIR"`
	DatabaseURL      string `name:"database" help:"Database to use: sqlite:FILE, or postgres://USER:PASSWORD@HOST:PORT/NAME. Default: dropyard.db in the data directory." env:"DROPYARD_DATABASE" placeholder:"URL"`
	DatabaseInsecure bool   `name:"database-allow-insecure" help:"Allow connections without TLS to a PostgreSQL server on another machine; for networks that no one else can read." env:"DROPYARD_DATABASE_ALLOW_INSECURE"`
	// DatabaseMayLoseData allows a server that loses committed data when its machine crashes.
	DatabaseMayLoseData bool `name:"database-may-lose-data" help:"Use a PostgreSQL server whose fsync or full_page_writes is off: a crash of its machine may lose orders that were acknowledged, and destroy the database; for tests." env:"DROPYARD_DATABASE_MAY_LOSE_DATA"`

	BaseURL           string        `help:"Public address of the service, as in tracking URLs. Default: the listening address or, with --tls-domain, the first domain." env:"DROPYARD_BASE_URL" placeholder:"URL"`
	TLSCert           string        `name:"tls-cert" help:"File with a certificate and its chain, in PEM: the service then speaks TLS. A new file is read without a restart." env:"DROPYARD_TLS_CERT" placeholder:"FILE"`
	TLSKey            string        `name:"tls-key" help:"File with the key of that certificate, in PEM." env:"DROPYARD_TLS_KEY" placeholder:"FILE"`
	TLSDomains        []string      `name:"tls-domain" help:"Domains to request certificates for, by ACME (Let's Encrypt, whose terms this accepts): the service then speaks TLS. Listen on :443." env:"DROPYARD_TLS_DOMAIN" placeholder:"DOMAIN"`
	TLSRedirect       string        `name:"tls-redirect" help:"Address on which requests by HTTP are redirected to https, and challenges of ACME answered (example: :80). Default: none." env:"DROPYARD_TLS_REDIRECT" placeholder:"HOST:PORT"`
	TLSAuthority      string        `name:"tls-authority" help:"Directory of the ACME authority that issues certificates for --tls-domain. Default: Let's Encrypt." env:"DROPYARD_TLS_AUTHORITY" placeholder:"URL"`
	TrustedProxies    []string      `help:"Networks of reverse proxies whose X-Forwarded-For header is trusted (example: 10.0.0.0/8)." env:"DROPYARD_TRUSTED_PROXIES" placeholder:"CIDR"`
	Proofs            string        `help:"Where proofs of delivery are kept: a directory, or s3://KEY:SECRET@HOST/BUCKET?region=REGION. Default: proofs in the data directory." env:"DROPYARD_PROOFS" placeholder:"DIR|URL"`
	Backups           string        `help:"Where the service keeps backups of the embedded database: a directory on another disk, or s3://KEY:SECRET@HOST/BUCKET?region=REGION. Default: none, run dropyard backup." env:"DROPYARD_BACKUPS" placeholder:"DIR|URL"`
	BackupAt          string        `help:"Time of day, in --time-zone, at which a backup is made to --backups, or off to make them on request only. Default: 03:00." env:"DROPYARD_BACKUP_AT" placeholder:"HH:MM"`
	BackupKeep        int           `help:"Number of backups that are kept in --backups; after a new one, older ones are deleted." default:"7" env:"DROPYARD_BACKUP_KEEP" placeholder:"N"`
	ExportTo          string        `help:"Where the service writes files with the orders, events, movements and journal of each day, for programs that analyze them (docs/exports.md): a directory, or s3://KEY:SECRET@HOST/BUCKET?region=REGION. Default: none." env:"DROPYARD_EXPORT_TO" placeholder:"DIR|URL"`
	ExportAt          string        `help:"Time of day, in --time-zone, at which the files of the day before are written to --export-to. Default: 02:30." env:"DROPYARD_EXPORT_AT" placeholder:"HH:MM"`
	ExportFormats     []string      `help:"Formats of the files in --export-to: csv, jsonl. Default: both." env:"DROPYARD_EXPORT_FORMATS" placeholder:"FORMAT"`
	ExportFrom        string        `help:"First day that is written to --export-to, if none was written yet (example: 2026-11-01). Default: the day of the first start with --export-to." env:"DROPYARD_EXPORT_FROM" placeholder:"DATE"`
	ExportPersonal    bool          `help:"Also write names, phone numbers, addresses and texts to --export-to. Erasing a recipient does not reach these files." env:"DROPYARD_EXPORT_PERSONAL"`
	RateLimit         int           `help:"Requests that a partner may make per minute; 0 means no limit." default:"300" env:"DROPYARD_RATE_LIMIT" placeholder:"N"`
	OrdersPerDay      int64         `help:"Orders that a partner may create per day, in UTC; 0 means no limit." default:"0" env:"DROPYARD_ORDERS_PER_DAY" placeholder:"N"`
	StoredBytes       int64         `help:"Bytes that the stored records of a partner's orders may take up; 0 means no limit." default:"0" env:"DROPYARD_STORED_BYTES" placeholder:"BYTES"`
	NewAccountBytes   int64         `help:"Bytes that the stored records of a new account's orders may take up on its first day, and as many more on each further day, until it is a month old or an admin counts it as established; 0 means no limit." default:"20000000" env:"DROPYARD_NEW_ACCOUNT_BYTES" placeholder:"BYTES"`
	StrangerLimit     int           `help:"Requests that a network may make per minute without valid credentials, and again as many to track orders; 0 means no limit." default:"300" env:"DROPYARD_STRANGER_LIMIT" placeholder:"N"`
	RegistrationLimit int           `help:"Accounts that a network may register per day; 0 means no limit." default:"20" env:"DROPYARD_REGISTRATION_LIMIT" placeholder:"N"`
	ConnectionLimit   int           `help:"Connections that a network may have open at a time, those of trusted proxies excepted; 0 means no limit." default:"512" env:"DROPYARD_CONNECTION_LIMIT" placeholder:"N"`
	Registration      string        `help:"Who may register partner accounts: open (anyone), approval (anyone, and an admin approves each account before it can be used), or closed (registration is refused)." default:"open" env:"DROPYARD_REGISTRATION" placeholder:"open|approval|closed"`
	MasterKeyFile     string        `help:"File of the master key. Default: master.key in the data directory." env:"DROPYARD_MASTER_KEY_FILE" placeholder:"FILE"`
	NewDatabase       bool          `help:"Begin a new database although the data directory shows that one is missing. Everything in the missing one is given up." env:"DROPYARD_NEW_DATABASE"`
	Hold              bool          `help:"Send no webhooks and mails until an admin resumes them; for a copy of another installation." env:"DROPYARD_HOLD"`
	Resume            bool          `help:"Resume webhooks and mails, which are held after a restore or a copy of the database. Give it for one start only." env:"DROPYARD_RESUME"`
	RetainOrders      string        `help:"How long delivered and cancelled orders are kept after their last change, at least 7d (example: 400d). Default: for ever." env:"DROPYARD_RETAIN_ORDERS" placeholder:"DURATION"`
	RetainEvents      string        `help:"How long events are kept, at least 7d (example: 90d). Default: for ever." env:"DROPYARD_RETAIN_EVENTS" placeholder:"DURATION"`
	RequestLogBytes   int64         `help:"Bytes that the log of partners' requests of the last seven days may take up in the database; 0 means that requests are not logged." default:"1073741824" env:"DROPYARD_REQUEST_LOG_BYTES" placeholder:"BYTES"`
	WebhookNetworks   []string      `name:"webhook-allow-networks" help:"Internal networks that webhooks may be sent to (example: 10.1.0.0/16). Default: none." env:"DROPYARD_WEBHOOK_ALLOW_NETWORKS" placeholder:"CIDR"`
	WebhookInsecure   bool          `name:"webhook-allow-insecure" help:"Allow webhooks to http:// URLs and to this machine; for development." env:"DROPYARD_WEBHOOK_ALLOW_INSECURE"`
	MetricsListen     string        `help:"Address to serve Prometheus metrics on, at /metrics. Default: none." env:"DROPYARD_METRICS_LISTEN" placeholder:"HOST:PORT"`
	AccessLog         string        `help:"Where a line of JSON is written for each request: stdout, or a file, which SIGHUP opens again. Default: nowhere." env:"DROPYARD_ACCESS_LOG" placeholder:"stdout|FILE"`
	TracesEndpoint    string        `help:"Collector that OpenTelemetry traces are sent to by OTLP/HTTP, with /v1/traces added if the URL has no path; better set in the environment if it has a password, because other users may see the command line (example: http://127.0.0.1:4318). Default: none." env:"DROPYARD_TRACES_ENDPOINT" placeholder:"URL"`
	TracesRatio       float64       `help:"Part of the requests and webhook attempts that are traced, from 0 to 1, unless the caller's header traceparent decides." default:"1" env:"DROPYARD_TRACES_RATIO" placeholder:"RATIO"`
	Simulate          bool          `help:"Also move live orders automatically, with a simulated dispatcher and couriers (docs/desk.md). Test orders are always moved." env:"DROPYARD_SIMULATE"`
	SimulatePace      time.Duration `help:"Time between two simulated steps of a test order, and of a live one under --simulate (example: 500ms)." default:"5s" env:"DROPYARD_SIMULATE_PACE" placeholder:"DURATION"`
	CourierSpeed      int           `help:"Speed in km/h, along straight lines, at which a courier's sequence is planned; 0 means the default." default:"30" env:"DROPYARD_COURIER_SPEED" placeholder:"KM/H"`
	TimeZone          string        `help:"Time zone of the service's days and months, by which charges are booked (example: America/Vancouver)." default:"America/Toronto" env:"DROPYARD_TIME_ZONE" placeholder:"ZONE"`
	StopTime          time.Duration `help:"Time that a courier is planned to spend at each stop (example: 3m)." default:"5m" env:"DROPYARD_STOP_TIME" placeholder:"DURATION"`
	Map               string        `help:"Street tiles of maps: a PMTiles file, or the address of a tile server with {z}, {x} and {y}, which browsers ask. Default: none, maps have coasts, borders and the names of cities." env:"DROPYARD_MAP" placeholder:"FILE|URL"`
	MapAttribution    string        `help:"Text that maps show for their street tiles, as the licence of the data asks (example: © OpenStreetMap contributors)." env:"DROPYARD_MAP_ATTRIBUTION" placeholder:"TEXT"`
	Demo              bool          `help:"Show a day of sample data that goes on by itself: six partners with stock, 300 orders, twelve couriers, a month of figures, and an order every 20 s. Prints how to use it. On this machine, / signs in with one click." env:"DROPYARD_DEMO"`
	DemoQuiet         bool          `help:"With --demo: only one partner with stock and four orders, a courier and an operator, and nothing happens by itself; for tests and scripts." env:"DROPYARD_DEMO_QUIET"`
	OperatorEmail     string        `help:"E-mail address of the first operator, who is created at start." env:"DROPYARD_OPERATOR_EMAIL" placeholder:"EMAIL"`
	OperatorPassword  string        `help:"Password of the first operator." env:"DROPYARD_OPERATOR_PASSWORD" placeholder:"PASSWORD"`
	SMTP              string        `name:"smtp" help:"Mail server: smtp://USER:PASSWORD@HOST:PORT with STARTTLS, or smtps:// with TLS from the start; better set in the environment, because other users may see the command line. Default: none, links are shown instead of mailed." env:"DROPYARD_SMTP" placeholder:"URL"`
	MailFrom          string        `help:"Address that mails come from (example: Dropyard <no-reply@example.com>)." env:"DROPYARD_MAIL_FROM" placeholder:"EMAIL"`
	OIDCIssuer        string        `name:"oidc-issuer" help:"OpenID Connect provider that operators may sign in through (example: https://login.example.com). Default: none." env:"DROPYARD_OIDC_ISSUER" placeholder:"URL"`
	OIDCClientID      string        `name:"oidc-client-id" help:"Id of this service at the OpenID Connect provider." env:"DROPYARD_OIDC_CLIENT_ID" placeholder:"ID"`
	OIDCClientSecret  string        `name:"oidc-client-secret" help:"Secret of this service at the OpenID Connect provider; better set in the environment, because other users may see the command line." env:"DROPYARD_OIDC_CLIENT_SECRET" placeholder:"SECRET"`
	OIDCRoleClaim     string        `name:"oidc-role-claim" help:"Claim whose value, or one of whose values, is an operator's role (examples: groups, realm_access.roles). Default: none, roles are set in the service." env:"DROPYARD_OIDC_ROLE_CLAIM" placeholder:"CLAIM"`
	OIDCRoles         []string      `name:"oidc-roles" help:"Roles that values of the claim stand for, if they are not the roles' names (examples: admin=/dropyard/admins, dispatcher=0f3c8a52-6f0e-4a40-9d5d-3f2a6f0f7a11)." env:"DROPYARD_OIDC_ROLES" placeholder:"ROLE=VALUE"`
	OIDCTrustEmails   bool          `name:"oidc-trust-emails" help:"Count e-mail addresses of the OpenID Connect provider as verified, although it does not say so; only where people cannot choose their address there." env:"DROPYARD_OIDC_TRUST_EMAILS"`
}

// Check returns an error for the first invalid setting. It opens no file and no
// connection, and creates nothing.
func (c *Config) Check() error {
	for _, check := range []func() error{
		c.checkAddresses, c.checkFiles, c.checkDatabase, c.checkHold, c.checkNetworks, c.checkLimits, c.checkRegistration,
		c.checkDemo,
		c.checkOperator, c.checkBaseURL, c.checkTLS, c.checkOIDC, c.checkMail, c.checkTraces,
		c.checkStreets, c.checkBackups, c.checkExports,
	} {
		if err := check(); err != nil {
			return err
		}
	}
	return nil
}

func (c *Config) checkHold() error {
	if c.Hold && c.Resume {
		return errors.New("--resume: it contradicts --hold; set one of them")
	}
	return nil
}

// CheckPlaces returns an error if a setting that says where data are kept is invalid,
// for commands that have no other settings.
func (c *Config) CheckPlaces() error {
	if err := c.checkFiles(); err != nil {
		return err
	}
	return c.checkDatabase()
}

func (c *Config) checkAddresses() error {
	if !isAddress(c.Listen) {
		return fmt.Errorf("--listen: %q is not an address (example: 127.0.0.1:8080)", c.Listen)
	}
	if c.MetricsListen != "" && !isAddress(c.MetricsListen) {
		return fmt.Errorf("--metrics-listen: %q is not an address (example: 127.0.0.1:9090)", c.MetricsListen)
	}
	return nil
}

// isAddress reports whether the text is a host, which may be empty, and a port.
func isAddress(text string) bool {
	_, digits, err := net.SplitHostPort(text)
	if err != nil {
		return false
	}
	port, err := strconv.Atoi(digits)
	return err == nil && port >= 0 && port <= 65535
}

func (c *Config) checkFiles() error {
	if c.Data == "" {
		return errors.New("--data: the name of a directory is missing")
	}
	if info, err := os.Stat(c.Data); err == nil && !info.IsDir() {
		return fmt.Errorf("--data: %q is not a directory", c.Data)
	}
	if _, err := c.ProofStore(); err != nil {
		return err
	}
	if c.AccessLog != "" {
		if info, err := os.Stat(c.AccessLog); err == nil && info.IsDir() {
			return fmt.Errorf("--access-log: %q is a directory", c.AccessLog)
		}
	}
	if c.MasterKeyFile == "" {
		return nil
	}
	if info, err := os.Stat(c.MasterKeyFile); err == nil && info.IsDir() {
		return fmt.Errorf("--master-key-file: %q is a directory", c.MasterKeyFile)
	}
	if _, err := os.Stat(filepath.Dir(c.MasterKeyFile)); err != nil {
		return fmt.Errorf("--master-key-file: %w", err)
	}
	return nil
}

// checkDatabase does not repeat the URL, which may hold a password.
func (c *Config) checkDatabase() error {
	if c.DatabaseURL != "" && !IsDatabase(c.DatabaseURL) {
		return errors.New("--database: the URL must be sqlite:FILE or postgres://USER:PASSWORD@HOST:PORT/NAME")
	}
	return nil
}

func (c *Config) checkNetworks() error {
	if _, err := c.Proxies(); err != nil {
		return err
	}
	_, err := c.WebhookAllowed()
	return err
}

// Pace returns the time between two simulated steps of an order.
func (c *Config) Pace() time.Duration { return cmp.Or(c.SimulatePace, defaultPace) }

func (c *Config) checkLimits() error {
	for _, limit := range []struct {
		flag  string
		value int64
	}{
		{"--rate-limit", int64(c.RateLimit)},
		{"--orders-per-day", c.OrdersPerDay},
		{"--stored-bytes", c.StoredBytes},
		{"--new-account-bytes", c.NewAccountBytes},
		{"--request-log-bytes", c.RequestLogBytes},
		{"--stranger-limit", int64(c.StrangerLimit)},
		{"--registration-limit", int64(c.RegistrationLimit)},
		{"--connection-limit", int64(c.ConnectionLimit)},
		{"--courier-speed", int64(c.CourierSpeed)},
	} {
		if limit.value < 0 {
			return fmt.Errorf("%s: %d is negative", limit.flag, limit.value)
		}
	}
	if c.SimulatePace < shortestPace && (c.Simulate || c.SimulatePace != 0) {
		return fmt.Errorf("--simulate-pace: %v is too short, at least %v is needed", c.SimulatePace, shortestPace)
	}
	if c.StopTime < 0 {
		return fmt.Errorf("--stop-time: %v is negative", c.StopTime)
	}
	_, _, err := c.Retention()
	return err
}

// defaultZone is the time zone of the service if none is set.
const defaultZone = "America/Toronto"

// Zone returns the name of the time zone of the service's days and months.
func (c *Config) Zone() string { return cmp.Or(c.TimeZone, defaultZone) }

// defaultSpeed is the speed of couriers in km/h if none is set.
const defaultSpeed = 30

// Speed returns the speed at which couriers' sequences are planned, in km/h.
func (c *Config) Speed() float64 { return float64(cmp.Or(c.CourierSpeed, defaultSpeed)) }

func (c *Config) checkDemo() error {
	if c.DemoQuiet && !c.Demo {
		return errors.New("--demo-quiet: it makes a demo smaller; set --demo, too")
	}
	return nil
}

func (c *Config) checkRegistration() error {
	switch c.Registration {
	case "", "open":
		return nil
	case "approval", "closed":
		if c.Demo {
			return fmt.Errorf("--registration: %s does not go with --demo, which registers a partner", c.Registration)
		}
		return nil
	default:
		return fmt.Errorf("--registration: %q is not open, approval or closed", c.Registration)
	}
}

func (c *Config) checkOperator() error {
	if (c.OperatorEmail == "") != (c.OperatorPassword == "") {
		return errors.New("--operator-email and --operator-password must be set together")
	}
	return nil
}

func (c *Config) checkBaseURL() error {
	if c.BaseURL == "" {
		return nil
	}
	base, err := url.Parse(c.BaseURL) // puts the scheme in lower case
	if err != nil {
		return errors.New("--base-url: the value is not a URL (example: https://delivery.example.com)")
	}
	if (base.Scheme != "http" && base.Scheme != "https") || base.Hostname() == "" ||
		strings.ContainsAny(c.BaseURL, "?#") || base.User != nil {
		return fmt.Errorf("--base-url: %q must be an http or https URL without user, query and fragment (example: https://delivery.example.com)", base.Redacted())
	}
	if strings.Trim(base.Path, "/") != "" {
		return fmt.Errorf("--base-url: %q has a path, but the service answers at the root of its host only (example: https://delivery.example.com)", base.Redacted())
	}
	return nil
}

// Proxies returns the networks of the trusted proxies.
func (c *Config) Proxies() ([]netip.Prefix, error) {
	return networksOf("--trusted-proxies", c.TrustedProxies)
}

// WebhookAllowed returns the internal networks that webhooks may be sent to.
func (c *Config) WebhookAllowed() ([]netip.Prefix, error) {
	return networksOf("--webhook-allow-networks", c.WebhookNetworks)
}

func networksOf(flag string, texts []string) ([]netip.Prefix, error) {
	var all []netip.Prefix
	for _, text := range texts {
		network, err := netip.ParsePrefix(text)
		if err != nil {
			return nil, fmt.Errorf("%s: %q is not a network (example: 10.0.0.0/8)", flag, text)
		}
		all = append(all, network.Masked())
	}
	return all, nil
}

// shortestPace keeps a simulation from spending all its time on queries for
// orders to move.
const shortestPace = 10 * time.Millisecond

// defaultPace is the pace of test orders where no setting was read.
const defaultPace = 5 * time.Second

// shortestRetention is how long idempotency keys are kept. A request repeated in
// that time is answered with the stored order, which must therefore still exist.
const shortestRetention = 7 * 24 * time.Hour

// Retention returns how long orders are kept after their end, and events after
// they happened; 0 means for ever.
func (c *Config) Retention() (orders, events time.Duration, err error) {
	if orders, err = retentionOf("--retain-orders", c.RetainOrders); err == nil {
		events, err = retentionOf("--retain-events", c.RetainEvents)
	}
	return orders, events, err
}

// retentionOf parses a duration in Go's syntax, or a number of days such as 400d.
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
		return 0, fmt.Errorf("%s: %q is not a duration (examples: 400d, 720h)", flag, text)
	case kept != 0 && kept < shortestRetention:
		return 0, fmt.Errorf(
			"%s: %s is too short, at least 7d is needed because idempotency keys are kept that long; 0 means for ever", flag,
			text,
		)
	}
	return kept, nil
}

// maxDays is a century. Much longer durations overflow time.Duration.
const maxDays = 36_525

// IsDatabase reports whether the URL names a database: sqlite: followed by a file,
// or PostgreSQL.
func IsDatabase(url string) bool {
	c := Config{DatabaseURL: url}
	return c.Postgres() || c.sqliteFile() != ""
}

// Postgres reports whether DatabaseURL is that of a PostgreSQL database.
func (c *Config) Postgres() bool {
	return strings.HasPrefix(c.DatabaseURL, "postgres://") || strings.HasPrefix(c.DatabaseURL, "postgresql://")
}

// Database returns the path of the embedded database.
func (c *Config) Database() string {
	if file := c.sqliteFile(); file != "" {
		return file
	}
	return filepath.Join(c.Data, "dropyard.db")
}

// sqliteFile returns the file named by DatabaseURL; empty if it names none.
func (c *Config) sqliteFile() string {
	file, _ := strings.CutPrefix(c.DatabaseURL, "sqlite:")
	if file == c.DatabaseURL {
		return ""
	}
	return file
}

// databaseName returns the database's file or URL with passwords masked. A
// PostgreSQL URL may also hold them in parameters (password, sslpassword).
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

// MasterKey returns the path of the master key's file.
func (c *Config) MasterKey() string {
	if c.MasterKeyFile != "" {
		return c.MasterKeyFile
	}
	return filepath.Join(c.Data, "master.key")
}

// LocalDemo reports whether the service is a demo that only this machine can reach. It
// may then do what is convenient rather than safe.
func (c *Config) LocalDemo() bool {
	host, _, err := net.SplitHostPort(c.Listen)
	return c.Demo && c.BaseURL == "" && err == nil && machine.IsLoopback(host)
}

// Secure reports whether the public address is https.
func (c *Config) Secure() bool {
	if c.BaseURL == "" {
		return c.TLS()
	}
	base, err := url.Parse(c.BaseURL)
	return err == nil && base.Scheme == "https"
}

// Public returns the public URL of the service, without a slash at the end. If
// none is set, it is derived from the address that the service listens on; an
// unspecified address such as 0.0.0.0, which clients cannot use, becomes
// localhost.
func (c *Config) Public(listening net.Addr) string {
	if c.BaseURL != "" {
		return strings.TrimSuffix(c.BaseURL, "/")
	}
	host := listening.String()
	address, err := netip.ParseAddrPort(host)
	if err == nil && address.Addr().IsUnspecified() {
		host = fmt.Sprintf("localhost:%d", address.Port())
	}
	if c.TLS() {
		return "https://" + c.tlsHost(host)
	}
	return "http://" + host
}

// String returns the settings on one line, with secrets masked.
func (c *Config) String() string {
	operator := "none"
	if c.OperatorEmail != "" {
		operator = c.OperatorEmail + " (password ****)"
	}
	openID := "none"
	if c.OIDCIssuer != "" {
		openID = fmt.Sprintf("%s (client %s, secret ****, role claim %q, roles %q, trust e-mails %t)",
			c.OIDCIssuer, c.OIDCClientID, c.OIDCRoleClaim, c.OIDCRoles, c.OIDCTrustEmails)
	}
	return fmt.Sprintf(
		"listen=%s data=%s database=%s proofs=%s backups=%s exports=%s base_url=%s tls=%s trusted_proxies=%s rate_limit=%d orders_per_day=%d stored_bytes=%d new_account_bytes=%d stranger_limit=%d registration_limit=%d connection_limit=%d registration=%s master_key=%s retain_orders=%s retain_events=%s request_log_bytes=%d webhook_allow_networks=%s webhook_allow_insecure=%t metrics_listen=%s access_log=%s traces=%s simulate=%t simulate_pace=%v courier_speed=%v stop_time=%v time_zone=%s map=%s demo=%t demo_quiet=%t hold=%t resume=%t operator=%s oidc=%s smtp=%s",
		c.Listen, c.Data, c.databaseName(), c.proofsName(), cmp.Or(c.backupsName(), "none"),
		cmp.Or(c.exportsName(), "none"), c.BaseURL, c.tlsName(), strings.Join(c.TrustedProxies, ","),
		c.RateLimit, c.OrdersPerDay, c.StoredBytes, c.NewAccountBytes, c.StrangerLimit, c.RegistrationLimit,
		c.ConnectionLimit, cmp.Or(c.Registration, "open"), c.MasterKey(), cmp.Or(c.RetainOrders, "0"),
		cmp.Or(c.RetainEvents, "0"), c.RequestLogBytes, strings.Join(c.WebhookNetworks, ","), c.WebhookInsecure,
		c.MetricsListen, c.AccessLog, c.tracesName(), c.Simulate, c.SimulatePace, c.Speed(), c.StopTime, c.Zone(),
		cmp.Or(c.Map, "none"), c.Demo, c.DemoQuiet, c.Hold, c.Resume, operator, openID, c.mailName(),
	)
}
