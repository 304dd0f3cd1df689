package credential

// GateObserver is called with each attempt and its outcome, for metrics and the log. It
// must be safe for concurrent use, and must not write the password or the account's name.
type GateObserver interface{ LoggedIn(LoginOutcome, Attempt) }

// LoginOutcome says how an attempt to log in ended.
type LoginOutcome string

// The outcomes of attempts.
const (
	LoginSucceeded LoginOutcome = "succeeded"
	LoginFailed    LoginOutcome = "failed"    // the password is wrong, or there is no such account
	LoginThrottled LoginOutcome = "throttled" // refused without looking at the password, after too many attempts
	LoginBusy      LoginOutcome = "busy"      // refused because too many others were waiting
)

// LoginOutcomes lists them.
var LoginOutcomes = []LoginOutcome{LoginSucceeded, LoginFailed, LoginThrottled, LoginBusy}

// unobserved is the GateObserver of a gate that has been given none.
type unobserved struct{}

func (unobserved) LoggedIn(LoginOutcome, Attempt) {}
