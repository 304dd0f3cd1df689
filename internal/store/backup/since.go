package backup

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/installation"
	"github.com/dropyard/dropyard/internal/store"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// Since is what had been taken away from people and programs between a backup and the
// database that it replaces.
type Since struct {
	// Unknown says why that cannot be known; empty if it is.
	Unknown string
	// Ended are the API keys, tokens, operators and people that had been revoked,
	// deactivated or removed, each in a few words. They are so in the restored database, too.
	Ended []string
	// Changed are people whose role, password or second factor had changed. In the restored
	// database they are as in the backup.
	Changed []string
}

// comparison finds one kind of what has changed, in words, and repeats it if that only takes
// something away. The older state is the database main, the newer one is the database newer.
type comparison struct {
	find   string
	repeat []string // statements; none if the change is only listed
}

// comparisons use columns of the first release only, because the backup may be of that one.
var comparisons = []comparison{
	{`SELECT 'API key ' || k.key_id || ' (' || k.name || ') of partner ' || k.partner_id FROM main.api_keys AS k
		LEFT JOIN newer.api_keys AS n USING (key_id) WHERE k.revoked_at = 0 AND coalesce(n.revoked_at, 1) > 0 ORDER BY k.key_id`,
		[]string{`UPDATE main.api_keys SET revoked_at =
			coalesce((SELECT n.revoked_at FROM newer.api_keys AS n WHERE n.key_id = main.api_keys.key_id), created_at)
			WHERE revoked_at = 0 AND key_id NOT IN (SELECT key_id FROM newer.api_keys WHERE revoked_at = 0)`}},
	{`SELECT 'token ' || token_id || ' (' || name || ') of operator ' || operator_id FROM main.operator_tokens
		WHERE token_id NOT IN (SELECT token_id FROM newer.operator_tokens) ORDER BY token_id`,
		[]string{`DELETE FROM main.operator_tokens WHERE token_id NOT IN (SELECT token_id FROM newer.operator_tokens)`}},
	{`SELECT 'operator ' || operator_id || ' (' || email || ')' FROM main.operators
		WHERE active = 1 AND operator_id NOT IN (SELECT operator_id FROM newer.operators WHERE active = 1) ORDER BY operator_id`,
		[]string{`UPDATE main.operators SET active = 0
			WHERE operator_id NOT IN (SELECT operator_id FROM newer.operators WHERE active = 1)`}},
	{`SELECT 'user ' || user_id || ' (' || email || ') of partner ' || partner_id FROM main.users
		WHERE user_id NOT IN (SELECT user_id FROM newer.users) ORDER BY user_id`,
		[]string{`DELETE FROM main.users WHERE user_id NOT IN (SELECT user_id FROM newer.users)`}},
	{`SELECT 'recovery codes of ' || person_id FROM main.recovery_codes WHERE (person_id, code_hash) NOT IN
		(SELECT person_id, code_hash FROM newer.recovery_codes) GROUP BY person_id ORDER BY person_id`,
		[]string{`DELETE FROM main.recovery_codes WHERE (person_id, code_hash) NOT IN
			(SELECT person_id, code_hash FROM newer.recovery_codes)`}},
	{find: `SELECT 'the role of operator ' || o.operator_id || ' (' || o.email || '): ' || n.role || ', in the backup ' || o.role
		FROM main.operators AS o JOIN newer.operators AS n USING (operator_id) WHERE n.role <> o.role ORDER BY o.operator_id`},
	{find: `SELECT 'the role of user ' || u.user_id || ' (' || u.email || '): ' || n.role || ', in the backup ' || u.role
		FROM main.users AS u JOIN newer.users AS n USING (user_id) WHERE n.role <> u.role ORDER BY u.user_id`},
	{find: `SELECT 'the password of operator ' || o.operator_id || ' (' || o.email || ')'
		FROM main.operators AS o JOIN newer.operators AS n USING (operator_id)
		WHERE n.password_hash <> o.password_hash ORDER BY o.operator_id`},
	{find: `SELECT 'the password of user ' || u.user_id || ' (' || u.email || ')'
		FROM main.users AS u JOIN newer.users AS n USING (user_id) WHERE n.password_hash <> u.password_hash ORDER BY u.user_id`},
	{find: `SELECT 'the authenticator app of ' || person_id || ', which the backup lacks' FROM newer.sign_ins
		WHERE totp_confirmed_at > 0
		AND (person_id IN (SELECT user_id FROM main.users) OR person_id IN (SELECT operator_id FROM main.operators))
		AND person_id NOT IN (SELECT person_id FROM main.sign_ins WHERE totp_confirmed_at > 0) ORDER BY person_id`},
}

