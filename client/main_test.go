package client_test

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"os"
	"sync"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/app"
	"github.com/dropyard/dropyard/internal/app/apptest"
	"github.com/dropyard/dropyard/internal/config"
)

func TestMain(m *testing.M) {
	code := m.Run()
	if err := stopExamples(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// exampleURL starts the service that all examples call, and returns its address.
// Examples have no testing.TB, with which apptest could start one.
func exampleURL() string {
	url, err := startExamples()
	if err != nil {
		panic(err)
	}
	return url
}

var stopExamples = func() error { return nil }

var startExamples = sync.OnceValues(func() (url string, err error) {
	dir, err := os.MkdirTemp("", "dropyard-client-")
	if err != nil {
		return "", err
	}
	world := app.System()
	world.Log, world.Out = slog.New(slog.DiscardHandler), io.Discard
	ctx, cancel := context.WithCancel(context.Background())
	service, err := app.Start(ctx, &config.Config{Listen: "127.0.0.1:0", Data: dir, WebhookInsecure: true, BackupKeep: 7,
		OperatorEmail: apptest.OperatorEmail, OperatorPassword: apptest.OperatorPassword}, world)
	if err != nil {
		cancel()
		return "", errors.Join(err, os.RemoveAll(dir))
	}
	ended := make(chan error, 1)
	go func() { ended <- service.Run(ctx) }()
	stopExamples = func() error {
		cancel()
		return errors.Join(<-ended, os.RemoveAll(dir))
	}
	return service.URL(), nil
})

// exampleOperator returns an operator with a new token.
func exampleOperator(ctx context.Context) *client.Operator {
	service := client.NewService(exampleURL())
	token, err := service.CreateToken(ctx,
		client.TokenRequest{Email: apptest.OperatorEmail, Password: apptest.OperatorPassword})
	if err != nil {
		panic(err)
	}
	return client.NewOperator(service.BaseURL, token.Token)
}

// examplePartner returns the id of a new partner.
func examplePartner(ctx context.Context) string {
	partner, err := client.NewService(exampleURL()).Register(ctx, client.RegisterRequest{
		Name: "Épicerie Métro", Email: client.NewIdempotencyKey() + "@example.com", Password: "seven maple trees",
	})
	if err != nil {
		panic(err)
	}
	return partner.PartnerID
}

// exampleClient returns a client of a new partner.
func exampleClient(ctx context.Context) *client.Client {
	service := client.NewService(exampleURL())
	email, password := client.NewIdempotencyKey()+"@example.com", "seven maple trees"
	if _, err := service.Register(ctx,
		client.RegisterRequest{Name: "Épicerie Métro", Email: email, Password: password}); err != nil {
		panic(err)
	}
	session, err := service.Login(ctx, client.LoginRequest{Email: email, Password: password})
	if err != nil {
		panic(err)
	}
	key, err := session.CreateAPIKey(ctx, client.CreateAPIKeyRequest{Name: "examples"})
	if err != nil {
		panic(err)
	}
	return client.New(service.BaseURL, key.PublicKey, key.SecretKey)
}

// exampleOrder returns an order for tomorrow.
func exampleOrder(reference string) client.OrderRequest {
	tomorrow := client.TimeWindow{Start: time.Now().Add(24 * time.Hour), End: time.Now().Add(30 * time.Hour)}
	return client.OrderRequest{
		PartnerOrderID: reference,
		ServiceLevel:   client.LevelExpress,
		Pickup: client.Contact{
			Name: "Épicerie Métro", Phone: "+15145550100", Email: "shop@example.com", TimeWindow: tomorrow,
			Address: client.Address{
				Line1: "3575 avenue du Parc", City: "Montréal", Province: client.Quebec, PostalCode: "H2X 3P9",
				Country: client.Canada,
			},
		},
		Dropoff: client.Contact{
			Name: "Marcus Webb", Phone: "+15195550177", Email: "marcus@example.com", TimeWindow: tomorrow,
			Address: client.Address{
				Line1: "41 King Street West", City: "Kitchener", Province: client.Ontario, PostalCode: "N2G 1A1",
				Country: client.Canada,
			},
		},
		Parcels: []client.Parcel{{
			ParcelID: "1", Description: "Coffee beans", LengthCM: 25, WidthCM: 20, HeightCM: 15, WeightKG: 1.1, ValueCents: 3600,
		}},
	}
}
