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
var scrollable = strings.NewReplacer(
	"<table>", `<div class="table" tabindex="0"><table>`, "</table>", "</table></div>",
	"<pre>", `<pre tabindex="0">`,
)

func render(source string) rendered {
	content := []byte(source)
	parsed := markdown.Parser().Parse(text.NewReader(content))
	var out bytes.Buffer
	if err := markdown.Renderer().Render(&out, content, parsed); err != nil {
		panic("docs: " + err.Error()) // a buffer takes everything
	}
	return rendered{template.HTML(scrollable.Replace(out.String())), sectionsOf(parsed, content)}
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

// served are the addresses of files outside of the folder docs.
var served = map[string]string{"api/openapi.yaml": "/openapi.yaml", "api/ops.yaml": "/ops.yaml"}

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
	if own := served[file]; own != "" {
		address = own
	} else if strings.HasPrefix(file, "docs/") {
		address = "/" + strings.TrimSuffix(file, ".md")
	}
	if marked {
		address += "#" + fragment
	}
	return address
}

// articleLink matches a link to an article, or to a file that a document offers.
var articleLink = regexp.MustCompile(`\]\((/docs/[^()\s#]+)(#[^()\s]*)?\)`)

// toMarkdown returns a source whose links to articles lead to their Markdown.
func toMarkdown(source string) string {
	return articleLink.ReplaceAllStringFunc(source, func(found string) string {
		if parts := articleLink.FindStringSubmatch(found); path.Ext(parts[1]) != ".csv" {
			return "](" + parts[1] + ".md" + parts[2] + ")"
		}
		return found
	})
}
