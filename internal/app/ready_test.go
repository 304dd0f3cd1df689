package app_test

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
)

// untilReady asks until the service is ready.
func untilReady(t *testing.T, service *apptest.Service) (answer *apptest.Answer) {
	t.Helper()
	apptest.Await(t, "/v1/ready answers 200", func() bool {
		answer = service.Do(t, "GET", "/v1/ready", nil)
		return answer.Status == 200
	})
	return answer
}

// TestNotReadyWithoutFiles moves the files of the embedded database away and back.
func TestNotReadyWithoutFiles(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "data")
	service := apptest.Start(t, apptest.DataIn(dir))
	if service.Database != "" {
		t.Skip("for the embedded database")
	}
	operator := service.Operate(t)
	if got := untilReady(t, service); got.Text("status") != "ready" || got.Text("time") == "" {
		t.Errorf("got %s, want status and time", got.Body)
	}
	file := filepath.Join(dir, "dropyard.db")
	if err := os.Rename(file, file+".away"); err != nil {
		t.Fatal(err)
	}
	apptest.Await(t, "the service misses its database", func() bool {
		shown := service.Do(t, "GET", "/v1/ready", nil, "Authorization", "Bearer "+operator.Token)
		return shown.Text("error", "details", "reasons", 0, "reason") == "database_unfit"
	})
	hidden := service.Do(t, "GET", "/v1/ready", nil).Refused(t, 503, "unavailable")
	if hidden.JSON("error", "details") != nil {
		t.Errorf("got %s without a token, want no details", hidden.Body)
	}
	service.Do(t, "GET", "/v1/ready", nil, "Authorization", "Bearer wrong").Refused(t, 503, "unavailable")
	service.Do(t, "GET", "/v1/health", nil).Must(t, 200)
	if err := os.Rename(file+".away", file); err != nil {
		t.Fatal(err)
	}
	untilReady(t, service)
	service.Stop()
	for _, want := range []string{`msg="not ready: database_unfit"`, `msg="not ready: database_unfit, over"`} {
		if got := strings.Count(service.Log.String(), want); got != 1 {
			t.Errorf("got %d lines with %s, want 1:\n%s", got, want, service.Log)
		}
	}
}

// TestDrainingIsNotReady sends the body of a request once the service is stopping,
// because it reads no more requests then.
func TestDrainingIsNotReady(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t)
	untilReady(t, service)
	wire := service.Wire(t).Send(apptest.Text("GET", "/v1/ready",
		[]string{"Content-Length", "2", "Expect", "100-continue"}, "")).Continue()
	stopped := make(chan struct{})
	go func() {
		defer close(stopped)
		service.Stop()
	}()
	for refused := false; !refused; { // until no new connection is accepted
		conn, err := net.Dial("tcp", service.Address())
		if refused = err != nil; !refused {
			_ = conn.Close()
		}
	}
	wire.Send("{}").Answer("GET").Refused(t, 503, "unavailable")
	<-stopped
}
