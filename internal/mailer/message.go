package mailer

import (
	"bytes"
	"encoding/base64"
	"errors"
	"regexp"
	"strings"
	"unicode/utf8"

	gomail "github.com/wneessen/go-mail"
)

// written is a mail as it is sent.
type written struct {
	from, to string // addresses without names
	content  []byte
}

// write returns a mail in the form that is sent.
func (s *SMTP) write(e *Envelope) (*written, error) {
	m := gomail.NewMsg(gomail.WithNoDefaultUserAgent())
	if err := m.From(s.From); err != nil {
		return nil, err
	}
	if m.To(e.To) != nil { // whose error repeats the address
		return nil, errors.New("the recipient's address cannot be read")
	}
	from, to := m.GetFrom()[0].Address, m.GetTo()[0].Address
	m.SetMessageIDWithValue(e.MailID + from[strings.LastIndexByte(from, '@'):])
	m.SetDateWithValue(e.Date)
	m.Subject(encodedWords(e.Subject))
	m.SetGenHeader("Auto-Submitted", "auto-generated") // RFC 3834: no automatic replies
	m.SetGenHeader(gomail.HeaderContentLang, string(e.Language))
	if e.StopURL != "" {
		m.SetGenHeader(gomail.HeaderListUnsubscribe, "<"+e.StopURL+">")
		m.SetGenHeader(gomail.HeaderListUnsubscribePost, "List-Unsubscribe=One-Click")
	}
	m.SetBodyString(gomail.TypeTextPlain, e.Text)
	m.AddAlternativeString(gomail.TypeTextHTML, e.HTML)
	var content bytes.Buffer
	_, err := m.WriteTo(&content)
	return &written{from, to, keepFirstWords(content.Bytes())}, err
}

// wordSize is how many bytes of a subject are encoded as one word. Its 56 characters fit
// into the line of 76 that begins with the header's name (RFC 2047, 2).
const wordSize = 33

// encodedWords returns a text of ASCII as it is, and any other as encoded words.
func encodedWords(text string) string {
	if !strings.ContainsFunc(text, func(r rune) bool { return r < ' ' || r > '~' }) {
		return text
	}
	var words []string
	for text != "" {
		size := 0
		for size < len(text) {
			_, width := utf8.DecodeRuneInString(text[size:])
			if size+width > wordSize {
				break
			}
			size += width
		}
		words = append(words, "=?UTF-8?B?"+base64.StdEncoding.EncodeToString([]byte(text[:size]))+"?=")
		text = text[size:]
	}
	return strings.Join(words, " ")
}

// emptyStart finds a header that is folded right after its name.
var emptyStart = regexp.MustCompile(`(?m)^([!-9;-~]+:)\r\n[ \t]+`)

// keepFirstWords joins the first word of each header to the line of the header's name.
// The library folds a long word away from it, and some programs then take the header
// for an empty one.
func keepFirstWords(message []byte) []byte {
	end := bytes.Index(message, []byte("\r\n\r\n"))
	if end < 0 {
		return message
	}
	head := emptyStart.ReplaceAll(message[:end], []byte("$1 "))
	return append(head, message[end:]...)
}
