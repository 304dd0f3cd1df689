package config_test

import (
	"net"
	"net/netip"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/config"
)

// validConfig returns settings that pass Check, with a data directory of their own.
func validConfig(t *testing.T) *config.Config {
	t.Helper()
	return &config.Config{Listen: "127.0.0.1:8080", Data: t.TempDir(), RateLimit: 300, BackupKeep: 7}
}

func TestCheckAcceptsValidSettings(t *testing.T) {
	t.Parallel()
	for name, change := range map[string]func(*config.Config){
		"defaults":           func(*config.Config) {},
		"any port":           func(c *config.Config) { c.Listen = "127.0.0.1:0" },
		"all addresses":      func(c *config.Config) { c.Listen = ":8080" },
		"IPv6":               func(c *config.Config) { c.Listen = "[::1]:65535" },
		"data to create":     func(c *config.Config) { c.Data = filepath.Join(c.Data, "new") },
		"sqlite":             func(c *config.Config) { c.DatabaseURL = "sqlite:orders.db" },
		"postgres":           func(c *config.Config) { c.DatabaseURL = "postgres://u:p@127.0.0.1/dropyard" },
		"postgresql":         func(c *config.Config) { c.DatabaseURL = "postgresql://127.0.0.1/dropyard" },
		"no rate limit":      func(c *config.Config) { c.RateLimit = 0 },
		"retention in days":  func(c *config.Config) { c.RetainOrders, c.RetainEvents = "400d", "7d" },
		"retention in hours": func(c *config.Config) { c.RetainOrders, c.RetainEvents = "720h", "0" },
		"retention for ever": func(c *config.Config) { c.RetainOrders, c.RetainEvents = "0d", "0s" },
		"operator":           func(c *config.Config) { c.OperatorEmail, c.OperatorPassword = "ops@example.com", "hunter2" },
		"https":              func(c *config.Config) { c.BaseURL = "https://delivery.example.com" },
		"upper case, slash":  func(c *config.Config) { c.BaseURL = "HTTPS://delivery.example.com:8443/" },
		"proxies": func(c *config.Config) {
			c.TrustedProxies = []string{"10.0.0.0/8", "fd00::/8", "192.0.2.1/32"}
		},
		"key to create": func(c *config.Config) { c.MasterKeyFile = filepath.Join(c.Data, "key") },
		"backups":       func(c *config.Config) { c.Backups, c.BackupAt, c.BackupKeep = "b", "23:59", 1 },
		"no backups":    func(c *config.Config) { c.BackupAt = "off" },
		"exports": func(c *config.Config) {
			c.ExportTo, c.ExportAt, c.ExportFormats, c.ExportFrom = "e", "00:00", []string{"jsonl"}, "2026-11-01"
		},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			c := validConfig(t)
			change(c)
			if err := c.Check(); err != nil {
				t.Errorf("got %v, want no error", err)
			}
		})
	}
}

