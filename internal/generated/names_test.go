package generated_test

import (
	"go/ast"
	"go/parser"
	"go/token"
	"maps"
	"os"
	"path"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
)

// names holds the methods or functions of a client by their names in lower case without underscores.
type names map[string]string

func (n names) add(name string) { n[strings.ToLower(strings.ReplaceAll(name, "_", ""))] = name }

// differ has what is not in all clients, and why.
var differ = map[string]string{
	"call":             "what the others call request",
	"callwithkey":      "like call",
	"getopenapiasjson": "get_openapi of Python reads this one; Go has the document in YAML only",
	"previewedit":      "an argument of edit_order and editOrder",
	"printlabel":       "an argument of get_label and getLabel",
	"printlabels":      "an argument of get_labels and getLabels",
	"redelivereventto": "an argument of redeliver_event and redeliverEvent",
	"testendpoint":     "an argument of test_webhook and testWebhook",
}

// onPages are the files of client with what people do on pages, which only the client in Go has methods for.
var onPages = []string{"account.go", "company.go", "signin.go", "team.go"}

// TestNamesOfClients compares the methods of the clients, and the table of them in docs/clients.md.
func TestNamesOfClients(t *testing.T) {
	t.Parallel()
	clients := []names{
		goMethods(t),
		declared(t, "python/src/dropyard/client.py", `(?m)^    def ([a-z]\w*)\(`),
		declared(t, "typescript/src/client.ts", methodOfTypeScript),
	}
	maps.Copy(clients[2], declared(t, "typescript/src/service.ts", methodOfTypeScript))
	delete(clients[1], "authflow")        // of httpx
	delete(clients[1], "fromenvironment") // of the class; a function in Go
	delete(clients[0], "request")         // returns a signed request; Call sends it
	delete(clients[2], "request")
	table, err := os.ReadFile("../../docs/clients.md")
	if err != nil {
		t.Fatal(err)
	}
	every := names{}
	for _, client := range clients {
		maps.Copy(every, client)
	}
	for _, key := range slices.Sorted(maps.Keys(every)) {
		row := []string{clients[0][key], clients[1][key], clients[2][key]}
		if slices.Contains(row, "") != (differ[key] != "") {
			t.Errorf("%s: got the names %q, want one in each client, or a reason in differ", key, row)
		}
		if line := "\n| `" + strings.Join(row, "` | `") + "` |"; differ[key] == "" && !strings.Contains(string(table), line) {
			t.Errorf("docs/clients.md: got no row %q", strings.TrimSpace(line))
		}
	}
	if got, want := strings.Count(string(table), "\n| `"), len(every)-len(differ); got != want {
		t.Errorf("docs/clients.md: got %d rows of methods, want %d", got, want)
	}
}

// TestNamesOfWebhookFunctions: what verifies and signs webhooks has one name in all clients.
func TestNamesOfWebhookFunctions(t *testing.T) {
	t.Parallel()
	clients := map[string]names{
		"Go":         goFunctions(t),
		"Python":     declared(t, "python/src/dropyard/webhooks.py", `(?m)^def ([a-z]\w*)\(`),
		"TypeScript": declared(t, "typescript/src/webhooks.ts", `(?m)^export function (\w+)\(`),
	}
	for _, want := range []string{
		"verifywebhook", "verifydropsignature", "parseevent", "signwebhook", "newwebhooksecret",
	} {
		for client, functions := range clients {
			if functions[want] == "" {
				t.Errorf("%s: got no function %s", client, want)
			}
		}
	}
}

// methodOfTypeScript matches the methods of classes, without those that are private, protected or deprecated.
const methodOfTypeScript = `(?m)^  (?:async )?\*?([a-z]\w+)(?:<.*>)?\(`

// declared returns the first groups of matches in a file of sdk.
func declared(t *testing.T, file, pattern string) names {
	t.Helper()
	source, err := os.ReadFile(filepath.Join("../../sdk", file))
	if err != nil {
		t.Fatal(err)
	}
	text := deprecated.ReplaceAllString(string(source), "")
	found := names{}
	for _, match := range regexp.MustCompile(pattern).FindAllStringSubmatch(text, -1) {
		found.add(match[1])
	}
	delete(found, "constructor")
	return found
}

// deprecated matches a method of TypeScript that is deprecated, from its comment to its name.
var deprecated = regexp.MustCompile(`  /\*\* @deprecated .*\n.*\(`)

