package client

import (
	"context"
	"encoding/json"
	"net/http"
	"net/url"
	"time"
)

// JobQuery chooses a courier's jobs.
type JobQuery struct {
	CourierID string `query:"courier_id"` // required unless the operator is a courier
	// from when on deliveries are listed, at most 7 days ago; 24 hours ago if it is zero
	Since time.Time `query:"since"`
}

// JobList is a courier's jobs and what the courier has delivered.
type JobList struct {
	CourierID string `json:"courier_id"`
	Jobs      []Job  `json:"jobs"` // at most 200, in a practical sequence
	More      bool   `json:"more"` // there are more jobs than these
	// Returns are the orders that were cancelled after their pickup and whose parcels the courier
	// brings back.
	Returns   []BroughtBack `json:"returns"`
	Delivered Deliveries    `json:"delivered"`
	// Colleagues are the other active couriers by name, who can get parcels.
	Colleagues []Colleague `json:"colleagues"`
	// Messages are those from the desk that the courier has not confirmed, oldest first.
	Messages      []UnreadMessage `json:"messages"`
	DispatchPhone string          `json:"dispatch_phone,omitempty"` // of the desk; empty if none is set
}

// Colleague is another courier.
type Colleague struct {
	CourierID string `json:"courier_id"`
	Name      string `json:"name"`
}

// BroughtBack is an order whose parcels a courier brings back.
type BroughtBack struct {
	OrderID        string         `json:"order_id"`
	PartnerID      string         `json:"partner_id"`
	PartnerName    string         `json:"partner_name"`
	PartnerOrderID string         `json:"partner_order_id"`
	Version        int64          `json:"version"` // for [TransferRequest]
	To             ReturnTo       `json:"to"`
	Location       string         `json:"location,omitempty"` // of the warehouse, if it is known
	Place          *PlaceOfReturn `json:"place"`              // nil if the service has no address for the location
	Parcels        []JobParcel    `json:"parcels"`
	DueAt          time.Time      `json:"due_at"`
}

// PlaceOfReturn is where parcels are brought back.
type PlaceOfReturn struct {
	Name    string  `json:"name"`
	Phone   string  `json:"phone"`
	Address Address `json:"address"`
}

// Deliveries is what a courier has delivered.
type Deliveries struct {
	Since  time.Time       `json:"since"`
	Count  int             `json:"count"`
	Latest []DeliveryPoint `json:"latest"` // at most 50, newest first
}

// DeliveryPoint is an order that was delivered.
type DeliveryPoint struct {
	OrderID        string    `json:"order_id"`
	PartnerOrderID string    `json:"partner_order_id"` // empty if the order cannot be read
	DeliveredAt    time.Time `json:"delivered_at"`
}

// Job is an order that a courier is assigned to.
type Job struct {
	OrderID        string        `json:"order_id"`
	PartnerID      string        `json:"partner_id"`
	PartnerName    string        `json:"partner_name"`
	PartnerOrderID string        `json:"partner_order_id"`
	Reference      string        `json:"reference,omitempty"`
	Status         OrderStatus   `json:"status"`
	Version        int64         `json:"version"` // for StatusChange.Version
	ServiceLevel   ServiceLevel  `json:"service_level"`
	Stop           Stop          `json:"stop"` // the next one
	Instructions   string        `json:"instructions,omitempty"`
	Parcels        []JobParcel   `json:"parcels"`
	COD            *Money        `json:"cod,omitempty"` // to collect at the dropoff; nil if there is none
	Failures       int           `json:"failures"`      // how many attempts have failed
	NextAttempt    time.Time     `json:"next_attempt,omitzero"`
	Actions        []OrderStatus `json:"actions"`             // to which the courier may move the order now
	ReturnOf       string        `json:"return_of,omitempty"` // the order whose goods this one brings back
	// Changes is what was edited since the courier last knew the order; nil if there is nothing to
	// confirm with [Operator.ConfirmOrderEdits].
	Changes *UnseenChanges `json:"changes,omitempty"`
}

// UnseenChanges is what a courier has to confirm of an order.
type UnseenChanges struct {
	Version int64          `json:"version"` // of the latest edit, which confirms all of them
	At      time.Time      `json:"at"`
	By      Editor         `json:"by"`
	Fields  []ChangedField `json:"fields"` // empty if everything was changed back
}

// ChangedField is a field that was edited.
type ChangedField struct {
	Field string `json:"field"` // its path, such as dropoff.phone
	// Was is what the courier has seen, as a request has it; nil once the order is erased.
	Was json.RawMessage `json:"was,omitempty"`
	Now json.RawMessage `json:"now"`
}

