package api

import (
	"math"
	"mime"
	"net/http"
	"strconv"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/google/uuid"
)

func (s *Server) handleProductCreate(c *call) (reply, error) {
	product, err := decode(c, stock.ReadProduct)
	if err != nil {
		return reply{}, err
	}
	added, err := s.config.Stock.CreateProduct(c.Context(), c.pathID("partner_id"), product)
	if err != nil {
		return reply{}, err
	}
	return created(productOf(added))
}

// productID returns the id of the product in the path; 0, which no product has, if
// it is not a number.
func (c *call) productID() int64 {
	id, _ := strconv.ParseInt(c.PathValue("product_id"), 10, 64)
	return max(id, 0)
}

func (s *Server) handleProductChange(c *call) (reply, error) {
	change, err := decode(c, stock.ReadProductChange)
	if err != nil {
		return reply{}, err
	}
	changed, err := s.config.Stock.ChangeProduct(c.Context(), c.pathID("partner_id"), c.productID(), change)
	if err != nil {
		return reply{}, err
	}
	return ok(productOf(changed))
}

type levelAnswer struct {
	Location string `json:"location"`
	Quantity int64  `json:"quantity"`
}

func (s *Server) handleProductGet(c *call) (reply, error) {
	found, levels, err := s.config.Stock.Product(c.Context(), c.pathID("partner_id"), c.productID())
	if err != nil {
		return reply{}, err
	}
	answers := make([]levelAnswer, len(levels))
	for i, level := range levels {
		answers[i] = levelAnswer{level.Location, level.Quantity}
	}
	return ok(struct {
		product
		Levels []levelAnswer `json:"levels"`
	}{productOf(found), answers})
}

// numberCursor returns the id after which a page begins; 0 for the first page.
func (q *query) numberCursor() int64 {
	text := q.text("cursor")
	if text == "" {
		return 0
	}
	id, err := strconv.ParseInt(text, 10, 64)
	if err != nil || id < 1 {
		q.problems.Add("cursor", text, cursorRule)
		return 0
	}
	return id
}

var (
	productStatusRule = form.OneOf(delivery.ProductActive, delivery.ProductInactive)
	movementTypeRule  = form.OneOf(delivery.MovementTypes...)
	flagRule          = form.OneOf("true", "false")
)

func (s *Server) handleCatalogue(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	filter := stock.ProductFilter{
		PartnerID: c.pathID("partner_id"),
		Search:    q.text("search"),
		LowStock:  q.oneOf("low_stock", flagRule) == "true",
		Status:    delivery.ProductStatus(q.oneOf("status", productStatusRule)),
		After:     q.numberCursor(),
		Limit:     int(q.integer("limit", defaultPage, 1, maxPage)),
	}
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	found, more, err := s.config.Stock.Catalogue(c.Context(), filter)
	if err != nil {
		return reply{}, err
	}
	products, next := make([]product, len(found)), ""
	for i, p := range found {
		products[i] = productOf(p)
	}
	if more {
		next = strconv.FormatInt(found[len(found)-1].ProductID, 10)
	}
	return ok(struct {
		Products   []product `json:"products"`
		NextCursor string    `json:"next_cursor,omitzero"`
	}{products, next})
}

// opsMovement is a movement with the fields that only operators see.
type opsMovement struct {
	movement
	OrderID *string `json:"order_id"` // null if no order caused it
	Notes   string  `json:"notes"`
}

