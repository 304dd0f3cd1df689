package store

import (
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/partner"
)

// keyRow is an API key. A key that is revoked stays, so that its id is never
// used again.
type keyRow struct {
	partner.SealedKey
	revokedAt time.Time // zero while the key is active
}

var (
	apiKeys = newTable("api_keys",
		key(text("key_id", func(k *keyRow) *string { return &k.KeyID })),
		text("partner_id", func(k *keyRow) *string { return &k.PartnerID }),
		text("name", func(k *keyRow) *string { return &k.Name }),
		text("public_key", func(k *keyRow) *string { return &k.PublicKey }),
		blob("secret", func(k *keyRow) *[]byte { return &k.Secret }),
		moment("created_at", func(k *keyRow) *time.Time { return &k.CreatedAt }),
		moment("revoked_at", func(k *keyRow) *time.Time { return &k.revokedAt }),
		moment("last_used_at", func(k *keyRow) *time.Time { return &k.LastUsedAt }),
		text("created_by", func(k *keyRow) *string { return &k.CreatedBy.UserID }),
		text("creator_name", func(k *keyRow) *string { return &k.CreatedBy.Name }),
		encoded("scopes", writeScopes, readScopes),
		text("mode", func(k *keyRow) *string { return (*string)(&k.Mode) }),
		flag("require_v2", func(k *keyRow) *bool { return &k.RequireV2 }),
	)
	addAPIKeys = apiKeys.insert()
	useAPIKeys = updateOf(apiKeys,
		key(text("key_id", func(u *partner.KeyUse) *string { return &u.KeyID })),
		key(moment("last_used_at", func(u *partner.KeyUse) *time.Time { return &u.At })))
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
