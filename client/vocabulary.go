package client

// OrderStatus is a state of an order.
type OrderStatus string

// The states of an order. Delivered and cancelled are final.
const (
	StatusPending         OrderStatus = "pending"          // received, waiting to be accepted
	StatusAccepted        OrderStatus = "accepted"         // accepted by the service
	StatusCourierAssigned OrderStatus = "courier_assigned" // from here on it cannot be cancelled
	StatusPickedUp        OrderStatus = "picked_up"
	StatusInTransit       OrderStatus = "in_transit"
	StatusOutForDelivery  OrderStatus = "out_for_delivery"
	StatusDelivered       OrderStatus = "delivered"
	StatusFailed          OrderStatus = "failed" // a delivery attempt failed; another may follow
	StatusCancelled       OrderStatus = "cancelled"
)

// ServiceLevel is how fast an order is delivered.
type ServiceLevel string

// The service levels.
const (
	LevelStandard ServiceLevel = "standard" // 3 to 5 business days
	LevelExpress  ServiceLevel = "express"  // 1 to 2 business days
	LevelSameDay  ServiceLevel = "same_day"
)

// Currency is the currency of an amount, by its ISO 4217 code.
type Currency string

// The currencies.
const (
	CAD Currency = "CAD"
	USD Currency = "USD"
)

// Country is a country, by its ISO 3166-1 alpha-2 code.
type Country string

// Canada is the only country that orders are picked up in and delivered to.
const Canada Country = "CA"

// Province is a province or territory of Canada, by its two-letter code.
type Province string

// The provinces and territories.
const (
	Alberta              Province = "AB"
	BritishColumbia      Province = "BC"
	Manitoba             Province = "MB"
	NewBrunswick         Province = "NB"
	Newfoundland         Province = "NL" // Newfoundland and Labrador
	NorthwestTerritories Province = "NT"
	NovaScotia           Province = "NS"
	Nunavut              Province = "NU"
	Ontario              Province = "ON"
	PrinceEdwardIsland   Province = "PE"
	Quebec               Province = "QC"
	Saskatchewan         Province = "SK"
	Yukon                Province = "YT"
)

// ProductStatus says whether a product can be ordered at all.
type ProductStatus string

// The states of a product.
const (
	ProductActive   ProductStatus = "active"
	ProductInactive ProductStatus = "inactive"
)

// MovementType is a kind of stock movement.
type MovementType string

// The kinds of stock movements.
const (
	MovementIn         MovementType = "IN"         // a restock, or the return from a cancelled order
	MovementOut        MovementType = "OUT"        // a withdrawal, for an order or otherwise
	MovementAdjustment MovementType = "ADJUSTMENT" // a correction; the quantity is signed
	MovementTransfer   MovementType = "TRANSFER"   // one of two: negative at the source, positive at the target
)

// EventType is a kind of event.
type EventType string

// The kinds of events. All but [EventStatementClosed], those of stock and [EventTest] are about orders.
const (
	EventOrderAccepted       EventType = "order.accepted"
	EventCourierAssigned     EventType = "courier.assigned" // a courier, or another courier
	EventOrderPickedUp       EventType = "order.picked_up"
	EventOrderInTransit      EventType = "order.in_transit"
	EventOrderOutForDelivery EventType = "order.out_for_delivery"
	EventOrderDelivered      EventType = "order.delivered"
	EventOrderFailed         EventType = "order.failed" // a delivery attempt failed
	EventOrderCancelled      EventType = "order.cancelled"
	EventOrderUpdated        EventType = "order.updated" // its content was edited
	// EventCancellationDeclined answers [Client.RequestCancellation].
	EventCancellationDeclined EventType = "order.cancellation_declined"
	EventCourierChanged       EventType = "courier.changed" // another courier, or a hub, has the parcels
	EventReturnDue            EventType = "return.due"      // the parcels of a cancelled order come back
	EventReturnReceived       EventType = "return.received"
	EventStatementClosed      EventType = "statement.closed"
	EventStockLow             EventType = "stock.low"     // a product is low; only sent if an endpoint names it
	EventStockChanged         EventType = "stock.changed" // only recorded while an endpoint names it
	EventTest                 EventType = "webhook.test"  // sent by [Client.TestWebhook]; not listed and not in the feed
)

// EndpointFormat says how the requests to a webhook endpoint look.
type EndpointFormat string

// The formats.
const (
	FormatDropyard    EndpointFormat = "dropyard"    // headers of the contract and of Standard Webhooks
	FormatCloudEvents EndpointFormat = "cloudevents" // in addition those of CloudEvents 1.0 in binary mode
)

// EventState is how far the delivery of an event has come.
type EventState string

// The states of an event.
const (
	EventPending   EventState = "pending"   // to be sent, or to be sent again
	EventDelivered EventState = "delivered" // acknowledged by the endpoint
	EventFailed    EventState = "failed"    // given up after ten attempts
	EventSkipped   EventState = "skipped"   // not sent, because there was no endpoint
)

// Canceller is the side that cancelled an order.
type Canceller string

// The sides that cancel orders.
const (
	ByPartner Canceller = "partner"
	ByService Canceller = "service"
)

// CancellationState says how a request to cancel an order stands.
type CancellationState string

// The states of a request to cancel an order.
const (
	// RequestOpen awaits an answer; if the order ends otherwise, for ever.
	RequestOpen     CancellationState = "requested"
	RequestGranted  CancellationState = "granted"
	RequestDeclined CancellationState = "declined"
)
