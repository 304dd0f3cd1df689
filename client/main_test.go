package client_test

import (
	"context"
	"flag"
	"os"
	"testing"
	"time"

	"github.com/dropyard/dropyard/client"
)

// TestMain leaves out the examples unless there is a service for them. TestExamples in internal/tests/client, where all
// other tests of this package are, starts one.
func TestMain(m *testing.M) {
	if exampleURL() == "" {
		if err := flag.Set("test.skip", "^Example"); err != nil {
			panic(err)
		}
	}
	os.Exit(m.Run())
}

// exampleURL returns the address of the service that all examples call.
func exampleURL() string { return os.Getenv("DROPYARD_EXAMPLES_URL") }

// exampleOperator returns an operator with a new token.
func exampleOperator(ctx context.Context) *client.Operator {
	service := client.NewService(exampleURL())
	token, err := service.CreateToken(ctx,
		client.TokenRequest{Email: os.Getenv("DROPYARD_OPERATOR_EMAIL"), Password: os.Getenv("DROPYARD_OPERATOR_PASSWORD")})
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
