package db

import (
	"context"
	"fmt"
	"net"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/jackc/pgx/v5/pgxpool"
)

// The bounds of what a connection waits for. A node that has been frozen, or cut off from
// the server, holds the locks of the transaction that it had begun; only the server can
// end that, and the other nodes must not wait for it.
const (
	// statementTimeout ends a statement before the request's own time is up.
	statementTimeout = 25 * time.Second
	// lockWait bounds the wait for one lock. A transaction that is blocked for longer is
	// rolled back. It is run again (maxTries), or its committer sets the partner aside.
	lockWait = 300 * time.Millisecond
	// writeIdle is how long a transaction that writes may send nothing before the server
	// rolls it back. Between its statements it only computes, for milliseconds.
	writeIdle = 2 * time.Second
	// readIdle is that of one that reads, and locks no row, but may wait for its caller.
	readIdle = time.Minute
	// holdIdle is that of a copy, which reads and waits for the other database to write.
	holdIdle = time.Hour

	// connectTimeout bounds the making of a connection.
	connectTimeout = 5 * time.Second
	// pingTimeout bounds the look at a connection that has not been used for a second.
	pingTimeout = time.Second
	// deadAfter is how long sent data may remain unacknowledged, on both sides. A silent
	// connection is probed after quietFor, every probeGap, probes times.
	deadAfter = 5 * time.Second
	quietFor  = 3 * time.Second
	probeGap  = time.Second
	probes    = 3
	// stuckAfter is how long a transaction has taken, when its time is up, if its
	// connection may be the cause. All connections are then replaced, but not again for
	// replaceEvery, so that a slow server does not get more work by it.
	stuckAfter   = 1500 * time.Millisecond
	replaceEvery = 5 * time.Second
)

const idleSetting = "idle_in_transaction_session_timeout"

// boundWaits sets the bounds of all connections. A bound in the URL of the database is
// kept, but for statement_timeout.
func boundWaits(config *pgxpool.Config) {
	millis := func(d time.Duration) string { return fmt.Sprint(d.Milliseconds()) }
	seconds := func(d time.Duration) string { return fmt.Sprint(int(d.Seconds())) }
	parameters := config.ConnConfig.RuntimeParams
	for name, value := range map[string]string{
		idleSetting: millis(writeIdle), "lock_timeout": millis(lockWait), "tcp_user_timeout": millis(deadAfter),
		"tcp_keepalives_idle": seconds(quietFor), "tcp_keepalives_interval": seconds(probeGap),
		"tcp_keepalives_count": fmt.Sprint(probes),
	} {
		if _, chosen := parameters[name]; !chosen {
			parameters[name] = value
		}
	}
	parameters["statement_timeout"] = millis(statementTimeout)
	config.PingTimeout = pingTimeout
	config.ConnConfig.ConnectTimeout = connectTimeout
	dialer := &net.Dialer{
		KeepAliveConfig: net.KeepAliveConfig{Enable: true, Idle: quietFor, Interval: probeGap, Count: probes},
		Control:         giveUpUnacknowledged,
	}
	config.ConnConfig.DialFunc = dialer.DialContext
}

// setIdle returns the statement by which a transaction changes how long it may be idle.
func setIdle(atMost time.Duration) string {
	return fmt.Sprintf("SET LOCAL %s = %d", idleSetting, atMost.Milliseconds())
}

// replaceConns closes the idle connections of the pool, and the others when they become
// idle. A firewall that has forgotten one connection has usually forgotten all.
func (e *postgresEngine) replaceConns() {
	last, now := e.replaced.Load(), sinceLoaded()
	if (last == 0 || now-last >= int64(replaceEvery)) && e.replaced.CompareAndSwap(last, now) {
		e.pool.Reset()
	}
}

// blocked marks the error of a transaction that has waited too long for locks.
func blocked(err error) error {
	if sqlState(err) == lockNotAvailable {
		return fmt.Errorf("%w: %w", refusal.ErrBlocked, err)
	}
	return err
}

// AtOnce hides from the engine that a transaction was blocked, so that it is not run again
// there: the committer knows how to continue with the other partners.
func AtOnce(err error) error {
	if sqlState(err) == lockNotAvailable {
		return fmt.Errorf("%w: %s", refusal.ErrBlocked, err.Error())
	}
	return err
}

// hold cannot keep others from writing: they may be other processes.
func (e *postgresEngine) hold(ctx context.Context, fn func(Conn) error) error {
	return e.read(ctx, func(c Conn) error {
		if _, err := c.Exec(ctx, setIdle(holdIdle)); err != nil {
			return err
		}
		return fn(c)
	})
}

// worthRetrying reports whether the database has rolled a transaction back for a reason
// that may be gone.
func worthRetrying(err error) bool {
	switch sqlState(err) {
	case serializationFailure, deadlockDetected, lockNotAvailable, idleInTransaction:
		return true
	}
	return false
}

// WaitForLocks bounds the waits of the rest of the transaction.
func (c postgresConn) WaitForLocks(ctx context.Context, atMost time.Duration) error {
	_, err := c.Exec(ctx, fmt.Sprintf("SET LOCAL lock_timeout = %d", atMost.Milliseconds()))
	return err
}
