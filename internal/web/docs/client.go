package docs

import (
	"fmt"
	"path"
	"strings"
	"text/template"
	"unicode"
	"unicode/utf8"

	"github.com/dropyard/dropyard/internal/downloads"
	"github.com/dropyard/dropyard/internal/web/page"
)

// clientsPath is the address of the document about all clients, and those of the pages of each begin with it.
const clientsPath = root + "/clients"

// tasks is the folder of the programs on the pages of clients, among the downloads.
const tasks = "examples/tasks"

// client is a client as its page presents it.
type client struct {
	key       string // the last part of the page's address
	Title     string
	Needs     string
	Folder    string // of its programs
	Extension string // of its programs
	language  string // of its programs, as Markdown names it
	run       string // the command before the name of a program
	Note      string // below the commands that install it
	Project   string // below the commands that get the programs
	named     func(string) string
	install   func(url string, packed *downloads.Clients) string
	files     func(*downloads.Clients) []downloads.File
}

// clients are the clients in the order in which they are listed.
var clients = []client{
	{
		key: "go", Title: "Go", Needs: "Needs Go 1.26, and imports the standard library only.",
		Folder: "go", Extension: "go", language: "go", run: "go run ",
		Note: "The service is a module proxy for this one module, so no public repository is asked. Programs import it " +
			"as `" + downloads.ModulePath + "`. On each machine that builds them, run the second command once, or add " +
			"this proxy before the others in `go env GOPROXY`.",
		named: func(name string) string { return name },
		install: func(url string, packed *downloads.Clients) string {
			return "go mod init shop\n" + "GONOSUMDB=" + downloads.ModulePath + " \\\n  GOPROXY=" + url + downloadsPath + "/" +
				downloads.ProxyPath + " \\\n  go get " + downloads.ModulePath + "@v" + packed.Version
		},
		files: func(packed *downloads.Clients) []downloads.File { return []downloads.File{packed.Module} },
	},
	{
		key: "typescript", Title: "TypeScript", Needs: "Needs Node.js 20.3, as an ES module or with `require`, and has no " +
			"dependencies.",
		Folder: "typescript", Extension: "mjs", language: "ts", run: "node ",
		Project: "They are TypeScript and JavaScript alike: `node` runs them as they are, and a project in TypeScript " +
			"compiles them as `.mts`. It needs `@types/node`, and `module` `NodeNext` or that of a bundler.",
		named: func(name string) string {
			first, size := utf8.DecodeRuneInString(name)
			return string(unicode.ToLower(first)) + name[size:]
		},
		install: func(url string, packed *downloads.Clients) string {
			return "npm init -y\nnpm install " + url + downloadsPath + "/" + packed.Package.Path
		},
		files: func(packed *downloads.Clients) []downloads.File { return []downloads.File{packed.Package} },
	},
	{
		key: "python", Title: "Python", Needs: "Needs Python 3.10 and [httpx](https://www.python-httpx.org), which pip " +
			"installs with it from the usual index.",
		Folder: "python", Extension: "py", language: "python", run: "venv/bin/python ",
		Note: "On Debian and Ubuntu, `apt install python3-venv` first. `AsyncClient` has the same methods, to be awaited.",
		named: func(name string) string {
			var snake strings.Builder
			for i, letter := range name {
				if unicode.IsUpper(letter) && i > 0 {
					snake.WriteByte('_')
				}
				snake.WriteRune(unicode.ToLower(letter))
			}
			return snake.String()
		},
		install: func(url string, packed *downloads.Clients) string {
			return "python3 -m venv venv\nvenv/bin/pip install " + url + downloadsPath + "/" + packed.Wheel.Path
		},
		files: func(packed *downloads.Clients) []downloads.File { return []downloads.File{packed.Wheel, packed.Source} },
	},
}

// Path returns the address of the client's page.
func (c client) Path() string { return clientsPath + "/" + c.key }

