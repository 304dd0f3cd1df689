package webhook

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/audit"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
)

// Signed says how the request for a change of an endpoint was signed. The zero value is
// for requests in a session.
type Signed struct {
	At        time.Time // the X-Timestamp, in whole seconds
	Signature []byte    // SHA-256 of the signature
}

// Change is what is kept of a change of an endpoint, so that a recorded request cannot
// undo it. It is needed as long as a request of the same time would be accepted.
type Change struct {
	PartnerID string
	SignedAt  time.Time // of a change in a session the time of the change, in whole seconds
	Signature []byte    // SHA-256; empty if the signature may be used again
}

var errSignatureUsed = refusal.New(refusal.CodeConflict,
	"this signature was used already, and its change was made: for another one sign again, with a later X-Timestamp")

// record keeps a change of an endpoint, in its transaction and under the lock of the
// endpoint. It refuses with conflict a change that was signed before another one that was
// made, and a signature that is taken once and was used.
//
// Changes of the same second are made in the order in which they arrive: the timestamp
// cannot tell them apart, and a program may well make several of them.
func (s *Service) record(ctx context.Context, tx Writer, partnerID string, by Signed) error {
	change := &Change{PartnerID: partnerID, SignedAt: by.At, Signature: by.Signature}
	last, err := tx.LastChange(ctx, partnerID)
	if err != nil {
		return err
	}
	if by.At.IsZero() {
		change.SignedAt = timeInSession(s.config.MachineNow(), last)
	} else if change.SignedAt.Before(last) {
		return s.overtaken(change.SignedAt, last)
	}
	added, err := tx.AddChange(ctx, change)
	if err == nil && !added && len(change.Signature) > 0 {
		err = errSignatureUsed
	}
	return err
}

// timeInSession returns the time that a change in a session counts with. If the last one was
// signed by a clock that is fast, it comes after that one all the same.
func timeInSession(now, last time.Time) time.Time {
	if last.After(now) {
		return last.Add(time.Second)
	}
	return now.Truncate(time.Second)
}

// overtaken refuses a change that was signed before the last one.
func (s *Service) overtaken(signed, last time.Time) error {
	return refusal.New(refusal.CodeConflict,
		fmt.Sprintf("this request was signed at %s by its X-Timestamp, before the last change of the endpoint (%s): "+
			"if it is still wanted, set your clock (the service's says %s), sign the request again, and send it",
			timestamp.Format(signed), timestamp.Format(last), timestamp.Format(s.config.MachineNow())))
}

// endpointFacts is what the audit log holds of an endpoint.
type endpointFacts struct {
	URL      string `json:"url"` // without its query, which may hold a password
	Enabled  bool   `json:"enabled"`
	Events   string `json:"events"`
	Format   string `json:"format"`
	LiveMode bool   `json:"livemode"`
	Rotates  string `json:"secret_rotates_at"` // empty if no rotation is under way
	query    string // of the URL: its change is noted, too
}

// factsOf returns what the audit log holds of an endpoint; nil if there is none.
func factsOf(e *Endpoint, now time.Time) any {
	if e == nil {
		return nil
	}
	facts := endpointFacts{
		Enabled: e.Enabled, Events: string(e.Events), Format: e.Format.Name(), LiveMode: !delivery.IsTest(e.PartnerID),
	}
	facts.URL, facts.query, _ = strings.Cut(e.URL, "?")
	if at := e.Rotates(now); !at.IsZero() {
		facts.Rotates = timestamp.Format(at)
	}
	return facts
}

// note writes an entry of the audit log. Endpoints of test mode are noted for the partner.
func (s *Service) note(
	ctx context.Context, tx Writer, action audit.Action, e *Endpoint, before, after any,
) error {
	entry, err := audit.NewEntry(ctx, s.config.Random, s.now(), action)
	if err != nil {
		return err
	}
	entry.PartnerID, entry.ObjectID, entry.Before, entry.After = delivery.LiveAccount(e.PartnerID), e.ID(), before, after
	return tx.AddAudit(ctx, entry)
}
