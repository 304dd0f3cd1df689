package v1

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/web/visit"
)

// labelFormats maps the media types that Accept may name to the formats.
var labelFormats = map[string]label.Format{
	string(label.FormatPDF): label.FormatPDF, string(label.FormatZPL): label.FormatZPL, "x-application/zpl": label.FormatZPL,
}

// handleOrderLabel responds with a file instead of JSON.
func (s *Server) handleOrderLabel(c *httpd.Call) (httpd.Reply, error) {
	found, err := s.config.Orders.Get(c.Context(), c.Account, c.PathID("order_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	clock := s.config.Clock(found.Dropoff.Address.Province)
	file, err := label.NewFile(found, labelFormat(c.Header.Values("Accept")), clock)
	if err != nil {
		return httpd.Reply{}, err
	}
	visit.SetFile(c.ReplyHeader, file.Name, string(file.Format))
	return httpd.Reply{Status: http.StatusOK, Body: file.Data}, nil
}

// labelFormat returns the preferred format of a label.
func labelFormat(accept []string) label.Format {
	return httpd.Preferred(accept, labelFormats, label.FormatPDF)
}
