package delivery

import "time"

// ProofKind says what the picture of a proof of delivery shows.
type ProofKind string

// The kinds of proofs.
const (
	ProofSignature ProofKind = "signature" // the recipient's
	ProofPhoto     ProofKind = "photo"     // of the parcel, the door, the place
)

// ProofKinds lists them.
var ProofKinds = []ProofKind{ProofSignature, ProofPhoto}

// Proof is a proof of delivery, as its order knows it. The picture is kept
// elsewhere, under its name.
type Proof struct {
	ProofID    string // a UUID that sorts by time
	PartnerID  string
	OrderID    string
	Kind       ProofKind
	Name       string   // that the picture is kept under; whoever knows it may see it
	Digest     [32]byte // SHA-256 of the file as it was sent, which tells a repetition
	At         time.Time
	OperatorID string // who added it
}

// Better tells whether this proof tells more of a delivery than another: a
// signature more than a photo, and of the same kind the newer one.
func (p *Proof) Better(other *Proof) bool {
	if p.Kind != other.Kind {
		return p.Kind == ProofSignature
	}
	return p.ProofID > other.ProofID
}
