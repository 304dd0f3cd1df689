package main

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"slices"
	"strings"
	"text/tabwriter"
	"time"

	"github.com/dropyard/dropyard/internal/web/browser"
)

// browserCommand measures the dispatch board in a browser.
type browserCommand struct {
	Binary  string  `help:"Measure this dropyard binary. Default: one that is built from this tree." placeholder:"FILE"`
	Orders  int     `default:"20000" help:"Number of orders under way."`
	Slower  float64 `default:"4" help:"How many times slower the browser's CPU is."`
	Desks   int     `default:"50" help:"Number of open boards while orders are created."`
	Rate    int     `default:"100" help:"Orders that are created per second."`
	Seconds float64 `default:"10" help:"Length of the measurements of the service."`
	JSON    bool    `name:"json" help:"Print the report as JSON."`
}

// Validate is called by kong.
func (c *browserCommand) Validate() error {
	const most = 1000
	if c.Orders < 1000 || c.Orders > maxOrders || c.Slower < 1 || c.Slower > 20 || c.Desks < 1 || c.Desks > most ||
		c.Rate < 1 || c.Rate > most || c.Seconds <= 0 || c.Seconds > maxSeconds {
		return fmt.Errorf("1,000 to %d orders, 1 to 20 times slower, at most %d desks, %d orders per second and %d seconds",
			maxOrders, most, most, maxSeconds)
	}
	return nil
}

// Run measures and prints the report.
func (c *browserCommand) Run(ctx context.Context) error {
	report, err := inTempDir(func(directory string) (*browserReport, error) { return c.measure(ctx, directory) })
	if err != nil {
		return err
	}
	return printReport(os.Stdout, c.JSON, report)
}

// measure measures one node on the embedded database.
func (c *browserCommand) measure(ctx context.Context, directory string) (report *browserReport, err error) {
	r := &feedRun{
		feedCommand: &feedCommand{Engine: "sqlite", Binary: c.Binary, Orders: c.Orders, Desks: c.Desks, Seconds: c.Seconds},
		directory:   directory, client: newDeskClient(), versions: map[string]int64{},
	}
	if err := r.seed(ctx); err != nil {
		return nil, fmt.Errorf("seed: %w", err)
	}
	if err := r.start(ctx); err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, r.nodes[0].stop()) }()
	report = &browserReport{
		environment: thisEnvironment(), Orders: c.Orders, Slower: c.Slower, Desks: c.Desks, Rate: c.Rate,
	}
	if err := c.look(ctx, r, report); err != nil {
		return nil, err
	}
	return report, c.create(ctx, r, report)
}

// look opens the board in a browser and works with it.
func (c *browserCommand) look(ctx context.Context, r *feedRun, report *browserReport) error {
	cookie, err := r.nodes[0].session(ctx, "desk-0@bench.example")
	if err != nil {
		return err
	}
	chromium, err := browser.Start(ctx)
	if err != nil {
		return err
	}
	defer chromium.Close()
	visit, err := chromium.Open(r.nodes[0].url("/console/board"),
		browser.Reader{Language: "en", Width: 1280, Scripts: true},
		browser.Options{
			Cookie: cookie, Shown: "#orders [data-id]", Script: watchScript, Slower: c.Slower, Limit: 5 * time.Minute,
		})
	if err != nil {
		return err
	}
	defer visit.Close()
	if report.AllRows, err = browser.Evaluate[float64](visit, fmt.Sprintf(allScript, c.Orders+1)); err != nil {
		return err
	}
	if report.FirstRows, err = browser.Evaluate[float64](visit, "firstRows"); err != nil {
		return err
	}
	if report.OwnRows, err = browser.Evaluate[float64](visit, "ownRows"); err != nil {
		return err
	}
	if report.FirstKey, err = browser.Evaluate[float64](visit, "firstKey"); err != nil {
		return err
	}
	for _, part := range []struct {
		to     *spread3
		script string
	}{{&report.Scrolling, scrollScript}, {&report.Selecting, selectScript}} {
		frames, err := browser.Evaluate[[]float64](visit, part.script)
		if err != nil {
			return err
		}
		*part.to = spreadOf(frames)
	}
	if report.Changes, err = changes(ctx, r, visit); err != nil {
		return err
	}
	report.Heap, err = visit.Heap()
	return err
}

// session signs an operator in and returns the cookie of the session.
func (t *target) session(ctx context.Context, email string) (string, error) {
	body := fmt.Sprintf(`{"email":%q,"password":%q}`, email, targetPassword)
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, t.url("/ops/v1/login"), strings.NewReader(body))
	if err != nil {
		return "", err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return "", err
	}
	defer func() { _ = response.Body.Close() }()
	for _, cookie := range response.Cookies() {
		if cookie.Name == "dropyard_ops_session" {
			return cookie.Name + "=" + cookie.Value, nil
		}
	}
	return "", fmt.Errorf("POST /ops/v1/login: %s without a session", response.Status)
}

