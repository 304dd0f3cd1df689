package operator

// Needs is what a route or a page needs of an operator.
type Needs struct {
	Roles []Role // the roles that may use it
	// OwnSignIn is set if it is about operators' own sign-in: it opens before they have set
	// up the second factor that their role must have.
	OwnSignIn bool
}
