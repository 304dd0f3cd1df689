package app

import (
	"context"
	"errors"
	"fmt"
	"net"
	"syscall"
)

// listen listens on the address that a flag has. An error names the flag.
func listen(ctx context.Context, flag, address string) (net.Listener, error) {
	var network net.ListenConfig
	listener, err := network.Listen(ctx, "tcp", address)
	switch {
	case errors.Is(err, syscall.EADDRINUSE):
		return nil,
			fmt.Errorf("%s: another program listens on %s: stop it, or choose another address by this flag", flag, address)
	case errors.Is(err, syscall.EACCES):
		return nil, fmt.Errorf("%s: this user may not listen on %s: choose a port from 1024, or give the program the right to "+
			"lower ones (on Linux: setcap cap_net_bind_service=+ep dropyard)", flag, address)
	case err != nil:
		return nil, fmt.Errorf("%s: %w", flag, err)
	}
	return listener, nil
}
