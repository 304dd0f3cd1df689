package mailer

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/mail"
)

// limits is how often mails of one kind may be caused.
type limits struct {
	address throttle.Rate // to one e-mail address, from all accounts together
	account throttle.Rate // by one partner; the zero value for no limit
	// notice means that a mail is left out at the limit, instead of refusing what causes
	// it: it only says what has happened.
	notice bool
}

const day = 24 * time.Hour

var (
	// few is for mails that strangers can cause. It is at least one within the life of a
	// link, so that a person who is at the limit because of others has a link that works.
	few = throttle.Rate{Per: day, Limit: 24, Burst: 3}
	// notices is for mails that say what has happened to an account.
	notices = throttle.Rate{Per: day, Limit: 48, Burst: 10}
	// statements lets all months since the books began be closed in one go, for a person who owns several partners.
	statements = throttle.Rate{Per: day, Limit: 200, Burst: 100}
	// invitations lets a partner invite a quarter of the largest team immediately.
	invitations = throttle.Rate{Per: day, Limit: 100, Burst: 50}
	addresses   = throttle.Rate{Per: day, Limit: 20, Burst: 10}
)

// limited has the limits of each kind. Mails to the recipients of orders are not sent by
// Send: the moves of the order limit them.
var limited = map[mail.Kind]limits{
	mail.Invitation: {address: few, account: invitations},
	mail.Email:      {address: few, account: addresses},
	mail.Proof:      {address: few, account: addresses},
	mail.Reset:      {address: few},
	mail.Changed:    {address: notices, notice: true},
	mail.SignIn:     {address: notices, notice: true},
	mail.Disabled:   {address: notices, notice: true},
	mail.Exports:    {address: notices, notice: true},
	mail.Statement:  {address: statements, notice: true},
}

// admit counts a message in the transaction that causes it, for all nodes. It returns
// false for a notice, and rate_limited for any other, if one of the limits is reached;
// nothing is counted then.
func (s *Service) admit(ctx context.Context, tx mail.Writer, m *mail.Message) (bool, error) {
	of := limited[m.Kind]
	rates := map[mail.CountKey]throttle.Rate{countKey(m.Kind, "address", strings.ToLower(m.To)): of.address}
	if m.PartnerID != "" {
		rates[countKey(m.Kind, "account", m.PartnerID)] = of.account
	}
	var keys []mail.CountKey
	for key, rate := range rates {
		if rate.Limit > 0 {
			keys = append(keys, key)
		}
	}
	if len(keys) == 0 {
		return true, nil
	}
	counts, err := tx.LockMailCounts(ctx, keys)
	if err != nil {
		return false, err
	}
	now := s.config.Now()
	var wait time.Duration
	for i, count := range counts {
		next, verdict := throttle.Decide(rates[count.Key], max(count.RestAt.Sub(now), 0), 0)
		wait = max(wait, verdict.RetryAfter)
		counts[i].RestAt = now.Add(next)
	}
	if wait > 0 {
		if of.notice {
			return false, nil
		}
		return false, tooMany(wait)
	}
	return true, tx.SaveMailCounts(ctx, counts)
}

func countKey(kind mail.Kind, by, value string) mail.CountKey {
	return sha256.Sum256([]byte("mail\x00" + string(kind) + "\x00" + by + "\x00" + value))
}

func tooMany(wait time.Duration) *refusal.Error {
	return &refusal.Error{
		Code:       refusal.CodeRateLimited,
		Message:    fmt.Sprintf("too many of these mails were sent, try again in %.0f s", math.Ceil(wait.Seconds())),
		RetryAfter: wait,
	}
}
