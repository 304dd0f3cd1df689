package terminal_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/terminal"
)

func TestTable(t *testing.T) {
	t.Parallel()
	var printed bytes.Buffer
	table := terminal.NewTable(&printed, false,
		[]terminal.Column{{Title: "ID"}, {Title: "PRICE", Right: true}, {Title: "CITY"}})
	if err := table.Flush(); err != nil || printed.Len() != 0 {
		t.Fatalf("no rows: got %q, %v, want nothing", &printed, err)
	}
	table.Add(terminal.Cell{Text: "a"}, terminal.Cell{Text: "1.00"}, terminal.Cell{Text: "Montréal"})
	table.Add(terminal.Cell{Text: "bcd"}, terminal.Cell{Text: "1000.00", Style: terminal.Red})
	_ = table.Flush()
	table.Add(terminal.Cell{Text: "e"}, terminal.Cell{Text: "2.00"}, terminal.Cell{Text: "evil\x1b[2J\u202e\nname"})
	_ = table.Flush()
	want := "ID     PRICE  CITY\na       1.00  Montréal\nbcd  1000.00\ne       2.00  evil\ufffd[2J\ufffd name\n"
	if printed.String() != want {
		t.Errorf("got\n%s\nwant\n%s", &printed, want)
	}
}

func TestSprintf(t *testing.T) {
	t.Parallel()
	type status string
	got := terminal.Sprintf("\x1b[H%s %q\n%v %d %s", status("new\x1b[2J"), "a\u009bb", errors.New("not\nfound"), 3,
		"\u202e")
	if want := "\x1b[Hnew\ufffd[2J \"a\ufffdb\"\nnot found 3 \ufffd"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestCleanJSON(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"{\n  \"a\": \"\\u001b é\"\n}": "{\n  \"a\": \"\\u001b é\"\n}",
		"\"\u009b2J\x7f\u202e\"":       `"\u009b2J\u007f\u202e"`,
	} {
		if got := terminal.CleanJSON([]byte(text)); string(got) != want {
			t.Errorf("%q: got %q, want %q", text, got, want)
		}
	}
}

// TestJSONWriter cuts JSON at each byte.
func TestJSONWriter(t *testing.T) {
	t.Parallel()
	const text, want = "{\"a\":\r\"\u009b2J é \u2066 🚚\"}\n", "{\"a\": \"\\u009b2J é \\u2066 🚚\"}\n"
	for cut := range len(text) {
		var written bytes.Buffer
		w := terminal.NewJSONWriter(&written)
		for _, part := range []string{text[:cut], text[cut:]} {
			if n, err := w.Write([]byte(part)); n != len(part) || err != nil {
				t.Fatalf("got %d, error %v, want %d", n, err, len(part))
			}
		}
		if written.String() != want {
			t.Errorf("cut at %d: got %q, want %q", cut, &written, want)
		}
	}
}

func TestCleanLines(t *testing.T) {
	t.Parallel()
	if got, want := terminal.CleanLines("a\tb\r\n\x1b[2J\u009b\u202e\r\n"), "a\tb\n\ufffd[2J\ufffd\ufffd\n"; got != want {
		t.Errorf("got %q, want %q", got, want)
	}
}

func TestPalette(t *testing.T) {
	t.Parallel()
	if got := terminal.Palette(true).Apply(terminal.Green, "delivered"); got != "\x1b[32mdelivered\x1b[0m" {
		t.Errorf("got %q, want it in green", got)
	}
	var pipe bytes.Buffer
	if terminal.Colours(&pipe, true, os.Getenv) {
		t.Error("got colours for a writer that is not a terminal")
	}
}

func TestLine(t *testing.T) {
	t.Parallel()
	for want, got := range map[string]string{
		"copy  [==========           ]   50 %  10s left":          terminal.Line("copy", 5, 10, 10*time.Second, 46),
		"copy  [========================================]  100 %": terminal.Line("copy", 10, 10, time.Minute, 200),
		"copy  1234":  terminal.Line("copy", 1234, 0, time.Minute, 80),
		"verify …":    terminal.Line("verify", 0, 0, time.Minute, 80),
		"copy   50 %": terminal.Line("copy", 5, 10, 0, 16),
		"cop":         terminal.Line("copy", 5, 10, 0, 3),
	} {
		if got != want {
			t.Errorf("got %q, want %q", got, want)
		}
	}
}

// TestBarOutsideTerminal expects that nothing is printed.
func TestBarOutsideTerminal(t *testing.T) {
	t.Parallel()
	var pipe bytes.Buffer
	bar := terminal.NewBar(&pipe, time.Now)
	bar.Show("copy", 1, 2)
	bar.Clear()
	if pipe.Len() > 0 {
		t.Errorf("got %q, want nothing", &pipe)
	}
}

// TestQuestions reads answers from a file, as from a pipe.
func TestQuestions(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "answers")
	if err := os.WriteFile(path, []byte("\n\n ann@example.com \nhush hush \nYES\n\nlast"), 0o600); err != nil {
		t.Fatal(err)
	}
	in, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = in.Close() }()
	var out bytes.Buffer
	q := terminal.NewQuestioner(in, &out)
	var got []string
	keep := func(answer string, err error) {
		if err != nil {
			answer = err.Error()
		}
		got = append(got, answer)
	}
	keep(q.Ask(t.Context(), "Server", "http://x"))
	keep(q.Ask(t.Context(), "E-mail", ""))
	keep(q.Secret(t.Context(), "Password"))
	if yes, err := q.Confirm(t.Context(), "Sure?"); !yes || err != nil {
		t.Errorf("got %v, %v, want yes", yes, err)
	}
	if yes, err := q.Confirm(t.Context(), "Sure?"); yes || err != nil {
		t.Errorf("got %v, %v, want no", yes, err)
	}
	keep(q.Secret(t.Context(), "Code"))
	if want := "http://x|ann@example.com|hush hush |last"; strings.Join(got, "|") != want {
		t.Errorf("got %q, want %q", got, want)
	}
	if _, err := q.Ask(t.Context(), "More", ""); !errors.Is(err, terminal.ErrNoAnswer) {
		t.Errorf("at the end: got %v, want ErrNoAnswer", err)
	}
	ended, end := context.WithCancel(t.Context())
	end()
	reader, writer, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer func() { _ = errors.Join(writer.Close(), reader.Close()) }()
	if _, err := terminal.NewQuestioner(reader, &out).Secret(ended, "Code"); !errors.Is(err, context.Canceled) {
		t.Errorf("without an answer: got %v, want the error of the context", err)
	}
	if out.Len() > 0 {
		t.Errorf("got %q printed, want nothing without a terminal", &out)
	}
}
