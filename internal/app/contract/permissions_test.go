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
// role, in a session and by password where the operation accepts that. It is refused
// exactly where the table of docs/accounts.md says no.
func TestPermissions(t *testing.T) {
	t.Parallel()
	f := newFixture(t, generous)
	table, used, asked := readPermissions(t), map[partner.Permission]bool{}, 0
	ways := map[string]map[string][]string{} // headers by role and security scheme
	for _, role := range partner.Roles {
		u := f.partner.As(t, string(role))
		ways[string(role)] = map[string][]string{"session": {"Cookie", u.Cookie}, "partnerPassword": u.Login()}
	}
	for _, o := range f.contract.operations {
		needed := o.permission()
		if needed == "" {
			continue
		}
		if used[needed] = true; table[needed] == nil {
			t.Errorf("%s: got the permission %s, which docs/accounts.md does not have", o.id, needed)
			continue
		}
		for role, schemes := range ways {
			for scheme, headers := range schemes {
				if !o.asksFor(scheme) {
					continue
				}
				asked++
				got := f.Do(t, o.method, f.target(o, call{path: nowhere}), nil, headers...)
				o.check(t, got, true)
				wantPermitted(t, o.id+" as "+role+" by "+scheme, got, table[needed][role])
			}
		}
	}
	for permission := range table {
		if !used[permission] {
			t.Errorf("docs/accounts.md: got the permission %s, which no operation needs", permission)
		}
	}
	t.Logf("%d requests", asked)
	if asked < 60 {
		t.Errorf("got %d requests sent, want more", asked)
	}
}

// wantPermitted checks whether a request was refused because of its permission.
func wantPermitted(t *testing.T, what string, got *apptest.Answer, permitted bool) {
	t.Helper()
	if got.Status == http.StatusUnauthorized || permitted == (got.Status == http.StatusForbidden) {
		t.Errorf("%s: got status %d, want permitted %t: %s", what, got.Status, permitted, got.Body)
	}
}
