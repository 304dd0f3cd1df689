package credential

import (
	"strings"
	"time"
	"unicode/utf8"
)

// Origin is where a login comes from.
type Origin struct {
	Address string
	Agent   string // the client's User-Agent, as sessions hold it; may be empty
	Device  Device // what sessions do not hold
}

// maxAgent is how many characters a session holds of a User-Agent.
const maxAgent = 200

// NewOrigin returns an origin with as much of the User-Agent as a session holds.
func NewOrigin(address, agent string) Origin {
	agent = strings.ReplaceAll(strings.ToValidUTF8(agent, ""), "\x00", "")
	if utf8.RuneCountInString(agent) > maxAgent {
		agent = string([]rune(agent)[:maxAgent])
	}
	return Origin{Address: address, Agent: agent}
}

// Device is the device of a login, as its cookie names it.
type Device struct {
	Token string
	// Returned is set if the client sent the token, and did not get it just now.
	Returned bool
}

// DeviceLife is how long a device is remembered after a login.
const DeviceLife = 365 * 24 * time.Hour
