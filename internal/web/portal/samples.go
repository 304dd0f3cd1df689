package portal

import (
	"strings"
	"time"

	"github.com/google/uuid"
)

// program is a program that creates a test order, or a command, filled in for an account.
type program struct{ Name, Language, Text string }

// samplePrograms are the files of the programs, which a test runs. They sign as those in
// examples/signing do.
var samplePrograms = []struct{ name, language, file string }{
	{"curl", "curl", "order.sh"}, {"Go", "go", "order.gotext"}, {"JavaScript", "javascript", "order.mjs"}, {"Python", "python", "order.py"},
}

// credentials are what the samples are filled in with.
type credentials struct{ url, publicKey, secretKey string }

// programs returns the programs that create the same order under the same key.
func programs(c credentials, id uuid.UUID, now time.Time) []program {
	filled := make([]program, len(samplePrograms))
	for i, p := range samplePrograms {
		filled[i] = program{p.name, p.language, c.fill(p.file, "%ORDER%", orderBody(id, now), "%IDEMPOTENCY_KEY%", id.String())}
	}
	return filled
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
