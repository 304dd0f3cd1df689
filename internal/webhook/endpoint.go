package webhook

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/outbound"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/outbox"
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

// Get returns an endpoint.
func (s *Service) Get(ctx context.Context, key outbox.EndpointKey) (found Settings, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found.Endpoint, err = tx.Endpoint(ctx, key)
		return err
	})
	if err == nil && found.Endpoint == nil {
		err = errNoEndpoint
	}
	return found, err
}

// Endpoints lists a partner's endpoints: the first, and then the others as they were added.
func (s *Service) Endpoints(ctx context.Context, partnerID string) (found []*Endpoint, err error) {
	err = s.config.Store.Read(ctx, func(tx Reader) error {
		found, err = tx.Endpoints(ctx, partnerID)
		return err
	})
	return found, err
}

// Target is where a partner wants events, which ones and how, and whether it wants them.
type Target struct {
	URL     string
	Enabled bool
	Events  outbox.Filter
	Format  Format
}

// ReadTarget reads where a partner wants its events. It wants them unless it says that it
// does not.
func (s *Service) ReadTarget(f *form.Form) Target {
	return Target{
		URL: s.readURL(f, form.Required), Enabled: !f.Has("enabled") || f.Flag("enabled"),
		Events: readFilter(f), Format: readFormat(f),
	}
}

func (s *Service) readURL(f *form.Form, presence form.Presence) string {
	target := f.Text("url", presence, form.Length(1, maxURL))
	var refused *outbound.URLError
	if target != "" && errors.As(s.config.Client.CheckURL(target), &refused) {
		if strings.Contains(target, "@") { // it may contain a password
			f.SecretFault("url", refused.Rule)
		} else {
			f.Fault("url", refused.Rule)
		}
	}
	return target
}

// maxTypes is how many types of events an endpoint may name.
const maxTypes = 50

func readFilter(f *form.Form) outbox.Filter {
	named := f.Texts("events", form.Optional, 1, maxTypes, form.OneOf(delivery.EventTypes...))
	var types []delivery.EventType
	for _, kind := range delivery.EventTypes { // each once
		if slices.Contains(named, string(kind)) {
			types = append(types, kind)
		}
	}
	return outbox.FilterOf(types)
}

func readFormat(f *form.Form) Format {
	return formatOf(f.Text("format", form.Optional, form.OneOf(Formats...)))
}

// Edit is a change of some settings of an endpoint; nil leaves one as it is.
type Edit struct {
	URL     *string
	Enabled *bool
	Events  *outbox.Filter
	Format  *Format
}

// ReadEdit reads which settings change. With null, an endpoint takes all types of events again, or has the
// default format.
func (s *Service) ReadEdit(f *form.Form) (e Edit) {
	sent := func(name string) bool { return f.Has(name) || f.IsNull(name) }
	if sent("url") {
		target := s.readURL(f, form.Required)
		e.URL = &target
	}
	if sent("enabled") {
		enabled := f.RequiredFlag("enabled")
		e.Enabled = &enabled
	}
	if sent("events") {
		filter := readFilter(f)
		e.Events = &filter
	}
	if sent("format") {
		format := readFormat(f)
		e.Format = &format
	}
	return e
}

// whole returns the edit that sets an endpoint to a target.
func (t Target) whole() Edit {
	return Edit{URL: &t.URL, Enabled: &t.Enabled, Events: &t.Events, Format: &t.Format}
}

// apply changes the settings. An endpoint that has failed loses its failures with a new URL, and
// when it is enabled or disabled.
func (e *Endpoint) apply(edit Edit, now time.Time) {
	set(&e.URL, edit.URL)
	set(&e.Events, edit.Events)
	set(&e.Format, edit.Format)
	if edit.Enabled != nil {
		e.Enabled, e.DisabledReason = *edit.Enabled, ""
	}
	if edit.Enabled != nil || edit.URL != nil {
		e.succeed()
	}
	if !e.WakeAt.IsZero() {
		e.WakeAt = now
	}
}

func set[T any](to, value *T) {
	if value != nil {
		*to = *value
	}
}

// admit refuses settings that a node which shares the database does not know.
func (s *Service) admit(ctx context.Context, edit Edit) error {
	if edit.Events != nil && *edit.Events != "" || edit.Format != nil && *edit.Format != FormatDropyard {
		return s.config.Upgraded(ctx)
	}
	return nil
}

