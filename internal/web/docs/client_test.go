package docs_test

import (
	"crypto/sha256"
	"encoding/hex"
	"net/http"
	"regexp"
	"strings"
	"testing"
)

var (
	offered = regexp.MustCompile(`\| \[[^]]+\]\((/downloads/[^)]+)\) \| \d+ \| ` + "`([0-9a-f]{64})`")
	named   = regexp.MustCompile(`https://api\.dropyard\.example(/downloads/\S+\.(?:whl|tgz))`)
	task    = regexp.MustCompile("(?s)\\[(\\w+\\.\\w+)\\]\\((/downloads/examples/tasks/[^)]+)\\).*?```\\w+\n(.*?)```")
)

// TestClientPages gets the files that the page of each client names, and compares their checksums and the programs.
func TestClientPages(t *testing.T) {
	t.Parallel()
	server := site(t)
	for language, files := range map[string]int{"go": 1, "typescript": 1, "python": 2} {
		_, body := read(server, "/docs/clients/"+language+".md")
		found := offered.FindAllStringSubmatch(body, -1)
		if len(found) != files {
			t.Errorf("%s: got %d files with checksums, want %d", language, len(found), files)
		}
		for _, file := range found {
			status, content := read(server, file[1])
			sum := sha256.Sum256([]byte(content))
			if got := hex.EncodeToString(sum[:]); status != http.StatusOK || got != file[2] {
				t.Errorf("%s: got status %d and the checksum %s, want 200 and %s", file[1], status, got, file[2])
			}
		}
		for _, file := range named.FindAllStringSubmatch(body, -1) {
			if status, _ := read(server, file[1]); status != http.StatusOK {
				t.Errorf("%s: got status %d, want 200", file[1], status)
			}
		}
		programs := task.FindAllStringSubmatch(body, -1)
		if len(programs) != 10 {
			t.Errorf("%s: got %d programs, want 10", language, len(programs))
		}
		for _, program := range programs {
			status, content := read(server, program[2])
			content = strings.TrimPrefix(content, "//go:build tasks\n\n")
			if status != http.StatusOK || strings.TrimSpace(content) != strings.TrimSpace(program[3]) {
				t.Errorf("%s: got status %d and %.80q, want the program of the page", program[2], status, content)
			}
		}
	}
}

// TestStartBeginsWithClients: the commands that install each client stand before everything else.
func TestStartBeginsWithClients(t *testing.T) {
	t.Parallel()
	_, start := read(site(t), "/docs")
	_, start, _ = strings.Cut(start, "<main")
	clients, rest, _ := strings.Cut(start, `<div class="doors">`)
	for _, part := range []string{
		"npm install https://api.dropyard.example/downloads/dropyard-client-0.1.0.tgz",
		"pip install https://api.dropyard.example/downloads/dropyard-0.1.0-py3-none-any.whl",
		"go get github.com/dropyard/dropyard/client@v0.1.0",
		`href="/docs/clients/go"`, `href="/docs/clients/typescript"`, `href="/docs/clients/python"`, `href="/docs/clients"`,
	} {
		if !strings.Contains(clients, part) {
			t.Errorf("got no %q before the other groups, want it", part)
		}
		if strings.Contains(rest, part) {
			t.Errorf("got %q among the other groups, too", part)
		}
	}
}

// TestPartnersNeedNoRepository: no page that partners read leads to the repository, which they may not be able to open.
func TestPartnersNeedNoRepository(t *testing.T) {
	t.Parallel()
	server := site(t)
	_, start := read(server, "/docs.md")
	guides, _, _ := strings.Cut(start, "\n## For courier apps")
	for _, page := range regexp.MustCompile(`\]\((/docs/[^)]+\.md)\)`).FindAllStringSubmatch(guides, -1) {
		if _, body := read(server, page[1]); strings.Contains(body, "](https://github.com/dropyard") {
			t.Errorf("%s: got a link to the repository, want none", page[1])
		}
	}
}

// TestListOfDownloads follows the links of the page at the address of all downloads.
func TestListOfDownloads(t *testing.T) {
	t.Parallel()
	server := site(t)
	status, body := read(server, "/downloads/")
	if status != http.StatusOK {
		t.Fatalf("got status %d, want 200", status)
	}
	offered := map[string]bool{}
	for _, link := range target.FindAllStringSubmatch(body, -1) {
		if strings.HasPrefix(link[1], "/downloads/") {
			offered[link[1]] = true
		}
	}
	for _, address := range []string{
		"/downloads/dropyard-0.1.0-py3-none-any.whl", "/downloads/dropyard-0.1.0.tar.gz",
		"/downloads/dropyard-client-0.1.0.tgz", "/downloads/go/github.com/dropyard/dropyard/client/@v/v0.1.0.zip",
		"/downloads/examples/shop/php/shop.php", "/downloads/examples/tasks/order.json",
	} {
		if !offered[address] {
			t.Errorf("got no link to %s, want one", address)
		}
	}
	for address := range offered {
		if status, _ := read(server, address); status != http.StatusOK {
			t.Errorf("%s: got status %d, want 200", address, status)
		}
	}
	if _, list := read(server, "/docs/downloads"); !strings.Contains(list, "dropyard-client-0.1.0.tgz") {
		t.Error("/docs/downloads: got another page, want the list")
	}
}

// TestOnlyDownloadsAreOffered asks for what is no download.
func TestOnlyDownloadsAreOffered(t *testing.T) {
	t.Parallel()
	server := site(t)
	for _, address := range []string{
		"/downloads/go.mod", "/downloads/dropyard-9.9.9.tar.gz", "/downloads/go/github.com/dropyard/dropyard/@v/list",
		"/downloads/examples/", "/downloads/examples/tasks",
	} {
		if status, _ := read(server, address); status != http.StatusNotFound {
			t.Errorf("%s: got status %d, want 404", address, status)
		}
	}
}
