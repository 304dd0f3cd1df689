package backup_test

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/db/backup"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/dropyard/dropyard/internal/testkit"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// at sets where a database stands.
func at(t *testing.T, path, epoch string, beats int, earlier ...string) {
	t.Helper()
	text := fmt.Sprintf(`{"installation":"ins_1","epoch":%q,"beats":%d,"place":"","earlier":[%s]}`, epoch, beats,
		strings.Join(earlier, ","))
	execute(t, path, "INSERT INTO settings (name, value) VALUES ('lineage', '"+text+
		"') ON CONFLICT (name) DO UPDATE SET value = excluded.value")
}

// texts returns the first column of a query.
func texts(t *testing.T, path, sql string) (found []string) {
	t.Helper()
	c, err := sqlite.OpenConn(path, sqlite.OpenReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = c.Close() }()
	err = sqlitex.ExecuteTransient(c, sql, &sqlitex.ExecOptions{ResultFunc: func(row *sqlite.Stmt) error {
		found = append(found, row.ColumnText(0))
		return nil
	}})
	if err != nil {
		t.Fatal(err)
	}
	return found
}

const people = `
INSERT INTO partners (partner_id, name, email, created_at) VALUES ('par_1', 'Metro', 'm@example.com', 1);
INSERT INTO api_keys (key_id, partner_id, name, public_key, secret, created_by, creator_name, scopes, mode, require_v2, created_at, revoked_at, last_used_at)
	VALUES ('key_kept', 'par_1', 'a', 'pk_1', x'00', '', '', '', 'live', 0, 5, 0, 0), ('key_revoked', 'par_1', 'till', 'pk_2', x'00', '', '', '', 'live', 0, 5, 0, 0),
	('key_before', 'par_1', 'c', 'pk_3', x'00', '', '', '', 'live', 0, 5, 6, 0);
INSERT INTO operators (operator_id, email, email_key, password_hash, role, courier_id, active, created_at)
	VALUES ('opr_kept', 'a@x', 'a@x', 'h', 'admin', '', 1, 1), ('opr_gone', 'b@x', 'b@x', 'h', 'admin', '', 1, 1);
INSERT INTO operator_tokens (token_id, token_hash, operator_id, name, created_at, expires_at)
	VALUES ('tok_kept', x'01', 'opr_kept', 'a', 1, 9), ('tok_gone', x'02', 'opr_kept', 'b', 1, 9);
INSERT INTO users (user_id, partner_id, email, email_key, name, role, password_hash, created_at)
	VALUES ('usr_kept', 'par_1', 'u@x', 'u@x', 'U', 'owner', 'h', 1), ('usr_gone', 'par_1', 'v@x', 'v@x', 'V', 'owner', 'h', 1),
	('usr_changed', 'par_1', 'w@x', 'w@x', 'W', 'owner', 'h', 1);
INSERT INTO recovery_codes (person_id, code_hash) VALUES ('usr_kept', x'01'), ('usr_kept', x'02');`

const taken = `
UPDATE api_keys SET revoked_at = 77 WHERE key_id = 'key_revoked';
UPDATE operators SET active = 0 WHERE operator_id = 'opr_gone';
DELETE FROM operator_tokens WHERE token_id = 'tok_gone';
DELETE FROM users WHERE user_id = 'usr_gone';
DELETE FROM recovery_codes WHERE code_hash = x'01';
UPDATE users SET role = 'reader', password_hash = 'other' WHERE user_id = 'usr_changed';
INSERT INTO sign_ins (person_id, totp_secret, totp_confirmed_at, totp_step, reset_requested_at) VALUES ('usr_kept', x'00', 5, 0, 0);
INSERT INTO operators (operator_id, email, email_key, password_hash, role, courier_id, active, created_at) VALUES ('opr_new', 'n@x', 'n@x', 'h', 'admin', '', 1, 1);`

