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

// The failures that a partner can see. They contain nothing of Go's own errors:
// those have addresses in them, and would show a partner what is in a network that
// its endpoint points to.
const (
	problemRefused = "the endpoint's address is not allowed"
	problemResolve = "could not resolve the host"
	problemConnect = "could not connect"
	problemClosed  = "connection closed before an answer"
	problemInvalid = "invalid answer"
)

// errRefused means that the policy forbids a URL or an address, for any reason.
var errRefused = errors.New(problemRefused)

// dialError wraps an error from before there was a connection.
type dialError struct{ error }

func (e dialError) Unwrap() error { return e.error }

// tlsError wraps an error of the TLS handshake.
type tlsError struct{ error }

func (e tlsError) Unwrap() error { return e.error }

// problem returns the failure that stands for an error of send. late reports
// whether the time was over, heard whether any byte of an answer had come.
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

// tlsProblem returns the failure that stands for an error of the handshake.
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

// seconds formats a duration for partners.
func seconds(d time.Duration) string { return fmt.Sprintf("%g s", d.Seconds()) }
