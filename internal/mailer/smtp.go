package mailer

import (
	"context"
	"crypto/tls"
	"encoding/base64"
	"errors"
	"fmt"
	"net/netip"
	"net/textproto"
	"regexp"
	"strings"
	"time"
	"unicode"

	"github.com/dropyard/dropyard/internal/mail"
	gomail "github.com/wneessen/go-mail"
	"github.com/wneessen/go-mail/smtp"
)

// Security is how a connection to the mail server is protected.
type Security string

// The protections.
const (
	TLS      Security = "tls"      // from the first byte
	StartTLS Security = "starttls" // the server must offer it
	// LocalTLS is for a server on this machine: STARTTLS where it is offered, whatever the
	// certificate, since the mail would be sent without TLS as well.
	LocalTLS Security = "local"
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
	Hello    string      // the name that the service greets with (see HelloName); empty for the machine's
	TLS      *tls.Config // nil for the default
}

// HelloName returns what to greet a mail server with, given the host of the service's
// public address: a name as it is, and an IP address in brackets (RFC 5321, 4.1.3).
func HelloName(host string) string {
	address, err := netip.ParseAddr(host)
	switch {
	case err != nil:
		return host
	case address.Is4():
		return "[" + host + "]"
	default:
		return "[IPv6:" + address.WithZone("").String() + "]"
	}
}

// stepTimeout bounds each step of a conversation: to connect, to greet, to sign in, and
// to send. Together they take less than firstPause.
const stepTimeout = 8 * time.Second

// Deliver implements Server. Each mail has a connection of its own.
func (s *SMTP) Deliver(ctx context.Context, envelope *Envelope) error {
	_, err := s.Try(ctx, envelope)
	return err
}

// Try is Deliver, and returns in what words the server accepted the mail.
func (s *SMTP) Try(ctx context.Context, envelope *Envelope) (accepted string, err error) {
	written, err := s.write(envelope)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrRefused, err)
	}
	dialer, err := gomail.NewClient(s.Host, s.options()...)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	client, err := dialer.DialToSMTPClientWithContext(ctx)
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreachable, s.discreet(err))
	}
	defer func() { _ = client.Close() }()
	if err := client.UpdateDeadline(stepTimeout); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreachable, err)
	}
	if accepted, err = handOver(client, written); err != nil {
		return "", err
	}
	_ = client.Quit() // the mail is accepted, whatever comes after
	return accepted, nil
}

// handOver returns the server's words once it has accepted a mail.
func handOver(client *smtp.Client, w *written) (accepted string, err error) {
	if err := client.Mail(w.from); err != nil {
		return "", fmt.Errorf("%w: %w", ErrUnreachable, answered("the sender", err))
	}
	if err := client.Rcpt(w.to); err != nil {
		return "", refused("the recipient", err)
	}
	data, err := client.Data()
	if err != nil {
		return "", refused("the mail", err)
	}
	if _, err := data.Write(w.content); err != nil {
		return "", fmt.Errorf("send the mail: %w", err)
	}
	if err := data.Close(); err != nil {
		return "", refused("the mail", err)
	}
	if sent, ok := data.(*smtp.DataCloser); ok {
		accepted = "250 " + shown(sent.ServerResponse()) // the code that the library waits for
	}
	return accepted, nil
}

// refused returns the error for what the server has answered. It is ErrRefused only if
// the recipient's mailbox is the cause: servers also refuse the sender, the greeting or
// the relaying with the recipient, and such refusals end when a setting is corrected.
func refused(of string, err error) error {
	var answer *textproto.Error
	if errors.As(err, &answer) && final(answer) {
		return fmt.Errorf("%w: %w", ErrRefused, answered(of, err))
	}
	return answered(of, err)
}

// enhanced finds the enhanced status code (RFC 3463) at the start of an answer's text.
var enhanced = regexp.MustCompile(`^([245])\.(\d{1,3})\.(\d{1,3})\b`)

// final reports whether an answer means that the recipient's address will never accept
// the mail.
func final(answer *textproto.Error) bool {
	if answer.Code < 500 {
		return false
	}
	code := enhanced.FindStringSubmatch(answer.Msg)
	if code == nil {
		return answer.Code == 550 || answer.Code == 551 || answer.Code == 553
	}
	class, subject, detail := code[1], code[2], code[3]
	ofSender := subject == "1" && (detail == "7" || detail == "8")
	return class == "5" && (subject == "1" || subject == "2") && !ofSender
}

