package main

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

func TestRun(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, apptest.Webhooks(), func(c *config.Config, world *app.Surroundings) {
		c.Simulate, c.SimulatePace = true, 10*time.Millisecond
		world.Now, world.At = time.Now, app.System().At
	})
	var out bytes.Buffer
	if err := run(t.Context(), &out, service.URL); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"refused parcels: want ", "verified order.accepted\n", "verified order.delivered\nA-1 delivered ",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("got %q, want %q in it", out.String(), want)
		}
	}
}
