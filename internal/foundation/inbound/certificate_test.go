package inbound_test

import (
	"bytes"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/x509"
	"crypto/x509/pkix"
	"encoding/pem"
	"log/slog"
	"math/big"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/synctest"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/inbound"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// TestReplacedFiles replaces the two files one after the other, as programs that renew
// certificates do.
func TestReplacedFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chain, key := filepath.Join(dir, "chain.pem"), filepath.Join(dir, "key.pem")
	firstChain, firstKey := issue(t, 1)
	secondChain, secondKey := issue(t, 2)
	synctest.Test(t, func(t *testing.T) {
		write := func(name string, content []byte) {
			t.Helper()
			if err := os.WriteFile(name, content, 0o600); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(name, time.Time{}, time.Now()); err != nil {
				t.Fatal(err)
			}
		}
		var log bytes.Buffer
		write(chain, firstChain)
		write(key, firstKey)
		files, err := inbound.OpenCertificate(chain, key, slog.New(slog.NewTextHandler(&log, nil)))
		if err != nil {
			t.Fatal(err)
		}
		serves := func(want int64) {
			t.Helper()
			got, err := files.Get(nil)
			if err != nil || got.Leaf.SerialNumber.Int64() != want {
				t.Fatalf("got certificate %v, %v, want %d", got.Leaf.SerialNumber, err, want)
			}
		}
		serves(1)
		for _, written := range [][]byte{secondChain[:len(secondChain)/2], secondChain} { // half of it, and without its key
			log.Reset()
			write(chain, written)
			for range 3 {
				time.Sleep(2 * time.Second) // of the test's clock
				serves(1)
			}
			if got := strings.Count(log.String(), "the old one is used"); got != 1 {
				t.Errorf("got log %q, want once that the old certificate is used", log.String())
			}
		}
		write(key, secondKey)
		serves(1) // files are looked at once a second
		time.Sleep(2 * time.Second)
		serves(2)
		if err := os.Remove(key); err != nil {
			t.Fatal(err)
		}
		time.Sleep(2 * time.Second)
		serves(2)
	})
}

func TestOpenWrongFiles(t *testing.T) {
	t.Parallel()
	dir := t.TempDir()
	chain, key := filepath.Join(dir, "chain.pem"), filepath.Join(dir, "key.pem")
	if _, err := inbound.OpenCertificate(chain, key, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("missing files: got no error")
	}
	for _, name := range []string{chain, key} {
		if err := os.WriteFile(name, []byte("no certificate"), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := inbound.OpenCertificate(chain, key, slog.New(slog.DiscardHandler)); err == nil {
		t.Error("files without a certificate: got no error")
	}
}

// issue returns a certificate with a serial number, and its key.
func issue(t *testing.T, serial int64) (chain, key []byte) {
	t.Helper()
	private, err := ecdsa.GenerateKey(elliptic.P256(), repeatable.Reader(t))
	if err != nil {
		t.Fatal(err)
	}
	template := &x509.Certificate{
		SerialNumber: big.NewInt(serial), Subject: pkix.Name{CommonName: "localhost"}, NotAfter: time.Now().Add(time.Hour),
	}
	der, err := x509.CreateCertificate(repeatable.Reader(t), template, template, &private.PublicKey, private)
	if err != nil {
		t.Fatal(err)
	}
	encoded, err := x509.MarshalPKCS8PrivateKey(private)
	if err != nil {
		t.Fatal(err)
	}
	return pem.EncodeToMemory(&pem.Block{Type: "CERTIFICATE", Bytes: der}),
		pem.EncodeToMemory(&pem.Block{Type: "PRIVATE KEY", Bytes: encoded})
}
