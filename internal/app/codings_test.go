package app_test

import (
	"bytes"
	"compress/gzip"
	"fmt"
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/klauspost/compress/zstd"
)

// codings are the content codings of large responses.
var codings = []string{"identity", "gzip", "zstd"}

// decoded returns the body of a response to a request that accepts one coding, in which
// the response must be.
func decoded(t *testing.T, a *apptest.Answer, coding string) []byte {
	t.Helper()
	want := coding
	if coding == "identity" {
		want = ""
	}
	if got := a.Header.Get("Content-Encoding"); got != want {
		t.Fatalf("got Content-Encoding %q, want %q", got, want)
	}
	if vary := a.Header.Values("Vary"); !slices.Contains(vary, "Accept-Encoding") {
		t.Errorf("got Vary %q, want Accept-Encoding among them", vary)
	}
	var reader io.Reader = bytes.NewReader(a.Body)
	var err error
	switch coding {
	case "gzip":
		reader, err = gzip.NewReader(reader)
	case "zstd":
		reader, err = zstd.NewReader(reader, zstd.WithDecoderConcurrency(1))
	}
	if err != nil {
		t.Fatal(err)
	}
	body, err := io.ReadAll(reader)
	if err != nil {
		t.Fatal(err)
	}
	return body
}

// TestDocumentationIsCompressed: what everybody may read is sent in the coding that the
// client prefers. Other pages may contain secrets and are never compressed (BREACH).
func TestDocumentationIsCompressed(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	for _, path := range []string{
		"/docs", "/docs.md", "/docs/api/createOrder", "/docs/search/en.json", "/openapi.yaml", "/openapi.json", "/ops.yaml",
		"/ops.json", "/openapi-3.0.yaml", "/ops-3.0.yaml", "/asyncapi.yaml",
	} {
		plain := s.Do(t, "GET", path, nil, "Accept-Encoding", "identity").Must(t, 200)
		for _, coding := range codings {
			got := s.Do(t, "GET", path, nil, "Accept-Encoding", coding).Must(t, 200)
			if text := decoded(t, got, coding); !bytes.Equal(text, plain.Body) {
				t.Errorf("%s by %s: got %d bytes, want the same %d as without", path, coding, len(text), len(plain.Body))
			}
		}
	}
	for _, path := range []string{"/portal/login", "/console/login", "/v1/health"} {
		if got := s.Do(t, "GET", path, nil, "Accept-Encoding", "gzip, zstd"); got.Header.Get("Content-Encoding") != "" {
			t.Errorf("%s: got status %d with Content-Encoding %q, want none", path, got.Status,
				got.Header.Get("Content-Encoding"))
		}
	}
}

// TestListsAreCompressed: lists of partners and operators are sent in the coding that the client
// prefers, short responses and those to other methods as they are.
func TestListsAreCompressed(t *testing.T) {
	t.Parallel()
	s := newStockroom(t)
	for i := range 30 {
		s.add(t, fmt.Sprintf("Lamp number %d", i), "")
	}
	read := func(path, coding string) *apptest.Answer {
		if strings.HasPrefix(path, "/v1") {
			return s.partner.Call(t, "GET", path, nil, "Accept-Encoding", coding).Must(t, 200)
		}
		return s.ask(t, "GET", path, "", "Accept-Encoding", coding).Must(t, 200)
	}
	for _, path := range []string{"/products", "/v1/inventory/products", "/v1/figures?from=2026-01-01&to=2026-01-14"} {
		plain := read(path, "identity")
		for _, coding := range codings {
			got := read(path, coding)
			if text := decoded(t, got, coding); !bytes.Equal(text, plain.Body) ||
				coding != "identity" && len(got.Body) > len(text)/3 {
				t.Errorf("%s by %s: got %d bytes for %d, want the same text in a third", path, coding, len(got.Body),
					len(plain.Body))
			}
		}
	}
	if got := read("/products?limit=1", "gzip"); got.Header.Get("Content-Encoding") != "" {
		t.Errorf("a short list: got %s, want it as it is", got.Header.Get("Content-Encoding"))
	}
}