// Put sets a partner's first endpoint. created reports whether it is new; then it gets a
// secret. An endpoint that has failed, or that the service has disabled, loses its
// failures. It refuses with conflict a request that was signed before an earlier change
// of the partner's endpoints, and so do Add, Edit, Rotate, Activate and Remove.
func (s *Service) Put(
	ctx context.Context, partnerID string, by Signed, target Target,
) (put Settings, created bool, err error) {
	edit := target.whole()
	if err := s.admit(ctx, edit); err != nil {
		return Settings{}, false, err
	}
	secret, err := s.newSecret()
	if err != nil {
		return Settings{}, false, err
	}
	set := func(e *Endpoint) (*Endpoint, error) {
		put = Settings{}
		if created = e == nil; created {
			e = &Endpoint{PartnerID: partnerID, CreatedAt: s.now()}
			e.Secret, put.Secret = s.seal(e, secret), secret
		}
		e.apply(edit, s.now())
		put.Endpoint = e
		return e, nil
	}
	err = s.configure(ctx, KeyOf(partnerID, FirstID), Signed{At: by.At}, audit.ActionEndpointChanged, set)
	return put, created, err
}

// MaxEndpoints is how many endpoints an account may have.
const MaxEndpoints = 10

var errTooManyEndpoints = refusal.New(refusal.CodeConflict,
	fmt.Sprintf("an account has %d webhook endpoints at most; remove one first", MaxEndpoints))

// Add adds an endpoint with a secret. It is the first one if there is none of that name. Add
// refuses with conflict if there are MaxEndpoints. The signature is taken once.
func (s *Service) Add(ctx context.Context, partnerID string, by Signed, target Target) (added Settings, err error) {
	if err := s.config.Upgraded(ctx); err != nil {
		return Settings{}, err
	}
	secret, err := s.newSecret()
	if err != nil {
		return Settings{}, err
	}
	endpointID, err := identifier.Draw(s.config.Random, "whe_", endpointBytes)
	if err != nil {
		return Settings{}, err
	}
	err = s.config.Store.Write(ctx, func(tx Writer) error {
		added = Settings{Secret: secret}
		if added.Endpoint, err = s.add(ctx, tx, partnerID, endpointID, secret, target); err != nil {
			return err
		}
		if err := s.record(ctx, tx, partnerID, by); err != nil {
			return err
		}
		return s.note(ctx, tx, audit.ActionEndpointAdded, added.Endpoint, nil, factsOf(added.Endpoint, s.now()))
	})
	if err == nil {
		s.config.Changed(added.Key())
	}
	return added, err
}

// endpointBytes is how many random bytes the id of an endpoint has. Secrets are sealed for
// it, so that it must be unique among all partners.
const endpointBytes = 15

// add adds an endpoint in the place of the first one or, if that is taken, under an id. There are never more than
// MaxEndpoints: behind the first place, endpoints are added only while that is taken, one at a time.
func (s *Service) add(
	ctx context.Context, tx Writer, partnerID, endpointID, secret string, target Target,
) (*Endpoint, error) {
	if err := tx.LockAdding(ctx, partnerID); err != nil {
		return nil, err
	}
	for {
		there, err := tx.Endpoints(ctx, partnerID)
		if err != nil {
			return nil, err
		}
		if len(there) >= MaxEndpoints {
			return nil, errTooManyEndpoints
		}
		e := &Endpoint{PartnerID: partnerID, CreatedAt: s.now()}
		if len(there) > 0 && there[0].EndpointID == "" {
			e.EndpointID = endpointID
		}
		e.Secret = s.seal(e, secret)
		e.apply(target.whole(), s.now())
		// Put may have added the first one at the same moment.
		if added, err := tx.AddEndpoint(ctx, e); added || err != nil {
			return e, err
		}
	}
}

// Edit changes some settings of an endpoint.
func (s *Service) Edit(
	ctx context.Context, key outbox.EndpointKey, by Signed, edit Edit,
) (edited Settings, err error) {
	if err := s.admit(ctx, edit); err != nil {
		return Settings{}, err
	}
	err = s.configure(ctx, key, Signed{At: by.At}, audit.ActionEndpointChanged, func(e *Endpoint) (*Endpoint, error) {
		if e == nil {
			return nil, errNoEndpoint
		}
		e.apply(edit, s.now())
		edited.Endpoint = e
		return e, nil
	})
	return edited, err
}

// maxURL is how many characters an endpoint's URL may have.
const maxURL = 2048

