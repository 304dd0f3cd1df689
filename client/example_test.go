package client_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"strings"
	"time"

	"github.com/dropyard/dropyard/client"
)

// A receiver verifies the webhook, stores each event once, and answers soon. Its
// test signs an event as the service does.
func ExampleVerifyWebhook() {
	secret := client.NewWebhookSecret() // in production, from PUT /v1/webhooks/endpoint
	known := map[string]bool{}          // in production, a table with a unique event id

	receiver := http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, 1<<20))
		if err != nil || client.VerifyWebhook(secret, r.Header, body) != nil {
			w.WriteHeader(http.StatusUnauthorized)
			return
		}
		var event client.Event
		if err := json.Unmarshal(body, &event); err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		if !known[event.ID] {
			known[event.ID] = true
			fmt.Println(event.Type, event.OrderID())
		}
		w.WriteHeader(http.StatusOK)
	})

	body := `{"id":"01a1fd87-4795-75e2-b4c2-de80bc41850d","type":"order.accepted","data":{"order_id":"ord_1"}}`
	for _, signedWith := range []string{secret, secret, client.NewWebhookSecret()} {
		request := httptest.NewRequest(http.MethodPost, "/hooks", strings.NewReader(body))
		request.Header, _ = client.SignWebhook(signedWith, "01a1fd87-4795-75e2-b4c2-de80bc41850d", time.Now(), []byte(body))
		answer := httptest.NewRecorder()
		receiver.ServeHTTP(answer, request)
		fmt.Println(answer.Code)
	}
	// Output:
	// order.accepted ord_1
	// 200
	// 200
	// 401
}
