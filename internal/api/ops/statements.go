package ops

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/accounting"
	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/money"
	"github.com/dropyard/dropyard/internal/statement"
)

// progressAnswer is how far the closing of a month is, in JSON.
type progressAnswer struct {
	Period money.Period     `json:"period"`
	Total  int              `json:"total"`
	Done   int              `json:"done"`
	State  accounting.State `json:"state"`
}

// handleStatementCreate closes a month of a partner, or begins to close that of all partners.
func (s *Server) handleStatementCreate(c *httpd.Call) (httpd.Reply, error) {
	request, err := httpd.Decode(c, accounting.ReadClosingRequest)
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := request.Problems().Err(); err != nil {
		return httpd.Reply{}, err
	}
	if request.PartnerID == "" {
		progress, err := s.config.Accounting.BeginClosing(c.Context(), request.Period)
		if err != nil {
			return httpd.Reply{}, err
		}
		return httpd.Answer(http.StatusAccepted, progressAnswer(progress))
	}
	_, document, err := s.config.Accounting.CloseMonth(c.Context(), request.PartnerID, request.Period)
	return httpd.Reply{Status: http.StatusCreated, Body: document}, err
}

func (s *Server) handleClosing(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	period := shared.Period(q)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if period == 0 {
		period = s.config.Accounting.Closable()
	}
	progress, err := s.config.Accounting.Progress(c.Context(), period)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(progressAnswer(progress))
}

// handleStatementPreview responds with a statement as it would be now.
func (s *Server) handleStatementPreview(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	period := shared.Period(q)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if period == 0 {
		period = s.config.Accounting.Closable()
	}
	preview, err := s.config.Accounting.Preview(c.Context(), c.PathID("partner_id"), period)
	if err != nil {
		return httpd.Reply{}, err
	}
	document, err := statement.JSON(preview)
	return httpd.Reply{Status: http.StatusOK, Body: document}, err
}
