package terminal

import (
	"bufio"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"golang.org/x/term"
)

// Questioner asks questions on out, which is not the standard output that programs read,
// and reads the answers from in, one on a line. A question ends with its context, whose
// error it returns; then the questioner cannot be used any longer, because something still
// reads from in.
type Questioner struct {
	in    *os.File
	lines *bufio.Reader
	out   io.Writer
}

// NewQuestioner returns a questioner.
func NewQuestioner(in *os.File, out io.Writer) *Questioner {
	return &Questioner{in: in, lines: bufio.NewReader(in), out: out}
}

// ErrNoAnswer means that the input has ended without an answer.
var ErrNoAnswer = errors.New("no answer: the standard input has ended")

// Ask returns the answer to a question, or the default if the answer is empty. Without a
// default the question is asked until it is answered.
func (q *Questioner) Ask(ctx context.Context, question, byDefault string) (answer string, err error) {
	prompt := question + ": "
	if byDefault != "" {
		prompt = fmt.Sprintf("%s [%s]: ", question, byDefault)
	}
	for {
		q.prompt(prompt)
		if answer, err = until(ctx, q.line); err != nil {
			return "", err
		}
		if answer = strings.TrimSpace(answer); answer != "" || byDefault != "" {
			return cmp.Or(answer, byDefault), nil
		}
	}
}

// Secret returns the answer to a question, which the terminal does not show. Without a
// terminal it is a line of the input, so that a program can send it through a pipe.
func (q *Questioner) Secret(ctx context.Context, question string) (answer string, err error) {
	q.prompt(question + ": ")
	if !Is(q.in) {
		return until(ctx, q.line)
	}
	shown, err := term.GetState(int(q.in.Fd()))
	if err != nil {
		return "", err
	}
	answer, err = until(ctx, func() (string, error) {
		typed, err := term.ReadPassword(int(q.in.Fd()))
		return string(typed), err
	})
	_, _ = fmt.Fprintln(q.out)
	switch {
	case errors.Is(err, io.EOF):
		return "", ErrNoAnswer
	case err != nil:
		return "", errors.Join(err, term.Restore(int(q.in.Fd()), shown)) // which hides what is typed
	}
	return answer, nil
}

// until returns what read returns, or the error of ctx if that ends first.
func until(ctx context.Context, read func() (string, error)) (string, error) {
	type result struct {
		text string
		err  error
	}
	done := make(chan result, 1)
	go func() {
		text, err := read()
		done <- result{text, err}
	}()
	select {
	case got := <-done:
		return got.text, got.err
	case <-ctx.Done():
		return "", ctx.Err()
	}
}

// Confirm reports whether the answer to a question is yes. Anything but y or yes is no.
func (q *Questioner) Confirm(ctx context.Context, question string) (bool, error) {
	answer, err := q.Ask(ctx, question+" (y/N)", "n")
	answer = strings.ToLower(answer)
	return answer == "y" || answer == "yes", err
}

// prompt prints a question if there is a terminal to answer it from.
func (q *Questioner) prompt(text string) {
	if Is(q.in) {
		_, _ = io.WriteString(q.out, text)
	}
}

func (q *Questioner) line() (string, error) {
	line, err := q.lines.ReadString('\n')
	switch {
	case errors.Is(err, io.EOF) && line == "":
		return "", ErrNoAnswer
	case err != nil && !errors.Is(err, io.EOF):
		return "", err
	}
	return strings.TrimRight(line, "\r\n"), nil
}
