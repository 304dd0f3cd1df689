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
	"api":                      {},
	"client":                   {may: []string{"internal/signature"}},
	"cmd/dropyard":             {may: []string{"internal/app", "internal/config", "internal/csvfile", "internal/delivery", "client"}},
	"internal/delivery":        {mayNot: pure},
	"internal/signature":       {mayNot: pure},
	"internal/credential":      {may: []string{"internal/delivery", "internal/durable", "internal/throttle"}, mayNot: useCase},
	"internal/csvfile":         {mayNot: pure},
	"internal/durable":         {mayNot: useCase},
	"internal/throttle":        {mayNot: useCase},
	"internal/strictjson":      {may: []string{"internal/delivery"}, mayNot: useCase},
	"internal/record":          {may: []string{"internal/delivery", "internal/strictjson"}, mayNot: useCase},
	"internal/label":           {may: []string{"internal/delivery"}, mayNot: pure},
	"internal/pricing":         {may: []string{"internal/delivery", "internal/strictjson"}, mayNot: pure},
	"internal/order":           {may: []string{"internal/delivery", "internal/pricing"}, mayNot: useCase},
	"internal/stock":           {may: []string{"internal/csvfile", "internal/delivery"}, mayNot: useCase},
	"internal/ratecard":        {may: []string{"internal/delivery", "internal/pricing", "internal/strictjson"}, mayNot: useCase},
	"internal/partner":         {may: []string{"internal/delivery", "internal/credential", "internal/throttle"}, mayNot: useCase},
	"internal/dispatch":        {may: []string{"internal/delivery"}, mayNot: useCase},
	"internal/operator":        {may: []string{"internal/delivery", "internal/credential", "internal/throttle"}, mayNot: useCase},
	"internal/retention":       {may: []string{"internal/delivery", "internal/record", "internal/strictjson"}, mayNot: useCase},
	"internal/proof":           {may: []string{"internal/delivery", "internal/durable"}, mayNot: useCase},
	"internal/proof/s3":        {may: []string{"internal/proof"}, mayNot: database},
	"internal/webhook":         {may: []string{"internal/credential", "internal/delivery", "internal/signature", "internal/strictjson"}, mayNot: useCase},
	"internal/simulate":        {may: []string{"internal/delivery"}, mayNot: useCase},
	"internal/outbound":        {mayNot: database},
	"internal/metrics":         {may: []string{"internal/webhook"}, mayNot: database},
	"internal/config":          {},
	"internal/web":             {may: []string{"internal/delivery"}, mayNot: database},
	"internal/api":             {may: []string{"api", "internal/delivery", "internal/signature", "internal/strictjson", "internal/record", "internal/label", "internal/proof", "internal/throttle", "internal/order", "internal/stock", "internal/partner", "internal/dispatch", "internal/operator", "internal/pricing", "internal/ratecard", "internal/webhook"}, mayNot: database},
	"internal/store":           {may: []string{"internal/delivery", "internal/durable", "internal/strictjson", "internal/record", "internal/order", "internal/stock", "internal/partner", "internal/dispatch", "internal/operator", "internal/proof", "internal/ratecard", "internal/retention", "internal/simulate", "internal/throttle", "internal/webhook"}, mayNot: web},
	"internal/store/storetest": {may: []string{"internal/delivery", "internal/dispatch", "internal/operator", "internal/proof", "internal/record", "internal/retention", "internal/order", "internal/partner", "internal/store", "internal/testkit", "internal/throttle", "internal/webhook"}},
	"internal/testkit":         everything,
	"internal/app":             everything,
	"internal/app/apptest":     everything,
	"internal/app/contract":    everything,
	"internal/app/cluster":     everything,
	"bench":                    everything,
}

// room is what a package may import of this module ("*": everything), and
// which others it must not, each with the reason.
type room struct {
	may    []string
	mayNot map[string]string
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
			if own && !slices.Contains(room.may, "*") && !slices.Contains(room.may, target) {
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
