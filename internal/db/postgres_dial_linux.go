package db

import (
	"syscall"

	"golang.org/x/sys/unix"
)

// giveUpUnacknowledged is a net.Dialer.Control: the system closes a TCP connection whose
// data is not acknowledged for deadAfter. Without it that takes a quarter of an hour.
func giveUpUnacknowledged(network, _ string, c syscall.RawConn) error {
	if network != "tcp4" && network != "tcp6" {
		return nil
	}
	var failed error
	err := c.Control(func(fd uintptr) {
		failed = unix.SetsockoptInt(int(fd), unix.IPPROTO_TCP, unix.TCP_USER_TIMEOUT, int(deadAfter.Milliseconds()))
	})
	if err != nil {
		return err
	}
	return failed
}
