package main

import (
	"fmt"
	"path/filepath"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// slowHosts is how many addresses the slow endpoints share.
const slowHosts = 250

// seed adds the slow endpoints and their events to the database of a service that has
// stopped. It writes SQL, so that the database may be one of another version.
func (c *slowEndpointsAttack) seed(database string, urls []string, begins time.Time) error {
	key, err := credential.OpenMasterKey(filepath.Join(filepath.Dir(database), "master.key"), "",
		newEventMaker("par_00000001").random)
	if err != nil {
		return err
	}
	sealer, err := credential.NewSealer(key.Derive("secrets"))
	if err != nil {
		return err
	}
	if c.How == "handshake" {
		for i, url := range urls {
			urls[i] = "https" + url[len("http"):]
		}
	}
	return onDatabase(database, func(conn *sqlite.Conn) (err error) {
		end, err := sqlitex.ImmediateTransaction(conn)
		if err != nil {
			return err
		}
		defer end(&err)
		insert, err := newSlowInserts(conn)
		if err != nil {
			return err
		}
		for i := range c.Endpoints {
			partnerID := fmt.Sprintf("par_slow%06d", i)
			secret := sealer.Seal([]byte("whsec_bm90IGEgc2VjcmV0IG5vdCBhIHNlY3JldA=="), "webhook of "+partnerID)
			wakes := begins
			if c.How == "turn" { // one event before, so that the endpoint is known to be quick
				wakes = time.Now()
			}
			if err := insert.endpoint(partnerID, urls[i%len(urls)], secret, wakes); err != nil {
				return err
			}
			for e := range c.Waiting {
				due := begins
				if e == 0 {
					due = wakes
				}
				if err := insert.event(partnerID, due); err != nil {
					return err
				}
			}
		}
		return nil
	})
}

// slowInserts adds endpoints and events.
type slowInserts struct {
	maker     *eventMaker
	endpoints *sqlite.Stmt
	events    *sqlite.Stmt
}

func newSlowInserts(conn *sqlite.Conn) (*slowInserts, error) {
	const columns = "partner_id, url, enabled, disabled_reason, secret, next_secret, next_secret_at, failures, failing_since, open_until, wake_at, holder, lease_until, created_at"
	names, values := columns, "$1, $2, 1, '', $3, x'', 0, 0, 0, 0, $4, '', 0, $4"
	paced, err := sqlitex.ResultInt(
		conn.Prep("SELECT count(*) FROM pragma_table_info('webhook_endpoints') WHERE name = 'pace'"),
	)
	if err != nil {
		return nil, err
	}
	if paced > 0 { // earlier versions have no such column
		names, values = columns+", pace", values+", 0"
	}
	s := &slowInserts{maker: newEventMaker("par_00000001")}
	if s.endpoints, err = conn.Prepare(
		"INSERT INTO webhook_endpoints (" + names + ") VALUES (" + values + ")",
	); err != nil {
		return nil, err
	}
	s.events, err = conn.Prepare(`INSERT INTO events (partner_id, order_id, sequence, event_id, type, state, tries, due_at, created_at, facts, attempts)
		VALUES ($1, $2, 1, $3, $4, 'pending', 0, $5, $5, $6, '')`)
	return s, err
}

func (s *slowInserts) endpoint(partnerID, url string, secret []byte, wakes time.Time) error {
	s.endpoints.BindText(1, partnerID)
	s.endpoints.BindText(2, url)
	s.endpoints.BindBytes(3, secret)
	s.endpoints.BindInt64(4, wakes.UnixMicro())
	return runOnce(s.endpoints)
}

func (s *slowInserts) event(partnerID string, due time.Time) error {
	at := timestamp.Truncate(due)
	s.events.BindText(1, partnerID)
	s.events.BindText(2, s.maker.id(delivery.NewOrderID(s.maker.random, "par_00000001", at)))
	s.events.BindText(3, s.maker.id(identifier.NewUUID(s.maker.random, at)))
	s.events.BindText(4, string(delivery.EventOrderPickedUp))
	s.events.BindInt64(5, due.UnixMicro())
	s.events.BindText(6, `{"at":`+strconv.Quote(at.Format(time.RFC3339))+`}`)
	return runOnce(s.events)
}

// runOnce runs a statement that returns no rows, and makes it ready for the next.
func runOnce(s *sqlite.Stmt) error {
	if _, err := s.Step(); err != nil {
		return err
	}
	return s.Reset()
}
