package proof

// Occupy takes a slot, as cleaning a picture does, until release is called.
func (s *Service) Occupy() (release func()) {
	s.slots <- struct{}{}
	return func() { <-s.slots }
}
