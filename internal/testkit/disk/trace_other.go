//go:build !linux || !amd64

package disk

import (
	"errors"
	"os/exec"
)

// Start returns errors.ErrUnsupported: calls can be recorded on Linux for amd64 only.
func Start(*exec.Cmd, string) (*Program, error) { return nil, errors.ErrUnsupported }
