// Command peer runs PocketBase with a collection of orders, as a peer for the
// benchmarks of Dropyard: an HTTP service in Go on the same engine of SQLite, which
// stores what it is sent. Its commits are as durable as Dropyard's: WAL and
// synchronous=FULL. It is a module of its own, so that Dropyard does not depend on it.
package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"net/http"
	"os"
	"time"

	"github.com/pocketbase/dbx"
	"github.com/pocketbase/pocketbase"
	"github.com/pocketbase/pocketbase/apis"
	"github.com/pocketbase/pocketbase/core"
	"github.com/pocketbase/pocketbase/tools/types"
)

func main() {
	if len(os.Args) != 2 {
		log.Fatal("usage: peer DIRECTORY")
	}
	if err := serve(os.Args[1]); err != nil {
		log.Fatal(err)
	}
}

// ready is what the peer prints once it answers.
type ready struct {
	Address string `json:"address"`
	Token   string `json:"token"` // of the only client
}

func serve(directory string) error {
	app := pocketbase.NewWithConfig(pocketbase.Config{
		DefaultDataDir:  directory,
		HideStartBanner: true,
		DBConnect:       connect,
	})
	if err := app.Bootstrap(); err != nil {
		return err
	}
	if err := app.RunAllMigrations(); err != nil {
		return err
	}
	if err := addOrders(app); err != nil {
		return err
	}
	token, err := addClient(app)
	if err != nil {
		return err
	}
	router, err := apis.NewRouter(app)
	if err != nil {
		return err
	}
	handler, err := router.BuildMux()
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return err
	}
	if err := json.NewEncoder(os.Stdout).Encode(ready{listener.Addr().String(), token}); err != nil {
		return err
	}
	server := &http.Server{Handler: handler, ReadHeaderTimeout: time.Minute}
	go func() {
		_, _ = io.Copy(io.Discard, os.Stdin) // ends with the bench
		_ = server.Close()
	}()
	if err := server.Serve(listener); !errors.Is(err, http.ErrServerClosed) {
		return err
	}
	return nil
}

// connect opens a database as PocketBase does, but with commits that survive a loss
// of power.
func connect(path string) (*dbx.DB, error) {
	const pragmas = "?_pragma=busy_timeout(10000)&_pragma=journal_mode(WAL)&_pragma=journal_size_limit(200000000)" +
		"&_pragma=synchronous(FULL)&_pragma=foreign_keys(ON)&_pragma=temp_store(MEMORY)&_pragma=cache_size(-32000)"
	return dbx.Open("sqlite", path+pragmas)
}

// addOrders adds the collection of orders: a unique reference, and the parts of an
// order as JSON. Whoever has signed in may create and read.
func addOrders(app core.App) error {
	orders := core.NewBaseCollection("orders")
	orders.Fields.Add(
		&core.TextField{Name: "partner_order_id", Required: true},
		&core.TextField{Name: "service_level", Required: true},
	)
	for _, name := range []string{"pickup", "dropoff", "parcels", "cod", "insurance", "metadata"} {
		orders.Fields.Add(&core.JSONField{Name: name})
	}
	orders.Fields.Add(
		&core.TextField{Name: "reference"},
		&core.TextField{Name: "instructions"},
		&core.AutodateField{Name: "created", OnCreate: true},
	)
	orders.AddIndex("orders_reference", true, "partner_order_id", "")
	signedIn := types.Pointer(`@request.auth.id != ""`)
	orders.CreateRule, orders.ViewRule, orders.ListRule = signedIn, signedIn, signedIn
	return app.Save(orders)
}

// addClient adds a user, and returns a token of its.
func addClient(app core.App) (string, error) {
	users, err := app.FindCollectionByNameOrId("users")
	if err != nil {
		return "", err
	}
	user := core.NewRecord(users)
	user.SetEmail("bench@example.com")
	user.SetPassword("not-a-secret-anywhere")
	if err := app.Save(user); err != nil {
		return "", fmt.Errorf("add a user: %w", err)
	}
	return user.NewAuthToken()
}
