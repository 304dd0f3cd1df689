package delivery

import "time"

// ProofKind is what the picture of a proof of delivery shows.
type ProofKind string

// The kinds of proofs.
const (
	ProofSignature ProofKind = "signature" // the recipient's
	ProofPhoto     ProofKind = "photo"     // of the parcel, the door, the place
)

// ProofKinds lists all kinds of proofs.
var ProofKinds = []ProofKind{ProofSignature, ProofPhoto}

// Proof describes a proof of delivery. Its picture is stored outside of the
// database, under its name.
type Proof struct {
	ProofID    string // a UUID that sorts by time
	PartnerID  string
	OrderID    string
	Kind       ProofKind
	Name       string   // of the picture; a request that names it may read the picture
	Digest     [32]byte // SHA-256 of the file as sent, by which a repeated upload is recognised
	At         time.Time
	RecordedAt time.Time // when the service recorded it
	OperatorID string    // the operator who added it
}

// Better reports whether this proof is preferred over another: a signature over
// a photo, and the newer of two of one kind.
func (p *Proof) Better(other *Proof) bool {
	if p.Kind != other.Kind {
		return p.Kind == ProofSignature
	}
	return p.ProofID > other.ProofID
}
