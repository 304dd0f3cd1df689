package web

import (
	"testing"

	"github.com/dropyard/dropyard/internal/delivery"
)

// TestPhrasesAreComplete fails for a status, or the reason of a failed attempt, that
// a language has no words for.
func TestPhrasesAreComplete(t *testing.T) {
	t.Parallel()
	for _, book := range phrasebooks {
		for _, status := range delivery.Statuses {
			if book.Statuses[status] == "" {
				t.Errorf("%s: got no phrase for the status %s", book.Language, status)
			}
		}
		for _, reason := range delivery.FailureReasons {
			if book.Failures[reason] == "" {
				t.Errorf("%s: got no phrase for the reason %s", book.Language, reason)
			}
		}
		if len(book.Statuses) != len(delivery.Statuses) {
			t.Errorf("%s: got %d phrases, want %d", book.Language, len(book.Statuses), len(delivery.Statuses))
		}
	}
}
