package client

import (
	"encoding/json"
	"time"
)

// OrderRequest is a new delivery order: one pickup, one dropoff, 1 to 50 parcels and one
// service level. Fields without the word optional are required.
type OrderRequest struct {
	// PartnerOrderID is your reference, 1 to 255 characters, unique among your orders. A
	// second order with the same reference is refused with [CodeConflict].
	PartnerOrderID string       `json:"partner_order_id"`
	ServiceLevel   ServiceLevel `json:"service_level"`
	Pickup         Contact      `json:"pickup"`
	Dropoff        Contact      `json:"dropoff"`
	Parcels        []Parcel     `json:"parcels"`
	// another reference of yours, at most 100 characters; optional
	Reference    string `json:"reference,omitempty"`
	COD          *Money `json:"cod,omitempty"`          // cash to collect on delivery; optional
	Insurance    *Money `json:"insurance,omitempty"`    // the insured amount; optional
	Instructions string `json:"instructions,omitempty"` // at most 1000 characters; optional
	// Metadata is any JSON object of at most 16 KiB, which the service returns byte for
	// byte and does not use; optional. Spaces between its tokens are not sent.
	Metadata json.RawMessage `json:"metadata,omitempty"`
	// Items are products to take out of your stock when the order is created; optional.
	// Several lines of the same product are added up. If there is not enough of any
	// product, the order is refused with [CodeInsufficientStock].
	Items []Item `json:"items,omitempty"`
	// QuoteID is a quote with the same service level, postal codes and parcels; optional.
	// Its rate is honoured until its ValidUntil.
	QuoteID string `json:"quote_id,omitempty"`
}

// QuoteRequest returns the request for a quote of the order.
func (o OrderRequest) QuoteRequest() QuoteRequest {
	return QuoteRequest{
		ServiceLevel: o.ServiceLevel, Pickup: o.Pickup, Dropoff: o.Dropoff, Parcels: o.Parcels,
		COD: o.COD, Insurance: o.Insurance,
	}
}

// Contact is a person or a business at one end of a delivery. In a quote, only the
// address is required.
type Contact struct {
	Name       string     `json:"name,omitempty"`  // 1 to 255 characters
	Phone      string     `json:"phone,omitempty"` // E.164, such as +15145550100
	Email      string     `json:"email,omitempty"` // one address, without a display name
	Address    Address    `json:"address"`
	TimeWindow TimeWindow `json:"time_window,omitzero"`
}

// Address is an address in Canada. In a quote, Line1 is optional.
type Address struct {
	Line1 string `json:"line1,omitempty"` // 1 to 255 characters
	Line2 string `json:"line2,omitempty"` // at most 255 characters; optional
	City  string `json:"city,omitempty"`  // optional in quotes
	// Province and PostalCode are not checked against each other. The province is optional in quotes.
	Province   Province `json:"province,omitempty"`
	PostalCode string   `json:"postal_code"`     // such as H2X 1Y4, with or without the space, in either case
	Country    Country  `json:"country"`         // [Canada]
	Notes      string   `json:"notes,omitempty"` // for the courier, at most 1000 characters; optional
}

// TimeWindow is when the courier may come. End must be after Start; a window in the past
// is accepted. Times are kept to the millisecond.
type TimeWindow struct {
	Start time.Time `json:"start"`
	End   time.Time `json:"end"`
}

// Parcel is a parcel of a new order or of a quote. In a quote only WeightKG is required;
// without all three lengths only the weight counts.
type Parcel struct {
	ParcelID    string  `json:"parcel_id,omitempty"`   // 1 to 255 characters, unique within the order
	Description string  `json:"description,omitempty"` // the contents, 1 to 1000 characters
	LengthCM    float64 `json:"length_cm,omitzero"`    // 0.1 to 300
	WidthCM     float64 `json:"width_cm,omitzero"`     // 0.1 to 300
	HeightCM    float64 `json:"height_cm,omitzero"`    // 0.1 to 300
	WeightKG    float64 `json:"weight_kg,omitzero"`    // 0.01 to 70
	ValueCents  int64   `json:"value_cents"`           // the declared value; 0 or more
	Fragile     bool    `json:"fragile,omitempty"`
	Barcode     string  `json:"barcode,omitempty"` // at most 255 characters; optional
}

// Money is an amount to collect or to insure. An amount of 0 means none.
type Money struct {
	AmountCents int64    `json:"amount_cents"`
	Currency    Currency `json:"currency"`
}

