package api

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/retention"
)

// exportBuffer is how much of an export is gathered before it is sent, in bytes.
const exportBuffer = 128 << 10

func (s *Server) handlePartnerExport(c *call) (reply, error) {
	partnerID := c.pathID("partner_id")
	export, err := s.config.Retention.Export(c.Context(), partnerID)
	if err != nil {
		return reply{}, err
	}
	c.header.Set("Content-Type", "application/jsonl")
	c.header.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.jsonl"`, partnerID))
	return reply{status: http.StatusOK, stream: func(w io.Writer) error {
		return s.inTurns(c, SlotHeavy, w, func(w io.Writer) error {
			buffer := bufio.NewWriterSize(w, exportBuffer)
			if err := export.Write(c.Context(), buffer); err != nil {
				return err
			}
			return buffer.Flush()
		})
	}}, nil
}

type erasureAnswer struct {
	OrdersErased    int  `json:"orders_erased"`
	PicturesPending bool `json:"pictures_pending"` // the service will delete the rest
}

func (s *Server) handlePartnerErase(c *call) (reply, error) {
	selection, err := decode(c, retention.ReadSelection)
	if err != nil {
		return reply{}, err
	}
	erased, err := s.config.Retention.Erase(c.Context(), c.pathID("partner_id"), selection)
	pending := errors.Is(err, retention.ErrPicturesLeft)
	if pending {
		s.config.Log.ErrorContext(c.Context(), "pictures of erased orders are left", "request_id", c.id, "error", err)
	} else if err != nil {
		return reply{}, err
	}
	return ok(erasureAnswer{erased, pending})
}

// longTimeout is how long a request may run that reads or writes all that a partner has.
const longTimeout = 10 * time.Minute

// long reports whether requests of the route may run for longTimeout.
func (r Route) long() bool {
	return r.Long || r.Pattern == exportPath || r.Pattern == erasuresPath || r.Pattern == importPath
}

// lengthen gives a request longTimeout, and its response too. The request goes on if the
// client leaves; an export then ends because it cannot be written.
func lengthen(w http.ResponseWriter, r *http.Request) (*http.Request, context.CancelFunc) {
	// It fails only for writers that have no deadline.
	_ = http.NewResponseController(w).SetWriteDeadline(time.Now().Add(longTimeout)) // by the real clock, as net/http does
	ctx, cancel := context.WithTimeout(context.WithoutCancel(r.Context()), longTimeout)
	return r.WithContext(ctx), cancel
}