// TestRestoreRepeatsRevocations takes away again what was taken away after the backup, and
// lists it with what has changed.
func TestRestoreRepeatsRevocations(t *testing.T) {
	t.Parallel()
	path := fill(t, 1)
	execute(t, path, people)
	at(t, path, "epo_1", 5)
	file := filepath.Join(t.TempDir(), "backup")
	if _, err := store.Backups.Write(t.Context(), path, file); err != nil {
		t.Fatal(err)
	}
	execute(t, path, taken)
	at(t, path, "epo_1", 9)
	made, err := store.Backups.Restore(t.Context(), file, path, true, testkit.Epoch)
	if err != nil {
		t.Fatal(err)
	}
	want := backup.Since{
		Ended: []string{
			"API key key_revoked (till) of partner par_1", "token tok_gone (b) of operator opr_kept", "operator opr_gone (b@x)",
			"user usr_gone (v@x) of partner par_1", "recovery codes of usr_kept",
		},
		Changed: []string{
			"the role of user usr_changed (w@x): reader, in the backup owner", "the password of user usr_changed (w@x)",
			"the authenticator app of usr_kept, which the backup lacks",
		},
	}
	if fmt.Sprint(made.Since) != fmt.Sprint(want) {
		t.Errorf("got %+v, want %+v", made.Since, want)
	}
	for sql, want := range map[string][]string{
		"SELECT key_id || ' ' || revoked_at FROM api_keys ORDER BY key_id": {"key_before 6", "key_kept 0", "key_revoked 77"},
		"SELECT operator_id || ' ' || active FROM operators ORDER BY 1":    {"opr_gone 0", "opr_kept 1"},
		"SELECT token_id FROM operator_tokens":                             {"tok_kept"},
		"SELECT user_id || ' ' || role FROM users ORDER BY 1":              {"usr_changed owner", "usr_kept owner"},
		"SELECT hex(code_hash) FROM recovery_codes":                        {"02"},
		"SELECT value FROM settings WHERE name = 'came_by'":                {"restored"},
	} {
		if got := texts(t, path, sql); !slices.Equal(got, want) {
			t.Errorf("%s: got %q, want %q", sql, got, want)
		}
	}
}

// TestRestoreComparesOnlyWhatFollows changes nothing in a backup that the database did not
// go on from.
func TestRestoreComparesOnlyWhatFollows(t *testing.T) {
	t.Parallel()
	const left = `{"installation":"ins_1","epoch":"epo_1","beats":%d}`
	for name, c := range map[string]struct {
		newer   func(t *testing.T, path string)
		compare bool
	}{
		"later":              {func(t *testing.T, path string) { at(t, path, "epo_1", 6) }, true},
		"restored since":     {func(t *testing.T, path string) { at(t, path, "epo_2", 1, fmt.Sprintf(left, 5)) }, true},
		"earlier":            {func(t *testing.T, path string) { at(t, path, "epo_1", 4) }, false},
		"left before":        {func(t *testing.T, path string) { at(t, path, "epo_2", 90, fmt.Sprintf(left, 4)) }, false},
		"of another history": {func(t *testing.T, path string) { at(t, path, "epo_3", 90) }, false},
		"without a lineage": {func(t *testing.T, path string) {
			execute(t, path, "DELETE FROM settings WHERE name = 'lineage'")
		}, false},
		"damaged": {func(t *testing.T, path string) { write(t, path, strings.Repeat("nonsense", 1000)) }, false},
		"empty":   {func(t *testing.T, path string) { write(t, path, "") }, false},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			path := fill(t, 1)
			execute(t, path, people)
			at(t, path, "epo_1", 5)
			file := filepath.Join(t.TempDir(), "backup")
			if _, err := store.Backups.Write(t.Context(), path, file); err != nil {
				t.Fatal(err)
			}
			execute(t, path, taken)
			c.newer(t, path)
			made, err := store.Backups.Restore(t.Context(), file, path, true, testkit.Epoch)
			if err != nil {
				t.Fatal(err)
			}
			if known := made.Since.Unknown == ""; known != c.compare || known != (len(made.Since.Ended) > 0) {
				t.Errorf("got %+v, want a comparison: %t", made.Since, c.compare)
			}
			users := texts(t, path, "SELECT user_id FROM users ORDER BY 1")
			if gone := !slices.Contains(users, "usr_gone"); gone != c.compare {
				t.Errorf("got the users %q, want usr_gone among them: %t", users, !c.compare)
			}
		})
	}
}