// EditConfirmation says that a courier knows the edits of an order.
type EditConfirmation struct {
	Version int64 `json:"version"` // that the courier has seen: that of [UnseenChanges]
	// OccurredAt is when it was seen, at most 48 hours ago; zero if that is now.
	OccurredAt time.Time `json:"occurred_at,omitzero"`
}

// ConfirmOrderEdits confirms the edits of an order up to a version. Couriers confirm for their own
// orders; the desk confirms for a courier it has spoken to.
func (o *Operator) ConfirmOrderEdits(
	ctx context.Context, orderID string, seen EditConfirmation, options ...CallOption,
) (*Order, error) {
	return fetch[Order](ctx, o,
		operation{method: http.MethodPost, path: "/ops/v1/orders/{id}/confirm", id: orderID, body: seen, keyed: true},
		options)
}

// JobParcel is a parcel of a job.
type JobParcel struct {
	ParcelID    string  `json:"parcel_id"`
	Barcode     string  `json:"barcode,omitempty"`
	Label       string  `json:"label"` // the text of the Code 128 on its label
	Description string  `json:"description"`
	WeightKG    float64 `json:"weight_kg"`
	Fragile     bool    `json:"fragile"`
}

// Stop is where a courier goes for an order.
type Stop struct {
	Kind       StopKind   `json:"kind"`
	Name       string     `json:"name"`
	Phone      string     `json:"phone"`
	Address    Address    `json:"address"`
	Area       string     `json:"area"` // the first half of the postal code
	TimeWindow TimeWindow `json:"time_window"`
	Deadline   time.Time  `json:"deadline"` // the end of the window
}

// StopKind is an end of a delivery.
type StopKind string

// The ends of a delivery.
const (
	StopPickup  StopKind = "pickup"
	StopDropoff StopKind = "dropoff"
)

// ListJobs returns a courier's jobs: by the hour in which the next stop's window ends,
// and within it stops close to each other together.
func (o *Operator) ListJobs(ctx context.Context, q JobQuery, options ...CallOption) (*JobList, error) {
	return fetch[JobList](ctx, o, operation{method: http.MethodGet, path: "/ops/v1/jobs", query: queryOf(q)}, options)
}

// MatchList is what a code of a label stands for.
type MatchList struct {
	Matches []Match `json:"matches"` // 1 to 20
}

// Match is a parcel, or a whole order, that has a code.
type Match struct {
	Place    int    `json:"place,omitempty"`     // of the parcel in the order, from 1; 0 for the whole order
	ParcelID string `json:"parcel_id,omitempty"` // empty for the whole order
	Order    Job    `json:"order"`
}

// ScanLabel finds orders and parcels by the text that a scanner reads from a label;
// [CodeNotFound] if there are none. Couriers find only their own orders.
func (o *Operator) ScanLabel(ctx context.Context, code string, options ...CallOption) (*MatchList, error) {
	return fetch[MatchList](ctx, o,
		operation{method: http.MethodGet, path: "/ops/v1/scan", query: url.Values{"code": {code}}}, options)
}

// Proof is a picture that proves a delivery.
type Proof struct {
	ProofID    string    `json:"proof_id"`
	Kind       ProofKind `json:"kind"`
	URL        string    `json:"url"`         // for [Service.GetProof]; cannot be guessed
	At         time.Time `json:"at"`          // when the picture was taken
	RecordedAt time.Time `json:"recorded_at"` // when the service recorded it
	OperatorID string    `json:"operator_id"` // who added it
}

// ProofKind is what a picture shows.
type ProofKind string

// The kinds of proofs.
const (
	ProofSignature ProofKind = "signature"
	ProofPhoto     ProofKind = "photo"
)

// ProofRequest describes a picture.
type ProofRequest struct {
	Kind ProofKind `query:"kind"`
	// OccurredAt is when the picture was taken, at most 48 hours ago; zero if that is now.
	// It is refused with [CodeConflict] if the order has changed since that time.
	OccurredAt time.Time `query:"occurred_at"`
}

// AddProof adds a picture to an order: PNG, JPEG or WebP of at most 5 MiB. The same
// picture again adds nothing. The event of the delivery holds the newest signature, or
// else the newest photo, that was added before, so add proofs first. At another time, or
// beyond ten proofs, it is refused with [CodeConflict].
func (o *Operator) AddProof(
	ctx context.Context, orderID string, proof ProofRequest, picture []byte, options ...CallOption,
) (*Proof, error) {
	return fetch[Proof](ctx, o, operation{
		method: http.MethodPost, path: "/ops/v1/orders/{id}/proofs", id: orderID, query: queryOf(proof),
		file: picture, kind: http.DetectContentType(picture), keyed: true,
	}, options)
}
