package webhook

import "context"

// message is what a lane receives. A message without contents is its trigger.
type message interface{ on() trigger }

type (
	answered struct{ request *request }
	fetched  struct {
		fetch
		endpoint *Endpoint
		due      []*Event
	}
	settled struct {
		endpoint *Endpoint // as it was written
		requests []*request
	}
	refused struct{ requests []*request }
)

func (t trigger) on() trigger { return t }
func (answered) on() trigger  { return onAnswered }
func (fetched) on() trigger   { return onFetched }
func (settled) on() trigger   { return onSettled }
func (refused) on() trigger   { return onRefused }

// full reports whether there may be more behind what was fetched.
func (m fetched) full() bool { return len(m.due) == m.limit }

// command is what a lane wants done. Its runner starts it and does not wait; the
// lane learns the outcome from a message.
type command interface {
	do(ctx context.Context, r *runner)
}

type (
	// start posts a request. The reply is answered.
	start struct{ request *request }
	// report has the outcome of a request written. The reply is settled or refused.
	report struct{ request *request }
	// fetch reads the endpoint and the first due events, up to limit, behind the
	// event after, which may be nil. The reply is fetched or onFetchFailed.
	fetch struct {
		after *Event
		limit int
	}
	// renew has the lease extended. The reply is settled, or none if it could not be.
	renew struct{}
	// park has the endpoint freed. The reply is onParked, onKept or refused. If the
	// lane yields the endpoint is freed even though something is due.
	park struct{ yields bool }
)