// goMethods returns the methods of Service, Session and Client in Go, without those for operators.
func goMethods(t *testing.T) names {
	t.Helper()
	found := names{}
	for _, function := range goDeclarations(t) {
		if function.Recv == nil {
			continue
		}
		pointer, ok := function.Recv.List[0].Type.(*ast.StarExpr)
		if !ok {
			continue
		}
		receiver, ok := pointer.X.(*ast.Ident)
		if ok && slices.Contains([]string{"Service", "Session", "Client"}, receiver.Name) {
			found.add(function.Name.Name)
		}
	}
	return found
}

func goFunctions(t *testing.T) names {
	t.Helper()
	found := names{}
	for _, function := range goDeclarations(t) {
		if function.Recv == nil {
			found.add(function.Name.Name)
		}
	}
	return found
}

// goDeclarations returns the exported functions of client that partners' programs use.
func goDeclarations(t *testing.T) []*ast.FuncDecl {
	t.Helper()
	files, err := filepath.Glob("../../client/*.go")
	if err != nil || len(files) == 0 {
		t.Fatalf("got the files %q, %v of client", files, err)
	}
	var found []*ast.FuncDecl
	for _, file := range files {
		name := filepath.Base(file)
		if strings.HasSuffix(name, "_test.go") || strings.HasPrefix(name, "operator") || slices.Contains(onPages, name) {
			continue
		}
		parsed, err := parser.ParseFile(token.NewFileSet(), file, nil, parser.SkipObjectResolution)
		if err != nil {
			t.Fatal(err)
		}
		for _, declaration := range parsed.Decls {
			if function, ok := declaration.(*ast.FuncDecl); ok && function.Name.IsExported() {
				found = append(found, function)
			}
		}
	}
	return found
}

// TestVersionsOfClients: the packages have the version of the newest release, as have the names of files and images in
// documents and examples.
func TestVersionsOfClients(t *testing.T) {
	t.Parallel()
	changes, err := os.ReadFile("../../CHANGELOG.md")
	if err != nil {
		t.Fatal(err)
	}
	release := regexp.MustCompile(`(?m)^## (\d\S*) \(`).FindSubmatch(changes)
	if release == nil {
		t.Fatal("CHANGELOG.md: got no release")
	}
	want := string(release[1])
	for file, pattern := range map[string]string{
		"python/src/dropyard/_version.py": `__version__ = "(.*)"`,
		"typescript/src/version.ts":       `version = "(.*)"`,
		"typescript/package.json":         `(?m)^  "version": "(.*)"`,
		"typescript/package-lock.json":    `(?m)^  "version": "(.*)"`,

		"../Dockerfile":                                      `VERSION=([0-9.]+[0-9])`,
		"../docs/clients.md":                                 `dropyard-go/([0-9.]+[0-9])`,
		"../docs/installing.md":                              `(?:dropyard_|release.sh )([0-9.]+[0-9])`,
		"../examples/receivers/README.md":                    `dropyard-client-([0-9.]+[0-9])`,
		"../examples/shop/README.md":                         `dropyard-client-([0-9.]+[0-9])`,
		"../packaging/kubernetes/postgresql/deployment.yaml": `image: dropyard:(.+)`,
		"../packaging/kubernetes/sqlite/statefulset.yaml":    `image: dropyard:(.+)`,
	} {
		if got := declared(t, file, pattern); len(got) != 1 || got[want] == "" {
			t.Errorf("%s: got the version %s, want %s", path.Join("sdk", file), got, want)
		}
	}
}

// generator matches a row of the table in docs/generators.md: a name, and the version.
var generator = regexp.MustCompile(`(?m)^\| ([a-z-]+)[^|]* \| ([0-9.]+) \|`)

// TestVersionsOfGenerators: the table in docs/generators.md has the versions that the tests run.
func TestVersionsOfGenerators(t *testing.T) {
	t.Parallel()
	table, err := os.ReadFile("../../docs/generators.md")
	if err != nil {
		t.Fatal(err)
	}
	var run strings.Builder
	for _, pattern := range []string{
		"*_test.go", "testdata/*/package.json", "testdata/*/requirements.txt", "testdata/*/pom.xml",
	} {
		files, err := filepath.Glob(pattern)
		if err != nil || len(files) == 0 {
			t.Fatalf("got the files %q, %v of %s", files, err, pattern)
		}
		for _, file := range files {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			run.Write(text)
		}
	}
	rows := generator.FindAllStringSubmatch(string(table), -1)
	if len(rows) < 10 {
		t.Fatalf("got %d rows, want one for each generator", len(rows))
	}
	for _, row := range rows {
		runs := regexp.MustCompile(row[1] + `(-maven-plugin</artifactId>\s*<version>|": "|==|@v)` + regexp.QuoteMeta(row[2]) + `\b`)
		if !runs.MatchString(run.String()) {
			t.Errorf("%s: got version %s in docs/generators.md, want the one that the tests run", row[1], row[2])
		}
	}
}
