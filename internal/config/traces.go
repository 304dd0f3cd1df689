package config

import (
	"fmt"
	"net/url"

	"github.com/dropyard/dropyard/internal/foundation/tracing"
)

// checkTraces does not repeat the URL, which may hold a password.
func (c *Config) checkTraces() error {
	if c.TracesEndpoint != "" {
		if _, err := tracing.ParseEndpoint(c.TracesEndpoint); err != nil {
			return fmt.Errorf("--traces-endpoint: %w", err)
		}
	}
	if !(c.TracesRatio >= 0 && c.TracesRatio <= 1) { // NaN is neither
		return fmt.Errorf("--traces-ratio: %v is not between 0 and 1", c.TracesRatio)
	}
	return nil
}

// tracesName returns the collector without the password, and the ratio.
func (c *Config) tracesName() string {
	if c.TracesEndpoint == "" {
		return "none"
	}
	endpoint, err := url.Parse(c.TracesEndpoint)
	if err != nil {
		return "(not readable)"
	}
	return fmt.Sprintf("%s (ratio %v)", endpoint.Redacted(), c.TracesRatio)
}
