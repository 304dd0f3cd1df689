package ops

import (
	"net/http"
	"regexp"
	"strconv"
	"strings"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/stock"
)

type countAnswer struct {
	Location string            `json:"location"`
	Lines    []countLineAnswer `json:"lines"`
	Booked   int               `json:"booked"`
	Refused  int               `json:"refused"`
}

type countLineAnswer struct {
	ProductID  int64              `json:"product_id"`
	Before     int64              `json:"before"`
	After      int64              `json:"after"`
	MovementID *int64             `json:"movement_id"` // null if no movement was booked
	Error      *httpd.ErrorDetail `json:"error"`       // null unless the line was refused
}

func countOf(c *httpd.Call, count stock.Count) countAnswer {
	answer := countAnswer{Location: count.Location, Lines: make([]countLineAnswer, len(count.Lines))}
	for i, counted := range count.Lines {
		line := countLineAnswer{ProductID: counted.ProductID, Before: counted.Before, After: counted.After}
		if counted.Refusal != nil {
			detail := c.Detail(counted.Refusal)
			line.Error = &detail
			answer.Refused++
		}
		if counted.MovementID != 0 {
			line.MovementID = &counted.MovementID
			answer.Booked++
		}
		answer.Lines[i] = line
	}
	return answer
}

func (s *Server) handleCount(c *httpd.Call) (httpd.Reply, error) {
	request, err := stockRequest(c, func(counted stock.Count) ([]byte, error) {
		return strictjson.Marshal(countOf(c, counted))
	})
	if err != nil {
		return httpd.Reply{}, err
	}
	tally, err := httpd.Decode(c, stock.ReadTally)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Stock.Count(c.Context(), request, tally)
	return c.Kept(http.StatusOK, answer, err)
}

// lowCursorRule accepts the ids of the last partner and product before the page.
var lowCursorRule = form.TextRule{
	Rule:   httpd.CursorRule,
	Allows: regexp.MustCompile(`^par_[0-9a-z]{1,32}\.[1-9][0-9]{0,17}$`).MatchString,
}

func (s *Server) handleLowStock(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	var after stock.PartnerProduct
	partnerID, productID, _ := strings.Cut(q.OneOf("cursor", lowCursorRule), ".")
	after.PartnerID = partnerID
	after.ProductID, _ = strconv.ParseInt(productID, 10, 64)
	limit := q.Limit(maxPage)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	low, more, err := s.config.Stock.LowStock(c.Context(), after, limit)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(lowOf(low, more))
}

type lowProduct struct {
	PartnerID string `json:"partner_id"`
	shared.Product
}

type lowAnswer struct {
	Products   []lowProduct `json:"products"`
	NextCursor string       `json:"next_cursor,omitzero"`
}

func lowOf(low []stock.PartnerProduct, more bool) lowAnswer {
	answer := lowAnswer{Products: make([]lowProduct, len(low))}
	for i, p := range low {
		answer.Products[i] = lowProduct{p.PartnerID, shared.ProductOf(p.Product)}
	}
	if more {
		last := low[len(low)-1]
		answer.NextCursor = last.PartnerID + "." + strconv.FormatInt(last.ProductID, 10)
	}
	return answer
}