func TestCheckNamesInvalidFlag(t *testing.T) {
	t.Parallel()
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		flag   string
		change func(*config.Config)
	}{
		"no listen":          {"--listen", func(c *config.Config) { c.Listen = "" }},
		"no port":            {"--listen", func(c *config.Config) { c.Listen = "127.0.0.1" }},
		"empty port":         {"--listen", func(c *config.Config) { c.Listen = "127.0.0.1:" }},
		"port too high":      {"--listen", func(c *config.Config) { c.Listen = "127.0.0.1:65536" }},
		"port below 0":       {"--listen", func(c *config.Config) { c.Listen = "127.0.0.1:-1" }},
		"port of letters":    {"--listen", func(c *config.Config) { c.Listen = "127.0.0.1:http" }},
		"no data":            {"--data", func(c *config.Config) { c.Data = "" }},
		"data is a file":     {"--data", func(c *config.Config) { c.Data = file }},
		"key is a directory": {"--master-key-file", func(c *config.Config) { c.MasterKeyFile = c.Data }},
		"key without a folder": {"--master-key-file", func(c *config.Config) {
			c.MasterKeyFile = filepath.Join(c.Data, "no", "key")
		}},
		"network without bits": {"--trusted-proxies", func(c *config.Config) {
			c.TrustedProxies = []string{"10.0.0.0/8", "10.0.0.1"}
		}},
		"network of letters":  {"--trusted-proxies", func(c *config.Config) { c.TrustedProxies = []string{"proxy"} }},
		"unknown engine":      {"--database", func(c *config.Config) { c.DatabaseURL = "mysql://127.0.0.1/dropyard" }},
		"file without engine": {"--database", func(c *config.Config) { c.DatabaseURL = "orders.db" }},
		"engine without file": {"--database", func(c *config.Config) { c.DatabaseURL = "sqlite:" }},
		"backups at no time": {"--backup-at", func(c *config.Config) {
			c.Backups, c.BackupAt = "b", "3:00"
		}},
		"backups without a place": {"--backups", func(c *config.Config) { c.BackupAt = "03:00" }},
		"exports at no time":      {"--export-at", func(c *config.Config) { c.ExportTo, c.ExportAt = "e", "2:30" }},
		"exports without a place": {"--export-to", func(c *config.Config) { c.ExportPersonal = true }},
		"exports to a service":    {"--export-to", func(c *config.Config) { c.ExportTo = "gs://bucket" }},
		"unknown export format": {"--export-formats", func(c *config.Config) {
			c.ExportTo, c.ExportFormats = "e", []string{"xml"}
		}},
		"export format twice": {"--export-formats", func(c *config.Config) {
			c.ExportTo, c.ExportFormats = "e", []string{"csv", "csv"}
		}},
		"exports from no day":   {"--export-from", func(c *config.Config) { c.ExportTo, c.ExportFrom = "e", "November" }},
		"no backup kept":        {"--backup-keep", func(c *config.Config) { c.BackupKeep = 0 }},
		"rate below 0":          {"--rate-limit", func(c *config.Config) { c.RateLimit = -1 }},
		"unknown registration":  {"--registration", func(c *config.Config) { c.Registration = "invited" }},
		"demo that is closed":   {"--registration", func(c *config.Config) { c.Registration, c.Demo = "closed", true }},
		"orders below 0":        {"--orders-per-day", func(c *config.Config) { c.OrdersPerDay = -1 }},
		"new bytes below 0":     {"--new-account-bytes", func(c *config.Config) { c.NewAccountBytes = -1 }},
		"bytes below 0":         {"--stored-bytes", func(c *config.Config) { c.StoredBytes = -1 }},
		"connections below 0":   {"--connection-limit", func(c *config.Config) { c.ConnectionLimit = -1 }},
		"strangers below 0":     {"--stranger-limit", func(c *config.Config) { c.StrangerLimit = -1 }},
		"registrations below 0": {"--registration-limit", func(c *config.Config) { c.RegistrationLimit = -1 }},
		"orders kept briefly":   {"--retain-orders", func(c *config.Config) { c.RetainOrders = "6d" }},
		"orders kept below 0":   {"--retain-orders", func(c *config.Config) { c.RetainOrders = "-400d" }},
		"orders kept for long":  {"--retain-orders", func(c *config.Config) { c.RetainOrders = "36526d" }},
		"orders kept in words":  {"--retain-orders", func(c *config.Config) { c.RetainOrders = "a year" }},
		"half a day":            {"--retain-orders", func(c *config.Config) { c.RetainOrders = "10.5d" }},
		"events, no unit":       {"--retain-events", func(c *config.Config) { c.RetainEvents = "90" }},
		"events kept briefly":   {"--retain-events", func(c *config.Config) { c.RetainEvents = "167h" }},
		"operator, no password": {"--operator-password", func(c *config.Config) { c.OperatorEmail = "ops@example.com" }},
		"password, no operator": {"--operator-email", func(c *config.Config) { c.OperatorPassword = "hunter2" }},
		"address, no scheme":    {"--base-url", func(c *config.Config) { c.BaseURL = "delivery.example.com" }},
		"other scheme":          {"--base-url", func(c *config.Config) { c.BaseURL = "ftp://delivery.example.com" }},
		"no host":               {"--base-url", func(c *config.Config) { c.BaseURL = "https:///v1" }},
		"port without host":     {"--base-url", func(c *config.Config) { c.BaseURL = "https://:8443" }},
		"path":                  {"--base-url", func(c *config.Config) { c.BaseURL = "http://example.com/delivery" }},
		"path and slash":        {"--base-url", func(c *config.Config) { c.BaseURL = "https://example.com/a/" }},
		"escaped path":          {"--base-url", func(c *config.Config) { c.BaseURL = "https://example.com/%61" }},
		"query":                 {"--base-url", func(c *config.Config) { c.BaseURL = "https://delivery.example.com/?a=1" }},
		"empty query":           {"--base-url", func(c *config.Config) { c.BaseURL = "https://delivery.example.com?" }},
		"fragment":              {"--base-url", func(c *config.Config) { c.BaseURL = "https://delivery.example.com/#top" }},
		"empty fragment":        {"--base-url", func(c *config.Config) { c.BaseURL = "https://delivery.example.com#" }},
		"user": {"--base-url", func(c *config.Config) {
			c.BaseURL = "https://user:hunter2@delivery.example.com"
		}},
		"sender, no mail server": {"--smtp", func(c *config.Config) { c.MailFrom = "no-reply@example.com" }},
		"mail server, no sender": {"--mail-from", func(c *config.Config) { c.SMTP = "smtp://mail.example.com" }},
		"mail, not an address": {"--mail-from", func(c *config.Config) {
			c.SMTP, c.MailFrom = "smtp://mail.example.com", "no-reply"
		}},
		"mail by http":          {"--smtp", mailServer("http://mail.example.com")},
		"mail without host":     {"--smtp", mailServer("smtp://:25")},
		"mail with a path":      {"--smtp", mailServer("smtp://mail.example.com/x")},
		"mail, half a login":    {"--smtp", mailServer("smtp://mailer@mail.example.com")},
		"mail, other parameter": {"--smtp", mailServer("smtp://mail.example.com?verify=no")},
		"mail, not a URL":       {"--smtp", mailServer("smtp://mailer:hunter2@%zz")},
		"client, no issuer":     {"--oidc-issuer", func(c *config.Config) { c.OIDCClientID = "dropyard" }},
		"issuer, no client": {"--oidc-client-id", func(c *config.Config) {
			c.OIDCIssuer, c.OIDCClientSecret = "https://login.example.com", "hunter2"
		}},
		"issuer, no secret": {"--oidc-client-secret", func(c *config.Config) {
			c.OIDCIssuer, c.OIDCClientID = "https://login.example.com", "dropyard"
		}},
		"roles, no issuer":     {"--oidc-issuer", func(c *config.Config) { c.OIDCRoles = []string{"admin=a"} }},
		"roles, no claim":      {"--oidc-roles", oidcRoles("", "admin=a")},
		"role, no value":       {"--oidc-roles", oidcRoles("groups", "admin")},
		"unknown role":         {"--oidc-roles", oidcRoles("groups", "owner=a")},
		"unknown role of two":  {"accountant, warehouse", oidcRoles("groups", "accountant=a", "owner=b")},
		"value with blanks":    {"--oidc-roles", oidcRoles("groups", "admin= a")},
		"claim with blanks":    {"--oidc-role-claim", oidcRoles(" groups", "admin=a")},
		"issuer's description": {"--oidc-issuer", provider("https://login.example.com/.well-known/openid-configuration")},
		"trust, no issuer":     {"--oidc-issuer", func(c *config.Config) { c.OIDCTrustEmails = true }},
		"value of two roles":   {"--oidc-roles", oidcRoles("groups", "admin=a", "courier=a")},
		"issuer without TLS":   {"--oidc-issuer", provider("http://login.example.com")},
		"issuer with a user":   {"--oidc-issuer", provider("https://user:hunter2@login.example.com")},
		"issuer with a query":  {"--oidc-issuer", provider("https://login.example.com?a=1")},
		"issuer without host":  {"--oidc-issuer", provider("login")},
		"issuer, not a URL":    {"--oidc-issuer", provider("https://%zz")},
		"certificate, no key":  {"--tls-key", func(c *config.Config) { c.TLSCert = file }},
		"missing certificate": {"--tls-cert", func(c *config.Config) {
			c.TLSCert, c.TLSKey = filepath.Join(c.Data, "no.pem"), file
		}},
		"two certificates": {"--tls-domain", func(c *config.Config) {
			c.TLSCert, c.TLSKey, c.TLSDomains = file, file, []string{"a.example.com"}
		}},
		"domain with a port":   {"--tls-domain", func(c *config.Config) { c.TLSDomains = []string{"a.example.com:443"} }},
		"address as domain":    {"--tls-domain", func(c *config.Config) { c.TLSDomains = []string{"192.0.2.1"} }},
		"redirect without TLS": {"--tls-redirect", func(c *config.Config) { c.TLSRedirect = ":80" }},
		"redirect, no port": {"--tls-redirect", func(c *config.Config) {
			c.TLSRedirect, c.TLSDomains = "here", []string{"a.example.com"}
		}},
		"TLS and http": {"--base-url", func(c *config.Config) {
			c.BaseURL, c.TLSDomains = "http://a.example.com", []string{"a.example.com"}
		}},
		"authority, no domain": {"--tls-authority", func(c *config.Config) { c.TLSAuthority = "https://ca.example.com" }},
		"authority by HTTP": {"--tls-authority", func(c *config.Config) {
			c.TLSAuthority, c.TLSDomains = "http://ca.example.com", []string{"a.example.com"}
		}},
		"not an address": {"--base-url", func(c *config.Config) { c.BaseURL = "https://%zz" }},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := validConfig(t)
			c.change(settings)
			err := settings.Check()
			if err == nil || !strings.Contains(err.Error(), c.flag) {
				t.Errorf("got error %v, want one that names %s", err, c.flag)
			}
			if err != nil && strings.Contains(err.Error(), "hunter2") {
				t.Errorf("got error %q, want it without the password", err)
			}
		})
	}
}