// configure is change for what partners request: it refuses requests that were overtaken,
// and a signature in by that was used. It notes in the audit log what has changed.
func (s *Service) configure(
	ctx context.Context, key outbox.EndpointKey, by Signed, action audit.Action, fn func(*Endpoint) (*Endpoint, error),
) error {
	return s.write(ctx, key, func(tx Writer) error {
		var changed *Endpoint
		var before, after any
		err := save(ctx, tx, key, func(e *Endpoint) (_ *Endpoint, err error) {
			before = factsOf(e, s.now())
			changed, err = fn(e)
			after = factsOf(changed, s.now())
			return changed, err
		})
		if err == nil {
			err = s.record(ctx, tx, key.PartnerID, by)
		}
		switch {
		case err != nil:
			return err
		case before == nil:
			return s.note(ctx, tx, audit.ActionEndpointAdded, changed, nil, after)
		case action == audit.ActionEndpointRemoved:
			after = nil
		case before == after:
			return nil
		}
		return s.note(ctx, tx, action, changed, before, after)
	})
}

// change saves what fn returns for an endpoint, under its lock, and wakes
// the sender. fn gets nil if there is no endpoint.
func (s *Service) change(ctx context.Context, key outbox.EndpointKey, fn func(*Endpoint) (*Endpoint, error)) error {
	return s.write(ctx, key, func(tx Writer) error { return save(ctx, tx, key, fn) })
}

// write runs fn in a transaction, and then wakes the sender of the endpoint.
func (s *Service) write(ctx context.Context, key outbox.EndpointKey, fn func(Writer) error) error {
	err := s.config.Store.Write(ctx, fn)
	if err == nil {
		s.config.Changed(key)
	}
	return err
}

// save writes what fn returns for an endpoint, and holds its lock afterwards.
func save(ctx context.Context, tx Writer, key outbox.EndpointKey, fn func(*Endpoint) (*Endpoint, error)) error {
	// An endpoint that does not exist cannot be locked. If two transactions add it at the
	// same time, the second one finds it in its next round.
	for done := false; !done; {
		endpoints, err := tx.LockEndpoints(ctx, []outbox.EndpointKey{key})
		if err != nil {
			return err
		}
		changed, err := fn(endpoints[key])
		switch {
		case err != nil:
			return err
		case endpoints[key] != nil:
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
func (s *Service) Rotate(ctx context.Context, key outbox.EndpointKey, by Signed) (rotated Settings, err error) {
	if rotated.Secret, err = s.newSecret(); err != nil {
		return Settings{}, err
	}
	err = s.configure(ctx, key, by, audit.ActionEndpointSecret, func(e *Endpoint) (*Endpoint, error) {
		if e == nil {
			return nil, errNoEndpoint
		}
		now := s.now()
		e.settleRotation(now)
		e.NextSecret, e.NextSecretAt = s.seal(e, rotated.Secret), now.Add(rotation)
		rotated.Endpoint = e
		return e, nil
	})
	return rotated, err
}

// Activate ends a rotation: from now on only the new secret signs. It does nothing
// if no rotation is under way. The signature is taken once.
func (s *Service) Activate(ctx context.Context, key outbox.EndpointKey, by Signed) (activated Settings, err error) {
	err = s.configure(ctx, key, by, audit.ActionEndpointSecret, func(e *Endpoint) (*Endpoint, error) {
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

// Remove removes an endpoint, and skips its pending events. It may take
// several transactions. After an error the endpoint may be left disabled; then
// Remove must be called again.
func (s *Service) Remove(ctx context.Context, key outbox.EndpointKey, by Signed) error {
	err := s.configure(ctx, key, Signed{At: by.At}, audit.ActionEndpointRemoved, func(e *Endpoint) (*Endpoint, error) {
		if e == nil {
			return nil, errNoEndpoint
		}
		e.Enabled, e.DisabledReason = false, ""
		return e, nil
	})
	for more := true; more && err == nil; {
		err = s.config.Store.Write(ctx, func(tx Writer) error {
			if _, err := tx.LockEndpoints(ctx, []outbox.EndpointKey{key}); err != nil {
				return err
			}
			skipped, err := tx.SkipPending(ctx, key, skipRows)
			if err != nil {
				return err
			}
			if more = skipped >= skipRows; more {
				return nil
			}
			return tx.RemoveEndpoint(ctx, key)
		})
	}
	if err == nil {
		s.config.Changed(key)
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

func (s *Service) seal(e *Endpoint, secret string) []byte {
	return s.config.Sealer.Seal([]byte(secret), e.owner())
}
