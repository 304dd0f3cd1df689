package app

import (
	"context"
	"errors"

	"github.com/dropyard/dropyard/internal/foundation/inbound"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
)

// Shares of the descriptors that the process may have, which leave as many to the database,
// pictures and webhooks.
const (
	connectionShare = 2 // a half for all connections
	networkShare    = 8 // an eighth for those of one network
)

var errManyConnections = errors.New("as many are open as half of the files that the process may open")

// openConnections prepares to bound the connections of clients.
func (a *App) openConnections() {
	proxies, _ := a.config.Proxies() // Check has parsed them before
	perNetwork, most := connectionBounds(a.config.ConnectionLimit, mostFiles())
	full := &incident{log: a.Log, what: "connections are refused"}
	failing := &incident{log: a.Log, what: "connections cannot be accepted"}
	a.connections = inbound.New(inbound.Config{
		PerNetwork: perNetwork, Most: most, Proxies: proxies,
		Refused: func(address string) {
			a.security.Report(context.Background(), securitylog.ConnectionsRefused, "address", address)
		},
		Full:   func(isFull bool) { full.report(errManyConnections, isFull) },
		Failed: func(err error) { failing.report(err, err != nil) },
	})
}

// connectionBounds returns how many connections there may be of one network, and in all, for
// a limit in the settings and how many files the process may open; 0 if there is no bound.
func connectionBounds(limit int, files uint64) (perNetwork, most int) {
	if files == 0 {
		return limit, 0
	}
	const plenty = 1 << 30
	most = int(min(files/connectionShare, plenty))
	if limit > 0 {
		perNetwork = min(limit, max(1, int(min(files/networkShare, plenty))))
	}
	return perNetwork, most
}