// Item is a quantity of a product. A request names the product by exactly one of ProductID, SKU and
// Barcode. An answer has its ProductID, and its SKU and Name when the order was created.
type Item struct {
	ProductID int64  `json:"product_id,omitempty"`
	SKU       string `json:"sku,omitempty"`
	Barcode   string `json:"barcode,omitempty"` // in requests only
	Name      string `json:"name,omitempty"`    // in answers only
	Quantity  int64  `json:"quantity"`          // 1 or more
}

// CancelRequest is a cancellation.
type CancelRequest struct {
	Reason string `json:"reason,omitempty"` // at most 500 characters; optional
}

// CancellationWanted is a request that the service cancels an order.
type CancellationWanted struct {
	Reason string `json:"reason"` // for the dispatcher; 1 to 500 characters
}

// CancellationRequest is such a request, as an order has it.
type CancellationRequest struct {
	State  CancellationState `json:"state"`
	Reason string            `json:"reason"` // empty once the order is erased
	At     time.Time         `json:"at"`     // of the request
	Answer string            `json:"answer"` // empty until it is answered, and if the answer has no text
}

// ListedOrder is an order in a list: without history, courier, items and what else is
// optional.
type ListedOrder struct {
	OrderID           string         `json:"order_id"`
	PartnerOrderID    string         `json:"partner_order_id"`
	Status            OrderStatus    `json:"status"`
	ServiceLevel      ServiceLevel   `json:"service_level"`
	Pickup            Contact        `json:"pickup"`
	Dropoff           Contact        `json:"dropoff"`
	Parcels           []ParcelRecord `json:"parcels"`
	RateCents         int64          `json:"rate_cents"` // the price of the delivery
	Currency          Currency       `json:"currency"`
	EstimatedDelivery time.Time      `json:"estimated_delivery"`
	TrackingURL       string         `json:"tracking_url"` // public; for the recipient
	CreatedAt         time.Time      `json:"created_at"`
	UpdatedAt         time.Time      `json:"updated_at"`
}

// Order is the complete record of an order.
type Order struct {
	ListedOrder
	LiveMode      bool            `json:"livemode"` // false for an order in test mode, which is simulated
	Reference     string          `json:"reference,omitempty"`
	COD           *Money          `json:"cod,omitempty"`       // nil if not given
	Insurance     *Money          `json:"insurance,omitempty"` // nil if not given
	Instructions  string          `json:"instructions,omitempty"`
	Metadata      json.RawMessage `json:"metadata,omitempty"` // as sent, byte for byte
	Items         []Item          `json:"items,omitempty"`
	Courier       *Courier        `json:"courier,omitempty"` // nil while no courier is assigned
	StatusHistory []StatusChange  `json:"status_history"`    // oldest first
	// CancellationReason is empty if no reason was given.
	CancellationReason string    `json:"cancellation_reason,omitempty"`
	CancelledAt        time.Time `json:"cancelled_at,omitzero"` // zero unless the order is cancelled
	// Version grows with every change of the order; 0 in the answers to creations and cancellations.
	Version int64         `json:"version,omitempty"`
	Changes []OrderChange `json:"changes,omitempty"` // the latest 100 edits, oldest first
	// ReturnOf is the order whose goods a return brings back, and ReturnReason why; empty for any
	// other order.
	ReturnOf     string `json:"return_of,omitempty"`
	ReturnReason string `json:"return_reason,omitempty"`
	// Returns are the ids of the order's returns that were not cancelled before their pickup.
	Returns []string `json:"returns,omitempty"`
	// RateChangeCents is what an edit has added to RateCents; nil in other answers.
	RateChangeCents *int64 `json:"rate_change_cents,omitempty"`
	// CancellationRequest is nil unless the partner has requested the cancellation.
	CancellationRequest *CancellationRequest `json:"cancellation_request,omitempty"`
	// Return is nil unless the order was cancelled after its pickup.
	Return   *OrderReturn `json:"return,omitempty"`
	Warnings []Warning    `json:"warnings,omitempty"`
}

// OrderChange is one edit of an order.
type OrderChange struct {
	At         time.Time `json:"at"`
	By         Editor    `json:"by"`
	OperatorID string    `json:"operator_id,omitempty"` // for operators, of an edit by the service
	Reason     string    `json:"reason,omitempty"`      // why the service edited; for operators only
	Version    int64     `json:"version,omitempty"`     // for operators: of the order after the edit
	Fields     []string  `json:"fields"`                // paths such as dropoff.phone
	// Confirmed says, for operators, whether the courier knows the edit; nil if no courier had to.
	Confirmed   *bool     `json:"confirmed,omitempty"`
	ConfirmedAt time.Time `json:"confirmed_at,omitzero"`
	ConfirmedBy string    `json:"confirmed_by,omitempty"` // the operator
	CourierID   string    `json:"courier_id,omitempty"`   // if a courier confirmed it
}

