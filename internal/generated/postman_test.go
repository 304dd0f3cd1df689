package generated_test

import (
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestPostman sends requests of the Postman collection, which its script signs: quotes, orders
// and lists, one of them with a query that must be escaped.
func TestPostman(t *testing.T) {
	t.Parallel()
	testkit.NeedFullLength.OrSkip(t)
	testkit.NeedNode.OrSkip(t)
	w := &workshop{t, t.TempDir()}
	if err := os.CopyFS(w.dir, os.DirFS(filepath.Join("testdata", "postman"))); err != nil {
		t.Fatal(err)
	}
	w.npmInstall()
	service := apptest.Start(t, onSystemClock)
	partner := service.Register(t, "shop")
	collection := service.Do(t, "GET", "/docs/postman.json", nil).Must(t, 200).Body
	writeFile(t, filepath.Join(w.dir, "collection.json"), collection)
	out := w.run("node", "send.mjs", partner.PublicKey, partner.SecretKey)
	for _, line := range []string{
		"200 POST /v1/rates/quote", "201 POST /v1/orders", "200 GET /v1/orders", "200 POST /v1/orders/ID/cancel",
		"200 POST /v1/orders/ID/label-link", "200 GET /v1/orders/ID/label/TOKEN",
		"200 GET /v1/orders?search=%C3%89%27t%C3%A9%20%3Ca%3E&limit=3",
	} {
		if !strings.Contains(out, line+"\n") {
			t.Errorf("got %s, want the line %s", out, line)
		}
	}
	if bytes.Contains(collection, []byte(partner.PublicKey)) {
		t.Error("got a key in the collection")
	}
}
