package operator_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/operator"
)

// auditStore is a store that has only an audit log.
type auditStore struct {
	operator.Store
	operator.Reader
	entries []*operator.Audited
}

func (s *auditStore) Read(_ context.Context, fn func(operator.Reader) error) error { return fn(s) }

func (s *auditStore) Audit(context.Context, operator.AuditFilter) ([]*operator.Audited, error) {
	var copies []*operator.Audited
	for _, entry := range s.entries {
		copied := *entry
		copies = append(copies, &copied)
	}
	return copies, nil
}

// TestDamagedAuditEntry: a document that is not JSON is shown as text, logged and
// counted, and the other entries are shown as they are.
func TestDamagedAuditEntry(t *testing.T) {
	t.Parallel()
	var log bytes.Buffer
	unreadable := 0
	s := operator.NewService(operator.Config{
		Store: &auditStore{entries: []*operator.Audited{
			{AuditID: "a-1", Before: []byte(`{"a": 1}`)},
			{AuditID: "a-2", Before: []byte(`{"a": "cut`), After: []byte("\xff")},
		}},
		Now: time.Now, Log: slog.New(slog.NewTextHandler(&log, nil)), Unreadable: func() { unreadable++ },
	})
	page, err := s.Audit(t.Context(), operator.AuditFilter{Limit: 5})
	if err != nil || len(page.Entries) != 2 {
		t.Fatalf("got %d entries, %v, want 2", len(page.Entries), err)
	}
	var exported []*operator.Audited
	err = s.ExportAudit(t.Context(), operator.AuditFilter{}, func(entry *operator.Audited) error {
		exported = append(exported, entry)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, entries := range [][]*operator.Audited{page.Entries, exported} {
		var text, replaced string
		if got := string(entries[0].Before); got != `{"a": 1}` || len(entries[0].After) != 0 {
			t.Errorf("the sound entry: got %s and %q, want it unchanged", got, entries[0].After)
		}
		if err := json.Unmarshal(entries[1].Before, &text); err != nil || text != `{"a": "cut` {
			t.Errorf("before: got %s, %v, want its text", entries[1].Before, err)
		}
		if err := json.Unmarshal(entries[1].After, &replaced); err != nil || replaced != "\uFFFD" {
			t.Errorf("after: got %s, %v, want one replacement character", entries[1].After, err)
		}
	}
	if got := fmt.Sprint(unreadable, strings.Count(log.String(), "a-2"),
		strings.Count(log.String(), "a-1")); got != "4 4 0" {
		t.Errorf("got %s counted, and logged of a-2 and a-1, want 4 4 0", got)
	}
}
