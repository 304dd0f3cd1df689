package form_test

import (
	"encoding/json"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/form"
)

// TestCodesAreUnique defines a rule with a code that is in use.
func TestCodesAreUnique(t *testing.T) {
	t.Parallel()
	defer func() {
		if recover() == nil {
			t.Error("got no panic, want one for a code that is in use")
		}
	}()
	form.Define(form.TrueOrFalse.Code(), "yes or no")
}

// TestProblemsAreStoredWithoutRules reads a problem back that was written: it says what it
// said, and has no rule.
func TestProblemsAreStoredWithoutRules(t *testing.T) {
	t.Parallel()
	problem := form.ProblemsOf(form.Fault("version", "x", form.IntegerFrom(1, 9)))[0]
	written, err := json.Marshal(problem)
	if want := `{"field":"version","value":"x","expected":"an integer from 1 to 9"}`; err != nil ||
		string(written) != want {
		t.Fatalf("got %s, %v, want %s", written, err, want)
	}
	var read form.Problem
	if err := json.Unmarshal(written, &read); err != nil || read.Expected != problem.Expected ||
		read.Rule != (form.Rule{}) {
		t.Errorf("got %+v, %v, want %q without a rule", read, err, problem.Expected)
	}
}
