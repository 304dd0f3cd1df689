package partner

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
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
	CreatedBy  Creator
	Scopes     []Scope // in the order of the constants; empty for a key that may do everything
	Mode       delivery.Mode
	RequireV2  bool // whether requests must have a signature of version 2
}

// Creator is the user who made an API key. The name is the one of that time: the
// user may have left.
type Creator struct {
	UserID string
	Name   string
}

// CreatedKey is a new API key with its secret, which is shown only here.
type CreatedKey struct {
	APIKey
	SecretKey string
}

// KeyRequest is a request to create an API key. Email and Password stand in
// for a session; they are empty if they were not given.
type KeyRequest struct {
	Name      string
	Scopes    []Scope       // empty for a key that may do everything
	Mode      delivery.Mode // empty for live
	RequireV2 bool          // whether requests must have a signature of version 2
	Email     string
	Password  string
}

// ReadKeyRequest reads a request to create an API key.
func ReadKeyRequest(f *form.Form) KeyRequest {
	return KeyRequest{
		Name:      f.Text("name", form.Optional, form.Length(0, 255)),
		Scopes:    readScopes(f),
		Mode:      delivery.Mode(f.Text("mode", form.Optional, form.OneOf(delivery.Modes...))),
		RequireV2: f.Flag("require_v2"),
		Email:     f.Text("email", form.Optional, delivery.EmailRule),
		Password:  f.Secret("password", form.Optional, credential.KnownPasswordRule),
	}
}

// readScopes returns the scopes that are in the list, each once and in the order of
// the constants. An empty list is a fault, because it could be meant as no access.
func readScopes(f *form.Form) (scopes []Scope) {
	sent := f.Texts("scopes", form.Optional, 1, len(Scopes), form.OneOf(Scopes...))
	for _, scope := range Scopes {
		if slices.Contains(sent, string(scope)) {
			scopes = append(scopes, scope)
		}
	}
	return scopes
}

// keyFacts is what the audit log holds of an API key.
type keyFacts struct {
	Name      string        `json:"name"`
	PublicKey string        `json:"public_key"`
	Scopes    []Scope       `json:"scopes"`
	Mode      delivery.Mode `json:"mode"`
	RequireV2 bool          `json:"require_v2"`
}

func factsOfKey(k *APIKey) keyFacts {
	return keyFacts{k.Name, k.PublicKey, append([]Scope{}, k.Scopes...), k.Mode, k.RequireV2}
}

// maxKeys is how many active keys a partner may have: enough for a key for each
// of its programs, too few to fill the database with.
const maxKeys = 1000

var errTooManyKeys = refusal.New(refusal.CodeConflict,
	fmt.Sprintf("%d API keys are active already; revoke one first", maxKeys))

// CreateKey adds an API key for the partner of a user, which works as soon as
// CreateKey returns. Before a test key it prepares the test account. It refuses with
// conflict if the partner has too many keys.
func (s *Service) CreateKey(ctx context.Context, by *Member, request KeyRequest) (*CreatedKey, error) {
	created, err := s.newKey(by, request)
	if err != nil {
		return nil, err
	}
	if created.Mode == delivery.ModeTest {
		if err := s.prepareTest(ctx, delivery.TestAccount(by.Partner.PartnerID)); err != nil {
			return nil, err
		}
	}
	sealed := &SealedKey{
		APIKey:    created.APIKey,
		PartnerID: by.Partner.PartnerID,
		Secret:    s.config.Sealer.Seal([]byte(created.SecretKey), created.KeyID),
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		active, err := tx.APIKeys(ctx, sealed.PartnerID)
		if err != nil {
			return err
		}
		if len(active) >= maxKeys {
			return errTooManyKeys
		}
		if err := tx.AddAPIKey(ctx, sealed); err != nil {
			return err
		}
		if err := s.informOfKey(ctx, tx, by); err != nil {
			return err
		}
		return s.note(ctx, tx, audit.ActionKeyCreated, sealed.PartnerID, sealed.KeyID, nil, factsOfKey(&sealed.APIKey))
	})
	if err != nil {
		return nil, err
	}
	return created, nil
}

// prepareTest makes a test account ready for its keys: the first time, it adds the
// account and its catalogue.
func (s *Service) prepareTest(ctx context.Context, testAccount string) error {
	err := s.config.Store.Write(ctx, func(tx Writer) error { return tx.AddTestAccount(ctx, testAccount) })
	if err == nil && s.config.SeedTest != nil {
		err = s.config.SeedTest(ctx, testAccount)
	}
	return err
}

// infixes follow "pk_" and "sk_" in the keys of a mode.
var infixes = map[delivery.Mode]string{delivery.ModeLive: "", delivery.ModeTest: "test_"}

func (s *Service) newKey(by *Member, request KeyRequest) (*CreatedKey, error) {
	created := &CreatedKey{APIKey: APIKey{
		Name: request.Name, CreatedAt: s.now(), CreatedBy: Creator{by.User.UserID, by.User.Name}, Scopes: request.Scopes,
		Mode: cmp.Or(request.Mode, delivery.ModeLive), RequireV2: request.RequireV2,
	}}
	var err error
	if created.KeyID, err = identifier.New(s.config.Random, "key_"); err != nil {
		return nil, err
	}
	if created.PublicKey, err = credential.Token(s.config.Random, "pk_"+infixes[created.Mode]); err != nil {
		return nil, err
	}
	created.SecretKey, err = credential.Token(s.config.Random, "sk_"+infixes[created.Mode])
	return created, err
}

// note adds an entry to the audit log, in the transaction of the change.
func (s *Service) note(
	ctx context.Context, tx Writer, action audit.Action, partnerID, objectID string, before, after any,
) error {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), action)
	if err != nil {
		return err
	}
	entry.PartnerID, entry.ObjectID, entry.Before, entry.After = partnerID, objectID, before, after
	return tx.AddAudit(ctx, entry)
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
	var revoked *APIKey
	err := s.config.Store.Write(ctx, func(tx Writer) (err error) {
		if revoked, err = tx.RevokeAPIKey(ctx, partnerID, keyID, s.now()); err != nil || revoked == nil {
			return err
		}
		return s.note(ctx, tx, audit.ActionKeyRevoked, partnerID, keyID, factsOfKey(revoked), nil)
	})
	if revoked != nil {
		// After the commit, and even after an error: the commit may have succeeded.
		s.keys.revoke(revoked.PublicKey)
	}
	if err == nil && revoked == nil {
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
	account := delivery.Account(sealed.PartnerID, sealed.Mode)
	key := &SigningKey{
		KeyID: sealed.KeyID, PartnerID: account, Secret: secret, Scopes: sealed.Scopes, RequireV2: sealed.RequireV2,
	}
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
