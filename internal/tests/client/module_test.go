// Package client_test tests the client in Go against the service and its documents. The tests are not in the folder
// of the client, because go mod tidy adds the modules that tests of a package need to the go.sum of its users.
package client_test

import (
	"encoding/json"
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

const clientPackage = "github.com/dropyard/dropyard/client"

// TestImportsOnlyTheStandardLibrary: a module that imports the client gets no other modules, not even by go mod tidy,
// which also reads the tests of the client.
func TestImportsOnlyTheStandardLibrary(t *testing.T) {
	t.Parallel()
	out, err := exec.CommandContext(t.Context(), "go", "list", "-test", "-deps", "-f",
		"{{if not .Standard}}{{.ImportPath}}{{end}}", clientPackage).Output()
	if err != nil {
		t.Fatal(err)
	}
	for _, name := range strings.Split(strings.TrimSpace(string(out)), "\n") {
		name, _, _ = strings.Cut(name, " ") // of a package as the tests see it
		if !slices.Contains([]string{
			"github.com/dropyard/dropyard/internal/signature", clientPackage, clientPackage + "_test", clientPackage + ".test",
		}, name) {
			t.Errorf("got %s among what the client and its tests import, want the standard library only", name)
		}
	}
}

// TestExamples runs the examples in the folder of the client against a service.
func TestExamples(t *testing.T) {
	t.Parallel()
	service := apptest.Start(t, onSystemClock, apptest.Webhooks())
	command := exec.CommandContext(t.Context(), "go", "test", "-count=1", "-v", "-run", "^Example", clientPackage)
	command.Env = append(os.Environ(), "DROPYARD_EXAMPLES_URL="+service.URL,
		"DROPYARD_OPERATOR_EMAIL="+apptest.OperatorEmail, "DROPYARD_OPERATOR_PASSWORD="+apptest.OperatorPassword)
	out, err := command.CombinedOutput()
	if err != nil || !strings.Contains(string(out), "--- PASS: ExampleClient_Feed") {
		t.Errorf("got %v, want all examples to pass:\n%s", err, out)
	}
}

// exampleOrder returns an order for tomorrow.
func exampleOrder(reference string) client.OrderRequest {
	var order client.OrderRequest
	if err := json.Unmarshal(testkit.OrderJSON(reference, ""), &order); err != nil {
		panic(err)
	}
	tomorrow := client.TimeWindow{Start: time.Now().Add(24 * time.Hour), End: time.Now().Add(30 * time.Hour)}
	order.Pickup.TimeWindow, order.Dropoff.TimeWindow, order.Parcels = tomorrow, tomorrow, order.Parcels[:1]
	return order
}
