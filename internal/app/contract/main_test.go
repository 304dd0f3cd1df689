package contract_test

import (
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
)

// TestMain runs the tests, and then compares the documented messages of errors with
// those that the tests got.
func TestMain(m *testing.M) {
	apptest.Overlap()
	code := m.Run()
	all := flag.Lookup("test.run").Value.String() == "" && flag.Lookup("test.skip").Value.String() == ""
	if code == 0 && all && !messages.compare() {
		code = 1
	}
	os.Exit(code)
}

// messages are the errors that the tests of this package got.
var messages = &heard{seen: map[string]bool{}}

// heard collects the codes and messages of errors.
type heard struct {
	mu   sync.Mutex
	seen map[string]bool // guarded by mu; by generalize
}

func (h *heard) add(answer *apptest.Answer) {
	if answer.Status < 400 || answer.Code() == "" {
		return
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	h.seen[generalize(answer.Code(), answer.Text("error", "message"))] = true
}

// varying matches what differs from one message to the next of a kind: ids of orders, numbers, quoted
// texts, statuses of orders, roles, and methods.
var varying = regexp.MustCompile(`ord_[0-9a-z]+|[0-9]+|"[^"]*"|\b(?:` +
	strings.Join(slices.Concat(words(delivery.Statuses), words(operator.Roles), words(partner.Roles)), "|") +
	`)\b|[A-Z]+(?:, [A-Z]+)+`)

// elsewhere are messages that tests of other packages get, each with the test.
var elsewhere = map[string]string{
	"unavailable: the service is not ready": "TestNotReadyWithoutFiles",
}

func generalize(code, message string) string {
	return code + ": " + varying.ReplaceAllString(message, "…")
}

// compare reports whether every documented message is one that the service answers,
// and prints those that are not.
func (h *heard) compare() bool {
	c, err := theContract()
	if err != nil {
		return false
	}
	h.mu.Lock()
	defer h.mu.Unlock()
	same := true
	for _, d := range c.documents {
		d.node(c).walk(func(n node) {
			members, _ := n.value.(map[string]any)
			code, isCode := members["code"].(string)
			message, isMessage := members["message"].(string)
			general := generalize(code, message)
			if isCode && isMessage && !h.seen[general] && elsewhere[general] == "" {
				fmt.Printf("%s: got the message %q, which no test got from the service\n", n, message)
				same = false
			}
		})
	}
	return same
}
