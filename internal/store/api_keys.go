package store

import (
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/db"
	"github.com/dropyard/dropyard/internal/partner"
)

// keyRow is an API key. A key that is revoked stays, so that its id is never
// used again.
type keyRow struct {
	partner.SealedKey
	revokedAt time.Time // zero while the key is active
}

var (
	apiKeys = db.NewTable("api_keys",
		db.Key(db.Text("key_id", func(k *keyRow) *string { return &k.KeyID })),
		db.Text("partner_id", func(k *keyRow) *string { return &k.PartnerID }),
		db.Text("name", func(k *keyRow) *string { return &k.Name }),
		db.Text("public_key", func(k *keyRow) *string { return &k.PublicKey }),
		db.Blob("secret", func(k *keyRow) *[]byte { return &k.Secret }),
		db.Moment("created_at", func(k *keyRow) *time.Time { return &k.CreatedAt }),
		db.Moment("revoked_at", func(k *keyRow) *time.Time { return &k.revokedAt }),
		db.Moment("last_used_at", func(k *keyRow) *time.Time { return &k.LastUsedAt }),
		db.Text("created_by", func(k *keyRow) *string { return &k.CreatedBy.UserID }),
		db.Text("creator_name", func(k *keyRow) *string { return &k.CreatedBy.Name }),
		db.Encoded("scopes", writeScopes, readScopes),
		db.Text("mode", func(k *keyRow) *string { return (*string)(&k.Mode) }),
		db.Flag("require_v2", func(k *keyRow) *bool { return &k.RequireV2 }),
	)
	addAPIKeys = apiKeys.Insert()
	useAPIKeys = db.UpdateOf(apiKeys,
		db.Key(db.Text("key_id", func(u *partner.KeyUse) *string { return &u.KeyID })),
		db.Key(db.Moment("last_used_at", func(u *partner.KeyUse) *time.Time { return &u.At })))
)

// writeScopes returns the scopes of a key as text, with a space between two.
func writeScopes(k *keyRow) (string, error) {
	words := make([]string, len(k.Scopes))
	for i, scope := range k.Scopes {
		words[i] = string(scope)
	}
	return strings.Join(words, " "), nil
}

func readScopes(k *keyRow, stored string) error {
	k.Scopes = nil
	for word := range strings.FieldsSeq(stored) {
		k.Scopes = append(k.Scopes, partner.Scope(word))
	}
	return nil
}
