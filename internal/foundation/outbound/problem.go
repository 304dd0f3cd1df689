package outbound

import (
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"io"
	"net"
	"time"
)

// The classes of failure that a partner is told. They are few, and carry
// nothing of Go's own texts: those have addresses in them, and tell a partner
// who points an endpoint into a network what is there.
const (
	problemRefused = "the endpoint's address is not allowed"
	problemResolve = "could not resolve the host"
	problemConnect = "could not connect"
	problemClosed  = "connection closed before an answer"
	problemInvalid = "invalid answer"
)

// errRefused is every refusal's error, whatever the reason.
var errRefused = errors.New(problemRefused)

// dialError marks what went wrong before there was a connection.
type dialError struct{ error }

func (e dialError) Unwrap() error { return e.error }

// tlsError marks what went wrong in the TLS handshake.
type tlsError struct{ error }

func (e tlsError) Unwrap() error { return e.error }

// problem is the class of an exchange's error; late tells that the time was
// over, heard that something of an answer had come.
func (c *Client) problem(err error, late, heard bool) string {
	var (
		resolving *net.DNSError
		dialling  dialError
		shaking   tlsError
		talking   *net.OpError
	)
	switch {
	case errors.Is(err, errRefused):
		return problemRefused
	case errors.As(err, &resolving):
		return problemResolve
	case errors.As(err, &dialling):
		return problemConnect
	case errors.As(err, &shaking):
		return "TLS: " + c.tlsProblem(shaking)
	case late:
		return "no answer within " + seconds(c.whole)
	case !heard, errors.Is(err, io.EOF), errors.Is(err, io.ErrUnexpectedEOF), errors.As(err, &talking):
		return problemClosed
	default:
		return problemInvalid
	}
}

// tlsProblem is the class of a failed handshake.
func (c *Client) tlsProblem(err error) string {
	var (
		authority x509.UnknownAuthorityError
		host      x509.HostnameError
		invalid   x509.CertificateInvalidError
		record    tls.RecordHeaderError
	)
	switch {
	case errors.As(err, &authority):
		return "certificate of an unknown authority"
	case errors.As(err, &host):
		return "certificate of another host"
	case errors.As(err, &invalid) && invalid.Reason == x509.Expired: // or is not valid yet
		return "certificate expired"
	case errors.As(err, &invalid):
		return "certificate invalid"
	case errors.As(err, &record):
		return "the endpoint does not speak it"
	case errors.Is(err, context.DeadlineExceeded):
		return "no handshake within " + seconds(c.handshake)
	default:
		return "handshake failed"
	}
}

func seconds(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }
