package inbound

import (
	"crypto/tls"
	"log/slog"
	"os"
	"sync"
	"time"
)

// checkEvery is how old a look at the files may be.
const checkEvery = time.Second

// CertificateFiles is a certificate that is read from two files in PEM: the chain, and the key of
// its first certificate.
type CertificateFiles struct {
	chain, key string
	log        *slog.Logger

	mu      sync.Mutex // guards what follows
	current *tls.Certificate
	state   state // of the files when they were last read
	warned  state // of files that could not be read, which was logged
	checked time.Time
}

// state tells versions of the two files apart.
type state [2]struct {
	changed time.Time
	size    int64
}

// OpenCertificate reads the files. Later errors are logged.
func OpenCertificate(chain, key string, log *slog.Logger) (*CertificateFiles, error) {
	f := &CertificateFiles{chain: chain, key: key, log: log, checked: time.Now()}
	seen, err := f.look()
	if err != nil {
		return nil, err
	}
	return f, f.read(seen)
}

// Get returns the certificate, for tls.Config. If the files have changed it reads them
// first; while they cannot be read, or do not belong together because only one of them
// has been replaced, it returns the certificate that it has.
func (f *CertificateFiles) Get(*tls.ClientHelloInfo) (*tls.Certificate, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if time.Since(f.checked) < checkEvery {
		return f.current, nil
	}
	f.checked = time.Now()
	f.refresh()
	return f.current, nil
}

func (f *CertificateFiles) refresh() {
	seen, err := f.look()
	if err == nil && seen == f.state {
		return
	}
	if err == nil {
		err = f.read(seen)
	}
	if err != nil && seen == f.warned {
		return // logged already; a later try may succeed
	}
	if err != nil {
		f.warned = seen
		f.log.Warn("the certificate has changed and cannot be read, the old one is used", "error", err)
		return
	}
	f.log.Info("the certificate was read again", "expires", f.current.Leaf.NotAfter)
}

func (f *CertificateFiles) look() (seen state, err error) {
	for i, name := range []string{f.chain, f.key} {
		info, err := os.Stat(name)
		if err != nil {
			return seen, err
		}
		seen[i].changed, seen[i].size = info.ModTime(), info.Size()
	}
	return seen, nil
}

func (f *CertificateFiles) read(seen state) error {
	pair, err := tls.LoadX509KeyPair(f.chain, f.key)
	if err == nil {
		f.current, f.state = &pair, seen
	}
	return err
}
