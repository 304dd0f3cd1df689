package throttle

import (
	"context"
	"log/slog"
	"strings"
	"sync"
	"sync/atomic"
	"time"
)

// LedgerStore is where nodes keep the ledgers that they share.
type LedgerStore interface {
	// Write runs fn in a transaction. fn may run again after a lost race.
	Write(ctx context.Context, fn func(LedgerTx) error) error
}

// LedgerTx is one transaction on ledgers.
type LedgerTx interface {
	// Ledger reads a key's ledger, which nobody else changes until the
	// transaction ends.
	Ledger(ctx context.Context, key string) (Ledger, error)
	SetLedger(ctx context.Context, key string, ledger Ledger) error
}

// Shared is a limiter whose rate holds over all nodes that share a store. It
// asks the store for a few requests at a time. If the store does not answer, it
// admits by itself what it would admit if there were no other node.
type Shared struct {
	rate  Rate
	store LedgerStore
	clock func() time.Time
	log   *slog.Logger
	alone atomic.Bool // the last call of the store failed

	mu   sync.Mutex
	keys map[string]*sharedKey // guarded by mu
}

const (
	// leaseTimeout bounds how long requests wait for the store.
	leaseTimeout = time.Second
	// alonePause is for how long a key is counted here alone before the store is
	// asked again.
	alonePause = time.Second
	// refusedPause is for how long, at least, the store is not asked again after
	// it had nothing free: with a high rate, something is free every moment.
	refusedPause = 20 * time.Millisecond
	// maxSharedKeys bounds memory to some 20 MB.
	maxSharedKeys = 1 << 16
)

// NewShared makes a limiter with a rate for every key that is not given its own. The nodes' clocks must
// agree: by as much as they differ, more is admitted once.
func NewShared(rate Rate, store LedgerStore, clock func() time.Time, log *slog.Logger) *Shared {
	return &Shared{rate: rate, store: store, clock: clock, log: log, keys: map[string]*sharedKey{}}
}

// Take counts one for the key, if it is allowed. It may ask the store, and then
// takes up to a second; requests of one key ask together.
func (s *Shared) Take(ctx context.Context, key string) Verdict { return s.TakeAt(ctx, key, s.rate) }

// TakeAt is Take for a key that has a rate of its own. Changing a key's rate
// keeps what it has used, and ends the lease that was taken at the old one.
func (s *Shared) TakeAt(ctx context.Context, key string, rate Rate) Verdict {
	if rate.Limit <= 0 {
		return unlimited
	}
	k := s.key(key)
	k.mu.Lock()
	defer k.mu.Unlock()
	k.waiting++
	defer func() { k.waiting-- }()
	for {
		now := k.at(s.read())
		k.goBy(rate)
		if verdict, decided := k.decide(rate, now); decided {
			return verdict
		}
		if k.asking == nil {
			s.renew(ctx, key, k, now)
		} else if !k.wait(ctx) {
			return k.admitAlone(rate, now) // for nobody
		}
	}
}

func (s *Shared) read() time.Duration { return time.Duration(s.clock().UnixNano()) }

// key finds or makes what is known of a key.
func (s *Shared) key(key string) *sharedKey {
	now := int64(s.read())
	s.mu.Lock()
	defer s.mu.Unlock()
	k := s.keys[key]
	if k == nil {
		s.makeRoom()
		k = &sharedKey{want: 1}
		s.keys[strings.Clone(key)] = k
	}
	k.used.Store(now)
	return k
}

// makeRoom forgets the least used of a few keys once there are too many. What
// it had leased is charged whole.
func (s *Shared) makeRoom() {
	if len(s.keys) < maxSharedKeys {
		return
	}
	looked, victim, least := 0, "", int64(0)
	for key, k := range s.keys {
		if used := k.used.Load(); victim == "" || used < least {
			victim, least = key, used
		}
		if looked++; looked == sampled {
			break
		}
	}
	delete(s.keys, victim)
}

// renew accounts for the key's lease and takes a new one. It gives up the key's
// lock while it asks.
func (s *Shared) renew(ctx context.Context, key string, k *sharedKey, now time.Duration) {
	rate := k.rate
	account, want := k.account(rate, now)
	k.asking = make(chan struct{})
	k.mu.Unlock()
	lease, err := Lease{}, context.Canceled
	defer func() { // also if the store panics
		k.mu.Lock()
		k.install(lease, err, account.Extra, k.at(s.read()))
		k.counted = rate
		close(k.asking)
		k.asking = nil
	}()
	lease, err = s.ask(ctx, key, rate, account, want, now)
	if alone := err != nil; s.alone.Swap(alone) != alone {
		s.tell(err)
	}
}

// account closes the lease, and tells how large the next should be: what the
// last one's time would have needed, or twice as much if it was used up.
func (k *sharedKey) account(rate Rate, now time.Duration) (account Account, want int64) {
	// However much was admitted alone, only what is not yet at rest counts.
	if k.counted.Limit > 0 {
		rate = k.counted
	}
	interval, _ := rate.spacing()
	k.extra = min(k.extra, int64(max(0, k.known-now)/max(interval, 1)))
	account = Account{
		Generation: k.lease.Generation, Leased: k.lease.Size, Spent: k.spent, Extra: k.extra, Interval: interval,
		From: min(k.last, k.known-time.Duration(k.spent+k.extra)*interval),
	}
	const most = 1 << 20 // far above any lease
	switch {
	case k.lease.Size == 0: // nothing was free, which says nothing
	case k.spent == k.lease.Size && now < k.lease.Until:
		k.want = min(2*k.want, most)
	default:
		k.want = max(1, k.spent)
	}
	k.lease, k.spent = Lease{}, 0
	return account, max(k.want, k.waiting)
}

// ask does not end with the request that it serves, because others wait too.
func (s *Shared) ask(ctx context.Context, key string, rate Rate, account Account, want int64, now time.Duration) (lease Lease, err error) {
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), leaseTimeout)
	defer cancel()
	err = s.store.Write(ctx, func(tx LedgerTx) error {
		ledger, err := tx.Ledger(ctx, key)
		if err != nil {
			return err
		}
		var next Ledger
		if next, lease = Grant(rate, ledger, account, want, now); next == ledger {
			return nil
		}
		return tx.SetLedger(ctx, key, next)
	})
	return lease, err
}

// install puts the store's answer to use. A lease of which it is unknown whether
// it was granted, or accounted for, is left to be charged whole.
func (k *sharedKey) install(lease Lease, err error, extra int64, now time.Duration) {
	if err != nil {
		k.aloneUntil = now + alonePause
		return
	}
	k.aloneUntil = 0
	k.extra -= extra
	k.lease = lease
	k.known = lease.Known
	if lease.Size == 0 {
		k.retryAt = now + refusedPause
	}
}

func (s *Shared) tell(err error) {
	if err != nil {
		s.log.Warn("the database does not answer for rate limits: this node counts alone", "error", err)
		return
	}
	s.log.Info("rate limits are shared again")
}