// provider changes the OpenID provider of settings.
func provider(issuer string) func(*config.Config) {
	return func(c *config.Config) {
		c.OIDCIssuer, c.OIDCClientID, c.OIDCClientSecret = issuer, "dropyard", "hunter2"
	}
}

// oidcRoles sets the roles that values of a claim stand for.
func oidcRoles(claim string, roles ...string) func(*config.Config) {
	return func(c *config.Config) {
		provider("https://login.example.com")(c)
		c.OIDCRoleClaim, c.OIDCRoles = claim, roles
	}
}

func TestProviderOnThisMachine(t *testing.T) {
	t.Parallel()
	for _, issuer := range []string{
		"https://login.example.com/realms/ops", "http://localhost:8081", "http://127.0.0.1:8081", "http://[::1]:8081/oidc",
	} {
		settings := validConfig(t)
		provider(issuer)(settings)
		if err := settings.Check(); err != nil {
			t.Errorf("%s: got %v, want nil", issuer, err)
		}
	}
}

func TestPublic(t *testing.T) {
	t.Parallel()
	for _, c := range []struct{ baseURL, listening, want string }{
		{"", "127.0.0.1:8080", "http://127.0.0.1:8080"},
		{"", "[::1]:8080", "http://[::1]:8080"},
		{"", "0.0.0.0:8080", "http://localhost:8080"},
		{"", "[::]:8080", "http://localhost:8080"},
		{"https://delivery.example.com", "0.0.0.0:8080", "https://delivery.example.com"},
		{"https://delivery.example.com/", "127.0.0.1:8080", "https://delivery.example.com"},
	} {
		settings := config.Config{BaseURL: c.baseURL}
		address := net.TCPAddrFromAddrPort(netip.MustParseAddrPort(c.listening))
		if got := settings.Public(address); got != c.want {
			t.Errorf("base URL %q, listening on %s: got %s, want %s", c.baseURL, c.listening, got, c.want)
		}
	}
}

