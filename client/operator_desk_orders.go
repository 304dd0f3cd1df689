package client

import (
	"context"
	"net/http"
)

// CreateOrderForPartner creates an order for a partner who has asked for it, such as by phone. The order is the
// partner's own: its price, stock and limits count. Operators read who created it in [OrderRecord].
func (o *Operator) CreateOrderForPartner(
	ctx context.Context, partnerID string, order OrderRequest, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/partners/{id}/orders", id: partnerID, body: order, keyed: true,
	}, options)
}
