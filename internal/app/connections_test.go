package app_test

import (
	"net"
	"net/http"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

func connectionLimit(n int) apptest.Option {
	return func(c *config.Config, _ *app.Surroundings) { c.ConnectionLimit = n }
}

// dialFrom opens a connection from an address of this machine, and leaves it idle.
func dialFrom(t *testing.T, from, to string) net.Conn {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	conn, err := dialer.DialContext(t.Context(), "tcp", to)
	if err != nil {
		t.Skipf("this machine has one loopback address only: %v", err)
	}
	t.Cleanup(func() { _ = conn.Close() })
	return conn
}

// healthFrom asks for the health of a service over a new connection from an address. The
// error is that of a connection that was closed.
func healthFrom(t *testing.T, from string, s *apptest.Service) error {
	t.Helper()
	dialer := net.Dialer{LocalAddr: &net.TCPAddr{IP: net.ParseIP(from)}}
	transport := &http.Transport{DisableKeepAlives: true, DialContext: dialer.DialContext}
	response, err := (&http.Client{Transport: transport}).Get(s.URL + "/v1/health")
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	if response.StatusCode != http.StatusOK {
		t.Errorf("from %s: got status %d, want 200", from, response.StatusCode)
	}
	return nil
}

// TestConnectionsOfOneAddress lets an address open more idle connections than it may. Others
// are served, the address itself when it has closed one, and the log and the metrics say what
// happened. A trusted proxy has no such bound.
func TestConnectionsOfOneAddress(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t, apptest.WithMetrics(), connectionLimit(4), apptest.TrustProxies("127.0.0.9/32"))
	var idle []net.Conn
	for range 4 {
		idle = append(idle, dialFrom(t, "127.0.0.3", s.Address()))
	}
	if err := healthFrom(t, "127.0.0.3", s); err == nil {
		t.Error("got an answer over a fifth connection of one address, want it closed")
	}
	if err := healthFrom(t, "127.0.0.2", s); err != nil {
		t.Errorf("another address: got %v, want an answer", err)
	}
	for range 8 {
		dialFrom(t, "127.0.0.9", s.Address())
	}
	if err := healthFrom(t, "127.0.0.9", s); err != nil {
		t.Errorf("a trusted proxy: got %v, want an answer", err)
	}
	families := newScrape(t, s.MetricsURL).families
	if got := families["dropyard_http_connections_refused_total"].GetMetric(); len(got) != 2 ||
		got[0].GetCounter().GetValue()+got[1].GetCounter().GetValue() < 1 {
		t.Errorf("got %v connections refused, want at least 1", got)
	}
	if got := families["dropyard_http_connections"].GetMetric()[0].GetGauge().GetValue(); got < 12 {
		t.Errorf("got %v open connections, want at least 12", got)
	}
	_ = idle[0].Close()
	apptest.Await(t, "the address is served after it has closed a connection",
		func() bool { return healthFrom(t, "127.0.0.3", s) == nil })
	s.Stop()
	if want := `event=connections_refused address=127.0.0.3`; !strings.Contains(s.Log.String(), want) {
		t.Errorf("got no line with %s:\n%s", want, s.Log)
	}
}