func TestSecure(t *testing.T) {
	t.Parallel()
	for baseURL, want := range map[string]bool{
		"": false, "http://example.com": false, "https://example.com": true, "HTTPS://EXAMPLE.COM": true,
		"HttpS://example.com/": true,
	} {
		if got := (&config.Config{BaseURL: baseURL}).Secure(); got != want {
			t.Errorf("Secure with base URL %q: got %v, want %v", baseURL, got, want)
		}
	}
}

func TestProxiesMasksNetworks(t *testing.T) {
	t.Parallel()
	c := config.Config{TrustedProxies: []string{"10.1.2.3/8", "2001:db8::1/32", "192.0.2.1/32"}}
	want := []netip.Prefix{
		netip.MustParsePrefix("10.0.0.0/8"), netip.MustParsePrefix("2001:db8::/32"), netip.MustParsePrefix("192.0.2.1/32"),
	}
	if got, err := c.Proxies(); err != nil || !slices.Equal(got, want) {
		t.Errorf("got %v, %v, want %v", got, err, want)
	}
	if got, err := new(config.Config).Proxies(); err != nil || len(got) != 0 {
		t.Errorf("got %v, %v, want none", got, err)
	}
}

func TestPaths(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		settings      config.Config
		database, key string
		postgres      bool
	}{
		{config.Config{Data: "d"}, filepath.Join("d", "dropyard.db"), filepath.Join("d", "master.key"), false},
		{config.Config{Data: "d", DatabaseURL: "sqlite:o.db", MasterKeyFile: "k"}, "o.db", "k", false},
		{config.Config{Data: "d", DatabaseURL: "postgres://h/n"}, filepath.Join("d",
			"dropyard.db"), filepath.Join("d", "master.key"), true},
		{config.Config{Data: "d", DatabaseURL: "postgresql://h/n"}, filepath.Join("d",
			"dropyard.db"), filepath.Join("d", "master.key"), true},
	} {
		if c.settings.Database() != c.database || c.settings.MasterKey() != c.key || c.settings.Postgres() != c.postgres {
			t.Errorf("%+v: got database %s, key %s, Postgres %v, want %s, %s, %v", c.settings,
				c.settings.Database(), c.settings.MasterKey(), c.settings.Postgres(), c.database, c.key, c.postgres)
		}
	}
}

