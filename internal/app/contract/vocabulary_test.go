package contract_test

import (
	"fmt"
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/board"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/outbox"
	"github.com/dropyard/dropyard/internal/partner"
)

// vocabularies are the lists of words that the documents enumerate, each in the
// order of the code.
var vocabularies = map[string][]string{
	"statuses":       words(delivery.Statuses),
	"service levels": words(delivery.ServiceLevels),
	"event types":    words(delivery.EventTypes),
	"event states":   words(outbox.States),
	"proof kinds":    words(delivery.ProofKinds),
	"audit actions":  words(audit.Actions),
	"roles":          words(operator.Roles),
	"users' roles":   words(partner.Roles),
	"scopes":         words(partner.Scopes),
	"languages":      words(partner.Languages),
	"reasons":        words(board.Reasons),
	"failures":       words(delivery.FailureReasons),
	"warnings":       words(delivery.WarningCodes),
}

func words[T ~string](list []T) []string {
	texts := make([]string, len(list))
	for i, word := range list {
		texts[i] = string(word)
	}
	return texts
}

// TestEnumerationsAreComplete fails for a word that the code has and a document
// lacks, or the other way around: every enumeration whose first two words are
// those of a vocabulary must have all of its words, and each vocabulary must be in a
// document.
func TestEnumerationsAreComplete(t *testing.T) {
	t.Parallel()
	found := map[string]bool{}
	for name, document := range read(t).documents {
		eachEnumeration(document.root, name, func(place string, enumerated []string) {
			for vocabulary, want := range vocabularies {
				if len(enumerated) < 2 || enumerated[0] != want[0] || enumerated[1] != want[1] {
					continue
				}
				found[vocabulary] = true
				// A filter may take "any" besides, and a member that can be cleared
				// null.
				got := slices.DeleteFunc(enumerated, func(word string) bool { return word == "any" || word == "<nil>" })
				if slices.Sort(got); !slices.Equal(got, slices.Sorted(slices.Values(want))) {
					t.Errorf("%s: got %q, want the %s %q", place, got, vocabulary, want)
				}
			}
		})
	}
	for vocabulary := range vocabularies {
		if !found[vocabulary] {
			t.Errorf("no document enumerates the %s", vocabulary)
		}
	}
}

// eachEnumeration calls fn for every enum below a node that is not empty.
func eachEnumeration(node any, place string, fn func(place string, words []string)) {
	switch node := node.(type) {
	case map[string]any:
		for name, value := range node {
			if list, ok := value.([]any); ok && name == "enum" && len(list) > 0 {
				texts := make([]string, len(list))
				for i, word := range list {
					texts[i] = fmt.Sprint(word)
				}
				fn(place, texts)
				continue
			}
			eachEnumeration(value, place+"/"+name, fn)
		}
	case []any:
		for i, value := range node {
			eachEnumeration(value, fmt.Sprintf("%s/%d", place, i), fn)
		}
	}
}
