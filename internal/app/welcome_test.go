package app_test

import (
	"bytes"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

// TestFirstStartPrintsTheNextStep: as long as no operator exists, a start prints the command that adds one.
func TestFirstStartPrintsTheNextStep(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		email string
		want  []string
	}{
		"no operator": {"", []string{
			"Dropyard is ready at http://", "operator add you@example.com --password", "/console", " --data ",
		}},
		"an operator": {apptest.OperatorEmail, nil},
	} {
		var printed bytes.Buffer
		apptest.Start(t, func(settings *config.Config, world *app.Surroundings) {
			settings.OperatorEmail, world.Out = c.email, &printed
			if c.email == "" {
				settings.OperatorPassword = ""
			}
		})
		if len(c.want) == 0 && printed.Len() > 0 {
			t.Errorf("%s: got %q, want nothing printed", name, printed.String())
		}
		for _, want := range c.want {
			if !strings.Contains(printed.String(), want) {
				t.Errorf("%s: got %q, want it to contain %q", name, printed.String(), want)
			}
		}
	}
}
