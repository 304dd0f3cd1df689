package dropyard_test

import (
	"encoding/json"
	"io"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

const module = "github.com/dropyard/dropyard/"

// rooms is which packages of this module each room may import, and what else
// it must not touch. It is the table of docs/architecture.md.
var rooms = map[string]room{
	"api":          {},
	"client":       {may: []string{"internal/signature"}},
	"cmd/dropyard": {may: []string{"internal/app", "internal/config", "internal/delivery", "client", foundation}},

	"internal/foundation/csvfile":    {mayNot: pure},
	"internal/foundation/form":       {may: []string{"internal/foundation/refusal", "internal/foundation/timestamp"}, mayNot: pure},
	"internal/foundation/identifier": {mayNot: pure},
	"internal/foundation/paging":     {mayNot: pure},
	"internal/foundation/refusal":    {mayNot: pure},
	"internal/foundation/timestamp":  {mayNot: pure},
	"internal/foundation/credential": {may: []string{foundation}, mayNot: useCase},
	"internal/foundation/durable":    {mayNot: useCase},
	"internal/foundation/outbound":   {mayNot: database},
	"internal/foundation/strictjson": {may: []string{foundation}, mayNot: useCase},
	"internal/foundation/throttle":   {mayNot: useCase},

	"internal/delivery":  {may: []string{foundation}, mayNot: pure},
	"internal/audit":     {may: []string{foundation}, mayNot: pure},
	"internal/board":     {may: []string{"internal/delivery"}, mayNot: pure},
	"internal/signature": {mayNot: pure},
	"internal/record":    {may: []string{"internal/delivery", foundation}, mayNot: useCase},
	"internal/label":     {may: []string{"internal/delivery"}, mayNot: pure},
	"internal/outbox":    {may: []string{"internal/delivery"}, mayNot: pure},
	"internal/pricing":   {may: []string{"internal/delivery", foundation}, mayNot: pure},

	"internal/order":     {may: []string{"internal/delivery", "internal/outbox", "internal/board", "internal/audit", "internal/pricing", foundation}, mayNot: useCase},
	"internal/stock":     {may: []string{"internal/delivery", "internal/audit", foundation}, mayNot: useCase},
	"internal/ratecard":  {may: []string{"internal/delivery", "internal/audit", "internal/pricing", foundation}, mayNot: useCase},
	"internal/partner":   {may: []string{"internal/delivery", "internal/audit", foundation}, mayNot: useCase},
	"internal/dispatch":  {may: []string{"internal/delivery", "internal/board", "internal/audit", foundation}, mayNot: useCase},
	"internal/operator":  {may: []string{"internal/delivery", "internal/audit", foundation}, mayNot: useCase},
	"internal/retention": {may: []string{"internal/delivery", "internal/board", "internal/record", foundation}, mayNot: useCase},
	"internal/proof":     {may: []string{"internal/delivery", "internal/audit", foundation}, mayNot: useCase},
	"internal/proof/s3":  {may: []string{"internal/proof"}, mayNot: database},
	"internal/webhook":   {may: []string{"internal/delivery", "internal/outbox", "internal/signature", foundation}, mayNot: useCase},
	"internal/simulate":  {may: []string{"internal/delivery", "internal/audit", foundation}, mayNot: useCase},

	"internal/metrics": {may: []string{"internal/api", "internal/order", "internal/retention", "internal/store", "internal/webhook", foundation}, mayNot: database},
	"internal/config":  {},
	"internal/web":     {may: []string{"internal/delivery"}, mayNot: database},
	"internal/api":     {may: []string{"api", "internal/delivery", "internal/board", "internal/audit", "internal/signature", "internal/record", "internal/label", "internal/proof", "internal/order", "internal/stock", "internal/partner", "internal/dispatch", "internal/operator", "internal/pricing", "internal/ratecard", "internal/webhook", foundation}, mayNot: database},

	"internal/store":           {may: []string{"internal/delivery", "internal/outbox", "internal/board", "internal/audit", "internal/record", "internal/order", "internal/stock", "internal/partner", "internal/dispatch", "internal/operator", "internal/proof", "internal/ratecard", "internal/retention", "internal/simulate", "internal/webhook", foundation}, mayNot: web},
	"internal/store/storetest": everything,

	"internal/testkit":      everything,
	"internal/app":          everything,
	"internal/app/apptest":  everything,
	"internal/app/contract": everything,
	"internal/app/cluster":  everything,
	"bench":                 everything,
}

// foundation stands for every package below internal/foundation: none of them
// knows of deliveries, and none imports a room outside of that folder.
const foundation = "internal/foundation/"

// room is what a package may import of this module ("*": everything), and
// which others it must not, each with the reason.
type room struct {
	may    []string
	mayNot map[string]string
}

// admits reports whether the room may import a package of this module.
func (r room) admits(target string) bool {
	return slices.ContainsFunc(r.may, func(may string) bool {
		return may == "*" || may == target || strings.HasSuffix(may, "/") && strings.HasPrefix(target, may)
	})
}

// everything marks the rooms that put others together.
var everything = room{may: []string{"*"}}

var (
	database = map[string]string{
		"database/sql":            "all SQL is in store",
		"zombiezen.com/go/sqlite": "all SQL is in store",
	}
	web = map[string]string{
		"net/http": "storage does not know who asks",
	}
	useCase = map[string]string{
		"database/sql":            "what happens and how it is stored are different questions",
		"zombiezen.com/go/sqlite": "what happens and how it is stored are different questions",
		"net/http":                "what happens and who asks for it are different questions",
	}
	pure = map[string]string{
		"database/sql": "pure rooms keep nothing",
		"net/http":     "pure rooms talk to nobody",
		"os":           "pure rooms read no files",
		"math/rand/v2": "pure rooms are given their randomness",
		"crypto/rand":  "pure rooms are given their randomness",
	}
)

type listed struct {
	ImportPath string
	Imports    []string
}

func packages(t *testing.T) (all []listed) {
	t.Helper()
	out, err := exec.Command("go", "list", "-json=ImportPath,Imports", "./...").Output()
	if err != nil {
		t.Fatalf("go list: %v", err)
	}
	decoder := json.NewDecoder(strings.NewReader(string(out)))
	for {
		var p listed
		if err := decoder.Decode(&p); err == io.EOF {
			return all
		} else if err != nil {
			t.Fatal(err)
		}
		all = append(all, p)
	}
}

func TestRoomsImportOnlyWhatTheyMay(t *testing.T) {
	t.Parallel()
	seen := map[string]bool{}
	for _, p := range packages(t) {
		name, inside := strings.CutPrefix(p.ImportPath, module)
		if !inside {
			continue // the tests of the root
		}
		seen[name] = true
		room, known := rooms[name]
		if !known {
			t.Errorf("%s is not in the table of rooms: say what it is and what it may import", name)
			continue
		}
		for _, imported := range p.Imports {
			if why, banned := room.mayNot[imported]; banned {
				t.Errorf("%s imports %s: %s", name, imported, why)
			}
			target, own := strings.CutPrefix(imported, module)
			if own && !room.admits(target) {
				t.Errorf("%s imports %s, which its room may not", name, target)
			}
		}
	}
	for name := range rooms {
		if !seen[name] {
			t.Errorf("%s is in the table of rooms but does not exist", name)
		}
	}
}
