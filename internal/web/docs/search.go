package docs

import (
	"maps"
	"slices"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/web"
	"github.com/dropyard/dropyard/internal/web/page"
)

// entry is a part of a page as the search finds it. The names are short because the index
// has many.
type entry struct {
	Path  string `json:"p"`
	Title string `json:"t"`
	Text  string `json:"x"`
	Other bool   `json:"o,omitempty"` // for other readers than partners: found after the rest
}

// mostSearched is how much of the text of a part for other readers the index holds, and
// mostForPartners of one that partners read, in characters.
const mostSearched, mostForPartners = 200, 700

// forPartners holds the addresses of the documents and operations that partners read.
var forPartners = sync.OnceValue(func() map[string]bool {
	found := map[string]bool{}
	for _, shelf := range shelves {
		for _, name := range shelf.documents {
			found[root+"/"+name] = slices.Contains([]string{
				"docs.group.clients", "docs.group.guides", "docs.group.partners",
			}, shelf.key)
		}
	}
	for _, one := range surfaces[0].operations() {
		found[one.address] = true
	}
	return found
})

// isForPartners reports whether a page at an address is for partners: a guide, a document
// of theirs, or a page of the reference.
func isForPartners(path string) bool {
	return forPartners()[path] || slices.ContainsFunc([]string{apiPath, eventsPath, errorsPath}, func(of string) bool {
		return path == of || of != apiPath && strings.HasPrefix(path, of+"/")
	})
}

// index returns the index of the search as JSON: an entry for each part of each page.
func (all library) index() ([]byte, error) {
	var entries []entry
	for _, path := range slices.Sorted(maps.Keys(all)) {
		one, other, most := all[path], !isForPartners(path), mostForPartners
		if other {
			most = mostSearched
		}
		for _, part := range one.rendered().sections {
			found := entry{path, one.Title, shortened(part.text, most), other}
			if part.ID != "" {
				found.Path, found.Title = path+"#"+part.ID, one.Title+" › "+part.Text
			}
			entries = append(entries, found)
		}
	}
	return strictjson.Marshal(entries)
}

// shortened returns at most so many characters of the beginning of a text.
func shortened(text string, most int) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	return string(runes[:min(len(runes), most)])
}

// search serves the index in a language (GET /docs/search/en.json).
func (pages *Pages) search(v *web.PageRequest) (int, []byte, error) {
	language := page.Language(strings.TrimSuffix(v.Request.PathValue("name"), ".json"))
	indexed := pages.indexes[language]
	if indexed == nil {
		return 0, nil, errNoPage
	}
	content, err := indexed()
	if err != nil {
		return 0, nil, err
	}
	return serveText(v, "application/json", content)
}

// llms serves the list of all pages as programs that read text expect it
// (GET /llms.txt, see llmstxt.org).
func (pages *Pages) llms(v *web.PageRequest) (int, []byte, error) {
	text := "# Dropyard\n\n> " + page.English.Text("docs.what") + "\n" + pages.list(page.English, pages.config.BaseURL())
	return serveText(v, "text/plain; charset=utf-8", []byte(text))
}

// startMarkdown serves the first page in Markdown, with all pages that have one.
func (pages *Pages) startMarkdown(v *web.PageRequest) (int, []byte, error) {
	l := pages.config.Site.Sheet(v).Language
	text := "# " + l.Text("docs.title") + "\n\n" + l.Text("docs.what") + "\n" + pages.list(l, "")
	return serveText(v, "text/markdown; charset=utf-8", []byte(text))
}

// list returns links to the Markdown of all pages below an address, by groups.
func (pages *Pages) list(l page.Language, base string) string {
	groups := pages.libraries[l]().contents(l, "")
	for _, s := range surfaces {
		groups = append(groups, siblings(s.path)...)
	}
	var text strings.Builder
	for _, group := range groups {
		text.WriteString("\n## " + group.Title + "\n\n")
		for _, link := range group.Links {
			text.WriteString("- [" + link.Text + "](" + base + link.Path + ".md)\n")
		}
	}
	return text.String()
}
