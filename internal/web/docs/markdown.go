package docs

import (
	"bytes"
	"html/template"
	"path"
	"regexp"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/parser"
	"github.com/yuin/goldmark/renderer/html"
	"github.com/yuin/goldmark/text"
)

// rendered is an article in HTML.
type rendered struct {
	html     template.HTML
	sections []section
}

// section is what stands below a heading of the second level; the first one is what
// stands above the first heading.
type section struct {
	heading
	text string
}

// heading is a heading of the second level: its text, and its name in addresses.
type heading struct{ Text, ID string }

// markdown renders GitHub's Markdown. HTML in a document is left out, and columns are
// aligned by attributes, because the policy of pages forbids styles.
var markdown = goldmark.New(
	goldmark.WithExtensions(
		extension.NewTable(extension.WithTableCellAlignMethod(extension.TableCellAlignAttribute)),
		extension.Strikethrough, extension.Linkify, extension.TaskList,
	),
	goldmark.WithParserOptions(parser.WithAutoHeadingID()),
	goldmark.WithRendererOptions(html.WithXHTML()),
)

// scrollable makes what may be wider than the page scroll by itself, with the keyboard too.
// On phones the rows of tables are stacked.
var scrollable = strings.NewReplacer(
	"<table>", `<div class="table rows" tabindex="0"><table>`, "</table>", "</table></div>",
	"<pre>", `<pre tabindex="0">`,
)

// folded matches a heading of the fourth level and the table or the code below it, which
// readers unfold.
var folded = regexp.MustCompile(`(?s)<h4 id="([^"]*)">(.*?)</h4>\s*(<div class="table.*?</table></div>|<pre.*?</pre>)`)

func render(source string) rendered {
	content := []byte(source)
	parsed := markdown.Parser().Parse(text.NewReader(content))
	labelCells(parsed, content)
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, content, parsed); err != nil {
		panic("docs: " + err.Error()) // a buffer takes everything
	}
	shown := folded.ReplaceAllString(scrollable.Replace(out.String()),
		`<details id="$1"><summary><span>$2</span></summary>$3</details>`)
	return rendered{template.HTML(shown), sectionsOf(parsed, content)}
}

// labelCells gives each cell of a table, but the first of a row, the heading of its column,
// which phones show above it.
func labelCells(document ast.Node, source []byte) {
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		table, is := node.(*tables.Table)
		if !is {
			continue
		}
		var headings []string
		for row := table.FirstChild(); row != nil; row = row.NextSibling() {
			column := 0
			for cell := row.FirstChild(); cell != nil; cell, column = cell.NextSibling(), column+1 {
				switch {
				case row.Kind() == tables.KindTableHeader:
					headings = append(headings, strings.TrimSpace(plain(cell, source)))
				case column > 0 && column < len(headings) && headings[column] != "":
					cell.SetAttributeString("data-label", []byte(headings[column]))
				}
			}
		}
	}
}

// sectionsOf returns the sections of a document.
func sectionsOf(document ast.Node, source []byte) []section {
	found := []section{{}}
	for node := document.FirstChild(); node != nil; node = node.NextSibling() {
		if h, is := node.(*ast.Heading); is && h.Level == 2 {
			id, _ := h.AttributeString("id")
			name, _ := id.([]byte)
			found = append(found, section{heading: heading{plain(h, source), string(name)}})
			continue
		}
		found[len(found)-1].text += plain(node, source) + " "
	}
	return found
}

// plain returns the text of a node without its markup.
func plain(node ast.Node, source []byte) string {
	var out strings.Builder
	_ = ast.Walk(node, func(n ast.Node, entering bool) (ast.WalkStatus, error) { // the visitor never fails
		if !entering && n.Type() == ast.TypeBlock {
			out.WriteByte(' ')
		}
		switch n := n.(type) {
		case *ast.Text:
			if entering {
				out.Write(n.Segment.Value(source))
				if n.SoftLineBreak() {
					out.WriteByte(' ')
				}
			}
		case *ast.String:
			if entering {
				out.Write(n.Value)
			}
		}
		return ast.WalkContinue, nil
	})
	return out.String()
}

// link matches the destination of a link.
var link = regexp.MustCompile(`\]\(([^()\s]+)\)`)

// repository is where the files are that the service does not serve.
const repository = "https://github.com/dropyard/dropyard/blob/main/"

// served are the addresses of files outside of the folder docs, or of pages in their place.
var served = map[string]string{
	"api/openapi.yaml": "/openapi.yaml", "api/ops.yaml": "/ops.yaml", "client/README.md": clientsPath + "/go",
	"sdk/typescript/README.md": clientsPath + "/typescript", "sdk/python/README.md": clientsPath + "/python",
}

// relinked returns a document of a folder of the repository with links that lead to where
// their targets are served.
func relinked(source, folder string) string {
	return link.ReplaceAllStringFunc(source, func(found string) string {
		return "](" + addressOf(link.FindStringSubmatch(found)[1], folder) + ")"
	})
}

// addressOf returns the address that a link in a document of a folder leads to.
func addressOf(target, folder string) string {
	if strings.HasPrefix(target, "#") || strings.HasPrefix(target, "/") || strings.Contains(target, ":") {
		return target
	}
	file, fragment, marked := strings.Cut(target, "#")
	file = path.Join(folder, file)
	address := repository + file
	if page := referencePage(fragment); page != "" && file == "api/openapi.yaml" {
		return page
	} else if own := served[file]; own != "" {
		address = own
	} else if strings.HasPrefix(file, "docs/") {
		address = "/" + strings.TrimSuffix(file, ".md")
	} else if strings.HasPrefix(file, "examples/") {
		address = downloadsPath + "/" + file
	}
	if marked {
		address += "#" + fragment
	}
	return address
}

// referencePage returns the address of the page that a link to a part of the OpenAPI
// document of partners means: #createOrder is the page of that operation, #events the
// page about events, and #events-retries a part of it.
func referencePage(fragment string) string {
	part, about := strings.CutPrefix(fragment, "events")
	switch {
	case fragment == "":
		return ""
	case !about:
		return apiPath + "/" + fragment
	case part == "":
		return eventsPath
	}
	return eventsPath + "#" + strings.TrimPrefix(part, "-")
}

// articleLink matches a link to an article, or to a file that a document offers.
var articleLink = regexp.MustCompile(`\]\((/docs/[^()\s#]+)(#[^()\s]*)?\)`)

// toMarkdown returns a source whose links to articles lead to their Markdown.
func toMarkdown(source string) string {
	return articleLink.ReplaceAllStringFunc(source, func(found string) string {
		if parts := articleLink.FindStringSubmatch(found); offered[path.Ext(parts[1])] == "" {
			return "](" + parts[1] + ".md" + parts[2] + ")"
		}
		return found
	})
}
