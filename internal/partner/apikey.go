package partner

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// APIKey is an API key as its partner sees it.
type APIKey struct {
	KeyID      string
	Name       string // a label; empty if none was given
	PublicKey  string
	CreatedAt  time.Time
	LastUsedAt time.Time // zero until the first use
}

// CreatedKey is a new API key with its secret, which is shown only here.
type CreatedKey struct {
	APIKey
	SecretKey string
}

// KeyRequest is a request to create an API key. Email and Password stand in
// for a session; they are empty if they were not given.
type KeyRequest struct {
	Name     string
	Email    string
	Password string
}

// ReadKeyRequest reads a request to create an API key. Name is valid only if
// there are no problems.
func ReadKeyRequest(root form.Source) (KeyRequest, form.Problems) {
	var problems form.Problems
	f := form.New(root, &problems)
	return KeyRequest{
		Name:     f.Text("name", form.Optional, form.Length(0, 255)),
		Email:    f.Text("email", form.Optional, delivery.EmailRule),
		Password: f.Secret("password", form.Optional, credential.KnownPasswordRule),
	}, problems
}

// maxKeys is how many active keys a partner may have: enough for a key for each
// of its programs, too few to fill the database with.
const maxKeys = 1000

var errTooManyKeys = refusal.New(refusal.CodeConflict, fmt.Sprintf("%d API keys are active already; revoke one first", maxKeys))

// CreateKey adds an API key for the partner, which works as soon as CreateKey
// returns. It refuses with conflict if the partner has too many.
func (s *Service) CreateKey(ctx context.Context, partnerID, name string) (*CreatedKey, error) {
	created := &CreatedKey{APIKey: APIKey{Name: name, CreatedAt: s.now()}}
	var err error
	if created.KeyID, err = identifier.New(s.config.Random, "key_"); err != nil {
		return nil, err
	}
	if created.PublicKey, err = credential.Token(s.config.Random, "pk_"); err != nil {
		return nil, err
	}
	if created.SecretKey, err = credential.Token(s.config.Random, "sk_"); err != nil {
		return nil, err
	}
	sealed := &SealedKey{
		APIKey:    created.APIKey,
		PartnerID: partnerID,
		Secret:    s.config.Sealer.Seal([]byte(created.SecretKey), created.KeyID),
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		active, err := tx.APIKeys(ctx, partnerID)
		if err != nil {
			return err
		}
		if len(active) >= maxKeys {
			return errTooManyKeys
		}
		return tx.AddAPIKey(ctx, sealed)
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// Keys lists the partner's active keys, oldest first.
func (s *Service) Keys(ctx context.Context, partnerID string) (keys []APIKey, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		keys, err = tx.APIKeys(ctx, partnerID)
		return err
	})
	for i := range keys {
		if used := s.keys.lastUse(keys[i].PublicKey); used.After(keys[i].LastUsedAt) {
			keys[i].LastUsedAt = used
		}
	}
	return keys, err
}

// RevokeKey revokes a key for good. It stops working on this node before RevokeKey
// returns, and on other nodes within keyFreshness. It refuses with not_found for a
// key that is revoked already or belongs to another partner.
func (s *Service) RevokeKey(ctx context.Context, partnerID, keyID string) error {
	var publicKey string
	err := s.config.Store.Write(ctx, func(tx Writer) (err error) {
		publicKey, err = tx.RevokeAPIKey(ctx, partnerID, keyID, s.now())
		return err
	})
	if publicKey != "" {
		// After the commit, and even after an error: the commit may have succeeded.
		s.keys.revoke(publicKey)
	}
	if err == nil && publicKey == "" {
		err = refusal.NotFound("the API key")
	}
	return err
}

// SigningKey returns the key that a request names; nil if there is none or it has
// been revoked. Keys in use are cached.
func (s *Service) SigningKey(ctx context.Context, publicKey string) (*SigningKey, error) {
	now := s.config.Now()
	if key := s.keys.find(publicKey, now); key != nil {
		return key, nil
	}
	revocations := s.keys.countRevocations()
	var sealed *SealedKey
	err := s.config.Store.Read(ctx, func(tx Reader) (err error) {
		sealed, err = tx.APIKey(ctx, publicKey)
		return err
	})
	if err != nil {
		return nil, err
	}
	if sealed == nil {
		s.keys.forget(publicKey) // revoked on another node
		return nil, nil
	}
	secret, err := s.config.Sealer.Open(sealed.Secret, sealed.KeyID)
	if err != nil {
		return nil, err
	}
	key := &SigningKey{KeyID: sealed.KeyID, PartnerID: sealed.PartnerID, Secret: secret}
	return s.keys.keep(sealed.PublicKey, key, now, revocations), nil
}

// Used notes that a request was signed with the key. The caller has verified the
// signature: anyone can name a key.
func (s *Service) Used(key *SigningKey) { key.usedAt.Store(s.config.Now().UnixMilli()) }

// useBatch is how many uses are written in one transaction, so that other
// transactions do not wait long for it.
const useBatch = 500

// saveKeyUses writes when keys were last used. Uses that could not be written stay
// for the next call. The caller holds tidying.
func (s *Service) saveKeyUses(ctx context.Context) error {
	for batch := range slices.Chunk(s.keys.unsaved(), useBatch) {
		uses := make([]KeyUse, len(batch))
		for i, key := range batch {
			uses[i] = KeyUse{key.KeyID, key.lastUse()}
		}
		if err := s.config.Store.Write(ctx, func(tx Writer) error { return tx.SaveKeyUses(ctx, uses) }); err != nil {
			return err
		}
		for i, key := range batch {
			key.savedAt = uses[i].At.UnixMilli()
		}
	}
	s.keys.dropSaved()
	return nil
}
