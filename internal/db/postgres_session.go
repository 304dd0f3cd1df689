package db

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgconn"
)

// startupParameters are the runtime parameters that stay in the first message of a
// connection, because PgBouncer accepts them there, or because they have no other place.
var startupParameters = []string{"application_name", "client_encoding", "options", "replication"}

// commitParameter decides whether a commit waits until it is on disk.
const commitParameter = "synchronous_commit"

// settling returns a configuration whose connections set their parameters after they are
// made. In the first message, where the driver would put them, PgBouncer refuses them, or
// ignores them if it is set so.
//
// It also raises synchronous_commit from off to on, because a commit that is acknowledged
// must survive a crash. Any other value is kept, and holds for the session even if the
// server's changes.
func settling(config *pgx.ConnConfig) *pgx.ConnConfig {
	config = config.Copy()
	const raised = "CASE WHEN lower(chosen) IN ('off', 'false', 'no', '0') THEN 'on' ELSE chosen END"
	calls := []string{fmt.Sprintf("set_config('%s', %s, false)", commitParameter, raised)}
	var values [][]byte
	bind := func(text string) string {
		values = append(values, []byte(text))
		return fmt.Sprintf("$%d::text", len(values))
	}
	chosen := fmt.Sprintf("current_setting('%s')", commitParameter)
	for _, name := range slices.Sorted(maps.Keys(config.RuntimeParams)) {
		switch value := config.RuntimeParams[name]; {
		case slices.Contains(startupParameters, name):
			continue
		case name == commitParameter:
			chosen = bind(value)
		default:
			calls = append(calls, fmt.Sprintf("set_config(%s, %s, false)", bind(name), bind(value)))
		}
		delete(config.RuntimeParams, name)
	}
	sql := fmt.Sprintf("SELECT %s FROM (SELECT %s AS chosen) AS c", strings.Join(calls, ", "), chosen)
	config.AfterConnect = func(ctx context.Context, c *pgconn.PgConn) error {
		ctx, cancel := context.WithTimeout(ctx, connectTimeout)
		defer cancel()
		return c.ExecParams(ctx, sql, values, nil, nil, nil).Read().Err
	}
	return config
}

// ErrPooled means that a pooler between this machine and PostgreSQL gives each
// transaction another connection, or a connection to several sessions.
var ErrPooled = errors.New("the sessions of the database do not keep what they have set: a pooler such as PgBouncer " +
	"shares connections between transactions; set pool_mode = session there, or use a URL that leads to PostgreSQL itself")

const (
	checkedSessions = 2
	sessionMark     = "dropyard.session"
	// looks is how often each of two sessions looks for its mark. A pooler with few
	// connections in use fails the first; one with many may give a session the same one
	// by chance, but not that often.
	looks = 8
)

// checkSessions returns ErrPooled if two sessions do not keep what they have set. It uses
// no prepared statements, which are a part of a session, too.
func checkSessions(ctx context.Context, sessions ...*pgx.Conn) error {
	ask := func(c *pgx.Conn, sql string) (string, error) {
		results, err := c.PgConn().Exec(ctx, sql).ReadAll()
		if err != nil {
			return "", err
		}
		return string(results[0].Rows[0][0]), nil
	}
	for i, c := range sessions {
		if _, err := ask(c, fmt.Sprintf("SELECT set_config('%s', '%d', false)", sessionMark, i)); err != nil {
			return err
		}
	}
	for range looks {
		for i, c := range sessions {
			mark, err := ask(c, fmt.Sprintf("SELECT current_setting('%s', true)", sessionMark))
			if err != nil {
				return err
			}
			if mark != fmt.Sprint(i) {
				return ErrPooled
			}
		}
	}
	return nil
}