func TestStringMasksSecrets(t *testing.T) {
	t.Parallel()
	const secret = "hunter2"
	for name, c := range map[string]struct {
		database string
		want     []string
	}{
		"embedded": {"sqlite:orders.db", []string{"orders.db"}},
		"in the URL": {
			"postgres://dropyard:" + secret + "@db.example.com:5432/orders", []string{"dropyard:", "db.example.com:5432/orders"},
		},
		"as a parameter": {"postgresql://db.example.com/orders?user=dropyard&password=" + secret, []string{
			"db.example.com/orders", "user=dropyard",
		}},
		"of the client's key": {"postgres://db.example.com/orders?sslpassword=" + secret, []string{"db.example.com/orders"}},
		"not readable":        {"postgres://dropyard:" + secret + "@db.example.com:port/orders", []string{"postgres://"}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			settings := config.Config{
				Listen: "127.0.0.1:8080", Data: "data", DatabaseURL: c.database, RateLimit: 300,
				BaseURL: "https://delivery.example.com", TrustedProxies: []string{"10.0.0.0/8"},
				OperatorEmail: "ops@example.com", OperatorPassword: secret,
				OIDCIssuer: "https://login.example.com", OIDCClientID: "dropyard-client", OIDCClientSecret: secret,
				SMTP: "smtps://mailer:" + secret + "@mail.example.com", MailFrom: "no-reply@example.com",
			}
			got := settings.String()
			if strings.Contains(got, secret) {
				t.Errorf("got %s, want it without the password", got)
			}
			for _, want := range append(c.want, "127.0.0.1:8080", "rate_limit=300", "https://delivery.example.com",
				"ops@example.com", "10.0.0.0/8", "https://login.example.com", "dropyard-client", "mailer", "mail.example.com:465",
				"no-reply@example.com") {
				if !strings.Contains(got, want) {
					t.Errorf("got %s, want it to contain %s", got, want)
				}
			}
		})
	}
}
