package testkit

import (
	"bytes"
	"crypto/tls"
	"errors"
	"io"
	"mime"
	"mime/multipart"
	"mime/quotedprintable"
	"net"
	"net/mail"
	"strings"
	"sync/atomic"
	"testing"

	"github.com/emersion/go-sasl"
	"github.com/emersion/go-smtp"
)

// MailServer is an SMTP server, which keeps the mails that it accepts.
type MailServer struct {
	Address string
	// Mails receives each mail that the server has got whole.
	Mails chan *Mail
	// Proofs receives those that confirm the address of a new account instead, while it
	// has room.
	Proofs chan *Mail
	// Notices receives those that say what was changed in an account, likewise.
	Notices chan *Mail
	// Away makes the server drop connections as soon as they are made.
	Away atomic.Bool
	// Dropped receives a value for each of these connections, while it has room.
	Dropped chan struct{}
	// LoseAnswer makes it drop one connection when it has got a mail, instead of accepting
	// it. It is false again then.
	LoseAnswer atomic.Bool
	// Refusal is returned for each recipient; nil accepts them.
	Refusal atomic.Pointer[smtp.SMTPError]
	// Login is the user and the password that clients must give, separated by a colon;
	// empty if they need none.
	Login string
}

// Mail is a mail that a MailServer has got.
type Mail struct {
	mail.Header
	From, To   string // of the envelope
	Text, HTML string
	// Hello is the name that the client greeted with.
	Hello string
	// Secure reports whether the mail came through TLS.
	Secure bool
	// Raw is the mail as it came.
	Raw string
}

// StartMailServer starts a server on a free loopback port, until the test ends. With a
// TLS configuration it offers STARTTLS, and refuses mails without it.
func StartMailServer(t testing.TB, login string, secure *tls.Config) *MailServer {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	s := &MailServer{Address: listener.Addr().String(), Mails: make(chan *Mail,
		100), Proofs: make(chan *Mail, 100), Notices: make(chan *Mail, 100), Dropped: make(chan struct{}, 100), Login: login}
	server := smtp.NewServer(smtp.BackendFunc(func(c *smtp.Conn) (smtp.Session, error) {
		return &mailSession{server: s, conn: c, trusted: login == ""}, nil
	}))
	server.Domain, server.TLSConfig, server.AllowInsecureAuth = "mail.example.com", secure, secure == nil
	server.ErrorLog = silent{}
	ended := make(chan struct{})
	go func() {
		defer close(ended)
		_ = server.Serve(droppingListener{listener, s}) // it ends when the test does
	}()
	t.Cleanup(func() {
		_ = server.Close()
		_ = listener.Close() // which the server does not know yet if it has just begun
		<-ended
	})
	return s
}

// silent drops the log of a server.
type silent struct{}

func (silent) Printf(string, ...any) {}
func (silent) Println(...any)        {}

// droppingListener drops connections while its server is away.
type droppingListener struct {
	net.Listener
	server *MailServer
}

// Accept implements net.Listener.
func (l droppingListener) Accept() (net.Conn, error) {
	for {
		conn, err := l.Listener.Accept()
		if err != nil || !l.server.Away.Load() {
			return conn, err
		}
		_ = conn.Close()
		select {
		case l.server.Dropped <- struct{}{}:
		default:
		}
	}
}

// mailSession is a connection to a MailServer.
type mailSession struct {
	server   *MailServer
	conn     *smtp.Conn
	trusted  bool // the client has signed in, or need not
	from, to string
}

// AuthMechanisms implements smtp.AuthSession.
func (s *mailSession) AuthMechanisms() []string { return []string{sasl.Plain} }

// Auth implements smtp.AuthSession.
func (s *mailSession) Auth(string) (sasl.Server, error) {
	return sasl.NewPlainServer(func(_, username, password string) error {
		if s.trusted = username+":"+password == s.server.Login; !s.trusted {
			return smtp.ErrAuthFailed
		}
		return nil
	}), nil
}

// Mail implements smtp.Session.
func (s *mailSession) Mail(from string, _ *smtp.MailOptions) error {
	if !s.trusted {
		return smtp.ErrAuthRequired
	}
	s.from = from
	return nil
}

// Rcpt implements smtp.Session.
func (s *mailSession) Rcpt(to string, _ *smtp.RcptOptions) error {
	if refusal := s.server.Refusal.Load(); refusal != nil {
		return refusal
	}
	s.to = to
	return nil
}

// Data implements smtp.Session.
func (s *mailSession) Data(r io.Reader) error {
	got, err := readMail(r)
	if err != nil {
		return &smtp.SMTPError{Code: 554, Message: err.Error()}
	}
	got.From, got.To, got.Hello = s.from, s.to, s.conn.Hostname()
	_, got.Secure = s.conn.TLSConnectionState()
	if apart := s.server.apart(got); apart != nil {
		select {
		case apart <- got:
		default:
		}
		return nil
	}
	lose := s.server.LoseAnswer.CompareAndSwap(true, false)
	s.server.Mails <- got
	if lose {
		return s.conn.Conn().Close()
	}
	return nil
}

// apart returns the channel of mails that each account causes as it is opened; nil for
// any other mail.
func (s *MailServer) apart(m *Mail) chan *Mail {
	switch m.Subject() {
	case "Confirm your address", "Confirmez votre adresse":
		return s.Proofs
	case "A change to your account", "Une modification de votre compte":
		return s.Notices
	default:
		return nil
	}
}

// Reset implements smtp.Session.
func (s *mailSession) Reset() {}

// Logout implements smtp.Session.
func (s *mailSession) Logout() error { return nil }

// readMail reads a mail that has a text and the same as HTML.
func readMail(r io.Reader) (*Mail, error) {
	raw, err := io.ReadAll(r)
	if err != nil {
		return nil, err
	}
	message, err := mail.ReadMessage(bytes.NewReader(raw))
	if err != nil {
		return nil, err
	}
	kind, parameters, err := mime.ParseMediaType(message.Header.Get("Content-Type"))
	if err != nil || kind != "multipart/alternative" {
		return nil, errors.Join(err, errors.New("want multipart/alternative, got "+kind))
	}
	got := &Mail{Header: message.Header, Raw: string(raw)}
	parts := multipart.NewReader(message.Body, parameters["boundary"])
	for {
		part, err := parts.NextRawPart()
		if errors.Is(err, io.EOF) {
			return got, nil
		}
		if err != nil {
			return nil, err
		}
		body, err := io.ReadAll(quotedprintable.NewReader(part))
		if err != nil {
			return nil, err
		}
		text := strings.ReplaceAll(string(body), "\r\n", "\n")
		if strings.HasPrefix(part.Header.Get("Content-Type"), "text/html") {
			got.HTML = text
		} else {
			got.Text = text
		}
	}
}

// Subject returns the subject, decoded.
func (m *Mail) Subject() string {
	decoded, err := new(mime.WordDecoder).DecodeHeader(m.Get("Subject"))
	if err != nil {
		return "(not readable)"
	}
	return decoded
}
