package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"io"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// secretBytes is the length of a secret. Standard Webhooks allows 24 to 64; a
	// multiple of three needs no padding in base64, which some decoders reject.
	secretBytes = 33
	// rotation is how long the old secret still signs after a rotation, unless the
	// partner activates the new one.
	rotation = 24 * time.Hour
)

var errNoEndpoint = refusal.NotFound("webhook endpoint")

// Settings is an endpoint as its partner sees it.
type Settings struct {
	*Endpoint
	Secret string // only when it has just been made; it is never shown again
}

// Get returns a partner's endpoint.
func (s *Service) Get(ctx context.Context, partnerID string) (found Settings, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found.Endpoint, err = tx.Endpoint(ctx, partnerID)
		return err
	})
	if err == nil && found.Endpoint == nil {
		err = errNoEndpoint
	}
	return found, err
}

// Target is where a partner wants its events, and whether it wants them.
type Target struct {
	URL     string
	Enabled bool
}

// ReadTarget reads where a partner wants its events. It wants them unless it says that it
// does not.
func (s *Service) ReadTarget(f *form.Form) Target {
	target := Target{URL: f.Text("url", form.Required, form.Length(1, maxURL))}
	var refused *outbound.URLError
	if target.URL != "" && errors.As(s.config.Client.CheckURL(target.URL), &refused) {
		if strings.Contains(target.URL, "@") { // it may contain a password
			f.SecretFault("url", refused.Rule)
		} else {
			f.Fault("url", refused.Rule)
		}
	}
	target.Enabled = !f.Has("enabled") || f.Flag("enabled")
	return target
}

// Put sets a partner's endpoint. created reports whether it is new; then it gets a
// secret. An endpoint that has failed, or that the service has disabled, loses its
// failures. It refuses with conflict a request that was signed before an earlier change
// of the endpoint, and so do Rotate, Activate and Remove.
func (s *Service) Put(
	ctx context.Context, partnerID string, by Signed, target Target,
) (put Settings, created bool, err error) {
	secret, err := s.newSecret()
	if err != nil {
		return Settings{}, false, err
	}
	err = s.configure(ctx, partnerID, Signed{At: by.At}, func(e *Endpoint) (*Endpoint, error) {
		now := s.now()
		put = Settings{}
		if created = e == nil; created {
			e = &Endpoint{PartnerID: partnerID, CreatedAt: now, Secret: s.seal(partnerID, secret)}
			put.Secret = secret
		}
		e.URL, e.Enabled, e.DisabledReason = target.URL, target.Enabled, ""
		e.succeed()
		if !e.WakeAt.IsZero() {
			e.WakeAt = now
		}
		put.Endpoint = e
		return e, nil
	})
	return put, created, err
}

// maxURL is how many characters an endpoint's URL may have.
const maxURL = 2048

// configure is change for what partners request: it refuses requests that were overtaken,
// and a signature in by that was used.
func (s *Service) configure(
	ctx context.Context, partnerID string, by Signed, fn func(*Endpoint) (*Endpoint, error),
) error {
	return s.write(ctx, partnerID, func(tx Writer) error {
		if err := save(ctx, tx, partnerID, fn); err != nil {
			return err
		}
		return s.record(ctx, tx, partnerID, by)
	})
}

// change saves what fn returns for a partner's endpoint, under its lock, and wakes
// the sender. fn gets nil if there is no endpoint.
func (s *Service) change(ctx context.Context, partnerID string, fn func(*Endpoint) (*Endpoint, error)) error {
	return s.write(ctx, partnerID, func(tx Writer) error { return save(ctx, tx, partnerID, fn) })
}

// write runs fn in a transaction, and then wakes the sender of the partner's endpoint.
func (s *Service) write(ctx context.Context, partnerID string, fn func(Writer) error) error {
	err := s.config.Store.Write(ctx, fn)
	if err == nil {
		s.config.Changed(partnerID)
	}
	return err
}

// save writes what fn returns for a partner's endpoint, and holds its lock afterwards.
func save(ctx context.Context, tx Writer, partnerID string, fn func(*Endpoint) (*Endpoint, error)) error {
	// An endpoint that does not exist cannot be locked. If two transactions add it at the
	// same time, the second one finds it in its next round.
	for done := false; !done; {
		endpoints, err := tx.LockEndpoints(ctx, []string{partnerID})
		if err != nil {
			return err
		}
		changed, err := fn(endpoints[partnerID])
		switch {
		case err != nil:
			return err
		case endpoints[partnerID] != nil:
			return tx.SaveEndpoints(ctx, []*Endpoint{changed})
		}
		if done, err = tx.AddEndpoint(ctx, changed); err != nil {
			return err
		}
	}
	return nil
}