// changes moves orders that the browser shows, one after the other, and returns how long
// each takes from the answer to the move until the row shows it.
func changes(ctx context.Context, r *feedRun, visit *browser.Visit) (spread spread3, err error) {
	ids, err := browser.Evaluate[[]string](visit,
		`(document.querySelector("#orders").scrollTop = 0, new Promise((resolve) => setTimeout(() =>
	  resolve([...document.querySelectorAll("#orders [data-id]")].slice(0, 16).map((row) => row.dataset.id)), 500)))`)
	if err != nil {
		return spread, err
	}
	var took []float64
	for i, id := range ids {
		if err := r.moveOne(ctx, i, id, "in_transit"); err != nil {
			return spread, err
		}
		answered := float64(time.Now().UnixMicro()) / 1000
		shown, err := browser.Evaluate[float64](visit, fmt.Sprintf(seenScript, id+":in_transit"))
		if err != nil {
			return spread, err
		}
		took = append(took, max(0, shown-answered))
	}
	return spreadOf(took), nil
}

// create measures the creation of orders without open boards, and with them.
func (c *browserCommand) create(ctx context.Context, r *feedRun, report *browserReport) error {
	accounts, err := r.nodes[0].partners(ctx, boardPartners)
	if err != nil {
		return err
	}
	const clients = 8
	l := load{
		address: r.nodes[0].address, clients: clients, warmUp: 2 * time.Second,
		length: time.Duration(c.Seconds * float64(time.Second)), perSecond: float64(c.Rate), want: http.StatusCreated,
		sender: func(client int) sender {
			return plainCreations(accounts[client%len(accounts)])
		},
	}
	used := &feedReport{}
	measure := func(name string) (err error) {
		row := creationRow{Name: name}
		_, err = r.use(used, name, func() ([]arrival, error) {
			result, err := l.run(ctx)
			if err != nil {
				return nil, err
			}
			row.figures = summarise(result)
			return nil, result.FirstFail
		})
		row.CPU = used.Rows[len(used.Rows)-1].Nodes
		report.Creation = append(report.Creation, row)
		return err
	}
	if err := measure("no open board"); err != nil {
		return err
	}
	if err := r.snapshots(ctx, used); err != nil {
		return err
	}
	for _, d := range r.desks {
		d.seen = nil // they only follow
	}
	stop := r.follow(ctx, r.desks)
	return cmp.Or(measure(fmt.Sprintf("%d open boards", c.Desks)), stop())
}

// spread3 is how values are spread, in milliseconds.
type spread3 struct {
	P50 float64 `json:"p50_ms"`
	P99 float64 `json:"p99_ms"`
	Max float64 `json:"max_ms"`
}

func spreadOf(values []float64) spread3 {
	slices.Sort(values)
	return spread3{percentile(values, 0.5), percentile(values, 0.99), percentile(values, 1)}
}

func (s spread3) String() string {
	return fmt.Sprintf("p50 %.0f ms, p99 %.0f ms, max %.0f ms", s.P50, s.P99, s.Max)
}

// creationRow is what creating orders took, and what it used of the service.
type creationRow struct {
	Name string  `json:"name"`
	CPU  float64 `json:"cpu"` // of the service: parts of one core
	figures
}

// browserReport is the result of the browser command.
type browserReport struct {
	environment
	Orders int     `json:"orders"`
	Slower float64 `json:"slower"`
	Desks  int     `json:"desks"`
	Rate   int     `json:"orders_per_second"`
	// from the beginning of the navigation, until those of the document have been painted
	FirstRows float64       `json:"first_rows_ms"`
	OwnRows   float64       `json:"own_rows_ms"`  // the same, until those of the list that the modules draw have been
	FirstKey  float64       `json:"first_key_ms"` // the same, until a key has moved to one of them
	AllRows   float64       `json:"all_rows_ms"`  // until the board has all orders
	Scrolling spread3       `json:"scrolling"`    // between two frames
	Selecting spread3       `json:"selecting"`
	Changes   spread3       `json:"changes"` // from the answer to a move until the row shows it
	Heap      float64       `json:"heap_mb"` // after a collection of garbage
	Creation  []creationRow `json:"creation"`
}

func (r *browserReport) text(out io.Writer) error {
	table := tabwriter.NewWriter(out, 0, 0, 2, ' ', tabwriter.AlignRight)
	_, _ = fmt.Fprintf(table,
		"%s\n%d orders under way, the browser's CPU %.3g times slower\nfirst rows after %.0f ms, the list after %.0f ms, a key moves to one after %.0f ms, all after %.0f ms, heap %.1f MB\n"+
			"frames while scrolling: %s\nframes while selecting: %s\na change is shown: %s\n\n\torders/s\tp50 ms\tp99 ms\tmax ms\tCPU %%\t\n",
		r.environment, r.Orders, r.Slower, r.FirstRows, r.OwnRows, r.FirstKey, r.AllRows, r.Heap, r.Scrolling, r.Selecting,
		r.Changes)
	for _, row := range r.Creation {
		_, _ = fmt.Fprintf(table, "%s\t%.0f\t%.1f\t%.1f\t%.1f\t%.1f\t\n", row.Name, row.PerSecond, row.P50, row.P99, row.Max,
			100*row.CPU)
	}
	return table.Flush()
}
