package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"net/http"
	"os"
	"path/filepath"

	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/store"
	"github.com/jackc/pgx/v5"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// installation is a data directory of dropyard with partners that have stock, and a
// number of orders. Its service is started for each measurement.
type installation struct {
	directory string // holds the data directory
	binary    string
	url       string // of a database on PostgreSQL; empty for the embedded one
	server    int    // the process of the database's server; 0 if there is none
	holdings
}

// holdings is what an installation holds. It is stored beside the data directory, so
// that a later run need only add what is missing.
type holdings struct {
	Accounts []account `json:"accounts"`
	Orders   int       `json:"orders"` // that were prefilled
}

// account is a partner and the API key that it signs requests with.
type account struct {
	PartnerID string `json:"partner_id"`
	PublicKey string `json:"public_key"`
	Secret    string `json:"secret"`
}

// The stock of every partner at the start, more than a run can order.
const (
	products     = 2
	productName  = "Maple syrup 540 ml"
	openingStock = 1_000_000_000
)

var locations = []string{"MTL-1", "TOR-1"}

// start starts the service, without rate limits.
func (i *installation) start(ctx context.Context, flags ...string) (*target, error) {
	flags = append(flags, "--rate-limit=0", "--stranger-limit=0")
	if i.url != "" {
		flags = append(flags, "--database="+i.url)
	}
	return startTarget(ctx, i.directory, i.binary, flags...)
}

// database returns the URL of the database, or its file.
func (i *installation) database() string {
	if i.url != "" {
		return i.url
	}
	return (&config.Config{Data: filepath.Join(i.directory, "data")}).Database()
}

// fill adds partners with stock, unless there are any, and the missing orders. No
// service may be running.
func (i *installation) fill(ctx context.Context, partners, orders int) error {
	if err := os.MkdirAll(i.directory, 0o700); err != nil {
		return err
	}
	note := filepath.Join(i.directory, "bench.json")
	text, err := os.ReadFile(filepath.Clean(note))
	switch {
	case err == nil:
		err = json.Unmarshal(text, &i.holdings)
	case errors.Is(err, os.ErrNotExist):
		err = i.register(ctx, partners)
	}
	if err != nil {
		return err
	}
	if i.Orders < orders {
		if err := i.prefill(ctx, orders); err != nil {
			return err
		}
	}
	if text, err = json.Marshal(i.holdings); err != nil {
		return err
	}
	return os.WriteFile(note, text, 0o600)
}

// register adds partners with a key and stock, through the service.
func (i *installation) register(ctx context.Context, partners int) (err error) {
	t, err := i.start(ctx)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, t.stop()) }()
	for range partners {
		made, err := t.partner(ctx)
		if err == nil {
			err = t.addStock(ctx, made.PartnerID)
		}
		if err != nil {
			return err
		}
		i.Accounts = append(i.Accounts, made)
	}
	return nil
}

// addStock adds the products of a partner, with stock at every location.
func (t *target) addStock(ctx context.Context, partnerID string) error {
	path := "/ops/v1/partners/" + partnerID
	for id := range products {
		product := map[string]any{"name": productName, "price": 12.99}
		if err := t.operate(ctx, http.MethodPost, path+"/products", product); err != nil {
			return err
		}
		for _, location := range locations {
			receipt := map[string]any{"type": "IN", "product_id": id + 1, "quantity": openingStock, "location": location}
			if err := t.operate(ctx, http.MethodPost, path+"/movements", receipt); err != nil {
				return err
			}
		}
	}
	return nil
}

// prefill adds orders without the service.
func (i *installation) prefill(ctx context.Context, orders int) (err error) {
	db, err := openStore(ctx, i.database())
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if err := prefill(ctx, db, i.Accounts, i.Orders, orders); err != nil {
		return err
	}
	i.Orders = orders
	return nil
}

func openStore(ctx context.Context, database string) (*store.Store, error) {
	if isPostgres(database) {
		return store.OpenPostgres(ctx, database)
	}
	return store.OpenSQLite(ctx, database)
}

// samples returns ids of the first partner's orders, evenly spaced.
func (i *installation) samples(ctx context.Context, t *target) (ids []string, err error) {
	const pages, size = 20, 25
	for page := range pages {
		var answer struct {
			Orders []struct {
				OrderID string `json:"order_id"`
			} `json:"orders"`
		}
		offset := i.Orders / len(i.Accounts) / pages * page
		query := fmt.Sprintf("?limit=%d&offset=%d", size, offset)
		if err := i.get(ctx, t, "/v1/orders", query, &answer); err != nil {
			return nil, err
		}
		for _, o := range answer.Orders {
			ids = append(ids, o.OrderID)
		}
	}
	return ids, nil
}

// get sends a signed request of the first partner, and decodes the JSON of a 200.
func (i *installation) get(ctx context.Context, t *target, path, query string, answer any) error {
	c, err := dial(ctx, t.address)
	if err != nil {
		return err
	}
	defer func() { _ = c.Close() }()
	request := newGet(i.Accounts[0], func() (string, string) { return path, query })
	status, err := c.call(request.next())
	if err == nil && status != http.StatusOK {
		err = fmt.Errorf("GET %s%s: status %d: %.300s", path, query, status, c.body)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(c.body, answer)
}

// count returns the number of orders in the database.
func (i *installation) count(ctx context.Context) (orders int, err error) {
	const sql = "SELECT count(*) FROM orders"
	if i.url != "" {
		err = onPostgres(ctx, i.url, func(conn *pgx.Conn) error { return conn.QueryRow(ctx, sql).Scan(&orders) })
		return orders, err
	}
	err = onDatabase(i.database(), func(c *sqlite.Conn) error {
		orders, err = sqlitex.ResultInt(c.Prep(sql))
		return err
	})
	return orders, err
}

// diskPerOrder returns the size of the embedded database by its orders; 0 if there are
// none, or for PostgreSQL.
func (i *installation) diskPerOrder(orders int) (float64, error) {
	if i.url != "" || orders == 0 {
		return 0, nil
	}
	bytes, err := diskBytes(filepath.Join(i.directory, "data"))
	return float64(bytes) / float64(orders), err
}

func onDatabase(path string, fn func(*sqlite.Conn) error) error {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(fn(c), c.Close())
}
