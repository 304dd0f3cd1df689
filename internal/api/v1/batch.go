package v1

import (
	"net/http"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/order"
)

// maxBatchBody is the largest body of a batch, in bytes. It has ample room for 500
// orders of the usual size.
const maxBatchBody = 4 << 20

// ordersPerRequest is how many orders of a batch count as one request against the
// partner's rate. An order of a batch costs the service less than one alone, but not much less.
const ordersPerRequest = 10

// handleOrderBatch creates many orders and returns the outcome of each.
func (s *Server) handleOrderBatch(c *httpd.Call) (answer httpd.Reply, err error) {
	err = c.WithPermit(httpd.PermitBatch, func() error {
		answer, err = s.createBatch(c)
		return err
	})
	return answer, err
}

func (s *Server) createBatch(c *httpd.Call) (httpd.Reply, error) {
	var batch *order.Batch
	err := c.WithPermit(httpd.PermitHeavy, func() (err error) {
		batch, err = s.readBatch(c)
		return err
	})
	if err != nil {
		return httpd.Reply{}, err
	}
	results, err := s.config.Orders.CreateBatch(c.Context(), batch)
	if err != nil {
		return httpd.Reply{}, err
	}
	return s.batchReply(c, results)
}

// readBatch reads a batch, and takes what it counts as from the partner's rate.
func (s *Server) readBatch(c *httpd.Call) (*order.Batch, error) {
	request, err := c.Repeatable()
	if err != nil {
		return nil, err
	}
	body, err := c.JSON()
	if err != nil {
		return nil, err
	}
	orders := min(len(body.Member("orders").Elements()), order.MaxBatch) // more are refused later
	if err := c.Charge((orders + ordersPerRequest - 1) / ordersPerRequest); err != nil {
		return nil, err
	}
	wanted, err := form.Decode(body, order.ReadBatch)
	if err != nil {
		return nil, err
	}
	return s.config.Orders.PrepareBatch(c.Context(), request, len(c.Content), wanted)
}

func (s *Server) batchReply(c *httpd.Call, results []order.Result) (httpd.Reply, error) {
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
			status, refused := c.Explain(result.Err)
			detail, err := strictjson.Marshal(c.Detail(refused))
			if err != nil {
				return httpd.Reply{}, err
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
	return httpd.Reply{Status: http.StatusOK, Body: w.Buffer}, nil
}

type validAnswer struct {
	Valid             bool               `json:"valid"`
	RateCents         *int64             `json:"rate_cents"`
	Currency          *delivery.Currency `json:"currency"`
	EstimatedDelivery *time.Time         `json:"estimated_delivery"`
	Status            int                `json:"status"` // of the response to creating the order
	Error             *httpd.ErrorDetail `json:"error"`  // null if the order would be created
	Warnings          []delivery.Warning `json:"warnings,omitzero"`
}

// handleOrderValidate returns the status and error that creating an order would
// have.
func (s *Server) handleOrderValidate(c *httpd.Call) (httpd.Reply, error) {
	wanted, err := httpd.Decode(c, order.ReadWanted)
	if err != nil {
		return httpd.Reply{}, err
	}
	dry, err := s.config.Orders.Validate(c.Context(), c.Account, wanted)
	if err == nil {
		return httpd.OK(validAnswer{
			Valid: true, RateCents: &dry.RateCents, Currency: &dry.Currency, EstimatedDelivery: &dry.EstimatedDelivery,
			Status: http.StatusCreated, Error: nil, Warnings: dry.Warnings,
		})
	}
	refused := httpd.Known(err)
	if refused == nil || refused.Code == refusal.CodeUnavailable {
		return httpd.Reply{}, err // validating failed, which says nothing about the order
	}
	status, _ := c.Explain(err)
	detail := c.Detail(refused)
	return httpd.OK(validAnswer{Status: status, Error: &detail})
}
