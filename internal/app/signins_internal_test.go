package app

import (
	"bytes"
	"log/slog"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
)

// silent is a GateObserver that does nothing.
type silent struct{}

func (silent) LoggedIn(credential.LoginOutcome, credential.Attempt) {}

// TestLoginsAsSecurityEvents expects the event of each outcome, without the account's
// name or the password.
func TestLoginsAsSecurityEvents(t *testing.T) {
	t.Parallel()
	attempt := credential.Attempt{
		Account: "typed", Password: "typed", Hash: "typed", PersonID: "usr_1", Address: "192.0.2.1",
	}
	wrongCode := attempt
	wrongCode.WrongCode = true
	for _, c := range []struct {
		outcome credential.LoginOutcome
		attempt credential.Attempt
		want    securitylog.Event
	}{
		{credential.LoginSucceeded, attempt, ""},
		{credential.LoginBusy, attempt, ""},
		{credential.LoginFailed, attempt, securitylog.SignInFailed},
		{credential.LoginFailed, wrongCode, securitylog.CodeRefused},
		{credential.LoginThrottled, attempt, securitylog.SignInThrottled},
	} {
		var log bytes.Buffer
		watch := loginWatch{silent{}, securitylog.New(slog.New(slog.NewTextHandler(&log, nil)), time.Now, nil), "partner"}
		watch.LoggedIn(c.outcome, c.attempt)
		want := ""
		if c.want != "" {
			want = "event=" + string(c.want) + " address=192.0.2.1 accounts=partner person_id=usr_1\n"
		}
		if got := log.String(); (got == "") != (want == "") || !strings.HasSuffix(got, want) ||
			strings.Contains(got, "typed") {
			t.Errorf("%s: got %q, want %q", c.outcome, got, want)
		}
	}
}
