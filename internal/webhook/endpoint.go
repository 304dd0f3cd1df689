package webhook

import (
	"context"
	"encoding/base64"
	"io"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

const (
	// secretBytes are what Standard Webhooks allows (24 to 64), and a multiple
	// of three, so that no decoder trips over padding.
	secretBytes = 33
	// rotation is how long an old secret goes on signing unless the partner
	// activates the new one.
	rotation = 24 * time.Hour
)

var errNoEndpoint = refusal.NotFound("webhook endpoint")

// Settings is an endpoint as its partner sees it.
type Settings struct {
	*Endpoint
	// Secret is told when it is new, and never again.
	Secret string
}

// Get reads a partner's endpoint.
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

// Put sets a partner's endpoint. A new one gets a secret; created tells that it
// is new. One that fails, or that the service has disabled, begins afresh.
func (s *Service) Put(ctx context.Context, partnerID string, root form.Source) (put Settings, created bool, err error) {
	url, enabled, err := s.readEndpoint(root)
	if err != nil {
		return Settings{}, false, err
	}
	secret, err := s.newSecret()
	if err != nil {
		return Settings{}, false, err
	}
	err = s.change(ctx, partnerID, func(e *Endpoint) (*Endpoint, error) {
		now := s.now()
		put = Settings{}
		if created = e == nil; created {
			e = &Endpoint{PartnerID: partnerID, CreatedAt: now, Secret: s.seal(partnerID, secret)}
			put.Secret = secret
		}
		e.URL, e.Enabled, e.DisabledReason = url, enabled, ""
		e.succeed()
		if !e.WakeAt.IsZero() {
			e.WakeAt = now
		}
		put.Endpoint = e
		return e, nil
	})
	return put, created, err
}

func (s *Service) readEndpoint(root form.Source) (url string, enabled bool, err error) {
	var problems form.Problems
	f := form.New(root, &problems)
	url = f.Text("url", form.Required, form.Length(1, maxURL))
	if url != "" {
		if refused := s.config.Client.CheckURL(url); refused != nil {
			problems.Add("url", withoutPassword(url), refused.Error())
		}
	}
	enabled = !f.Has("enabled") || f.Flag("enabled")
	return url, enabled, problems.Err()
}

// withoutPassword is a refused URL as it may be told back: not at all if it may
// hold a password.
func withoutPassword(url string) any {
	if strings.Contains(url, "@") {
		return nil
	}
	return url
}

// maxURL is how many characters an endpoint's URL may have.
const maxURL = 2048

// change adds or rewrites a partner's endpoint under its lock, and wakes the
// sender. fn gets nil if there is none.
func (s *Service) change(ctx context.Context, partnerID string, fn func(*Endpoint) (*Endpoint, error)) error {
	err := s.config.Store.Write(ctx, func(tx Writer) error {
		// Nothing can be locked that is not there: whoever is second to add it
		// finds it at the next try.
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
	})
	if err == nil {
		s.config.Changed(partnerID)
	}
	return err
}

// Rotate makes a new secret. Until it takes over, after a day or by Activate,
// Drop-Signature stays with the old one, and webhook-signature carries both. A
// rotation that is under way begins anew.
func (s *Service) Rotate(ctx context.Context, partnerID string) (rotated Settings, err error) {
	if rotated.Secret, err = s.newSecret(); err != nil {
		return Settings{}, err
	}
	err = s.change(ctx, partnerID, func(e *Endpoint) (*Endpoint, error) {
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

// Activate ends a rotation: from now on only the new secret signs. Without a
// rotation nothing changes.
func (s *Service) Activate(ctx context.Context, partnerID string) (activated Settings, err error) {
	err = s.change(ctx, partnerID, func(e *Endpoint) (*Endpoint, error) {
		if e == nil {
			return nil, errNoEndpoint
		}
		e.settleRotation(later(s.now(), e.NextSecretAt))
		activated.Endpoint = e
		return e, nil
	})
	return activated, err
}

// settleRotation lets the next secret take over if its time has come.
func (e *Endpoint) settleRotation(now time.Time) {
	if len(e.NextSecret) > 0 && !now.Before(e.NextSecretAt) {
		e.Secret, e.NextSecret, e.NextSecretAt = e.NextSecret, nil, time.Time{}
	}
}

// Rotates is when the next secret takes over; zero if no rotation is under way.
func (e *Endpoint) Rotates(now time.Time) time.Time {
	if len(e.NextSecret) == 0 || !now.Before(e.NextSecretAt) {
		return time.Time{}
	}
	return e.NextSecretAt
}

// Remove removes a partner's endpoint. What still waits to be sent is skipped.
// It may take several transactions; one that was broken off leaves the endpoint
// disabled, and is to be repeated.
func (s *Service) Remove(ctx context.Context, partnerID string) error {
	err := s.change(ctx, partnerID, func(e *Endpoint) (*Endpoint, error) {
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

// skipRows is how many events one transaction skips, and some more: orders have few.
const skipRows = 1000

// moved changes events and keeps what they were.
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
	return s.config.Sealer.Seal([]byte(secret), sealedFor(partnerID))
}
