package mailer

import (
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/mail"
	gomail "github.com/wneessen/go-mail"
)

// Security is how a connection to the mail server is protected.
type Security string

// The protections.
const (
	TLS      Security = "tls"      // from the first byte
	StartTLS Security = "starttls" // the server must offer it
	NoTLS    Security = "none"
)

// SMTP describes a mail server. It is a Server.
type SMTP struct {
	Host     string
	Port     int
	Security Security
	Username string // empty to sign in without
	Password string
	From     string      // the address that mails come from, which may have a name before it
	TLS      *tls.Config // nil for the default
}

// stepTimeout bounds each step of a conversation: to connect, to greet, to sign in, and
// to send. Together they take less than firstPause.
const stepTimeout = 8 * time.Second

// Deliver implements Server. Each mail has a connection of its own.
func (s *SMTP) Deliver(ctx context.Context, envelope *Envelope) error {
	message, err := s.message(envelope)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrRefused, err)
	}
	client, err := gomail.NewClient(s.Host, s.options()...)
	if err != nil {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	err = client.DialAndSendWithContext(ctx, message)
	if message.IsDelivered() { // whatever came after
		return nil
	}
	var refused *gomail.SendError
	if !errors.As(err, &refused) {
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return problem(refused)
}

// problem returns what happened to a mail, without its address.
func problem(refused *gomail.SendError) error {
	err := fmt.Errorf("%v, code %d", refused.Reason, refused.ErrorCode())
	switch ofThisMail := refused.Reason == gomail.ErrSMTPRcptTo || refused.Reason == gomail.ErrSMTPDataClose; {
	case ofThisMail && refused.ErrorCode() >= 500:
		return fmt.Errorf("%w: %w", ErrRefused, err)
	case refused.Reason == gomail.ErrSMTPMailFrom || refused.Reason == gomail.ErrConnCheck:
		return fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	return err
}

func (s *SMTP) options() []gomail.Option {
	options := []gomail.Option{gomail.WithPort(s.Port), gomail.WithTimeout(stepTimeout)}
	if s.TLS != nil {
		options = append(options, gomail.WithTLSConfig(s.TLS))
	}
	switch s.Security {
	case TLS:
		options = append(options, gomail.WithSSL())
	case StartTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if s.Username == "" {
		return options
	}
	how := gomail.SMTPAuthAutoDiscover
	if s.Security == NoTLS { // which would otherwise rule out a plain password
		how = gomail.SMTPAuthPlainNoEnc
	}
	return append(options, gomail.WithSMTPAuth(how), gomail.WithUsername(s.Username), gomail.WithPassword(s.Password))
}

// message returns a mail in the form that is sent.
func (s *SMTP) message(e *Envelope) (*gomail.Msg, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.From(s.From); err != nil {
		return nil, err
	}
	if m.To(e.To) != nil { // whose error repeats the address
		return nil, errors.New("the recipient's address cannot be read")
	}
	sender, err := m.GetSender(false)
	if err != nil {
		return nil, err
	}
	_, domain, _ := strings.Cut(sender, "@")
	m.SetMessageIDWithValue(e.MailID + "@" + domain)
	m.SetDateWithValue(e.Date)
	m.Subject(e.Subject)
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic replies
	m.SetGenHeader(gomail.HeaderContentLang, string(e.Language))
	if e.StopURL != "" {
		m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+e.StopURL+">")
		m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(gomail.TypeTextPlain, e.Text)
	m.AddAlternativeString(gomail.TypeTextHTML, e.HTML)
	return m, nil
}

var _ mail.Post = (*Service)(nil)
