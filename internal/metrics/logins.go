package metrics

import (
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/prometheus/client_golang/prometheus"
)

// loginMetrics is the credential.GateObserver of one kind of account.
type loginMetrics map[credential.LoginOutcome]prometheus.Counter

// Logins returns the observer of logins to one kind of account: "partner" or
// "operator".
func (m *Metrics) Logins(account string) credential.GateObserver {
	return loginMetrics(children(m.logins, credential.LoginOutcomes, account))
}

// LoggedIn counts an attempt to log in.
func (m loginMetrics) LoggedIn(outcome credential.LoginOutcome, _ credential.Attempt) {
	m[outcome].Inc()
}
