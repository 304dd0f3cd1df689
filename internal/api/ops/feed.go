package ops

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
	"github.com/dropyard/dropyard/internal/httpd"
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

func (s *Server) handleBoardSnapshot(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Feed.Snapshot(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	write := func(w io.Writer) error { return writeFeed(w, "orders", found) }
	coding := httpd.CodingOf(c.Header)
	if coding == "" {
		httpd.Encoded(c.ReplyHeader, coding)
		return httpd.Reply{Status: http.StatusOK, Stream: write}, nil
	}
	var body []byte
	err = c.WithPermit(httpd.PermitHeavy, func() error {
		body, err = found.Rendered(coding, func() ([]byte, error) { return httpd.Encode(coding, write) })
		return err
	})
	if err != nil {
		return httpd.Reply{}, err
	}
	httpd.Encoded(c.ReplyHeader, coding)
	return httpd.Reply{Status: http.StatusOK, Body: body}, nil
}

var feedPosition = form.Define("feed_position", "the after of an earlier response")

func (s *Server) handleBoardChanges(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	after := q.Text("after")
	wait := time.Duration(q.Integer("wait", 0, 0, maxBoardWait)) * time.Second
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if !s.desks.Take(sender(c).OperatorID, 1) {
		return httpd.Reply{}, errDesks
	}
	defer s.desks.Return(sender(c).OperatorID, 1)
	found, err := s.config.Feed.Changes(c.Context(), after, wait)
	if errors.Is(err, feed.ErrPosition) {
		q.Fault("after", after, feedPosition)
		err = q.Err()
	}
	if err != nil {
		return httpd.Reply{}, err
	}
	coding := httpd.CodingOf(c.Header)
	body, err := found.Rendered(coding, func() ([]byte, error) {
		return httpd.Encode(coding, func(w io.Writer) error { return writeFeed(w, "changed", found) })
	})
	if err != nil {
		return httpd.Reply{}, err
	}
	httpd.Encoded(c.ReplyHeader, coding)
	return httpd.Reply{Status: http.StatusOK, Body: body}, nil
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