// Editor is a side that edits orders.
type Editor string

// The sides that edit orders.
const (
	EditorPartner   Editor = "partner"
	EditorService   Editor = "service"
	EditorRecipient Editor = "recipient"
)

// OrderReturn is how the parcels of an order come back.
type OrderReturn struct {
	State      ReturnState  `json:"state"`
	Lines      []ReturnLine `json:"lines"`                // what was received
	ReceivedAt time.Time    `json:"received_at,omitzero"` // zero until then
}

// ReturnState says whether parcels are back.
type ReturnState string

// The states of parcels that come back.
const (
	ReturnStateDue      ReturnState = "due" // still with a courier or at a hub
	ReturnStateReceived ReturnState = "received"
)

// ReturnLine is the number of units of a product that have come back in one condition.
type ReturnLine struct {
	ProductID   int64       `json:"product_id"`
	Quantity    int64       `json:"quantity"`
	Disposition Disposition `json:"disposition"`
}

// Disposition is what is done with units that come back.
type Disposition string

// The dispositions of units that come back.
const (
	Sellable Disposition = "sellable" // in stock again
	Damaged  Disposition = "damaged"  // came back, and was written off
	Missing  Disposition = "missing"  // did not come back
)

// ParcelRecord is a parcel of an order.
type ParcelRecord struct {
	ParcelID    string     `json:"parcel_id"`
	Description string     `json:"description"`
	WeightKG    float64    `json:"weight_kg"`
	Dimensions  Dimensions `json:"dimensions"`
	ValueCents  int64      `json:"value_cents"`
	Currency    Currency   `json:"currency"` // of the value
	Fragile     bool       `json:"fragile"`
	Barcode     string     `json:"barcode,omitempty"`
}

// Dimensions are the sides of a parcel.
type Dimensions struct {
	LengthCM float64 `json:"length_cm"`
	WidthCM  float64 `json:"width_cm"`
	HeightCM float64 `json:"height_cm"`
}

// Courier is the courier of an order.
type Courier struct {
	Name    string `json:"name"`
	Phone   string `json:"phone"`             // E.164
	Vehicle string `json:"vehicle,omitempty"` // empty in events
}

// StatusChange is an entry of an order's history.
type StatusChange struct {
	Status    OrderStatus `json:"status"`
	Timestamp time.Time   `json:"timestamp"`
	// RecordedAt is when the service recorded the change, which may be later than the
	// change; zero except for operators.
	RecordedAt time.Time `json:"recorded_at,omitzero"`
	// Version is that of the order from then on; only operators see it
	Version int64  `json:"version,omitzero"`
	Notes   string `json:"notes,omitempty"` // empty if there are none, and in public tracking
	// Collected is what was collected, with [StatusDelivered]; nil if nothing was to be.
	Collected *Collected `json:"collected,omitempty"`
}

// OrderList is a page of orders.
type OrderList struct {
	Orders     []ListedOrder `json:"orders"`
	Count      int           `json:"count"` // of this page
	Limit      int           `json:"limit"`
	Offset     int           `json:"offset"`
	NextCursor string        `json:"next_cursor,omitempty"` // empty on the last page
}

// OrderBatch is up to 500 orders to create with one request.
type OrderBatch struct {
	Orders []OrderRequest `json:"orders"`
}

// BatchResults has the result of each order of a batch.
type BatchResults struct {
	Results []BatchResult `json:"results"` // in the order of the request
	Created int           `json:"created"` // how many of the orders exist now
	Refused int           `json:"refused"`
}

// BatchResult is the result of one order of a batch. Either Order or Error is set.
type BatchResult struct {
	Index    int    `json:"index"`              // of the order in the request, from 0
	Status   int    `json:"status"`             // the HTTP status that CreateOrder would have been answered with
	Replayed bool   `json:"replayed,omitempty"` // an earlier request with the same key created the order
	Order    *Order `json:"order,omitempty"`
	Error    *Error `json:"error,omitempty"`
}

