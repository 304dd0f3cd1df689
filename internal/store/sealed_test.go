package store

import (
	"slices"
	"testing"

	"github.com/dropyard/dropyard/internal/db"
)

// TestSealedColumns: every column of bytes is either one that a rotation of the master
// key seals again, or known not to be sealed.
func TestSealedColumns(t *testing.T) {
	t.Parallel()
	notSealed := []string{ // hashes, digests, keys, pictures and packed documents
		"idempotency_keys.body_hash", "idempotency_keys.idempotency_key", "endpoint_changes.signature", "import_drafts.file",
		"known_devices.device_hash", "one_time_links.token_hash", "operator_receipts.body_hash",
		"operator_receipts.key_hash", "operator_sessions.token_hash", "operator_tokens.token_hash",
		"order_originals.document", "order_proofs.digest", "orders.document", "partner_profiles.logo",
		"recovery_codes.code_hash", "request_log.packed", "sessions.token_hash", "sign_in_counts.count_key",
		"statement_files.content",
	}
	tables, err := engines["sqlite"](t).Tables(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	var got []string
	for _, table := range tables {
		for _, column := range table.Columns {
			if column.Kind == db.BytesKind {
				got = append(got, table.Name+"."+column.Name)
			}
		}
	}
	for _, column := range Schema.Sealed {
		notSealed = append(notSealed, column.String())
	}
	slices.Sort(got)
	slices.Sort(notSealed)
	if !slices.Equal(got, notSealed) {
		t.Errorf("got the columns of bytes %q, want %q: add new ones to sealedColumns or to the list here", got, notSealed)
	}
}
