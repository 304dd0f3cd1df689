package app_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/testkit"
)

// TestLabelResolutions: a label is drawn for the printer that the request names.
func TestLabelResolutions(t *testing.T) {
	t.Parallel()
	s := apptest.Start(t)
	p := s.Register(t, "metro")
	id := p.Create(t, testkit.OrderJSON("L-1", "")).Must(t, 201).Text("order_id")
	path := "/v1/orders/" + id + "/label"
	usual := p.Call(t, "GET", path, nil, "Accept", "application/zpl").Must(t, 200)
	for query, dots := range map[string]int{"?dpi=203": 203, "?dpi=300": 300, "?dpi=600": 600} {
		label := p.Call(t, "GET", path+query, nil, "Accept", "application/zpl").Must(t, 200)
		if want := fmt.Sprintf("^PW%d\n^LL%d\n", 4*dots, 6*dots); !strings.Contains(string(label.Body), want) {
			t.Errorf("%s: got %.80q, want %q in it", query, label.Body, want)
		}
		if same := string(label.Body) == string(usual.Body); same != (dots == 203) {
			t.Errorf("%s: the same label as without dpi: got %t, want %t", query, same, dots == 203)
		}
		if file := p.Call(t, "GET", path+query, nil).Must(t, 200); !strings.HasPrefix(string(file.Body), "%PDF-") {
			t.Errorf("%s: got %.20q, want a PDF", query, file.Body)
		}
	}
	for _, query := range []string{"?dpi=204", "?dpi=", "?dpi=300dpi", "?dpi=203&dpi=300"} {
		p.Call(t, "GET", path+query, nil).Refused(t, 422, "validation_error")
	}
}
