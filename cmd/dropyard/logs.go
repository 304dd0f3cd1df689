package main

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/foundation/pace"
	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

type logsCommand struct {
	List listLogsCommand `cmd:"" default:"withargs" help:"List your requests of the last seven days, newest first."`
	Tail tailLogsCommand `cmd:"" help:"Show your requests as they happen."`
}

// logFilter chooses logged requests.
type logFilter struct {
	Status int    `help:"Only requests with this HTTP status." placeholder:"STATUS"`
	Method string `help:"Only requests with this method." placeholder:"METHOD"`
	Order  string `help:"Only requests about this order." placeholder:"ORDER-ID"`
}

func (f *logFilter) query() client.LogQuery {
	return client.LogQuery{Status: f.Status, Method: client.RequestMethod(strings.ToUpper(f.Method)), OrderID: f.Order}
}

func logColumns() []column[client.LoggedRequest] {
	return []column[client.LoggedRequest]{
		text("AT", func(l client.LoggedRequest) string { return formatTime(l.At, "2006-01-02 15:04:05") }),
		{title: "STATUS", cell: logStatus},
		text("METHOD", func(l client.LoggedRequest) string { return string(l.Method) }),
		text("PATH", func(l client.LoggedRequest) string { return l.Path }),
		figure("TOOK", func(l client.LoggedRequest) string { return number(l.DurationMS) + " ms" }),
		text("REQUEST", func(l client.LoggedRequest) string { return l.RequestID }),
		text("CODE", func(l client.LoggedRequest) string { return string(l.Code) }),
	}
}

func logStatus(l client.LoggedRequest) terminal.Cell {
	style := terminal.Green
	switch {
	case l.Status >= 500:
		style = terminal.Red
	case l.Status >= 400:
		style = terminal.Yellow
	}
	return terminal.Cell{Text: number(l.Status), Style: style}
}

type listLogsCommand struct {
	logFilter
	listFlags
	partnerFlags
}

// Run prints the requests that the flags choose.
func (c *listLogsCommand) Run(ctx context.Context) error {
	partner, err := c.client()
	if err != nil {
		return err
	}
	q := c.query()
	return list(&c.listFlags, "logs", largestPage, logColumns(),
		func(size int, option client.CallOption) ([]client.LoggedRequest, bool, error) {
			q.Limit = size
			found, err := partner.ListLogs(ctx, q, option)
			if err != nil {
				return nil, false, err
			}
			q.Cursor = found.NextCursor
			return found.Logs, q.Cursor != "", nil
		})
}

type tailLogsCommand struct {
	logFilter
	Every time.Duration `help:"Time between two requests for new entries. The log lists these requests, too." default:"2s" placeholder:"DURATION"`
	outputFlags
	partnerFlags
}

// overlap is how far each look goes back behind the newest request that was printed,
// because requests reach the log of several nodes in any order.
const overlap = 10 * time.Second

// logsPath is the path of the log itself, whose requests are not shown.
const logsPath = "/v1/logs"

// Run prints new requests until ctx ends.
func (c *tailLogsCommand) Run(ctx context.Context) error {
	if c.Every < 100*time.Millisecond {
		return usageError{fmt.Errorf("--every: %v is less than 100ms", c.Every)}
	}
	partner, err := c.client()
	if err != nil {
		return err
	}
	health, err := partner.GetHealth(ctx) // for the service's clock
	if err != nil {
		return unlessStopped(ctx, err)
	}
	notice("Waiting for requests. Press Ctrl-C to stop.")
	l := newLister(c.output(), "", logColumns())
	tail := &logTail{begun: health.Time, from: health.Time, seen: map[string]time.Time{}}
	for {
		fresh, err := tail.look(ctx, partner, c.query())
		if err != nil {
			return unlessStopped(ctx, err)
		}
		if err := printLogs(l, fresh); err != nil {
			return err
		}
		if err := pace.Pause(ctx, c.Every); err != nil {
			return unlessStopped(ctx, err)
		}
	}
}

// logTail knows which requests were printed.
type logTail struct {
	begun time.Time            // earlier requests are not shown
	from  time.Time            // when the newest request that was printed arrived
	seen  map[string]time.Time // when requests arrived, by their ids
}

// logged is a request with its JSON.
type logged struct {
	client.LoggedRequest
	raw []byte
}

// look returns the requests that are new in the log, oldest first.
func (t *logTail) look(ctx context.Context, partner *client.Client, q client.LogQuery) (fresh []logged, err error) {
	newest := t.from
	q.From, q.Limit = t.from.Add(-overlap), largestPage
	pages := cursors{}
	for more := true; more; {
		var answer client.Answer
		page, err := partner.ListLogs(ctx, q, client.WithAnswer(&answer))
		if err != nil {
			return nil, err
		}
		raw, err := rawItems(&answer, "logs", len(page.Logs))
		if err != nil {
			return nil, err
		}
		for i, l := range page.Logs {
			if _, known := t.seen[l.RequestID]; known || l.Path == logsPath || l.At.Before(t.begun) {
				continue
			}
			fresh = append(fresh, logged{l, raw[i]})
			if l.At.After(newest) {
				newest = l.At
			}
		}
		if err := pages.add(page.NextCursor); err != nil {
			return nil, err
		}
		q.Cursor, more = page.NextCursor, page.NextCursor != ""
	}
	slices.Reverse(fresh)
	for _, l := range fresh {
		t.seen[l.RequestID] = l.At
	}
	t.from = newest
	for id, at := range t.seen {
		if at.Before(newest.Add(-2 * overlap)) {
			delete(t.seen, id)
		}
	}
	return fresh, nil
}

func printLogs(l *lister[client.LoggedRequest], fresh []logged) error {
	items := make([]client.LoggedRequest, len(fresh))
	for i, one := range fresh {
		items[i] = one.LoggedRequest
		if !l.out.json {
			continue
		}
		if err := l.out.line(one.raw); err != nil {
			return err
		}
	}
	if l.out.json {
		return nil
	}
	return l.print(items, nil)
}
