package app

import (
	"crypto/tls"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/machine"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// certificateEnds is how long before its end a certificate is worth a note.
const certificateEnds = 14 * 24 * time.Hour

// checkCertificate checks the certificate that the service shows to clients: a service does not start with
// one that does not fit its key, and starts with one that clients refuse.
func (d *Diagnosis) checkCertificate(settings *config.Config, now time.Time) {
	if settings.TLSCert == "" {
		return
	}
	pair, err := tls.LoadX509KeyPair(settings.TLSCert, settings.TLSKey)
	if err != nil {
		d.find("--tls-cert: %s cannot be used with the key %s: %v", settings.TLSCert, settings.TLSKey, err)
		return
	}
	switch leaf := pair.Leaf; {
	case now.Before(leaf.NotBefore):
		d.find("--tls-cert: the certificate in %s is not valid before %s: correct the clock, or replace the files",
			settings.TLSCert, timestamp.Format(leaf.NotBefore))
	case now.After(leaf.NotAfter):
		d.find("--tls-cert: the certificate in %s expired at %s: replace the files; a running service reads new ones",
			settings.TLSCert, timestamp.Format(leaf.NotAfter))
	case now.After(leaf.NotAfter.Add(-certificateEnds)):
		d.note("the certificate in %s expires at %s", settings.TLSCert, timestamp.Format(leaf.NotAfter))
	}
	if host := publicHost(settings); host != "" && !machine.IsLoopback(host) {
		if err := pair.Leaf.VerifyHostname(host); err != nil {
			d.find("--tls-cert: clients at %s refuse the certificate in %s: %v", host, settings.TLSCert, err)
		}
	}
}