func (s *Server) handleJournal(c *call) (reply, error) {
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	filter := stock.MovementFilter{
		PartnerID: c.pathID("partner_id"),
		ProductID: q.integer("product_id", 0, 1, math.MaxInt64),
		Type:      delivery.MovementType(q.oneOf("type", movementTypeRule)),
		Location:  q.text("location"),
		From:      q.time("from"),
		To:        q.time("to"),
		Before:    q.numberCursor(),
		Limit:     int(q.integer("limit", defaultPage, 1, maxPage)),
	}
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	found, more, err := s.config.Stock.Journal(c.Context(), filter)
	if err != nil {
		return reply{}, err
	}
	movements, next := make([]opsMovement, len(found)), ""
	for i, m := range movementsOf(found) {
		movements[i] = opsMovement{m, orNull(found[i].OrderID), found[i].Notes}
	}
	if more {
		next = strconv.FormatInt(found[len(found)-1].MovementID, 10)
	}
	return ok(struct {
		Movements  []opsMovement `json:"movements"`
		NextCursor string        `json:"next_cursor,omitzero"`
	}{movements, next})
}

// stockRequest returns a request about a partner's stock as one that may be
// repeated, if it came with an Idempotency-Key. The key is optional here.
func (c *call) stockRequest(encode func(any) ([]byte, error)) (stock.Request, error) {
	keyed, err := c.operatorsRequest()
	if keyed == nil {
		return stock.Request{Request: c.repeatable(c.pathID("partner_id"), uuid.UUID{}), Encode: encode}, err
	}
	keyed.PartnerID = c.pathID("partner_id")
	return stock.Request{Request: *keyed, Keyed: true, Encode: encode}, nil
}

func (c *call) stockAnswer(status int, answer stock.Answer, err error) (reply, error) {
	if answer.Replayed && err == nil {
		c.header.Set("Idempotent-Replayed", "true")
	}
	return reply{status: status, body: answer.Body}, err
}

func (s *Server) handleMovementCreate(c *call) (reply, error) {
	request, err := c.stockRequest(func(booked any) ([]byte, error) {
		return strictjson.Marshal(struct {
			Movements []movement `json:"movements"`
		}{movementsOf(booked.([]delivery.Movement))}) //nolint:forcetypeassert // Stock.RecordOnce passes this type
	})
	if err != nil {
		return reply{}, err
	}
	booking, err := decodeKeyed(c, &request.Request, stock.ReadBooking)
	if err != nil {
		return reply{}, err
	}
	answer, err := s.config.Stock.RecordOnce(c.Context(), request, booking)
	return c.stockAnswer(http.StatusCreated, answer, err)
}

// maxImportBody is the largest body of an import, in bytes. It has room for as many
// products as an import may hold, with long names.
const maxImportBody = 4 << 20

// requireCSV refuses a body without the Content-Type of CSV, or one that is not
// UTF-8 text.
func (c *call) requireCSV() error {
	kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type"))
	if err != nil || kind != "text/csv" {
		return refusal.New(refusal.CodeUnsupportedMediaType, "send the body as text/csv")
	}
	if !form.IsText(string(c.body)) {
		return refusal.New(refusal.CodeBadRequest, "the body is not UTF-8 text")
	}
	return c.beginWork()
}

func (s *Server) handleProductImport(c *call) (reply, error) {
	request, err := c.stockRequest(func(result any) ([]byte, error) {
		done := result.(stock.Imported) //nolint:forcetypeassert // Stock.Import passes this type
		return strictjson.Marshal(struct {
			Created   int `json:"created"`
			Changed   int `json:"changed"`
			Unchanged int `json:"unchanged"`
			Movements int `json:"movements"`
		}{done.Created, done.Changed, done.Unchanged, done.Movements})
	})
	if err != nil {
		return reply{}, err
	}
	if err := c.requireCSV(); err != nil {
		return reply{}, err
	}
	answer, err := s.config.Stock.Import(c.Context(), request)
	return c.stockAnswer(http.StatusOK, answer, err)
}

func (s *Server) handleProductExport(c *call) (reply, error) {
	pages, err := s.config.Stock.Export(c.Context(), c.pathID("partner_id"))
	if err != nil {
		return reply{}, err
	}
	c.header.Set("Content-Type", "text/csv; charset=utf-8")
	c.header.Set("Content-Disposition", `attachment; filename="products.csv"`)
	return reply{status: http.StatusOK, stream: pages}, nil
}
