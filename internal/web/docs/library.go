package docs

import (
	"io/fs"
	"maps"
	"path"
	"slices"
	"strings"
	"sync"

	"github.com/dropyard/dropyard/docs"
	"github.com/dropyard/dropyard/internal/web/page"
)

// shelves are the groups of documents, in the order of the contents: the key of a phrase,
// and the names of the documents.
var shelves = []struct {
	key       string
	documents []string
}{
	{"docs.group.clients", []string{"clients/go", "clients/typescript", "clients/python", "clients", "downloads"}},
	{"docs.group.guides", []string{
		"guides/first-order", "guides/webhooks", "guides/stock", "guides/labels", "guides/batches", "guides/test-and-live",
		"guides/after-the-order", "guides/errors", "guides/going-live", "guides/postgresql",
	}},
	{"docs.group.partners", []string{
		"contract", "generators", "webhooks", "accounts", "rates", "importing", "command-line",
	}},
	{"docs.group.couriers", []string{"couriers"}},
	{"docs.group.running", []string{
		"installing", "operating", "versions", "settings", "desk", "money", "exports", "backup", "metrics", "security",
		"asvs", "reliability", "scaling", "benchmarks",
	}},
	{"docs.group.developing", []string{"architecture", "changing", "releasing"}},
}

// decisions is the folder of the documents that record decisions, which are listed
// together.
const decisions = "decisions"

// index lists the documents for readers of the folder; the contents of these pages do it here.
const index = "README.md"

// documents returns the documents of the folder docs by their addresses.
var documents = sync.OnceValue(func() map[string]*article {
	found := map[string]*article{}
	err := fs.WalkDir(docs.Files, ".", func(name string, _ fs.DirEntry, err error) error {
		if err == nil && path.Ext(name) == ".md" && name != index {
			read := readDocument(name)
			found[read.Path] = read
		}
		return err
	})
	if err != nil {
		panic("docs: " + err.Error()) // embedded files are always there
	}
	list := listOfDecisions(found)
	found[list.Path] = list
	return found
})

// readDocument reads a document, whose first line is its title.
func readDocument(name string) *article {
	content, err := docs.Files.ReadFile(name)
	if err != nil {
		panic("docs: " + err.Error()) // embedded files are always there
	}
	first, rest, _ := strings.Cut(string(content), "\n")
	title := strings.TrimPrefix(first, "# ")
	source := relinked(strings.TrimSpace(rest)+"\n", path.Join("docs", path.Dir(name)))
	return newArticle(root+"/"+strings.TrimSuffix(name, ".md"), title, page.English, source)
}

// listOfDecisions returns the page that lists the recorded decisions.
func listOfDecisions(all map[string]*article) *article {
	var lines []string
	for _, address := range slices.Sorted(maps.Keys(all)) { // which begin with their numbers
		if path.Base(path.Dir(address)) == decisions {
			lines = append(lines, "- ["+all[address].Title+"]("+address+")\n")
		}
	}
	return newArticle(root+"/"+decisions, "Decisions", page.English, strings.Join(lines, ""))
}

// offered are the kinds of files that documents offer, by the ends of their names.
var offered = map[string]string{
	".csv": "text/csv; charset=utf-8", ".yml": "application/yaml; charset=utf-8", ".json": "application/json",
}

// offer returns a file that a document offers, and its kind, by its address; nil if there is none.
func offer(address string) (kind string, content []byte) {
	name, _ := strings.CutPrefix(address, root+"/")
	kind = offered[path.Ext(name)]
	if kind == "" {
		return "", nil
	}
	content, err := docs.Files.ReadFile(name)
	if err != nil {
		return "", nil
	}
	return kind, content
}

// library holds all articles for readers of a language, by their addresses.
type library map[string]*article

func newLibrary(l page.Language, config Config) library {
	all := library{}
	ofClients, err := clientPages(config.BaseURL(), config.Downloads)
	if err != nil {
		panic("docs: " + err.Error()) // embedded files are always there
	}
	for _, part := range []map[string]*article{
		documents(), interfacePages(), statuses(config.Statuses).pages(l), ofClients,
	} {
		maps.Copy(all, part)
	}
	return all
}

// contents returns the list of all pages, as it stands at the side of the page at an
// address.
func (all library) contents(l page.Language, current string) (groups []page.Group) {
	link := func(address, text string) page.Link {
		return page.Link{Text: text, Path: address, Current: address == current}
	}
	for _, shelf := range shelves {
		group := page.Group{Title: l.Text(shelf.key)}
		for _, name := range shelf.documents {
			one := all[root+"/"+name]
			group.Links = append(group.Links, link(one.Path, one.Title))
		}
		groups = append(groups, group)
	}
	last := &groups[len(groups)-1]
	last.Links = append(last.Links, link(root+"/"+decisions, l.Text("docs.decisions")))
	reference := page.Group{Title: l.Text("docs.group.reference"), Links: []page.Link{link(errorsPath,
		l.Text("docs.errors"))}}
	reference.Links = append(reference.Links, link(eventsPath, l.Text("docs.events")))
	for _, s := range surfaces {
		reference.Links = append(reference.Links, link(s.path, l.Text(s.key)))
	}
	return slices.Insert(groups, 2, append([]page.Group{reference}, siblings(current)...)...)
}

// siblings returns the operations and events of the interface that the page at an address
// is about, by tags.
func siblings(current string) (groups []page.Group) {
	for _, s := range surfaces {
		about := current == s.path || current == eventsPath && len(s.events()) > 0
		var own []page.Group
		for _, tag := range s.of().get("tags").items() {
			group := page.Group{Title: tag.get("name").text(), Folded: true}
			for _, one := range s.listings(group.Title) {
				about = about || one.address == current
				group.Links = append(group.Links, page.Link{Text: one.title, Path: one.address, Current: one.address == current})
			}
			if len(group.Links) > 0 {
				own = append(own, group)
			}
		}
		if about {
			groups = append(groups, own...)
		}
	}
	return groups
}
