package api

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/order"
)

// maxBatchBody is the largest body of a batch, in bytes. It has ample room for 500
// orders of the usual size.
const maxBatchBody = 4 << 20

// ordersPerRequest is how many orders of a batch count as one request against the
// partner's rate. An order of a batch costs the service less than one alone, but not much less.
const ordersPerRequest = 10

// handleOrderBatch creates many orders and returns the outcome of each.
func (s *Server) handleOrderBatch(c *call) (answer reply, err error) {
	err = s.inSlot(c, SlotBatch, func() error {
		answer, err = s.createBatch(c)
		return err
	})
	return answer, err
}

func (s *Server) createBatch(c *call) (reply, error) {
	var batch *order.Batch
	err := s.inSlot(c, SlotHeavy, func() (err error) {
		batch, err = s.readBatch(c)
		return err
	})
	if err != nil {
		return reply{}, err
	}
	results, err := s.config.Orders.CreateBatch(c.Context(), batch)
	if err != nil {
		return reply{}, err
	}
	return s.batchReply(c, results)
}

// readBatch reads a batch, and takes what it counts as from the partner's rate.
func (s *Server) readBatch(c *call) (*order.Batch, error) {
	request, err := c.idempotent()
	if err != nil {
		return nil, err
	}
	body, err := c.json()
	if err != nil {
		return nil, err
	}
	orders := min(len(body.Member("orders").Elements()), order.MaxBatch) // more are refused later
	if err := s.chargePartner(c, (orders+ordersPerRequest-1)/ordersPerRequest); err != nil {
		return nil, err
	}
	wanted, err := form.Decode(body, order.ReadBatch)
	if err != nil {
		return nil, err
	}
	return s.config.Orders.PrepareBatch(c.Context(), request, wanted)
}

func (s *Server) batchReply(c *call, results []order.Result) (reply, error) {
	var w strictjson.Writer
	w.Object("")
	w.List("results")
	created := int64(0)
	for i, result := range results {
		w.Object("")
		w.Integer("index", int64(i))
		if result.Err == nil {
			created++
			w.Integer("status", http.StatusCreated)
			w.Flag("replayed", result.Replayed)
			w.Raw("order", result.Record)
		} else {
			status, refused := s.explain(c, result.Err)
			detail, err := strictjson.Marshal(s.detailOf(refused))
			if err != nil {
				return reply{}, err
			}
			w.Integer("status", int64(status))
			w.Raw("error", detail)
		}
		w.EndObject()
	}
	w.EndList()
	w.Integer("created", created)
	w.Integer("refused", int64(len(results))-created)
	w.EndObject()
	return reply{status: http.StatusOK, body: w.Buffer}, nil
}

type validAnswer struct {
	Valid             bool               `json:"valid"`
	RateCents         *int64             `json:"rate_cents"`
	Currency          *delivery.Currency `json:"currency"`
	EstimatedDelivery *time.Time         `json:"estimated_delivery"`
	Status            int                `json:"status"` // of the response to creating the order
	Error             *errorDetail       `json:"error"`  // null if the order would be created
	Warnings          []delivery.Warning `json:"warnings,omitzero"`
}

// handleOrderValidate returns the status and error that creating an order would
// have.
func (s *Server) handleOrderValidate(c *call) (reply, error) {
	body, err := c.json()
	if err != nil {
		return reply{}, err
	}
	var wanted order.Wanted
	wanted.OrderRequest, wanted.Refused = form.Decode(body, delivery.ReadOrderRequest)
	dry, err := s.config.Orders.Validate(c.Context(), c.partnerID, wanted)
	if err == nil {
		return ok(validAnswer{true, &dry.RateCents, &dry.Currency, &dry.EstimatedDelivery, http.StatusCreated, nil, dry.Warnings})
	}
	refused := known(err)
	if refused == nil || refused.Code == refusal.CodeUnavailable {
		return reply{}, err // validating failed, which says nothing about the order
	}
	status, _ := s.explain(c, err)
	detail := s.detailOf(refused)
	return ok(validAnswer{Status: status, Error: &detail})
}
