package page_test

import (
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/web/page"
)

// TestPartsHaveLabels fails for a part of an order that pages would name by its path, when it was edited.
func TestPartsHaveLabels(t *testing.T) {
	t.Parallel()
	for _, language := range page.Languages {
		for _, part := range delivery.Parts {
			if got := language.OrderField(part.Field); got == part.Field {
				t.Errorf("%v: got %q as the label, want words: see orderFieldKeys", language, got)
			}
		}
	}
}