// mark notes in a copy of a backup, which no other process knows of, that it was restored, and
// takes away what has been taken away since from the database that it is to replace.
func mark(ctx context.Context, temp, database string) (since Since, err error) {
	c, err := open(temp)
	if err != nil {
		return since, err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	if since.Unknown, err = attach(ctx, c, database); err != nil {
		return since, err
	}
	if err := execute(c, "BEGIN IMMEDIATE"); err != nil {
		return since, err
	}
	if since.Unknown == "" {
		if err := since.compare(c); err != nil {
			return since, fmt.Errorf("compare the backup with %s: %w", database, err)
		}
	}
	note := fmt.Sprintf("INSERT OR REPLACE INTO main.settings (name, value) VALUES ('%s', '%s')", db.NoteSetting, db.NoteRestored)
	return since, execute(c, note, "COMMIT")
}

// attach attaches the database that is to be replaced as newer. It returns why that cannot
// be compared: only what follows the backup shows what was taken away since.
func attach(ctx context.Context, c *sqlite.Conn, database string) (unknown string, err error) {
	var damaged *db.FaultError
	switch err := checkFiles(ctx, database); {
	case errors.Is(err, fs.ErrNotExist):
		return "there is no later database to compare with", nil
	case errors.As(err, &damaged):
		return "the later database is damaged", nil
	case err != nil:
		return "", err
	}
	if info, err := os.Stat(database); err == nil && info.Size() == 0 {
		return "the later database is empty", nil
	}
	if err := sqlitex.ExecuteTransient(c, "ATTACH ? AS newer", &sqlitex.ExecOptions{Args: []any{database}}); err != nil {
		return "", fmt.Errorf("open %s beside the backup: %w", database, err)
	}
	older, err := lineageIn(c, "main")
	if err != nil {
		return "", err
	}
	newer, err := lineageIn(c, "newer")
	if isDamage(err) || sqlite.ErrCode(err).ToPrimary() == sqlite.ResultError {
		return "the later database cannot be read", nil
	}
	if err == nil && !newer.Follows(older.Mark) {
		return "the later database did not develop from the backup, or the backup was made by an earlier release", nil
	}
	return "", err
}

// lineageIn returns the lineage of an attached database; the zero Lineage if it has none.
func lineageIn(c *sqlite.Conn, database string) (held installation.Lineage, err error) {
	sql := fmt.Sprintf("SELECT value FROM %s.settings WHERE name = '%s'", database, store.LineageSetting)
	err = query(c, sql, func(row *sqlite.Stmt) error {
		return json.Unmarshal([]byte(row.ColumnText(0)), &held)
	})
	return held, err
}

func (s *Since) compare(c *sqlite.Conn) error {
	for _, of := range comparisons {
		list := &s.Changed
		if len(of.repeat) > 0 {
			list = &s.Ended
		}
		err := query(c, of.find, func(row *sqlite.Stmt) error {
			*list = append(*list, row.ColumnText(0))
			return nil
		})
		if err == nil {
			err = execute(c, of.repeat...)
		}
		if err != nil {
			return err
		}
	}
	return nil
}