// UnmarshalJSON copies the status into the error.
func (r *BatchResult) UnmarshalJSON(data []byte) error {
	type plain BatchResult
	if err := json.Unmarshal(data, (*plain)(r)); err != nil {
		return err
	}
	if r.Error != nil {
		r.Error.Status = r.Status
	}
	return nil
}

// Validation says what the creation of an order would do.
type Validation struct {
	Valid             bool      `json:"valid"` // the order would be created; otherwise see Error
	RateCents         int64     `json:"rate_cents"`
	Currency          Currency  `json:"currency"`
	EstimatedDelivery time.Time `json:"estimated_delivery"`
	Status            int       `json:"status"`          // the HTTP status that CreateOrder would be answered with
	Error             *Error    `json:"error,omitempty"` // nil if the order is valid
	Warnings          []Warning `json:"warnings,omitempty"`
}

// UnmarshalJSON copies the status into the error.
func (v *Validation) UnmarshalJSON(data []byte) error {
	type plain Validation
	if err := json.Unmarshal(data, (*plain)(v)); err != nil {
		return err
	}
	if v.Error != nil {
		v.Error.Status = v.Status
	}
	return nil
}

// QuoteRequest is a delivery whose price is wanted. Service level, postal codes, countries and weights are
// required; any other field is optional, but must be valid.
type QuoteRequest struct {
	ServiceLevel ServiceLevel `json:"service_level,omitempty"` // left out for quotes at all levels
	Pickup       Contact      `json:"pickup"`
	Dropoff      Contact      `json:"dropoff"`
	Parcels      []Parcel     `json:"parcels"` // 1 to 50
	COD          *Money       `json:"cod,omitempty"`
	Insurance    *Money       `json:"insurance,omitempty"`
}

// Quote is a price and an estimate.
type Quote struct {
	QuoteID           string       `json:"quote_id"` // for OrderRequest.QuoteID; empty if a city was assumed
	ServiceLevel      ServiceLevel `json:"service_level"`
	RateCents         int64        `json:"rate_cents"`
	Currency          Currency     `json:"currency"`
	EstimatedDelivery time.Time    `json:"estimated_delivery"`
	TransitDays       int          `json:"transit_days"` // business days; 0 for same_day
	ValidUntil        time.Time    `json:"valid_until"`  // 24 hours after the quote
	Warnings          []Warning    `json:"warnings,omitempty"`
	Assumed           *Assumed     `json:"assumed,omitempty"` // nil if the request left nothing out
}

// Assumed is what the addresses of a request for a quote left out and the price assumes.
type Assumed struct {
	Pickup  *AssumedPlace `json:"pickup,omitempty"`
	Dropoff *AssumedPlace `json:"dropoff,omitempty"`
}

// AssumedPlace is where a postal code is. What was given is empty, and so is the city of an area that is not
// known: then the price is that of another city.
type AssumedPlace struct {
	City     string   `json:"city,omitempty"`
	Province Province `json:"province,omitempty"`
}

// QuoteList has the quotes of one delivery at all service levels, slowest first.
type QuoteList struct {
	Quotes []Quote `json:"quotes"`
	// NotOffered has a problem at service_level for each level that is not offered for the delivery.
	NotOffered []Problem `json:"not_offered,omitempty"`
}

// Warning is something about an order that is allowed, but probably not meant, such as a
// time window of the dropoff that ends before the pickup.
type Warning struct {
	Code    WarningCode `json:"code"`
	Field   string      `json:"field"`   // a path such as dropoff.time_window
	Message string      `json:"message"` // for people
}

// WarningCode is a kind of warning.
type WarningCode string

// The kinds of warnings.
const (
	// the dropoff's window ends before the pickup's begins
	WarningDropoffBeforePickup WarningCode = "dropoff_before_pickup"
	WarningLate                WarningCode = "late"                // the estimated delivery is after the dropoff's window
	WarningNoBusinessDay       WarningCode = "no_business_day"     // no part of the window is on a business day
	WarningProvince            WarningCode = "province_mismatch"   // the postal code belongs to another province
	WarningPostBox             WarningCode = "post_office_box"     // couriers cannot deliver there
	WarningEmail               WarningCode = "email_domain"        // the domain cannot exist
	WarningPhone               WarningCode = "phone_length"        // no number of the country has this length
	WarningNotPrinted          WarningCode = "label_not_printed"   // the label cannot print some of the characters
	WarningCut                 WarningCode = "label_cut"           // the label shows only the beginning of the text
	WarningBarcode             WarningCode = "barcode_not_printed" // the label has a number of its own instead
)