// Rotate makes a new secret. It replaces the old one after a day, or by Activate.
// Until then Drop-Signature is made with the old one, and Webhook-Signature holds
// one signature for each. A rotation that is under way starts over with another
// secret. The signature is taken once.
func (s *Service) Rotate(ctx context.Context, partnerID string, by Signed) (rotated Settings, err error) {
	if rotated.Secret, err = s.newSecret(); err != nil {
		return Settings{}, err
	}
	err = s.configure(ctx, partnerID, by, func(e *Endpoint) (*Endpoint, error) {
		if e == nil {
			return nil, errNoEndpoint
		}
		now := s.now()
		e.settleRotation(now)
		e.NextSecret, e.NextSecretAt = s.seal(partnerID, rotated.Secret), now.Add(rotation)
		rotated.Endpoint = e
		return e, nil
	})
	return rotated, err
}

// Activate ends a rotation: from now on only the new secret signs. It does nothing
// if no rotation is under way. The signature is taken once.
func (s *Service) Activate(ctx context.Context, partnerID string, by Signed) (activated Settings, err error) {
	err = s.configure(ctx, partnerID, by, func(e *Endpoint) (*Endpoint, error) {
		if e == nil {
			return nil, errNoEndpoint
		}
		e.settleRotation(later(s.now(), e.NextSecretAt))
		activated.Endpoint = e
		return e, nil
	})
	return activated, err
}

// settleRotation replaces the secret by the next one if it is time.
func (e *Endpoint) settleRotation(now time.Time) {
	if len(e.NextSecret) > 0 && !now.Before(e.NextSecretAt) {
		e.Secret, e.NextSecret, e.NextSecretAt = e.NextSecret, nil, time.Time{}
	}
}

// Rotates returns when the next secret replaces the other; zero if no rotation is
// under way.
func (e *Endpoint) Rotates(now time.Time) time.Time {
	if len(e.NextSecret) == 0 || !now.Before(e.NextSecretAt) {
		return time.Time{}
	}
	return e.NextSecretAt
}

// Remove removes a partner's endpoint, and skips its pending events. It may take
// several transactions. After an error the endpoint may be left disabled; then
// Remove must be called again.
func (s *Service) Remove(ctx context.Context, partnerID string, by Signed) error {
	err := s.configure(ctx, partnerID, Signed{At: by.At}, func(e *Endpoint) (*Endpoint, error) {
		if e == nil {
			return nil, errNoEndpoint
		}
		e.Enabled, e.DisabledReason = false, ""
		return e, nil
	})
	for more := true; more && err == nil; {
		err = s.config.Store.Write(ctx, func(tx Writer) error {
			if _, err := tx.LockEndpoints(ctx, []string{partnerID}); err != nil {
				return err
			}
			skipped, err := tx.SkipPending(ctx, partnerID, skipRows)
			if err != nil {
				return err
			}
			if more = skipped >= skipRows; more {
				return nil
			}
			return tx.RemoveEndpoint(ctx, partnerID)
		})
	}
	if err == nil {
		s.config.Changed(partnerID)
	}
	return err
}

// skipRows is about how many events one transaction skips: also the others of
// their orders, which are few.
const skipRows = 1000

// moved applies change to copies of events, and returns those with the states
// from which they were changed.
func moved(events []*Event, change func(*Event)) []Progress {
	progress := make([]Progress, len(events))
	for i, e := range events {
		changed := *e
		change(&changed)
		progress[i] = Progress{Event: &changed, FromState: e.State, FromTries: e.Tries}
	}
	return progress
}

func (s *Service) newSecret() (string, error) {
	random := make([]byte, secretBytes)
	if _, err := io.ReadFull(s.config.Random, random); err != nil {
		return "", err
	}
	return SecretPrefix + base64.StdEncoding.EncodeToString(random), nil
}

func (s *Service) seal(partnerID, secret string) []byte {
	return s.config.Sealer.Seal([]byte(secret), SealedFor(partnerID))
}
