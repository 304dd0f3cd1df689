package api

import (
	"cmp"
	"mime"
	"net/http"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/dispatch"
	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/timestamp"
	"github.com/dropyard/dropyard/internal/label"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/proof"
)

// own is the courier whose orders alone exist for whoever asks; empty for the
// dispatch desk, for which all do.
func (c *call) own() (courierID string, err error) {
	if c.operator.Role != operator.RoleCourier {
		return "", nil
	}
	if c.operator.CourierID == "" { // an account from before it had to be linked
		return "", refusal.New(refusal.CodeForbidden, "this operator is no courier yet: an admin links it to one")
	}
	return c.operator.CourierID, nil
}

type addressAnswer struct {
	Line1      string `json:"line1"`
	Line2      string `json:"line2,omitzero"`
	City       string `json:"city"`
	Province   string `json:"province"`
	PostalCode string `json:"postal_code"`
	Country    string `json:"country"`
	Notes      string `json:"notes,omitzero"`
}

// stopAnswer leaves out e-mail addresses, which nobody needs on the road.
type stopAnswer struct {
	Kind       dispatch.StopKind `json:"kind"`
	Name       string            `json:"name"`
	Phone      string            `json:"phone"`
	Address    addressAnswer     `json:"address"`
	Area       string            `json:"area"`
	TimeWindow windowAnswer      `json:"time_window"`
	Deadline   time.Time         `json:"deadline"`
}

type jobParcel struct {
	ParcelID    string  `json:"parcel_id"`
	Barcode     string  `json:"barcode,omitzero"`
	Label       string  `json:"label"` // what the Code 128 of its label says
	Description string  `json:"description"`
	WeightKg    float64 `json:"weight_kg"`
	Fragile     bool    `json:"fragile"`
}

type moneyAnswer struct {
	AmountCents int64             `json:"amount_cents"`
	Currency    delivery.Currency `json:"currency"`
}

type jobAnswer struct {
	OrderID        string                `json:"order_id"`
	PartnerID      string                `json:"partner_id"`
	PartnerName    string                `json:"partner_name"`
	PartnerOrderID string                `json:"partner_order_id"`
	Reference      string                `json:"reference,omitzero"`
	Status         delivery.Status       `json:"status"`
	Version        int64                 `json:"version"`
	ServiceLevel   delivery.ServiceLevel `json:"service_level"`
	Stop           stopAnswer            `json:"stop"`
	Instructions   string                `json:"instructions,omitzero"`
	Parcels        []jobParcel           `json:"parcels"`
	COD            *moneyAnswer          `json:"cod"` // null where no cash is to be collected
	Failures       int64                 `json:"failures"`
	NextAttempt    *time.Time            `json:"next_attempt"` // null if none is planned
	Actions        []delivery.Status     `json:"actions"`
}

func jobOf(j *dispatch.Job) jobAnswer {
	o := j.Order
	answer := jobAnswer{
		OrderID: o.OrderID, PartnerID: o.PartnerID, PartnerName: j.PartnerName, PartnerOrderID: o.PartnerOrderID,
		Reference: o.Reference, Status: o.Status, Version: o.Version, ServiceLevel: o.ServiceLevel,
		Stop: stopOf(&j.Stop), Instructions: o.Instructions, Parcels: make([]jobParcel, len(o.Parcels)),
		Failures: j.Failures, Actions: j.Actions,
	}
	for i, p := range o.Parcels {
		answer.Parcels[i] = jobParcel{p.ParcelID, p.Barcode, label.Code128(o, i+1), p.Description, p.WeightKg, p.Fragile}
	}
	if o.COD != nil {
		answer.COD = &moneyAnswer{o.COD.AmountCents, o.COD.Currency}
	}
	if !j.NextAttempt.IsZero() {
		answer.NextAttempt = &j.NextAttempt
	}
	return answer
}

func stopOf(s *dispatch.Stop) stopAnswer {
	at := s.Contact
	return stopAnswer{s.Kind, at.Name, at.Phone, addressAnswer(at.Address), s.Area, windowAnswer(at.Window), at.Window.End}
}

type deliveryAnswer struct {
	OrderID     string    `json:"order_id"`
	DeliveredAt time.Time `json:"delivered_at"`
}

type doneAnswer struct {
	Since  time.Time        `json:"since"`
	Count  int64            `json:"count"`
	Latest []deliveryAnswer `json:"latest"`
}

// today is how far back it is told what was delivered, unless the request says
// when the courier's day began, which the service cannot know.
const today = 24 * time.Hour

