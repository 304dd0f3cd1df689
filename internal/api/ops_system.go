package api

func (s *Server) handleSystem(c *call) (reply, error) {
	system, err := s.config.System(c.Context())
	if err != nil {
		return reply{}, err
	}
	return ok(system)
}
