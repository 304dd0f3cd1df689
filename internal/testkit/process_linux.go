package testkit

import (
	"os/exec"
	"syscall"
)

// endWithParent makes a command end when the tests do, even if they are killed.
func endWithParent(command *exec.Cmd) {
	if command.SysProcAttr == nil {
		command.SysProcAttr = &syscall.SysProcAttr{}
	}
	command.SysProcAttr.Pdeathsig = syscall.SIGINT
}
