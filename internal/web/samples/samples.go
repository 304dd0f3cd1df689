// Package samples writes programs that send one request: in a shell with curl, in Go,
// JavaScript and Python. They sign as those in examples/signing do.
package samples

import (
	"embed"
	"fmt"
	"strconv"
	"strings"
	"text/template"
)

//go:embed templates
var files embed.FS

// Request is what a program sends.
type Request struct {
	// File is the name of the program's file, without its extension.
	File   string
	URL    string // of the service, without a slash at the end
	Method string
	Path   string // which is signed
	Query  string // with its question mark; empty without a query
	Body   string // empty without a body
	// Signed requests have a key and a signature.
	Signed      bool
	Key, Secret string
	Headers     []Header // besides those of the signature
}

// Header is a header of a request, with a comment for its reader. The comment may be
// empty.
type Header struct{ Name, Value, Comment string }

// Program is a program as text.
type Program struct{ Name, Language, Text string }

// SameAgain is the comment of the header Idempotency-Key of an order.
const SameAgain = "The same key and body again: the same order, not a second one."

var languages = []struct{ name, language, file string }{
	{"curl", "curl", "request.sh"}, {"Go", "go", "request.gotext"},
	{"JavaScript", "javascript", "request.mjs"}, {"Python", "python", "request.py"},
}

// escapes write a text inside the quotation marks that the templates have for it.
var escapes = template.FuncMap{
	"shell":  func(text string) string { return strings.ReplaceAll(text, "'", `'\''`) },
	"raw":    raw,
	"script": strings.NewReplacer(`\`, `\\`, "`", "\\`", "${", "\\${").Replace,
	"python": strings.NewReplacer(`\`, `\\`, `"""`, `\"\"\"`).Replace,
}

// raw returns a text as a literal of Go, in backquotes if it can be.
func raw(text string) string {
	if strings.Contains(text, "`") {
		return strconv.Quote(text)
	}
	return "`" + text + "`"
}

var templates = template.Must(template.New("samples").Funcs(escapes).ParseFS(files, "templates/*"))

// Programs returns the programs that send a request.
func Programs(r Request) []Program {
	written := make([]Program, len(languages))
	for i, l := range languages {
		var text strings.Builder
		if err := templates.ExecuteTemplate(&text, l.file, r); err != nil {
			panic(fmt.Sprintf("samples: %v", err)) // the templates are embedded, and tested
		}
		written[i] = Program{l.name, l.language, strings.TrimSpace(text.String())}
	}
	return written
}
