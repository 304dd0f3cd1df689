package mail_test

import (
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/mail"
)

func example(kind mail.Kind) *mail.Message {
	return &mail.Message{
		Kind: kind, To: "sam@example.com", URL: "https://delivery.example.com/x/abc-_1?a=1&b=2",
		Until: time.Date(2026, 8, 3, 14, 5, 0, 0, time.UTC), Team: "Quincaillerie <Métro> & fils", Role: "clerk",
	}
}

func TestCompose(t *testing.T) {
	t.Parallel()
	for _, kind := range []mail.Kind{mail.Invitation, mail.Reset, mail.Email} {
		for language, want := range map[mail.Language]struct{ until, why string }{
			mail.English: {"August 3, 2026 at 14:05 UTC", "You get this message because"},
			mail.French:  {"3 août 2026 à 14 h 05 UTC", "Vous recevez ce message parce qu"},
		} {
			got, err := mail.Compose(example(kind), language)
			if err != nil {
				t.Fatal(err)
			}
			for _, part := range []string{want.until, want.why, "\n\n" + example(kind).URL + "\n\n"} {
				if !strings.Contains(got.Text, part) {
					t.Errorf("%s in %s: got %q, want it to contain %q", kind, language, got.Text, part)
				}
			}
			link := `<a href="https://delivery.example.com/x/abc-_1?a=1&amp;b=2"`
			if !strings.Contains(got.HTML, link) || !strings.Contains(got.HTML, `<html lang="`+string(language)+`">`) {
				t.Errorf("%s in %s: got %q, want it to contain %q", kind, language, got.HTML, link)
			}
			if got.Subject == "" || strings.Contains(got.Subject, "\n") || strings.Contains(got.Text, got.Subject+"\n") {
				t.Errorf("%s in %s: got the subject %q, want one line apart from the text", kind, language, got.Subject)
			}
			if strings.Contains(got.HTML, "<Métro>") {
				t.Errorf("%s in %s: got %q, want the name escaped", kind, language, got.HTML)
			}
		}
	}
}

// TestComposeKeepsNamesOnOneLine: a name cannot begin a paragraph, which could be a link.
func TestComposeKeepsNamesOnOneLine(t *testing.T) {
	t.Parallel()
	m := example(mail.Invitation)
	m.Team = "Metro\r\n\r\nBcc: other@example.com"
	got, err := mail.Compose(m, mail.English)
	if err != nil {
		t.Fatal(err)
	}
	if want := "Join the team of Metro    Bcc: other@example.com"; got.Subject != want {
		t.Errorf("got %q, want %q", got.Subject, want)
	}
}

func TestComposeRefusesUnknown(t *testing.T) {
	t.Parallel()
	if _, err := mail.Compose(example("unknown"), mail.English); err == nil {
		t.Error("a kind without a text: got no error")
	}
	if _, err := mail.Compose(example(mail.Reset), "de"); err == nil {
		t.Error("a language without texts: got no error")
	}
}