// maxAnswer is how many characters of a server's answer are kept.
const maxAnswer = 300

// anyAddress finds what may be an e-mail address.
var anyAddress = regexp.MustCompile(`[^\s<>"(),;:]+@[^\s<>"(),;:]+`)

// answered returns an error with what the server has answered, without addresses.
func answered(of string, err error) error {
	var answer *textproto.Error
	if !errors.As(err, &answer) {
		return fmt.Errorf("send %s: %w", of, err)
	}
	return fmt.Errorf("the server refused %s: %d %s", of, answer.Code, shown(answer.Msg))
}

// shown returns what a server has said in a form that logs and terminals can have.
func shown(said string) string {
	words := []rune(anyAddress.ReplaceAllString(strings.Map(printable, said), "[address]"))
	return string(words[:min(len(words), maxAnswer)])
}

// discreet returns the error of a failed sign-in without the server's words if they repeat what it was sent: some
// servers answer a wrong password with the whole command.
func (s *SMTP) discreet(err error) error {
	if !s.repeatsPassword(err.Error()) {
		return err
	}
	var answer *textproto.Error
	if errors.As(err, &answer) {
		return fmt.Errorf("the server refused the sign-in: %d %s", answer.Code, enhanced.FindString(answer.Msg))
	}
	return errors.New("the server's answer to the sign-in is malformed, and repeats the password")
}

// repeatedPart is how many characters of a password, in whatever form, a server must not repeat.
const repeatedPart = 6

// repeatsPassword reports whether a text has a part of the password as it is, or as it is sent with AUTH LOGIN and
// AUTH PLAIN.
func (s *SMTP) repeatsPassword(text string) bool {
	if s.Password == "" {
		return false
	}
	text = strings.ToLower(text)
	for _, form := range []string{
		s.Password, base64.StdEncoding.EncodeToString([]byte(s.Password)),
		base64.StdEncoding.EncodeToString([]byte("\x00" + s.Username + "\x00" + s.Password)),
	} {
		form = strings.ToLower(form)
		part := min(repeatedPart, len(form))
		for start := range len(form) - part + 1 {
			if strings.Contains(text, form[start:start+part]) {
				return true
			}
		}
	}
	return false
}

// printable replaces characters that cannot be seen by spaces.
func printable(r rune) rune {
	if !unicode.IsPrint(r) {
		return ' '
	}
	return r
}

func (s *SMTP) options() []gomail.Option {
	options := []gomail.Option{gomail.WithPort(s.Port), gomail.WithTimeout(stepTimeout), gomail.WithoutSMTPUTF8()}
	if s.Hello != "" {
		options = append(options, gomail.WithHELO(s.Hello))
	}
	if s.TLS != nil {
		options = append(options, gomail.WithTLSConfig(s.TLS))
	}
	switch s.Security {
	case TLS:
		options = append(options, gomail.WithSSL())
	case StartTLS:
		options = append(options, gomail.WithTLSPolicy(gomail.TLSMandatory))
	case LocalTLS:
		unverified := &tls.Config{InsecureSkipVerify: true} // see LocalTLS
		options = append(options, gomail.WithTLSPolicy(gomail.TLSOpportunistic), gomail.WithTLSConfig(unverified))
	default:
		options = append(options, gomail.WithTLSPolicy(gomail.NoTLS))
	}
	if s.Username == "" {
		return options
	}
	return append(options, s.signIn(), gomail.WithUsername(s.Username), gomail.WithPassword(s.Password))
}

// signIn returns how to sign in: as the server offers it. A plain password, which is
// otherwise sent through TLS only, is allowed where the settings do without.
func (s *SMTP) signIn() gomail.Option {
	if s.Security == NoTLS || s.Security == LocalTLS {
		return gomail.WithOpportunisticSMTPAuth(gomail.SMTPAuthPlainNoEnc, gomail.SMTPAuthLoginNoEnc)
	}
	return gomail.WithSMTPAuth(gomail.SMTPAuthAutoDiscover)
}

var _ mail.Post = (*Service)(nil)
