package db

import (
	"crypto/x509"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
	"github.com/jackc/pgx/v5/pgxpool"
)

var (
	errEscape = errors.New("the URL of the database cannot be read: " +
		"special characters in the user, the password and the name must be escaped (" +
		"% as %25, / as %2F, ? as %3F, # as %23, @ as %40, : as %3A, & as %26, a space as %20)")
	errPort = errors.New("the URL of the database cannot be read: its port is not a number " +
		"(example: postgres://user:password@host:5432/name)")
)

// sslModes are the values of sslmode.
var sslModes = []string{"disable", "allow", "prefer", "require", "verify-ca", "verify-full"}

// CheckURL returns an error that says what is wrong with the URL of a PostgreSQL database,
// and with the files that it names. It opens no connection, and repeats no password.
func CheckURL(text string) error {
	_, err := parsePostgres(text)
	return err
}

// parseURL returns the driver's reading of a URL.
func parseURL(text string) (*pgxpool.Config, error) {
	if err := checkSpelling(text); err != nil {
		return nil, err
	}
	config, err := pgxpool.ParseConfig(text)
	if err != nil {
		// The error repeats the URL before the cause, and with it perhaps the password.
		said := err.Error()
		return nil, fmt.Errorf("the URL of the database is refused: %s", said[strings.LastIndex(said, "`: ")+len("`: "):])
	}
	// What the driver does not know would become a parameter of the server.
	for name := range config.ConnConfig.RuntimeParams {
		about := strings.ToLower(name)
		if strings.HasPrefix(about, "ssl") || strings.HasPrefix(about, "tls") || strings.HasPrefix(about, "pool_") {
			return nil, fmt.Errorf("the URL of the database has the unknown parameter %q; about TLS there are sslmode, "+
				"sslrootcert, sslcert, sslkey, sslpassword, sslsni and sslnegotiation, about the pool pool_max_conns", name)
		}
	}
	return config, nil
}

// checkSpelling returns an error for what the driver misunderstands, or refuses with few words.
func checkSpelling(text string) error {
	_, rest, _ := strings.Cut(text, "://")
	authority, path := rest, ""
	if i := strings.IndexAny(rest, "/?#"); i >= 0 {
		authority, path = rest[:i], rest[i:]
	}
	path, query, _ := strings.Cut(path, "?")
	first, _, _ := strings.Cut(query, "=")
	cut := !strings.Contains(authority, "@") && (strings.Contains(path, "@") || strings.Contains(first, "@"))
	if cut || strings.Contains(text, "#") {
		return errEscape
	}
	where, err := url.Parse(text)
	if err != nil {
		_, port, _ := strings.Cut(authority[strings.LastIndex(authority, "@")+1:], ":")
		if strings.Trim(port, "0123456789") != "" && !strings.ContainsAny(authority, "%[] ") {
			return errPort
		}
		return errEscape
	}
	parameters, err := url.ParseQuery(strings.ReplaceAll(where.RawQuery, "+", "%2B")) // the driver reads + as it is
	if err != nil {
		return errEscape
	}
	return checkTLS(parameters)
}

// checkTLS returns an error if a parameter about TLS has no meaning, or names a file that
// cannot be used.
func checkTLS(parameters url.Values) error {
	if mode := parameters.Get("sslmode"); mode != "" && !slices.Contains(sslModes, mode) {
		return fmt.Errorf("sslmode in the URL of the database: %q is not one of %s", mode, strings.Join(sslModes, ", "))
	}
	for _, name := range []string{"sslrootcert", "sslcert", "sslkey"} {
		file := parameters.Get(name)
		if file == "" || file == "system" && name == "sslrootcert" {
			continue
		}
		content, err := os.ReadFile(file)
		if err != nil {
			return fmt.Errorf("%s in the URL of the database: %w", name, err)
		}
		if name == "sslrootcert" && !x509.NewCertPool().AppendCertsFromPEM(content) {
			return fmt.Errorf("%s in the URL of the database: %s has no certificate in PEM", name, file)
		}
	}
	if (parameters.Get("sslcert") == "") != (parameters.Get("sslkey") == "") {
		return errors.New("sslcert and sslkey in the URL of the database must be set together")
	}
	return nil
}

// CheckTransport returns an error if a connection to the PostgreSQL database at url could
// go to another machine without TLS, as it does by default where the server offers none.
func CheckTransport(url string) error {
	config, err := parsePostgres(url)
	if err != nil {
		return err
	}
	ways := []*pgconn.FallbackConfig{{Host: config.ConnConfig.Host, TLSConfig: config.ConnConfig.TLSConfig}}
	for _, way := range append(ways, config.ConnConfig.Fallbacks...) {
		if way.TLSConfig == nil && !strings.HasPrefix(way.Host, "/") && !machine.IsLoopback(way.Host) {
			return fmt.Errorf("the connection to PostgreSQL on %s might be in the clear: add sslmode=verify-full (or require, "+
				"which does not check the server's name) to the URL of the database, or set --database-allow-insecure", way.Host)
		}
	}
	return nil
}

// notReached describes on one line why no connection could be made. The driver's own error
// has a line for each address that it has tried.
func notReached(config *pgx.ConnConfig, err error) error {
	where := net.JoinHostPort(config.Host, fmt.Sprint(config.Port))
	var authority x509.UnknownAuthorityError
	var name x509.HostnameError
	switch {
	case errors.As(err, &authority):
		return fmt.Errorf("the certificate of PostgreSQL at %s is from an authority that this machine does not trust: "+
			"name the authority's certificate with sslrootcert in the URL of the database", where)
	case errors.As(err, &name):
		return fmt.Errorf(
			"the certificate of PostgreSQL at %s is not for this name (%w): use one of its names in the URL of "+
				"the database, or sslmode=verify-ca, which does not compare names", where, name,
		)
	}
	var tried []string
	for line := range strings.Lines(err.Error()) {
		if line = strings.TrimSpace(line); !slices.Contains(tried, line) { // it tries one address with TLS and without
			tried = append(tried, line)
		}
	}
	return fmt.Errorf("reach PostgreSQL at %s: %s; check that the server runs, and the URL of the database",
		where, strings.Join(strings.Fields(strings.Join(tried, " ")), " "))
}
