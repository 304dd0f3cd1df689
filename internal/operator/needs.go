package operator

import "github.com/dropyard/dropyard/internal/signin"

// Needs is what a route or a page needs of an operator.
type Needs struct {
	Roles []Role // the roles that may use it
	// OwnSignIn is set if it is about operators' own sign-in: it opens before they have set
	// up the second factor that their role must have.
	OwnSignIn bool
}

// Caller returns the operator as package signin takes people, who calls from an address.
func (s *Session) Caller(address string) signin.Caller {
	return signin.Caller{PersonID: s.Operator.OperatorID, Role: string(s.Operator.Role), Session: s.TokenHash, Address: address}
}
