package ops

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"net/http"

	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/retention"
)

// exportBuffer is how much of an export is gathered before it is sent, in bytes.
const exportBuffer = 128 << 10

func (s *Server) handlePartnerExport(c *httpd.Call) (httpd.Reply, error) {
	partnerID := c.PathID("partner_id")
	export, err := s.config.Retention.Export(c.Context(), partnerID)
	if err != nil {
		return httpd.Reply{}, err
	}
	c.ReplyHeader.Set("Content-Type", "application/jsonl")
	c.ReplyHeader.Set("Content-Disposition", fmt.Sprintf(`attachment; filename="%s.jsonl"`, partnerID))
	return httpd.Reply{Status: http.StatusOK, Stream: func(w io.Writer) error {
		return c.InTurns(httpd.PermitHeavy, w, func(w io.Writer) error {
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

func (s *Server) handlePartnerErase(c *httpd.Call) (httpd.Reply, error) {
	selection, err := httpd.Decode(c, retention.ReadSelection)
	if err != nil {
		return httpd.Reply{}, err
	}
	erased, err := s.config.Retention.Erase(c.Context(), c.PathID("partner_id"), selection)
	pending := errors.Is(err, retention.ErrPicturesLeft)
	if pending {
		s.config.Log.ErrorContext(c.Context(), "pictures of erased orders are left", "request_id", c.RequestID, "error", err)
	} else if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(erasureAnswer{erased, pending})
}
