package proof

// Occupy takes a slot of cleaning, as a picture that takes long does.
func (s *Service) Occupy() (release func()) {
	s.slots <- struct{}{}
	return func() { <-s.slots }
}