// clientPage is what the template of these pages shows.
type clientPage struct {
	client
	URL string // of the service
	// Tabs are links to the pages of all clients.
	Tabs     string
	Install  string // commands
	Files    []downloadedFile
	Examples string // the address of the programs' folder
}

// downloadedFile is a file with which a client is installed.
type downloadedFile struct {
	Name, Address, SHA256 string
	Bytes                 int
}

// clientPages returns the pages of the clients, which say how each is installed from the service at an address and have
// its tasks, and the list of all downloads.
func clientPages(url string, offered *downloads.Downloads) (map[string]*article, error) {
	packed, err := offered.Clients()
	if err != nil {
		return nil, err
	}
	found := map[string]*article{}
	for _, one := range clients {
		source, err := one.source(url, packed, offered)
		if err != nil {
			return nil, fmt.Errorf("write the page of the client in %s: %w", one.Title, err)
		}
		found[one.Path()] = newArticle(one.Path(), one.Title, page.English, source)
	}
	list, err := listOfDownloads(url, packed, offered)
	if err != nil {
		return nil, err
	}
	found[downloadsList] = newArticle(downloadsList, "Downloads", page.English, list)
	return found, nil
}

// source returns the page of a client in Markdown.
func (c client) source(url string, packed *downloads.Clients, offered *downloads.Downloads) (string, error) {
	shown := clientPage{
		client: c, URL: url, Tabs: c.tabs(), Install: c.install(url, packed), Examples: downloadsPath + "/" + tasks,
	}
	shown.Files = c.downloaded(packed)
	parsed, err := template.New("client.md").Funcs(template.FuncMap{
		"name":   func(name string) string { return "`" + c.named(name) + "`" },
		"output": func(text string) string { return "It prints:\n\n" + strings.TrimSpace(fenced("text", text)) + "\n" },
		"program": func(name, operation string, arguments ...string) (string, error) {
			return c.program(offered, name, operation, arguments)
		},
	}).ParseFS(files, "clients/client.md")
	if err != nil {
		return "", err
	}
	var text strings.Builder
	err = parsed.Execute(&text, shown)
	return strings.TrimSpace(text.String()) + "\n", err
}

// downloaded returns the files with which the client is installed.
func (c client) downloaded(packed *downloads.Clients) (found []downloadedFile) {
	for _, file := range c.files(packed) {
		found = append(found, downloadedFile{
			path.Base(file.Path), downloadsPath + "/" + file.Path, file.SHA256(), len(file.Content),
		})
	}
	return found
}

// tabs returns links to the pages of the other clients.
func (c client) tabs() string {
	links := make([]string, len(clients))
	for i, one := range clients {
		if links[i] = "[" + one.Title + "](" + one.Path() + ")"; one.key == c.key {
			links[i] = "**" + one.Title + "**"
		}
	}
	return strings.Join(links, " · ")
}

// ownFile is the first line of programs in Go, which keeps those in one folder from being compiled as one. It is not
// "ignore", because go mod tidy would then forget that they import the client.
const ownFile = "//go:build tasks\n\n"

// program returns a program, the command that runs it, and a link to the operation that it calls.
func (c client) program(
	offered *downloads.Downloads, name, operation string, arguments []string,
) (string, error) {
	file := name + "." + c.Extension
	text, err := offered.Example(path.Join("tasks", c.Folder, file))
	if err != nil {
		return "", err
	}
	command := strings.Join(append([]string{c.run + file}, arguments...), " ")
	address := path.Join(downloadsPath, tasks, c.Folder, file)
	return fmt.Sprintf("\n[%s](%s), and [the operation](%s/%s) with curl:\n\n", file, address, apiPath, operation) +
		fenced(c.language, strings.TrimSpace(strings.TrimPrefix(text, ownFile))) +
		"Run it:\n\n" + strings.TrimSpace(fenced("bash", command)) + "\n", nil
}
