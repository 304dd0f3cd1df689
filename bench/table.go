package main

import (
	"fmt"
	"io"
	"strings"
)

// atRest is the work of a row about a service that has nothing to do.
const atRest = "at rest"

// row is what was measured of one work of one server.
type row struct {
	Server  string  `json:"server"`
	Work    string  `json:"work"`
	Orders  int     `json:"orders_before"`
	Clients int     `json:"clients,omitzero"`
	Open    bool    `json:"open_loop,omitzero"` // at 0.7 of the rate of the closed loop above it
	Start   float64 `json:"start_ms,omitzero"`  // until the service is ready, with a sign-in
	Idle    float64 `json:"idle_cpu_ms_per_second,omitzero"`
	Disk    float64 `json:"disk_bytes_per_order,omitzero"`
	figures
}

// key returns what identifies a row.
func (r row) key() string {
	return fmt.Sprint(r.Server, "|", r.Work, "|", r.Orders, "|", r.Clients, "|", r.Open)
}

// report is the result of the report command.
type report struct {
	environment
	Clients int     `json:"clients"`
	Seconds float64 `json:"seconds"`
	Rounds  int     `json:"rounds"` // all figures are medians over these
	Rows    []row   `json:"rows"`
	Ratios  []ratio `json:"ratios"`
}

// ratio compares two rows of a report.
type ratio struct {
	Name  string  `json:"name"`
	Value float64 `json:"value"`
	Goal  string  `json:"goal"`
}

// find returns the row of a work in a closed loop with the usual number of clients.
func (r *report) find(server, work string, orders int) *row {
	for i := range r.Rows {
		found := &r.Rows[i]
		usual := found.Clients == r.Clients || found.Clients == 0
		if found.Server == server && found.Work == work && found.Orders == orders && usual && !found.Open {
			return found
		}
	}
	return nil
}

// rate adds a ratio of two rates, if both were measured.
func (r *report) rate(name, goal string, over, under *row) {
	if over != nil && under != nil && under.PerSecond > 0 {
		r.Ratios = append(r.Ratios, ratio{name, over.PerSecond / under.PerSecond, goal})
	}
}

// cost adds a ratio of the CPU time of two requests, if both were measured.
func (r *report) cost(name, goal string, over, under *row) {
	if over != nil && under != nil && under.CPU > 0 {
		r.Ratios = append(r.Ratios, ratio{name, over.CPU / under.CPU, goal})
	}
}

// compare sets the ratios.
func (r *report) compare() {
	at := func(server, work string) *row { return r.find(server, work, 0) }
	r.rate("create, SQLite : PocketBase", "6", at(onSQLite, creating), at(pocketBase, creating))
	r.rate("create, SQLite : bare floor", "0.35", at(onSQLite, creating), at(bareFloor, creating))
	r.rate("create with items, SQLite : bare floor", "0.30", at(onSQLite, creatingItems), at(bareFloor, creating))
	r.rate("create, PostgreSQL : pgbench", "3", at(overPostgres, creating), at(pgbench, creating))
	r.rate("create with items, PostgreSQL : pgbench", "3", at(overPostgres, creatingItems), at(pgbench, creatingItems))
	for _, large := range r.Rows {
		if large.Work == creatingItems && large.Orders > 0 && !large.Open {
			r.rate(fmt.Sprintf("create with items, SQLite, %d orders : none", large.Orders), "0.8", &large,
				at(onSQLite, creatingItems))
		}
		if large.Server == onSQLite || large.Server == overPostgres {
			r.beside(&large, at(bareFloor, creating), at(bareFloor, oneOrder))
		}
	}
	r.rate("webhooks to one endpoint, SQLite : bare client", "0.7", at(onSQLite, delivering), at(bareClient, delivering))
}

// beside compares a work of the service with the bare floor. The goals are for the floor
// that parses a body; works that have none are compared with a floor without one, too.
func (r *report) beside(of, floor, bodiless *row) {
	goal := "0.85"
	if of.Server == overPostgres {
		goal = "0.6"
	}
	name := fmt.Sprintf("%s, %s, %d orders", of.Server, of.Work, of.Orders)
	switch of.Work {
	case quoting:
		r.rate(name+" : bare floor", "0.9", of, floor)
	case oneOrder, tracking:
		r.rate(name+" : bare floor", goal, of, floor)
		r.rate(name+" : bare floor without a body", "", of, bodiless)
	case listing:
		r.cost(name+", CPU : bare floor", "9 at most", of, floor)
		r.cost(name+", CPU : bare floor without a body", "", of, bodiless)
	}
}

// text writes the report as Markdown.
func (r *report) text(out io.Writer) error {
	var b strings.Builder
	fmt.Fprintf(&b, "%v; %d clients, %.3g s each, medians of %d\n", r.environment, r.Clients, r.Seconds, r.Rounds)
	b.WriteString("\n| server | orders before | work | clients | per second | p50 ms | p99 ms | p99.9 ms | CPU us | database us | written B | MB | load |\n|---|---|---|---|---|---|---|---|---|---|---|---|---|\n")
	for _, row := range r.Rows {
		if row.Work == atRest {
			continue
		}
		work := row.Work
		if row.Open {
			work += ", open loop"
		}
		fmt.Fprintf(&b, "| %s | %d | %s | %d | %.0f | %.2f | %.1f | %.1f | %.0f | %s | %s | %.0f | %.1f |\n", row.Server,
			row.Orders, work, row.Clients, row.PerSecond, row.P50, row.P99, row.P999, row.CPU, orBlank(row.DatabaseCPU),
			orBlank(row.Written), row.Resident, row.Load)
	}
	b.WriteString(
		"\n| at rest | orders | start ms | MB | CPU ms per second | disk, bytes per order |\n|---|---|---|---|---|---|\n",
	)
	for _, row := range r.Rows {
		if row.Work == atRest {
			fmt.Fprintf(&b, "| %s | %d | %.0f | %.0f | %.1f | %s |\n", row.Server, row.Orders, row.Start, row.Resident, row.Idle,
				orBlank(row.Disk))
		}
	}
	b.WriteString("\n| ratio | value | goal |\n|---|---|---|\n")
	for _, ratio := range r.Ratios {
		fmt.Fprintf(&b, "| %s | %.2f | %s |\n", ratio.Name, ratio.Value, ratio.Goal)
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// orBlank returns a rounded figure, or nothing for zero.
func orBlank(value float64) string {
	if value == 0 {
		return ""
	}
	return fmt.Sprintf("%.0f", value)
}
