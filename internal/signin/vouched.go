package signin

import (
	"errors"
	"slices"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
)

// Vouched is a person for whom an OpenID provider vouches.
type Vouched struct {
	Issuer, Subject string // together they name a person for ever, unlike the address
	Email           string
	EmailVerified   bool
	// Claim is the claim that Roles are the values of; empty if roles are not taken from
	// a claim.
	Claim string
	Roles []string
}

var (
	errNoAddress = refusal.New(refusal.CodeForbidden,
		"the OpenID provider sends no e-mail address of this person, or none that is valid")
	errUnverified = refusal.New(refusal.CodeForbidden,
		"the OpenID provider has not verified this person's e-mail address")
	errNoClaim = refusal.New(refusal.CodeForbidden, "the OpenID provider does not send the role claim")
	errNoRole  = refusal.New(refusal.CodeForbidden, "the role claim of the OpenID provider names none of the roles")
)

// vouchedReasons names the refusals of people of either kind, for the sign-in page and the log.
var vouchedReasons = map[error]string{
	errNoAddress: "address_missing", errUnverified: "address_unverified", errNoClaim: "claim_missing",
	errNoRole: "role_missing",
}

// VouchedReason returns the name of a refusal of Check or RoleOf; empty for any other error.
func VouchedReason(err error) string {
	for refused, reason := range vouchedReasons {
		if errors.Is(err, refused) {
			return reason
		}
	}
	return ""
}

// Check refuses with forbidden a person without a verified e-mail address.
func (v Vouched) Check() error {
	switch {
	case !delivery.EmailRule.Allows(v.Email):
		return errNoAddress
	case !v.EmailVerified:
		return errUnverified
	default:
		return nil
	}
}

// RoleOf returns the role that the claim names: of several, the first of roles. It is
// empty if roles are not taken from a claim. It refuses with forbidden.
func RoleOf[R ~string](v Vouched, roles []R) (R, error) {
	if v.Claim == "" {
		return "", nil
	}
	for _, role := range roles {
		if slices.Contains(v.Roles, string(role)) {
			return role, nil
		}
	}
	if v.Roles == nil {
		return "", errNoClaim
	}
	return "", errNoRole
}
