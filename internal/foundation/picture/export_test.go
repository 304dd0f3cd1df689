package picture

import "context"

// Occupy takes a permit for a payer, as cleaning a picture that yields or does not yield
// does, until release is called.
func (c *Cleaner) Occupy(payer string, yields bool) (release func()) {
	rank := rankFirst
	if yields {
		rank = rankYielding
	}
	c.permits.TakeIn(context.Background(), rank, payer)
	return func() { c.permits.FreeIn(rank, payer) }
}
