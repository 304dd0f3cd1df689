package contract_test

import (
	"bytes"
	"context"
	"image"
	"image/png"
	"io"
	"log/slog"
	"path/filepath"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/proof"
)

// newProof stores a proof and returns the path parameter of its name.
func (f *fixture) newProof(t testing.TB) map[string]string {
	t.Helper()
	store, err := proof.NewDirectory(filepath.Join(f.Data, "proofs"))
	if err != nil {
		t.Fatal(err)
	}
	service := proof.NewService(proof.Config{
		Cleaner: picture.NewCleaner(), Store: store, Random: apptest.Random(t),
		Log: slog.New(slog.NewTextHandler(io.Discard, nil)), URL: func(name string) string { return name },
	})
	name, err := service.Keep(context.Background(), "opr_1", drawing(), func(string) error { return nil })
	if err != nil {
		t.Fatal(err)
	}
	return map[string]string{"name": name}
}

// drawing returns a small PNG file.
func drawing() []byte {
	var file bytes.Buffer
	_ = png.Encode(&file, image.NewGray(image.Rect(0, 0, 3, 2))) // into memory
	return file.Bytes()
}

// TestProofHeaders checks the headers of proofs, and HEAD. The rest is documented.
func TestProofHeaders(t *testing.T) {
	t.Parallel()
	f := newFixture(t, roomy)
	path := f.newProof(t)
	shown := f.send(t, call{operation: "getProof", path: path}).Must(t, 200)
	if kind := shown.Header.Get("Content-Type"); kind != "image/png" || !bytes.HasPrefix(shown.Body, []byte("\x89PNG")) {
		t.Errorf("got %s, want a PNG: %.8q", kind, shown.Body)
	}
	if shown.Header.Get("Access-Control-Allow-Origin") != "" {
		t.Error("got Access-Control-Allow-Origin, want none")
	}
	head := f.Do(t, "HEAD", "/proofs/"+path["name"], nil).Must(t, 200)
	if len(head.Body) != 0 || head.Header.Get("Content-Length") != shown.Header.Get("Content-Length") ||
		head.Header.Get("Cache-Control") != shown.Header.Get("Cache-Control") {
		t.Errorf("HEAD: got headers %v, want those of GET", head.Header)
	}
	for _, none := range []string{
		"none", "%00", "a%2fb", strings.ToUpper(path["name"]), path["name"] + ".1", path["name"][1:], path["name"] + "%0a",
		strings.TrimSuffix(path["name"], "png") + "jpg", strings.Repeat("0", 32) + ".png",
	} {
		refused := f.send(t, call{operation: "getProof", path: map[string]string{"name": none}}).Must(t, 404)
		if refused.Header.Get("Access-Control-Allow-Origin") != "" ||
			strings.Contains(refused.Header.Get("Content-Security-Policy"), "sandbox") {
			t.Errorf("%s: got headers %v, want those of an error", none, refused.Header)
		}
	}
	f.Do(t, "GET", "/proofs/..%2f..%2fmaster.key", nil).Refused(t, 404, "not_found")
}
