package credential

import (
	"strings"
	"unicode/utf8"
)

// Origin is where a login comes from.
type Origin struct {
	Address string
	Agent   string // the client's User-Agent, as sessions hold it; may be empty
}

// maxAgent is how many characters a session holds of a User-Agent.
const maxAgent = 200

// NewOrigin returns an origin with as much of the User-Agent as a session holds.
func NewOrigin(address, agent string) Origin {
	agent = strings.ReplaceAll(strings.ToValidUTF8(agent, ""), "\x00", "")
	if utf8.RuneCountInString(agent) > maxAgent {
		agent = string([]rune(agent)[:maxAgent])
	}
	return Origin{address, agent}
}
