package api

import (
	"mime"
	"net/http"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/label"
)

// The forms that a label comes in.
const (
	formPDF = "application/pdf"
	formZPL = "application/zpl"
)

// labelForms are the forms by all names that Accept may give them.
var labelForms = map[string]string{formPDF: formPDF, formZPL: formZPL, "x-application/zpl": formZPL}

// handleOrderLabel answers with a file in place of JSON. It tells where somebody
// lives, so that nothing on the way may keep it.
func (s *Server) handleOrderLabel(c *call) (reply, error) {
	found, err := s.Orders.Get(c.Context(), c.partnerID, c.pathID("order_id"))
	if err != nil {
		return reply{}, err
	}
	form, suffix := labelForm(c.Header.Values("Accept")), "pdf"
	var file []byte
	if form == formZPL {
		file, suffix = label.ZPL(found), "zpl"
	} else if file, err = label.PDF(found); err != nil {
		return reply{}, err
	}
	c.header.Set("Content-Type", form)
	c.header.Set("Content-Disposition", `inline; filename="label-`+found.OrderID+"."+suffix+`"`)
	c.header.Set("Cache-Control", "no-store")
	return reply{status: http.StatusOK, body: file}, nil
}

// labelForm is the form that Accept names with the highest weight, the first of
// equals. There is no code for refusing (406 is not in the contract): whoever
// names neither gets PDF.
func labelForm(accept []string) string {
	best, most := formPDF, 0.0
	for name := range strings.SplitSeq(strings.Join(accept, ","), ",") {
		kind, parameters, err := mime.ParseMediaType(name)
		form, known := labelForms[kind]
		if err != nil || !known {
			continue
		}
		weight := 1.0
		if given, ok := parameters["q"]; ok {
			weight, _ = strconv.ParseFloat(given, 64)
		}
		if weight > most {
			best, most = form, weight
		}
	}
	return best
}
