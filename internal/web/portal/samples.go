package portal

import (
	"net/http"
	"strings"
	"time"

	"github.com/dropyard/dropyard/internal/web/samples"
	"github.com/google/uuid"
)

// credentials are what the samples are filled in with.
type credentials struct{ url, publicKey, secretKey string }

// programs returns the programs that create the same order under the same key. A test
// runs them.
func programs(c credentials, id uuid.UUID, now time.Time) []samples.Program {
	return samples.Programs(samples.Request{
		File: "order", URL: c.url, Method: http.MethodPost, Path: "/v1/orders", Body: orderBody(id, now),
		Signed: true, Key: c.publicKey, Secret: c.secretKey,
		Headers: []samples.Header{
			{
				Name: "Idempotency-Key", Value: id.String(), Comment: samples.SameAgain,
			}, {Name: "Content-Type", Value: "application/json"},
		},
	})
}

// fill returns a file of the folder samples. The replacements are pairs.
func (c credentials) fill(file string, replacements ...string) string {
	text, err := files.ReadFile("samples/" + file)
	if err != nil {
		panic("portal: " + err.Error()) // embedded files are always there
	}
	replacements = append(replacements, "%URL%", c.url, "%KEY%", c.publicKey, "%SECRET%", c.secretKey)
	return strings.TrimSpace(strings.NewReplacer(replacements...).Replace(string(text)))
}

// orderBody returns the body of a request for a test order, which the simulation delivers
// at the first attempt. Its partner_order_id differs for each id.
func orderBody(id uuid.UUID, now time.Time) string {
	at := func(hours int) string {
		return now.UTC().Truncate(time.Hour).Add(time.Duration(hours) * time.Hour).Format(time.RFC3339)
	}
	return credentials{}.fill("order.json", "%REFERENCE%", "first-"+id.String()[:8],
		"%PICKUP_START%", at(24), "%PICKUP_END%", at(27), "%DROPOFF_START%", at(48), "%DROPOFF_END%", at(56))
}
