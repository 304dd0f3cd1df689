package app

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"log/slog"
	"net"
	"net/http"
	"net/url"
	"strings"

	"golang.org/x/crypto/acme"
	"golang.org/x/crypto/acme/autocert"

	"github.com/dropyard/dropyard/internal/foundation/inbound"
)

// openTLS prepares what the settings ask for: a certificate, and redirections to it.
func (a *App) openTLS(ctx context.Context) (err error) {
	challenges := func(next http.Handler) http.Handler { return next }
	switch {
	case a.config.TLSCert != "":
		files, err := inbound.OpenCertificate(a.config.TLSCert, a.config.TLSKey, a.Log)
		if err != nil {
			return fmt.Errorf("--tls-cert: %w", err)
		}
		a.http.TLSConfig = &tls.Config{GetCertificate: files.Get}
	case len(a.config.TLSDomains) > 0:
		manager := &autocert.Manager{
			Prompt:     autocert.AcceptTOS,
			Cache:      autocert.DirCache(a.config.Certificates()),
			HostPolicy: autocert.HostWhitelist(a.config.TLSDomains...),
		}
		if a.config.TLSAuthority != "" {
			manager.Client = &acme.Client{DirectoryURL: a.config.TLSAuthority}
		}
		a.http.TLSConfig = manager.TLSConfig()
		challenges = manager.HTTPHandler
	default:
		return nil
	}
	a.http.TLSConfig.MinVersion = tls.VersionTLS12
	if a.config.TLSRedirect == "" {
		return nil
	}
	if a.redirect, err = openRedirect(ctx, a.config.TLSRedirect, challenges(redirectTo(a.URL())), a.connections,
		a.Log); err != nil {
		return err
	}
	a.atClose(a.redirect.close)
	return nil
}

// boundStreams bounds what a connection by HTTP/2 may have in flight, as receiveBuffer
// does for one by HTTP/1.1.
func boundStreams() *http.HTTP2Config {
	return &http.HTTP2Config{
		MaxConcurrentStreams: 128, MaxReceiveBufferPerConnection: receiveBuffer, MaxReceiveBufferPerStream: receiveBuffer / 2,
	}
}

// serveHTTP serves until the server is shut down.
func (a *App) serveHTTP() error {
	if a.http.TLSConfig == nil {
		return a.http.Serve(a.connections.Listener(a.listener))
	}
	return a.http.ServeTLS(a.connections.Listener(a.listener), "", "")
}

// redirect is a server that sends clients which have used HTTP on to https.
type redirect struct {
	listener net.Listener
	http     *http.Server
	ended    chan struct{}
}

func openRedirect(
	ctx context.Context, address string, handler http.Handler, bounds *inbound.Bounds, log *slog.Logger,
) (*redirect, error) {
	listener, err := listen(ctx, "--tls-redirect", address)
	if err != nil {
		return nil, err
	}
	r := &redirect{listener: listener, ended: make(chan struct{}), http: &http.Server{
		Handler: handler, ReadTimeout: headerTimeout, WriteTimeout: headerTimeout, IdleTimeout: headerTimeout,
		MaxHeaderBytes: maxHeader, ConnContext: boundReceived, ErrorLog: slog.NewLogLogger(log.Handler(), slog.LevelDebug),
	}}
	go func() {
		defer close(r.ended)
		if err := r.http.Serve(bounds.Listener(listener)); !errors.Is(err, http.ErrServerClosed) {
			log.Error("requests by HTTP are no longer redirected", "error", err)
		}
	}()
	return r, nil
}

func (r *redirect) close() error {
	err := r.http.Close()
	<-r.ended
	return err
}

// RedirectAddress returns the address on which requests by HTTP are redirected; empty if
// there is none.
func (a *App) RedirectAddress() string {
	if a.redirect == nil {
		return ""
	}
	return a.redirect.listener.Addr().String()
}

// redirectTo redirects what people open. A program that sends requests of an interface, or
// anything but GET, is refused, so that its author notices that the request has travelled
// in the clear (ASVS 5.0, 4.1.2).
func redirectTo(public string) http.Handler {
	base, _ := url.Parse(public) // config.Config made or checked it
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if r.Method != http.MethodGet && r.Method != http.MethodHead || strings.HasPrefix(r.URL.Path, "/v1/") ||
			strings.HasPrefix(r.URL.Path, "/ops/v1/") {
			http.Error(w, "Use "+public, http.StatusBadRequest)
			return
		}
		target := url.URL{
			Scheme: base.Scheme, Host: base.Host, Path: r.URL.Path, RawPath: r.URL.RawPath, RawQuery: r.URL.RawQuery,
		}
		http.Redirect(w, r, target.String(), http.StatusPermanentRedirect)
	})
}
