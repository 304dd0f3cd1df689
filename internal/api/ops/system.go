package ops

import (
	"net/http"

	"github.com/dropyard/dropyard/internal/httpd"
)

func (s *Server) handleSystem(c *httpd.Call) (httpd.Reply, error) {
	system, err := s.config.System(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.OK(system)
}

func (s *Server) handleClockAccept(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.AcceptClock(c.Context()); err != nil {
		return httpd.Reply{}, err
	}
	return s.handleSystem(c)
}

func (s *Server) handleResume(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.Resume(c.Context()); err != nil {
		return httpd.Reply{}, err
	}
	return s.handleSystem(c)
}

// handleBackup begins a backup, and responds with the installation before its end.
func (s *Server) handleBackup(c *httpd.Call) (httpd.Reply, error) {
	if err := s.config.BeginBackup(c.Context()); err != nil {
		return httpd.Reply{}, err
	}
	system, err := s.config.System(c.Context())
	if err != nil {
		return httpd.Reply{}, err
	}
	return httpd.Answer(http.StatusAccepted, system)
}
