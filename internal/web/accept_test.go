package web_test

import (
	"net/http"
	"testing"

	"github.com/dropyard/dropyard/internal/web"
)

func TestWantsPage(t *testing.T) {
	t.Parallel()
	for accept, want := range map[string]bool{
		"":                 false,
		"*/*":              false,
		"application/json": false,
		"text/*":           false,
		"text/html":        true,
		"text/html,application/xhtml+xml,application/xml;q=0.9,image/avif,*/*;q=0.8": true,
		"TEXT/HTML; charset=utf-8, */*;q=0.1":                                        true,
		"text/html, application/json":                                                false,
		"text/html, */*":                                                             true,
		"text/html;q=0.5, */*":                                                       false,
		"text/html;q=0.9, application/json;q=0.8":                                    true,
		"text/html;q=0.8, application/json;q=0.9":                                    false,
		"text/html;q=0.5, application/json;q=0.2, */*":                               true,
		"text/html;q=0.5, application/*":                                             false,
		"text/html;q=0":                                                              false,
		"text/html;q=much, */*;q=0.1":                                                false,
		"application/json, text/plain, */*":                                          false,
	} {
		if got := web.WantsPage(&http.Request{Header: http.Header{"Accept": {accept}}}); got != want {
			t.Errorf("%q: got %t, want %t", accept, got, want)
		}
	}
	if !web.WantsPage(&http.Request{Header: http.Header{"Accept": {"application/json;q=0.1", "text/html"}}}) {
		t.Error("got JSON, want the headers read as one")
	}
}
