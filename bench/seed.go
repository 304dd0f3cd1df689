package main

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"time"

	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/config"
	"github.com/dropyard/dropyard/internal/foundation/strictjson"
	"github.com/dropyard/dropyard/internal/stock"
	"github.com/dropyard/dropyard/internal/store"
	"zombiezen.com/go/sqlite"
	"zombiezen.com/go/sqlite/sqlitex"
)

// seeded describes the content of a data directory. It is stored beside the database,
// so that a later run need only add what is missing.
type seeded struct {
	Accounts []account `json:"accounts"`
	Orders   int       `json:"orders"`
}

// seed makes partners, if there are none, and adds orders up to the wanted number. It
// returns the accounts and samples of orders.
func seed(ctx context.Context, settings *config.Config, database string, partners, orders int) (*ready, error) {
	note := filepath.Join(settings.Data, "bench.json")
	var done seeded
	text, err := os.ReadFile(filepath.Clean(note))
	switch {
	case err == nil:
		err = json.Unmarshal(text, &done)
	case errors.Is(err, os.ErrNotExist):
		done.Accounts, err = makeAccounts(ctx, settings, partners)
	}
	if err != nil {
		return nil, err
	}
	if err := fillStore(ctx, database, &done, len(text) == 0, orders); err != nil {
		return nil, err
	}
	if text, err = json.Marshal(done); err != nil {
		return nil, err
	}
	if err := os.WriteFile(note, text, 0o600); err != nil {
		return nil, err
	}
	samples, err := sampleOrders(database, done.Accounts[0].PartnerID, done.Orders/len(done.Accounts))
	return &ready{Accounts: done.Accounts, Samples: samples}, err
}

// makeAccounts registers partners with a key each, over HTTP.
func makeAccounts(ctx context.Context, settings *config.Config, count int) (accounts []account, err error) {
	service, err := app.Start(ctx, settings, quietWorld())
	if err != nil {
		return nil, err
	}
	ctx, stop := context.WithCancel(ctx)
	finished := make(chan error, 1)
	go func() { finished <- service.Run(ctx) }()
	defer func() {
		stop()
		err = errors.Join(err, <-finished)
	}()
	for i := range count {
		made, err := makeAccount(ctx, service.URL(), i)
		if err != nil {
			return nil, err
		}
		accounts = append(accounts, made)
	}
	return accounts, nil
}

func makeAccount(ctx context.Context, url string, number int) (account, error) {
	login := map[string]string{
		"name": "Bench", "email": fmt.Sprintf("bench-%d@example.com", number), "password": "not-a-secret-anywhere",
	}
	var answer struct {
		PartnerID string `json:"partner_id"`
		PublicKey string `json:"public_key"`
		SecretKey string `json:"secret_key"`
	}
	for _, path := range []string{"/v1/auth/register", "/v1/auth/api-keys"} {
		if err := post(ctx, url+path, login, &answer); err != nil {
			return account{}, err
		}
	}
	return account{PartnerID: answer.PartnerID, PublicKey: answer.PublicKey, Secret: answer.SecretKey}, nil
}

// post sends JSON and decodes the JSON of a 201.
func post(ctx context.Context, url string, body, answer any) error {
	text, err := json.Marshal(body)
	if err != nil {
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodPost, url, bytes.NewReader(text))
	if err != nil {
		return err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return err
	}
	defer func() { _ = response.Body.Close() }()
	content, err := io.ReadAll(response.Body)
	if err == nil && response.StatusCode != http.StatusCreated {
		err = fmt.Errorf("%s: %s: %s", url, response.Status, content)
	}
	if err != nil {
		return err
	}
	return json.Unmarshal(content, answer)
}

// fillStore adds stock, if this is the first time, and the missing orders.
func fillStore(ctx context.Context, database string, done *seeded, first bool, orders int) (err error) {
	open := store.OpenSQLite
	if isPostgres(database) {
		open = store.OpenPostgres
	}
	db, err := open(ctx, database)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, db.Close()) }()
	if first {
		for _, a := range done.Accounts {
			if err := addStock(ctx, stock.NewService(stock.Config{Store: db.Stock(), Now: time.Now, Random: rand.Reader}), a.PartnerID); err != nil {
				return err
			}
		}
	}
	added, err := prefill(ctx, db, done, orders)
	done.Orders += added
	return err
}

// The stock of every partner at the start, more than a run can order.
const (
	products     = 2
	productName  = "Maple syrup 540 ml"
	openingStock = 1_000_000_000
)

var locations = []string{"MTL-1", "TOR-1"}

func addStock(ctx context.Context, service *stock.Service, partnerID string) error {
	for range products {
		made, err := service.CreateProduct(ctx, partnerID, document(`{"name":"`+productName+`","price":12.99}`))
		if err != nil {
			return err
		}
		for _, location := range locations {
			receipt := fmt.Sprintf(`{"type":"IN","product_id":%d,"quantity":%d,"location":%q}`, made.ProductID, openingStock, location)
			if _, err := service.Record(ctx, partnerID, document(receipt)); err != nil {
				return err
			}
		}
	}
	return nil
}

// document parses JSON that this program wrote.
func document(text string) *strictjson.Value {
	root, err := strictjson.Parse([]byte(text))
	if err != nil {
		panic(err)
	}
	return root
}

// maxSamples is the number of different orders that are read.
const maxSamples = 500

// sampleOrders returns ids of a partner's orders, evenly spaced. It returns none on
// PostgreSQL, where reads are not measured.
func sampleOrders(database, partnerID string, count int) (ids []string, err error) {
	if isPostgres(database) {
		return nil, nil
	}
	err = onDatabase(database, func(c *sqlite.Conn) error {
		at := 0
		return sqlitex.Execute(c, "SELECT order_id FROM orders WHERE partner_id = ? ORDER BY order_id", &sqlitex.ExecOptions{
			Args: []any{partnerID},
			ResultFunc: func(row *sqlite.Stmt) error {
				if at++; at%max(1, count/maxSamples) == 0 {
					ids = append(ids, row.ColumnText(0))
				}
				return nil
			},
		})
	})
	return ids, err
}

// extent is the number of orders in a database, and its size.
type extent struct {
	orders int
	bytes  int64
}

func measureDatabase(ctx context.Context, database string) (e extent, err error) {
	if isPostgres(database) {
		return measurePostgres(ctx, database)
	}
	if e.bytes, err = diskBytes(database); err != nil {
		return e, err
	}
	return e, onDatabase(database, func(c *sqlite.Conn) error {
		return sqlitex.Execute(c, "SELECT COUNT(*) FROM orders", &sqlitex.ExecOptions{
			ResultFunc: func(row *sqlite.Stmt) error {
				e.orders = row.ColumnInt(0)
				return nil
			},
		})
	})
}

func onDatabase(path string, fn func(*sqlite.Conn) error) error {
	c, err := sqlite.OpenConn(path, sqlite.OpenReadWrite)
	if err != nil {
		return err
	}
	return errors.Join(fn(c), c.Close())
}

// diskBytes returns the size of a database, including its log.
func diskBytes(database string) (bytes int64, err error) {
	for _, name := range []string{database, database + "-wal"} {
		info, err := os.Stat(name)
		switch {
		case err == nil:
			bytes += info.Size()
		case !errors.Is(err, os.ErrNotExist):
			return 0, err
		}
	}
	return bytes, nil
}
