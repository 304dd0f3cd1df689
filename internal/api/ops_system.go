package api

func (s *Server) handleSystem(c *call) (reply, error) {
	system, err := s.config.System(c.Context())
	if err != nil {
		return reply{}, err
	}
	return ok(system)
}

func (s *Server) handleClockAccept(c *call) (reply, error) {
	if err := s.config.AcceptClock(c.Context()); err != nil {
		return reply{}, err
	}
	return s.handleSystem(c)
}

func (s *Server) handleResume(c *call) (reply, error) {
	if err := s.config.Resume(c.Context()); err != nil {
		return reply{}, err
	}
	return s.handleSystem(c)
}
