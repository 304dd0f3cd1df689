// Package client is a Go client for Dropyard: for the partner interface and for that of
// the operators. It has a method for every operation, signs requests, retries those that
// can be repeated safely, and verifies webhooks. It imports only the standard library.
//
// A [Service] calls what needs no credentials, a [Session] manages an account and its
// API keys, and a [Client] does everything else with such a key:
//
//	service := client.NewService("https://dropyard.example")
//	_, err := service.Register(ctx, client.RegisterRequest{Name: "Librairie du Port", Email: email, Password: password})
//	session, err := service.Login(ctx, client.LoginRequest{Email: email, Password: password})
//	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: "production"})
//
//	c := client.New("https://dropyard.example", key.PublicKey, key.SecretKey)
//	quote, err := c.CreateQuote(ctx, order.QuoteRequest())
//	created, err := c.CreateOrder(ctx, order)
//	for order, err := range c.Orders(ctx, client.OrderQuery{Status: client.StatusPending}) {
//		…
//	}
//
// The people who run the service use an [Operator] with a token:
//
//	token, err := service.CreateToken(ctx, client.TokenRequest{Email: email, Password: password})
//	o := client.NewOperator("https://dropyard.example", token.Token)
//	for order, err := range o.Board(ctx, client.BoardQuery{Attention: []client.AttentionReason{client.AttentionAny}}) {
//		…
//	}
//
// A method that makes one request is named with a verb, such as ListOrders; the plural
// alone, such as Orders, iterates over all pages.
//
// # Errors
//
// A refusal is an [*Error], which holds the code, the faults by field, and the request
// id for support:
//
//	var refused *client.Error
//	switch {
//	case errors.As(err, &refused) && refused.Code == client.CodeInsufficientStock:
//		restock(refused.Details.Items)
//	case err != nil:
//		return err
//	}
//
// Any other error means that the answer is not known: no response arrived, or not one
// of the service.
//
// # Retries
//
// A request that is answered with 429, 5xx or idempotency_in_progress, or not at all, is
// sent again after Retry-After, or else after 1, 2 and 4 seconds. All attempts have the
// same Idempotency-Key, so that nothing is created twice. A request that has no such key
// and whose repetition is not harmless, such as the creation of an API key, is sent
// again only after 429, which means that nothing was done. [WithIdempotencyKey] makes it
// safe to repeat a call after a crash of the calling program.
//
// # Compatibility
//
// Unknown members of responses are ignored, and the words of enumerations are strings:
// handle an [OrderStatus], [EventType] or [ErrorCode] that your version does not have a
// constant for. Members that are null or absent have the zero value, unless their
// comments say otherwise. Amounts of money are in cents, lengths in centimetres, weights
// in kilograms.
package client
