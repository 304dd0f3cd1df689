package main

import (
	"context"
	"errors"
	"fmt"
	"net/url"
	"os"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app"
)

// The exit codes, as docs/command-line.md describes them.
const (
	exitFailed   = 1 // anything else
	exitUsage    = 2 // flags, settings or profiles are invalid
	exitRefused  = 3 // the service refused the request
	exitNotFound = 4 // the service has no such object
	exitNoAnswer = 5 // the service did not answer, failed, or is doing the same; the same command may succeed later
)

// usageError marks an error in the flags or settings.
type usageError struct{ error }

// Unwrap returns the error that was marked.
func (e usageError) Unwrap() error { return e.error }

// exitCode returns the exit code for an error, which kong may have wrapped.
func exitCode(err error) int {
	var usage usageError
	var setting app.SettingError
	var refused *client.Error
	var unreachable *url.Error
	switch {
	case errors.As(err, &usage), errors.As(err, &setting), errors.Is(err, app.ErrNoExports):
		return exitUsage
	case errors.As(err, &refused):
		return exitCodeOf(refused)
	case errors.As(err, &unreachable), errors.Is(err, client.ErrAnswer), errors.Is(err, errNoList),
		errors.Is(err, app.ErrExportsBusy):
		return exitNoAnswer
	default:
		return exitFailed
	}
}

func exitCodeOf(refused *client.Error) int {
	switch {
	case refused.Status >= 500:
		return exitNoAnswer
	case refused.Code == client.CodeNotFound:
		return exitNotFound
	default:
		return exitRefused
	}
}

// fail prints the error on one line and exits. Errors of drivers and joined errors
// have several lines, which it joins.
func fail(code int, err error) {
	notice("dropyard: %s", onOneLine(describe(err)))
	os.Exit(code)
}

// longestMessage bounds how much of a message is printed, in characters: a service, or
// what answers in its place, may send megabytes.
const longestMessage = 4000

// onOneLine returns a message without the ends of its lines, cut if it is too long.
func onOneLine(text string) string {
	text = strings.Join(strings.Fields(text), " ")
	if runes := []rune(text); len(runes) > longestMessage {
		text = string(runes[:longestMessage]) + " …"
	}
	return text
}

// following returns to what an order can be moved instead; empty if the refusal does not say.
func following(refused *client.Error) string {
	if refused.Code != client.CodeInvalidTransition { // others have it, too, about other moves
		return ""
	}
	words := make([]string, len(refused.Details.Allowed))
	for i, status := range refused.Details.Allowed {
		words[i] = string(status)
	}
	return ", only " + strings.Join(words, ", ")
}

// describe returns an error for people: what the service says about a refusal, and the
// cause of a request that had no response without its URL, which may be long.
func describe(err error) string {
	text := err.Error()
	if errors.Is(err, context.Canceled) {
		return "stopped"
	}
	var refused *client.Error
	var unreachable *url.Error
	switch {
	case errors.As(err, &refused):
		faults := make([]string, 0, len(refused.Details.Errors))
		for _, fault := range refused.Details.Errors {
			faults = append(faults, strings.TrimPrefix(fault.Field+": expected "+fault.Expected, ": "))
		}
		for _, missing := range refused.Details.Items {
			faults = append(faults,
				fmt.Sprintf("product %d: %d of %d available", missing.ProductID, missing.Available, missing.Requested))
		}
		if len(faults) > 0 && refused.Message != "" {
			text = strings.Replace(text, refused.Message, strings.Join(faults, "; "), 1) // the message has only the first
		}
		if after := following(refused); after != "" {
			text = strings.Replace(text, refused.Message, refused.Message+after, 1)
		}
		if refused.Status/100 == 3 {
			text += ", a redirect, which is not followed: check the address of the service"
		}
		if refused.DocURL != "" {
			text += ", see " + refused.DocURL
		}
	case errors.As(err, &unreachable):
		where := unreachable.URL
		if parsed, err := url.Parse(where); err == nil {
			where = parsed.Scheme + "://" + parsed.Host
		}
		text = strings.Replace(text, unreachable.Error(), fmt.Sprintf("no response from %s: %v", where, unreachable.Err), 1)
	}
	return text
}
