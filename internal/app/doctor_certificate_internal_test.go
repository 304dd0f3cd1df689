package app

import (
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"encoding/pem"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// certify writes a certificate for dropyard.example and its key, and returns the names of the files.
func certify(t *testing.T, name string, from, until time.Time) (chain, key string) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), repeatable.Reader(t, name))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(1), NotBefore: from, NotAfter: until, DNSNames: []string{"dropyard.example"},
	}
	der, err := x509.CreateCertificate(repeatable.Reader(t, name), template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	secret, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	dir := t.TempDir()
	chain, key = filepath.Join(dir, "chain.pem"), filepath.Join(dir, "key.pem")
	for file, block := range map[string]*pem.Block{
		chain: {Type: "CERTIFICATE", Bytes: der}, key: {Type: "PRIVATE KEY", Bytes: secret},
	} {
		if err := os.WriteFile(file, pem.EncodeToMemory(block), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return chain, key
}

func TestDoctorChecksCertificate(t *testing.T) {
	t.Parallel()
	from := time.Date(2026, time.November, 1, 0, 0, 0, 0, time.UTC)
	chain, key := certify(t, "first", from, from.AddDate(0, 0, 90))
	_, other := certify(t, "second", from, from.AddDate(0, 0, 90))
	const public = "https://dropyard.example"
	for name, c := range map[string]struct {
		key, base   string
		at          time.Time
		fault, note string
	}{
		"sound":         {key: key, base: public, at: from.AddDate(0, 0, 10)},
		"another key":   {key: other, base: public, at: from.AddDate(0, 0, 10), fault: "does not match public key"},
		"not yet valid": {key: key, base: public, at: from.AddDate(0, 0, -1), fault: "is not valid before 2026-11-01T00:00:00"},
		"expired":       {key: key, base: public, at: from.AddDate(0, 0, 91), fault: "expired at 2027-01-30T00:00:00"},
		"expires soon":  {key: key, base: public, at: from.AddDate(0, 0, 80), note: "expires at 2027-01-30T00:00:00"},
		"another name": {
			key: key, base: "https://other.example", at: from.AddDate(0, 0, 10), fault: "clients at other.example",
		},
	} {
		d := &Diagnosis{}
		d.checkCertificate(&config.Config{TLSCert: chain, TLSKey: c.key, BaseURL: c.base}, c.at)
		faults, notes := strings.Join(d.Findings, "\n"), strings.Join(d.Notes, "\n")
		if (c.fault == "") != (faults == "") || !strings.Contains(faults, c.fault) {
			t.Errorf("%s: got the findings %q, want %q", name, faults, c.fault)
		}
		if (c.note == "") != (notes == "") || !strings.Contains(notes, c.note) {
			t.Errorf("%s: got the notes %q, want %q", name, notes, c.note)
		}
	}
}

func TestDoctorNamesBackupsThatAreSet(t *testing.T) {
	t.Parallel()
	for setting, want := range map[string]string{
		"":         "dropyard backup has never copied this database",
		"/backups": "--backups is set, but no backup has been made yet: press Back up now on the system page, which tries the place",
	} {
		d := &Diagnosis{}
		d.checkBackup(&config.Config{Data: t.TempDir(), Backups: setting})
		if got := strings.Join(d.Notes, "\n"); got != want {
			t.Errorf("--backups %q: got the notes %q, want %q", setting, got, want)
		}
	}
	failed := &config.Config{Data: t.TempDir(), Backups: "/backups"}
	const list = `{"place":"p","since":"2026-11-28T00:00:00Z","last":{"name":"b.db","at":"2026-11-28T08:00:00Z",` +
		`"seconds":1,"bytes":0,"error":"403 Forbidden"},"kept":{}}`
	if err := os.WriteFile(failed.Database()+backupsFile, []byte(list), 0o600); err != nil {
		t.Fatal(err)
	}
	d := &Diagnosis{}
	d.checkBackup(failed)
	const want = "the latest backup to --backups failed at 2026-11-28T08:00:00.000Z: 403 Forbidden"
	if got := strings.Join(d.Notes, "\n"); !strings.Contains(got, want) {
		t.Errorf("a backup that failed: got the notes %q, want %q", got, want)
	}
}
