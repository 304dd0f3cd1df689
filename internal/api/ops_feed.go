package api

import (
	"bufio"
	"errors"
	"io"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/dispatch/feed"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
)

const (
	// maxDesks is how many requests may wait for changes of the board, and
	// maxDesksOfOne how many of one operator.
	maxDesks, maxDesksOfOne = 2000, 100
	// maxBoardWait is the longest such wait, in seconds.
	maxBoardWait = 25
)

// errDesks means that too many requests wait for changes of the board.
var errDesks = &refusal.Error{
	Code: refusal.CodeUnavailable, Message: "too many requests wait for changes of the board", RetryAfter: 5 * time.Second,
}

func (s *Server) handleBoardSnapshot(c *call) (reply, error) {
	found, err := s.config.Feed.Snapshot(c.Context())
	if err != nil {
		return reply{}, err
	}
	write := func(w io.Writer) error { return writeFeed(w, "orders", found) }
	coding := codingOf(c.Header)
	if coding == "" {
		encoded(c.header, coding)
		return reply{status: http.StatusOK, stream: write}, nil
	}
	var body []byte
	err = s.inSlot(c, SlotHeavy, func() error {
		body, err = found.Rendered(coding, func() ([]byte, error) { return encode(coding, write) })
		return err
	})
	if err != nil {
		return reply{}, err
	}
	encoded(c.header, coding)
	return reply{status: http.StatusOK, body: body}, nil
}

var feedPosition = form.Define("feed_position", "the after of an earlier response")

func (s *Server) handleBoardChanges(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	after := q.text("after")
	wait := time.Duration(q.integer("wait", 0, 0, maxBoardWait)) * time.Second
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	if !s.desks.Take(c.operator.OperatorID, 1) {
		return reply{}, errDesks
	}
	defer s.desks.Return(c.operator.OperatorID, 1)
	found, err := s.config.Feed.Changes(c.Context(), after, wait)
	if errors.Is(err, feed.ErrPosition) {
		q.problems.Add("after", after, feedPosition)
		err = q.problems.Err()
	}
	if err != nil {
		return reply{}, err
	}
	coding := codingOf(c.Header)
	body, err := found.Rendered(coding, func() ([]byte, error) {
		return encode(coding, func(w io.Writer) error { return writeFeed(w, "changed", found) })
	})
	if err != nil {
		return reply{}, err
	}
	encoded(c.header, coding)
	return reply{status: http.StatusOK, body: body}, nil
}

// writeFeed writes an answer of the feed in JSON. The rows are encoded already.
func writeFeed(w io.Writer, list string, a *feed.Answer) error {
	tail := struct {
		Gone   []string     `json:"gone,omitzero"`
		Counts countsAnswer `json:"counts"`
		After  string       `json:"after"`
	}{a.Gone, countsAnswer(a.Counts), a.After}
	rest, err := strictjson.Marshal(tail)
	if err != nil {
		return err
	}
	out := bufio.NewWriterSize(w, 64<<10)
	_, _ = out.WriteString(`{"` + list + `":[`) // errors are kept until Flush
	for i, row := range a.Rows {
		if i > 0 {
			_ = out.WriteByte(',')
		}
		_, _ = out.Write(row)
	}
	_, _ = out.WriteString("],")
	_, _ = out.Write(rest[1:])
	return out.Flush()
}
