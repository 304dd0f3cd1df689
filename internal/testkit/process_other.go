//go:build !linux

package testkit

import "os/exec"

// endWithParent does nothing: only Linux can do it.
func endWithParent(*exec.Cmd) {}