func (s *Server) handleJobs(c *call) (reply, error) {
	own, err := c.own()
	if err != nil {
		return reply{}, err
	}
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	courierID, since, now := q.text("courier_id"), q.time("since"), timestamp.Truncate(s.Now())
	if since.IsZero() {
		since = now.Add(-today)
	}
	if now.Sub(since) > dispatch.MaxSince {
		q.problems.Add("since", q.text("since"), "a time within the last 7 days")
	}
	if courierID = cmp.Or(courierID, own); courierID == "" {
		q.problems.Add("courier_id", nil, "a courier")
	}
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	if own != "" && courierID != own {
		return reply{}, refusal.NotFound("courier")
	}
	round, err := s.Dispatch.Round(c.Context(), courierID, since)
	if err != nil {
		return reply{}, err
	}
	jobs := make([]jobAnswer, len(round.Jobs))
	for i := range round.Jobs {
		jobs[i] = jobOf(&round.Jobs[i])
	}
	done := doneAnswer{Since: since, Count: round.Done.Count, Latest: make([]deliveryAnswer, len(round.Done.Latest))}
	for i, d := range round.Done.Latest {
		done.Latest[i] = deliveryAnswer{d.OrderID, d.At}
	}
	return ok(struct {
		CourierID string      `json:"courier_id"`
		Jobs      []jobAnswer `json:"jobs"`
		More      bool        `json:"more"`
		Delivered doneAnswer  `json:"delivered"`
	}{courierID, jobs, round.More, done})
}

// matchAnswer is an order that a scan has found. Place is null where the code is
// that of the whole order.
type matchAnswer struct {
	Place    *int      `json:"place"`
	ParcelID *string   `json:"parcel_id"`
	Order    jobAnswer `json:"order"`
}

// maxCode is how long what a scanner reads may be, in characters: a QR code holds
// no more than that.
const maxCode = 3000

func (s *Server) handleScan(c *call) (reply, error) {
	own, err := c.own()
	if err != nil {
		return reply{}, err
	}
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	code := q.oneOf("code", form.Length(1, maxCode))
	if code == "" && len(q.problems) == 0 {
		q.problems.Add("code", nil, "what the label's code says")
	}
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	scan := dispatch.Scan{Text: code, CourierID: own}
	scan.OrderID, scan.Place, _ = label.Scan(code)
	found, err := s.Dispatch.Find(c.Context(), scan)
	if err != nil {
		return reply{}, err
	}
	matches := make([]matchAnswer, len(found))
	for i := range found {
		matches[i].Order = jobOf(&found[i].Job)
		if place := found[i].Place; place > 0 {
			matches[i].Place, matches[i].ParcelID = &place, &found[i].Order.Parcels[place-1].ParcelID
		}
	}
	return ok(struct {
		Matches []matchAnswer `json:"matches"`
	}{matches})
}

type proofAnswer struct {
	ProofID    string             `json:"proof_id"`
	Kind       delivery.ProofKind `json:"kind"`
	URL        string             `json:"url"`
	At         time.Time          `json:"at"`
	OperatorID string             `json:"operator_id"`
}

func (s *Server) proofOf(p *delivery.Proof) proofAnswer {
	return proofAnswer{p.ProofID, p.Kind, s.Proofs.URL(p.Name), p.At, p.OperatorID}
}

// pictures are the media types that a proof may be sent as. What it is, is told by
// its content.
var pictures = []string{"image/png", "image/jpeg", "image/webp"}

func (s *Server) handleProofAdd(c *call) (reply, error) {
	own, err := c.own()
	if err != nil {
		return reply{}, err
	}
	if kind, _, err := mime.ParseMediaType(c.Header.Get("Content-Type")); err != nil || !slices.Contains(pictures, kind) {
		return reply{}, refusal.New(refusal.CodeUnsupportedMediaType, "send the picture as image/png, image/jpeg or image/webp")
	}
	q, err := c.query()
	if err != nil {
		return reply{}, err
	}
	rule := form.OneOf(delivery.ProofKinds...)
	upload := proof.Upload{OrderID: c.pathID("order_id"), Kind: delivery.ProofKind(q.oneOf("kind", rule)), Data: c.body, CourierID: own}
	if upload.Kind == "" && len(q.problems) == 0 {
		q.problems.Add("kind", nil, rule.Expected)
	}
	if err := q.problems.Err(); err != nil {
		return reply{}, err
	}
	added, again, err := s.Proofs.Add(c.Context(), upload)
	if err != nil {
		return reply{}, err
	}
	if again {
		c.header.Set("Idempotent-Replayed", "true")
	}
	return answer(http.StatusCreated, s.proofOf(added))
}
