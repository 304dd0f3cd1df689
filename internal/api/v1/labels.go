package v1

import (
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/web"
)

// labelFormats maps the media types that Accept may name to the formats.
var labelFormats = map[string]label.Format{
	string(label.FormatPDF): label.FormatPDF, string(label.FormatZPL): label.FormatZPL,
	"x-application/zpl": label.FormatZPL,
}

// handleOrderLabel responds with a file instead of JSON.
func (s *Server) handleOrderLabel(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	resolution, _ := label.ParseResolution(q.OneOf("dpi", resolutionRule))
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, err := s.config.Orders.Get(c.Context(), c.Account, c.PathID("order_id"))
	if err != nil {
		return httpd.Reply{}, err
	}
	clock := s.config.Clock(found.Dropoff.Address)
	file, err := label.NewFile(found, labelFormat(c.Header.Values("Accept")), resolution, clock)
	if err != nil {
		return httpd.Reply{}, err
	}
	web.SetFile(c.ReplyHeader, file.Name, string(file.Format))
	return httpd.Reply{Status: http.StatusOK, Body: file.Data}, nil
}

// resolutionRule is the rule for the parameter dpi.
var resolutionRule = form.OneOf(resolutionNames()...)

func resolutionNames() (names []string) {
	for _, resolution := range label.Resolutions {
		names = append(names, strconv.Itoa(int(resolution)))
	}
	return names
}

// labelFormat returns the preferred format of a label.
func labelFormat(accept []string) label.Format {
	return httpd.Preferred(accept, labelFormats, label.FormatPDF)
}
