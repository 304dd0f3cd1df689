package ops

import (
	"errors"
	"log/slog"
	"net/http"
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/form"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/refusal"
	"github.com/dropyard/dropyard/internal/httpd"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/signin"
	"github.com/dropyard/dropyard/internal/web"
)

// openIDPath is where browsers send the ticket of a sign-in to.
const openIDPath = "/ops/v1/oidc"

var errNoOpenID = refusal.New(refusal.CodeNotFound, "this service has no OpenID provider: log in with a password")

// localPathRule accepts a path of this service, which no browser takes for another site.
var localPathRule = form.TextRule{
	Rule:   form.Define("local_path", "a path of a page of this service, such as /console"),
	Allows: isLocalPage,
}

var localPath = regexp.MustCompile(`^/([A-Za-z0-9_~.-][A-Za-z0-9_~./?=&%-]{0,500})?$`)

// isLocalPage accepts no path of the API, where a GET can end a session, however it is
// written: browsers and this service resolve escapes and dots.
func isLocalPage(text string) bool {
	address, err := url.Parse(text)
	if err != nil || !localPath.MatchString(text) {
		return false
	}
	if clean := path.Clean(address.Path); address.Path != clean && address.Path != clean+"/" {
		return false
	}
	first, _, _ := strings.Cut(address.Path[1:], "/")
	return first != "v1" && first != "ops"
}

// openIDEntrance is the sign-in page that says why a sign-in through the provider was
// refused.
const openIDEntrance = "/console/login?openid="

// forBrowsers leads a browser whose sign-in through the provider is refused back to the
// sign-in page. Other clients get the refusal.
func (s *Server) forBrowsers(handle httpd.Handler) httpd.Handler {
	return func(c *httpd.Call) (httpd.Reply, error) {
		answer, err := handle(c)
		var refused *refusal.Error
		if !errors.As(err, &refused) {
			return answer, err
		}
		reason := openIDReason(refused)
		level := slog.LevelWarn
		if refused.Code == refusal.CodeUnavailable { // the provider or the settings have to be mended
			level = slog.LevelError
		}
		s.config.Log.Log(c.Context(), level, "a sign-in through the OpenID provider was refused",
			"request_id", c.RequestID, "reason", reason, "error", err)
		if !web.WantsPage(c.Request) {
			return answer, err
		}
		c.KeepTicket(openIDPath, "", 0)
		return redirect(c, openIDEntrance+reason)
	}
}

// openIDReason returns the name of the cause of a refusal; its code if there is no closer one.
func openIDReason(refused *refusal.Error) string {
	if reason := operator.VouchedReason(refused); reason != "" {
		return reason
	}
	if details, is := refused.Details.(openid.Details); is {
		return details.Reason
	}
	return string(refused.Code)
}

func (s *Server) handleOpenIDLogin(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	returnTo := q.OneOf("return_to", localPathRule)
	if err := q.Err(); err != nil {
		return httpd.Reply{}, err
	}
	if s.config.OpenID == nil {
		return httpd.Reply{}, errNoOpenID
	}
	begun, err := s.config.OpenID.Begin(c.Context(), returnTo)
	if err != nil {
		return httpd.Reply{}, err
	}
	c.KeepTicket(openIDPath, begun.Ticket, begun.Life)
	return redirect(c, begun.URL)
}

// redirect returns a 302 to a URL.
func redirect(c *httpd.Call, url string) (httpd.Reply, error) {
	c.ReplyHeader.Set("Location", url)
	return httpd.Answer(http.StatusFound, struct {
		URL string `json:"url"`
	}{url})
}

// loggedValues is how many values of the role claim a refusal logs.
const loggedValues = 20

// first returns up to n of the values.
func first(values []string, n int) []string { return values[:min(n, len(values))] }

func (s *Server) handleOpenIDCallback(c *httpd.Call) (httpd.Reply, error) {
	if err := c.LimitStranger(); err != nil {
		return httpd.Reply{}, err
	}
	q, err := c.Query()
	if err != nil {
		return httpd.Reply{}, err
	}
	if s.config.OpenID == nil {
		return httpd.Reply{}, errNoOpenID
	}
	c.ActAs("") // unknown until the provider has said
	person, returnTo, err := s.config.OpenID.Finish(c.Context(), c.Ticket(), q.Values)
	if err != nil {
		return httpd.Reply{}, err
	}
	from, err := c.Origin()
	if err != nil {
		return httpd.Reply{}, err
	}
	found, token, err := s.config.Operators.LoginVouched(c.Context(), signin.Vouched{
		Issuer: person.Issuer, Subject: person.Subject, Email: person.Email, EmailVerified: person.EmailVerified,
		Claim: s.config.OpenID.RoleClaim(), Roles: person.Roles,
	}, from)
	if err != nil {
		s.config.Log.WarnContext(c.Context(), "a person for whom the OpenID provider vouches may not sign in",
			"request_id", c.RequestID, "subject", person.Subject, "claim", s.config.OpenID.RoleClaim(), "values",
			first(person.Values, loggedValues))
		return httpd.Reply{}, err
	}
	if err := c.SignedIn(web.Operators, token, from); err != nil {
		return httpd.Reply{}, err
	}
	c.KeepTicket(openIDPath, "", 0)
	if returnTo != "" {
		return redirect(c, returnTo)
	}
	return httpd.OK(operatorOf(operator.Of(found)))
}
