package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/delivery"
)

// operatorClient calls the operator interface. It does not repeat requests, because
// those that move an order have no key that would make that safe.
type operatorClient struct{ url, token string }

// operatorTimeout is a little longer than the service allows a request.
const operatorTimeout = 35 * time.Second

// call sends a request, with body as JSON unless it is nil, and decodes the response.
func (o *operatorClient) call(ctx context.Context, method, target string, body, into any) error {
	ctx, cancel := context.WithTimeout(ctx, operatorTimeout)
	defer cancel()
	var content []byte
	if body != nil {
		var err error
		if content, err = json.Marshal(body); err != nil {
			return err
		}
	}
	request, err := http.NewRequestWithContext(ctx, method, o.url+target, bytes.NewReader(content))
	if err != nil {
		return err
	}
	if body != nil {
		request.Header.Set("Content-Type", "application/json")
	}
	if o.token != "" {
		request.Header.Set("Authorization", "Bearer "+o.token)
	}
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	text, err := io.ReadAll(response.Body)
	return decode(&client.Answer{Status: response.StatusCode, Header: response.Header, Body: text}, err, into)
}

// courier returns the id of an active courier, and adds one if there is none.
func (o *operatorClient) courier(ctx context.Context) (courierID string, err error) {
	type courier struct {
		CourierID string `json:"courier_id"`
		Active    bool   `json:"active"`
	}
	for cursor := ""; ; {
		var page struct {
			Couriers []courier `json:"couriers"`
			Next     string    `json:"next_cursor"`
		}
		query := url.Values{"limit": {"500"}}
		if cursor != "" {
			query.Set("cursor", cursor)
		}
		if err := o.call(ctx, http.MethodGet, "/ops/v1/couriers?"+query.Encode(), nil, &page); err != nil {
			return "", fmt.Errorf("find a courier: %w", err)
		}
		for _, c := range page.Couriers {
			if c.Active {
				return c.CourierID, nil
			}
		}
		if cursor = page.Next; cursor == "" {
			break
		}
	}
	var added courier
	sandbox := object{"name": "Sandbox", "phone": "+15145550177", "vehicle": "cargo bike", "active": true}
	if err := o.call(ctx, http.MethodPost, "/ops/v1/couriers", sandbox, &added); err != nil {
		return "", fmt.Errorf("add a courier: %w", err)
	}
	return added.CourierID, nil
}

// move moves an order to its next status. Only courier_assigned needs the courier.
func (o *operatorClient) move(ctx context.Context, orderID string, to delivery.Status, courierID string) error {
	step := object{"status": to, "notes": "dropyard trigger"}
	switch to {
	case delivery.StatusCourierAssigned:
		step["courier_id"] = courierID
	case delivery.StatusFailed:
		step["failure_reason"] = "nobody was there (a test)"
	case delivery.StatusCancelled:
		step["reason"] = "a test"
	default:
	}
	return o.call(ctx, http.MethodPost, "/ops/v1/orders/"+orderID+"/status", step, &struct{}{})
}
