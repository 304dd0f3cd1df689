package docs

import (
	"html/template"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/web/page"
	"github.com/dropyard/dropyard/internal/web/samples"
)

// article is a page of the documentation.
type article struct {
	Path     string // its address
	Title    string
	Language page.Language // of its text
	source   string        // Markdown without the title; links are addresses of the service
	rendered func() rendered
	// operation is what the page describes; nil for other pages.
	operation *operation
}

// newArticle returns an article, which is rendered when it is first read.
func newArticle(path, title string, language page.Language, source string) *article {
	return &article{
		Path: path, Title: title, Language: language, source: source,
		rendered: sync.OnceValue(func() rendered { return render(source) }),
	}
}

// HTML returns what stands below the title.
func (a *article) HTML() template.HTML { return a.rendered().html }

// Headings returns the headings of the second level.
func (a *article) Headings() (found []heading) {
	for _, part := range a.rendered().sections[1:] {
		found = append(found, part.heading)
	}
	return found
}

// Long reports whether the article needs a list of its headings.
func (a *article) Long() bool { return len(a.Headings()) > 3 }

// Markdown returns the article in Markdown. Links to other articles lead to their
// Markdown. The programs send requests to the service at an address.
func (a *article) Markdown(address string) []byte {
	text := "# " + a.Title + "\n\n" + toMarkdown(a.source)
	for i, p := range a.Programs(address) {
		if i == 0 {
			text += "## Programs\n\n"
		}
		text += "### " + p.Name + "\n\n" + fenced(strings.Replace(p.Language, "curl", "bash", 1), p.Text)
	}
	return []byte(text)
}

// Trial returns the form that sends the request of the page; nil if there is none.
func (a *article) Trial() *trial {
	if a.operation == nil {
		return nil
	}
	return a.operation.trial()
}

// Programs returns programs that send the request of the page to the service at an
// address; none if the page describes none.
func (a *article) Programs(address string) []samples.Program {
	if a.operation == nil {
		return nil
	}
	return a.operation.programs(address)
}
