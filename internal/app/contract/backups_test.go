package contract_test

import (
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// driveBackup begins a backup of the embedded database; of another one the service makes none.
func driveBackup(t *testing.T, o *operation) *apptest.Answer {
	folder := filepath.Join(t.TempDir(), "backups")
	f := newFixture(t, roomy, apptest.Embedded(), func(c *config.Config, _ *app.Surroundings) { c.Backups = folder })
	return f.send(t, call{operation: o.id})
}

// driveNoBackups asks a service for a backup that does not know where to keep it, and another one while it makes one.
func driveNoBackups(t *testing.T, o *operation) *apptest.Answer {
	newFixture(t, roomy).send(t, call{operation: o.id}).Must(t, 409)
	release := make(chan struct{})
	bucket := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-release }))
	t.Cleanup(bucket.Close)
	where := "s3://AKIDEXAMPLE:verysecretkey@" + strings.TrimPrefix(bucket.URL, "http://") + "/my-bucket?tls=off"
	f := newFixture(t, roomy, apptest.Embedded(), func(c *config.Config, _ *app.Surroundings) { c.Backups = where })
	t.Cleanup(func() { close(release) })
	f.send(t, call{operation: o.id}).Must(t, 202)
	return f.send(t, call{operation: o.id})
}
