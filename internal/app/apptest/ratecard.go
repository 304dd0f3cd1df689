package apptest

import (
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/pricing"
)

// Charge uploads the built-in rate card for all partners, from now on, with the members that say what is charged
// beside prices.
func (o *Operator) Charge(t testing.TB, members string) {
	t.Helper()
	o.UploadCard(t, "{", "{"+members+",", 1)
}

// UploadCard uploads the built-in rate card for all partners, from now on, with so many texts replaced by another.
func (o *Operator) UploadCard(t testing.TB, text, replacement string, times int) {
	t.Helper()
	card := strings.Replace(string(pricing.DefaultCardFile()), `"version": "default-1"`, `"version": "changed"`, 1)
	card = strings.Replace(card, `"effective_from": "2020-01-01T00:00:00Z",`, "", 1)
	card = strings.Replace(card, text, replacement, times)
	o.Call(t, "POST", "/ops/v1/rate-cards", []byte(`{"name":"default","card":`+card+`}`)).Must(t, 201)
}
