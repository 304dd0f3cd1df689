package ops

import (
	"math"
	"mime"
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/api/shared"
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/stock"
)

func (s *Server) handleProductCreate(c *httpd.Call) (httpd.Reply, error) {
	product, err := httpd.Decode(c, stock.ReadProduct)
	if err != nil {
		return httpd.Reply{}, err
	}
	added, err := s.config.Stock.CreateProduct(c.Context(), c.PathID("partner_id"), product)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Created(shared.ProductOf(added))
}

// productID returns the id of the product in the path; 0, which no product has, if
// it is not a number.
func productID(c *httpd.Call) int64 {
	id, _ := strconv.ParseInt(c.PathValue("product_id"), 10, 64)
	return max(id, 0)
}

func (s *Server) handleProductChange(c *httpd.Call) (httpd.Reply, error) {
	change, err := httpd.Decode(c, stock.ReadProductChange)
	if err != nil {
		return httpd.Reply{}, err
	}
	changed, err := s.config.Stock.ChangeProduct(c.Context(), c.PathID("partner_id"), productID(c), change)
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(shared.ProductOf(changed))
}

type levelAnswer struct {
	Location string `json:"location"`
	Quantity int64  `json:"quantity"`
}

func (s *Server) handleProductGet(c *httpd.Call) (httpd.Reply, error) {
	found, levels, err := s.config.Stock.Product(c.Context(), c.PathID("partner_id"), productID(c))
	if err != nil {
		return httpd.Reply{}, err
	}
	answers := make([]levelAnswer, len(levels))
	for i, level := range levels {
		answers[i] = levelAnswer{level.Location, level.Quantity}
	}
	return httpd.OK(struct {
		shared.Product
		Levels []levelAnswer `json:"levels"`
	}{shared.ProductOf(found), answers})
}

// numberCursor returns the id after which a page begins; 0 for the first page.
func numberCursor(q *httpd.Query) int64 {
	text := q.Text("cursor")
	if text == "" {
		return 0
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		q.Fault("cursor", text, httpd.CursorRule)
		return 0
	}
	return id
}

var (
	productStatusRule = form.OneOf(delivery.ProductActive, delivery.ProductInactive)
	movementTypeRule  = form.OneOf(delivery.MovementTypes...)
	flagRule          = form.OneOf("true", "false")
)

func (s *Server) handleCatalogue(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := stock.ProductFilter{
		PartnerID: c.PathID("partner_id"),
		Search:    q.Text("search"),
		SKU:       q.Text("sku"),
		LowStock:  q.OneOf("low_stock", flagRule) == "true",
		Status:    delivery.ProductStatus(q.OneOf("status", productStatusRule)),
		After:     numberCursor(q),
		Limit:     q.Limit(maxPage),
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, more, err := s.config.Stock.Catalogue(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	products, next := make([]shared.Product, len(found)), ""
	for i, p := range found {
		products[i] = shared.ProductOf(p)
	}
	if more {
		next = strconv.FormatInt(found[len(found)-1].ProductID, 10)
	}
	return httpd.OK(struct {
		Products   []shared.Product `json:"products"`
		NextCursor string           `json:"next_cursor,omitzero"`
	}{products, next})
}

// movement is one with the fields that only operators see.
type movement struct {
	shared.Movement
	OrderID *string `json:"order_id"` // null if no order caused it
	Notes   string  `json:"notes"`
}

func (s *Server) handleJournal(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.ListQuery()
	if err != nil {
		return httpd.Reply{}, err
	}
	filter := stock.MovementFilter{
		PartnerID: c.PathID("partner_id"),
		ProductID: q.Integer("product_id", 0, 1, math.MaxInt64),
		Type:      delivery.MovementType(q.OneOf("type", movementTypeRule)),
		Location:  q.Text("location"),
		From:      q.Time("from"),
		To:        q.Time("to"),
		Before:    numberCursor(q),
		Limit:     q.Limit(maxPage),
	}
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	found, more, err := s.config.Stock.Journal(c.Context(), filter)
	if err != nil {
		return httpd.Reply{}, err
	}
	movements, next := make([]movement, len(found)), ""
	for i, m := range shared.MovementsOf(found) {
		movements[i] = movement{m, strictjson.OrNull(found[i].OrderID), found[i].Notes}
	}
	if more {
		next = strconv.FormatInt(found[len(found)-1].MovementID, 10)
	}
	return httpd.OK(struct {
		Movements  []movement `json:"movements"`
		NextCursor string     `json:"next_cursor,omitzero"`
	}{movements, next})
}

// stockRequest returns a request about a partner's stock as one that may be
// repeated, if it came with an Idempotency-Key. The key is optional here.
func stockRequest[R any](c *httpd.Call, encode func(R) ([]byte, error)) (stock.Request[R], error) {
	partnerID := c.PathID("partner_id")
	keyed, err := c.RepeatableByPerson()
	return stock.Request[R]{PartnerID: partnerID, Keyed: keyed.Of(partnerID), Encode: encode}, err
}

func (s *Server) handleMovementCreate(c *httpd.Call) (httpd.Reply, error) {
	request, err := stockRequest(c, func(booked []delivery.Movement) ([]byte, error) {
		return strictjson.Marshal(struct {
			Movements []shared.Movement `json:"movements"`
		}{shared.MovementsOf(booked)})
	})
	if err != nil {
		return httpd.Reply{}, err
	}
	booking, err := httpd.Decode(c, stock.ReadBooking)
	if err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Stock.RecordOnce(c.Context(), request, booking)
	return c.Kept(http.StatusCreated, answer, err)
}

// requireCSV refuses a body without the Content-Type of CSV. Its encoding is read from the body,
// whatever charset the Content-Type has: programs send what a spreadsheet has saved.
func requireCSV(c *httpd.Call) error {
	kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "text/csv" {
		return refusal.New(refusal.CodeUnsupportedMediaType, "send the body as text/csv")
	}
	return c.BeginWork()
}

func (s *Server) handleProductImport(c *httpd.Call) (httpd.Reply, error) {
	request, err := stockRequest(c, func(done stock.Imported) ([]byte, error) {
		return strictjson.Marshal(struct {
			Created   int `json:"created"`
			Changed   int `json:"changed"`
			Unchanged int `json:"unchanged"`
			Movements int `json:"movements"`
		}{done.Created, done.Changed, done.Unchanged, done.Movements})
	})
	if err != nil {
		return httpd.Reply{}, err
	}
	if err := requireCSV(c); err != nil {
		return httpd.Reply{}, err
	}
	answer, err := s.config.Stock.Import(c.Context(), request, c.Content)
	return c.Kept(http.StatusOK, answer, err)
}

func (s *Server) handleProductExport(c *httpd.Call) (httpd.Reply, error) {
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	layout := q.CSVLayout()
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	pages, err := s.config.Stock.Export(c.Context(), c.PathID("partner_id"), layout)
	if err != nil {
		return httpd.Reply{}, err
	}
	c.ReplyHeader.Set("Content-Type", "text/csv; charset=utf-8")
	c.ReplyHeader.Set("Content-Disposition", `attachment; filename="products.csv"`)
	return httpd.Reply{Status: http.StatusOK, Stream: pages}, nil
}
