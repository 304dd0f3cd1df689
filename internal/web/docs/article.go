package docs

import (
	"html/template"
	"sync"

	"github.com/dropyard/dropyard/internal/web/page"
)

// article is a page of the documentation.
type article struct {
	Path     string // its address
	Title    string
	Language page.Language // of its text
	source   string        // Markdown without the title; links are addresses of the service
	rendered func() rendered
}

// newArticle returns an article, which is rendered when it is first read.
func newArticle(path, title string, language page.Language, source string) *article {
	return &article{path, title, language, source, sync.OnceValue(func() rendered { return render(source) })}
}

// HTML returns what stands below the title.
func (a *article) HTML() template.HTML { return a.rendered().html }

// Headings returns the headings of the second level.
func (a *article) Headings() []heading { return a.rendered().headings }

// Long reports whether the article needs a list of its headings.
func (a *article) Long() bool { return len(a.Headings()) > 3 }

// Markdown returns the article in Markdown. Links to other articles lead to their Markdown.
func (a *article) Markdown() []byte {
	return []byte("# " + a.Title + "\n\n" + toMarkdown(a.source))
}
