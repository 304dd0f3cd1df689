package store

import (
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
	)
	addAPIKeys = apiKeys.insert()
	useAPIKeys = updateOf(apiKeys,
		key(text("key_id", func(u *partner.KeyUse) *string { return &u.KeyID })),
		key(moment("last_used_at", func(u *partner.KeyUse) *time.Time { return &u.At })))
)
