package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// logFlags is the setting of the request log, for commands whose requests are logged.
type logFlags struct {
	RequestLogBytes int64 `default:"1073741824" help:"The service's setting of this name; 0 switches the log of partners' requests off."`
}

// logged counts entries of the request log.
type logged struct {
	Written int `json:"log_entries_written,omitzero"`
	Dropped int `json:"log_entries_dropped,omitzero"`
}

const (
	// logTimeout is how long the service may take to write the entries of a run.
	logTimeout  = 10 * time.Second
	logInterval = 100 * time.Millisecond
)

// metricOfLog is the metric that counts entries, up to the outcome.
const metricOfLog = `dropyard_request_log_entries_total{outcome="`

// logged returns what the child's metrics count so far.
func (c *child) logged(ctx context.Context) (l logged, err error) {
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, "http://"+c.Metrics+"/metrics", nil)
	if err != nil {
		return l, err
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return l, err
	}
	defer func() { err = errors.Join(err, response.Body.Close()) }()
	lines := bufio.NewScanner(response.Body)
	for lines.Scan() {
		labelled, found := strings.CutPrefix(lines.Text(), metricOfLog)
		if !found {
			continue
		}
		outcome, text, _ := strings.Cut(labelled, `"} `)
		count, err := strconv.ParseFloat(text, 64)
		if err != nil {
			return l, fmt.Errorf("metrics: %w", err)
		}
		switch outcome {
		case "written":
			l.Written = int(count)
		case "dropped":
			l.Dropped = int(count)
		}
	}
	return l, lines.Err()
}

// loggedSince returns what was counted since a moment, once all entries of so many
// requests are, or after logTimeout.
func (c *child) loggedSince(ctx context.Context, before logged, requests int) (logged, error) {
	for deadline := time.Now().Add(logTimeout); ; time.Sleep(logInterval) {
		now, err := c.logged(ctx)
		l := logged{now.Written - before.Written, now.Dropped - before.Dropped}
		if err != nil || l.Written+l.Dropped >= requests || time.Now().After(deadline) {
			return l, err
		}
	}
}
