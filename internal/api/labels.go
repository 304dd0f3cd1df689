package api

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/pricing"
)

// The formats of a label.
const (
	formatPDF = "application/pdf"
	formatZPL = "application/zpl"
)

// labelFormats maps the media types that Accept may name to the formats.
var labelFormats = map[string]string{formatPDF: formatPDF, formatZPL: formatZPL, "x-application/zpl": formatZPL}

// handleOrderLabel responds with a file instead of JSON. The file shows where a
// person lives, so caches must not keep it.
func (s *Server) handleOrderLabel(c *call) (reply, error) {
	found, err := s.config.Orders.Get(c.Context(), c.partnerID, c.pathID("order_id"))
	if err != nil {
		return reply{}, err
	}
	clock := pricing.Clock(found.Dropoff.Address.Province)
	format, suffix := labelFormat(c.Header.Values("Accept")), "pdf"
	var file []byte
	if format == formatZPL {
		file, suffix = label.ZPL(found, clock), "zpl"
	} else if file, err = label.PDF(found, clock); err != nil {
		return reply{}, err
	}
	c.header.Set("Content-Type", format)
	c.header.Set("Content-Disposition", `inline; filename="label-`+found.OrderID+"."+suffix+`"`)
	c.header.Set("Cache-Control", "no-store")
	return reply{status: http.StatusOK, body: file}, nil
}

// labelFormat returns the preferred format of a label.
func labelFormat(accept []string) string { return preferred(accept, labelFormats, formatPDF) }

// preferred returns the format with the highest weight in the Accept headers,
// and the first of equals. formats maps the media types that Accept may name to the
// formats. If it names none of them, preferred returns the usual one: the contract has
// no 406.
func preferred(accept []string, formats map[string]string, usual string) string {
	best, highest := usual, 0.0
	for name := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, parameters, err := mime.ParseMediaType(name)
		format, known := formats[kind]
		if err != nil || !known {
			continue
		}
		weight := 1.0
		if given, ok := parameters["q"]; ok {
			weight, _ = strconv.ParseFloat(given, 64)
		}
		if weight > highest {
			best, highest = format, weight
		}
	}
	return best
}
