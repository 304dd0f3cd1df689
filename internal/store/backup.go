package store

import (
	"encoding/json"

	"github.com/dropyard/dropyard/internal/db/backup"
	"github.com/dropyard/dropyard/internal/installation"
)

// Backups makes backups of the embedded store, and restores them.
var Backups = backup.Files{Schema: Schema, Lineage: LineageSetting, Follows: follows, Changes: changesSince}

// follows compares two lineages as settings hold them.
func follows(newer, older string) (bool, error) {
	var from, to installation.Lineage
	if err := fromSetting(older, &from); err != nil {
		return false, err
	}
	err := fromSetting(newer, &to)
	return to.Follows(from.Mark), err
}

// fromSetting reads a lineage; that of a setting which was never set is the zero Lineage.
func fromSetting(text string, held *installation.Lineage) error {
	if text == "" {
		return nil
	}
	return json.Unmarshal([]byte(text), held)
}

// changesSince finds what was taken away from people and programs, and what else has changed
// about them. It uses columns of the first release only, because the backup may be of that one.
var changesSince = []backup.Change{
	{Find: `SELECT 'API key ' || k.key_id || ' (' || k.name || ') of partner ' || k.partner_id FROM main.api_keys AS k
		LEFT JOIN newer.api_keys AS n USING (key_id) WHERE k.revoked_at = 0 AND coalesce(n.revoked_at, 1) > 0 ORDER BY k.key_id`,
		Repeat: []string{`UPDATE main.api_keys SET revoked_at =
			coalesce((SELECT n.revoked_at FROM newer.api_keys AS n WHERE n.key_id = main.api_keys.key_id), created_at)
			WHERE revoked_at = 0 AND key_id NOT IN (SELECT key_id FROM newer.api_keys WHERE revoked_at = 0)`}},
	{Find: `SELECT 'token ' || token_id || ' (' || name || ') of operator ' || operator_id FROM main.operator_tokens
		WHERE token_id NOT IN (SELECT token_id FROM newer.operator_tokens) ORDER BY token_id`,
		Repeat: []string{
			`DELETE FROM main.operator_tokens WHERE token_id NOT IN (SELECT token_id FROM newer.operator_tokens)`,
		}},
	{Find: `SELECT 'operator ' || operator_id || ' (' || email || ')' FROM main.operators
		WHERE active = 1 AND operator_id NOT IN (SELECT operator_id FROM newer.operators WHERE active = 1) ORDER BY operator_id`,
		Repeat: []string{`UPDATE main.operators SET active = 0
			WHERE operator_id NOT IN (SELECT operator_id FROM newer.operators WHERE active = 1)`}},
	{Find: `SELECT 'user ' || user_id || ' (' || email || ') of partner ' || partner_id FROM main.users
		WHERE user_id NOT IN (SELECT user_id FROM newer.users) ORDER BY user_id`,
		Repeat: []string{`DELETE FROM main.users WHERE user_id NOT IN (SELECT user_id FROM newer.users)`}},
	{Find: `SELECT 'recovery codes of ' || person_id FROM main.recovery_codes WHERE (person_id, code_hash) NOT IN
		(SELECT person_id, code_hash FROM newer.recovery_codes) GROUP BY person_id ORDER BY person_id`,
		Repeat: []string{`DELETE FROM main.recovery_codes WHERE (person_id, code_hash) NOT IN
			(SELECT person_id, code_hash FROM newer.recovery_codes)`}},
	{
		Find: `SELECT 'the role of operator ' || o.operator_id || ' (' || o.email || '): ' || n.role || ', in the backup ' || o.role
		FROM main.operators AS o JOIN newer.operators AS n USING (operator_id) WHERE n.role <> o.role ORDER BY o.operator_id`,
	},
	{Find: `SELECT 'the role of user ' || u.user_id || ' (' || u.email || '): ' || n.role || ', in the backup ' || u.role
		FROM main.users AS u JOIN newer.users AS n USING (user_id) WHERE n.role <> u.role ORDER BY u.user_id`},
	{Find: `SELECT 'the password of operator ' || o.operator_id || ' (' || o.email || ')'
		FROM main.operators AS o JOIN newer.operators AS n USING (operator_id)
		WHERE n.password_hash <> o.password_hash ORDER BY o.operator_id`},
	{Find: `SELECT 'the password of user ' || u.user_id || ' (' || u.email || ')'
		FROM main.users AS u JOIN newer.users AS n USING (user_id) WHERE n.password_hash <> u.password_hash ORDER BY u.user_id`},
	{Find: `SELECT 'the authenticator app of ' || person_id || ', which the backup lacks' FROM newer.sign_ins
		WHERE totp_confirmed_at > 0
		AND (person_id IN (SELECT user_id FROM main.users) OR person_id IN (SELECT operator_id FROM main.operators))
		AND person_id NOT IN (SELECT person_id FROM main.sign_ins WHERE totp_confirmed_at > 0) ORDER BY person_id`},
}
