package app

import (
	"bytes"
	"context"
	"fmt"
	"image"
	"image/png"
	"net"
	"strconv"
	"time"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/picture"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/foundation/throttle"
	"github.com/dropyard/dropyard/internal/proof"
	"github.com/dropyard/dropyard/internal/web/console"
	"github.com/dropyard/dropyard/internal/web/page"
)

// trialRate is how often admins may try settings on this node: mail servers and OpenID providers block
// callers that come too often.
var trialRate = throttle.Rate{Per: time.Minute, Limit: 10, Burst: 5}

// trialTimeout is how long a trial may take. Browsers wait 30 s for a page.
const trialTimeout = 20 * time.Second

// trials returns the settings that can be tried from the console.
func (a *App) trials() []console.Trial {
	limited := func(run func(context.Context, string, page.Language) console.TrialResult) func(
		context.Context, string, page.Language) (console.TrialResult, error) {
		return func(ctx context.Context, email string, language page.Language) (result console.TrialResult, err error) {
			if verdict := a.trialLimit.Take(""); !verdict.Allowed {
				refused := refusal.New(refusal.CodeRateLimited, "settings are tried too often")
				refused.RetryAfter = verdict.RetryAfter
				return result, refused
			}
			ctx, cancel := context.WithTimeout(ctx, trialTimeout)
			defer cancel()
			return run(ctx, email, language), nil
		}
	}
	storage, _ := a.config.ProofStore() // it was checked at the start
	return []console.Trial{
		{Name: "mail", Flag: "--smtp", Target: mailTarget(a.config), Run: limited(a.tryMail)},
		{Name: "openid", Flag: "--oidc-issuer", Target: a.config.OIDCIssuer, Run: limited(a.tryOpenID),
			Alone: "/ops/v1/oidc/login?return_to=/console/system"},
		{Name: "storage", Flag: "--proofs", Target: storage.String(), Run: limited(a.tryStorage)},
	}
}

// mailTarget returns the host and port of the mail server; empty if there is none.
func mailTarget(settings *config.Config) string {
	server, err := settings.MailServer()
	if err != nil || server == nil {
		return ""
	}
	return net.JoinHostPort(server.Host, strconv.Itoa(server.Port))
}

// tryMail sends a test mail to the operator who asks.
func (a *App) tryMail(ctx context.Context, email string, language page.Language) console.TrialResult {
	accepted, err := TryMail(ctx, a.config, a.Surroundings, email, string(language))
	if err != nil {
		return failedTrial(err)
	}
	return console.TrialResult{Words: []string{accepted}}
}

// tryOpenID asks the OpenID provider whether operators can sign in through it.
func (a *App) tryOpenID(ctx context.Context, _ string, _ page.Language) console.TrialResult {
	found, err := CheckOpenID(ctx, a.config)
	if err != nil {
		return failedTrial(err)
	}
	return console.TrialResult{Failed: len(found.Findings) > 0, Words: append(found.Findings, found.Notes...)}
}

// tryStorage keeps a picture where those of proofs are kept, reads and deletes it.
func (a *App) tryStorage(ctx context.Context, _ string, _ page.Language) console.TrialResult {
	var dot bytes.Buffer
	if err := png.Encode(&dot, image.NewGray(image.Rect(0, 0, 1, 1))); err != nil {
		return failedTrial(err)
	}
	name, err := proof.NewName(a.Random, picture.PNG)
	if err != nil {
		return failedTrial(err)
	}
	if err := a.pictures.Put(ctx, name, picture.Picture{Format: picture.PNG, Data: dot.Bytes()}); err != nil {
		return failedTrial(err)
	}
	found, err := a.pictures.Get(ctx, name)
	if err == nil && !bytes.Equal(found.Data, dot.Bytes()) {
		err = fmt.Errorf("got %d bytes back, want the %d that were written", len(found.Data), dot.Len())
	}
	// It is deleted even if it cannot be read, and even if the admin has left the page.
	deleting, cancel := context.WithTimeout(context.WithoutCancel(ctx), trialTimeout)
	defer cancel()
	if deleted := a.pictures.Delete(deleting, name); err == nil {
		err = deleted
	}
	if err != nil {
		return failedTrial(err)
	}
	return console.TrialResult{Words: []string{fmt.Sprintf("PUT, GET, DELETE %s: %d bytes", name, dot.Len())}}
}

func failedTrial(err error) console.TrialResult {
	return console.TrialResult{Failed: true, Words: []string{err.Error()}}
}
