package picture

// Occupy takes a slot, as cleaning a picture does, until release is called.
func (c *Cleaner) Occupy() (release func()) {
	c.slots <- struct{}{}
	return func() { <-c.slots }
}
