//go:build unix

package testkit

import (
	"os/exec"
	"syscall"
)

// RunAs makes a command run as another user, which only root may do.
func RunAs(command *exec.Cmd, uid, gid uint32) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Credential = &syscall.Credential{Uid: uid, Gid: gid}
}
