package contract_test

import (
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/partner"
)

// permissionTable is the table of docs/accounts.md: by permission and column, whether
// the column says yes.
type permissionTable map[partner.Permission]map[string]bool

var permissionRow = regexp.MustCompile("(?m)^\\| `([a-z.]+)` \\| [^|]+ \\| (.*) \\|$")

// readPermissions reads the table. Its columns are those of the first two lines.
func readPermissions(t *testing.T) permissionTable {
	t.Helper()
	text, err := os.ReadFile("../../../docs/accounts.md")
	if err != nil {
		t.Fatal(err)
	}
	_, head, found := strings.Cut(string(text), "| permission | what it is for | ")
	if !found {
		t.Fatal("docs/accounts.md has no table of permissions")
	}
	head, _, _ = strings.Cut(head, " |\n")
	columns := strings.Split(head, " | ")
	table := permissionTable{}
	for _, row := range permissionRow.FindAllStringSubmatch(string(text), -1) {
		cells := strings.Split(row[2], " | ")
		if len(cells) != len(columns) {
			t.Fatalf("%s: got %d columns, want %d", row[1], len(cells), len(columns))
		}
		allowed := map[string]bool{}
		for i, cell := range cells {
			if cell != "yes" && cell != "no" {
				t.Fatalf("%s, %s: got %q, want yes or no", row[1], columns[i], cell)
			}
			allowed[columns[i]] = cell == "yes"
		}
		table[partner.Permission(row[1])] = allowed
	}
	return table
}

// TestPermissions calls every operation that names a permission as a user of every
// role, in a session and by password, and with a key of every scope, wherever the
// operation accepts that. It is refused exactly where the table of docs/accounts.md
// says no.
func TestPermissions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, generous)
	table, used, asked := readPermissions(t), map[partner.Permission]bool{}, 0
	callers := f.callers(t)
	for _, o := range f.contract.operations {
		needed := o.permission()
		if needed == "" {
			continue
		}
		if used[needed] = true; table[needed] == nil {
			t.Errorf("%s: got the permission %s, which docs/accounts.md does not have", o.id, needed)
			continue
		}
		target := f.target(o, call{path: nowhere})
		for _, caller := range callers {
			if !o.asksFor(caller.scheme) {
				continue
			}
			permitted, known := table[needed][caller.column]
			if !known {
				t.Fatalf("docs/accounts.md has no column %q", caller.column)
			}
			asked++
			got := f.Do(t, o.method, target, nil, caller.headers(o.method, target)...)
			o.check(t, got, true)
			if got.Status == http.StatusUnauthorized || permitted == (got.Status == http.StatusForbidden) {
				t.Errorf("%s as %s by %s: got status %d, want permitted %t: %s", o.id, caller.column, caller.scheme, got.Status,
					permitted, got.Body)
			}
		}
	}
	for permission := range table {
		if !used[permission] {
			t.Errorf("docs/accounts.md: got the permission %s, which no operation needs", permission)
		}
	}
	t.Logf("%d requests", asked)
	if asked < 150 {
		t.Errorf("got %d requests sent, want more", asked)
	}
}

// caller has a role or a key, and a way to authenticate.
type caller struct {
	column  string // of docs/accounts.md
	scheme  string // of the documents
	headers func(method, target string) []string
}

// callers returns the users of every role, in every way, and the keys of every scope.
func (f *fixture) callers(t *testing.T) (all []caller) {
	t.Helper()
	for _, role := range partner.Roles {
		u := f.partner.As(t, string(role))
		all = append(all,
			caller{string(role), "session", func(string, string) []string { return []string{"Cookie", u.Cookie} }},
			caller{string(role), "partnerPassword", func(string, string) []string { return u.Login() }})
	}
	keys := map[string]*apptest.Partner{"key without scopes": f.partner}
	for _, scope := range partner.Scopes {
		keys["scope "+string(scope)] = f.partner.NewKey(t, string(scope))
	}
	for column, key := range keys {
		all = append(all,
			caller{column, "signedKey", func(method, target string) []string { return key.Signed(method, target, nil) }})
	}
	return all
}
