package config

import (
	"fmt"
	"net/url"
	"os"
	"strings"
)

// Streets returns where maps have street tiles from: a file, or a server. Both are empty without any.
func (c *Config) Streets() (file, server string) {
	if strings.Contains(c.Map, "://") {
		return "", c.Map
	}
	return c.Map, ""
}

func (c *Config) checkStreets() error {
	file, server := c.Streets()
	if server != "" {
		at, err := url.Parse(server)
		if err != nil || at.Scheme != "http" && at.Scheme != "https" || at.Hostname() == "" || at.User != nil ||
			!strings.Contains(server, "{z}") || !strings.Contains(server, "{x}") || !strings.Contains(server, "{y}") ||
			strings.ContainsAny(at.Host, "{};, '") {
			return fmt.Errorf("--map: %q is neither a file nor an http or https address with {z}, {x} and {y} (example: https://tiles.example.com/{z}/{x}/{y}.png)", server)
		}
		return nil
	}
	if file == "" {
		return nil
	}
	info, err := os.Stat(file)
	if err != nil {
		return fmt.Errorf("--map: %w", err)
	}
	if !info.Mode().IsRegular() {
		return fmt.Errorf("--map: %q is not a file", file)
	}
	return nil
}
