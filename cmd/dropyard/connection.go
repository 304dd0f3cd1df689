package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"strings"

	"github.com/dropyard/dropyard/client"
	"github.com/dropyard/dropyard/internal/profile"
)

// retryDelays are those that package client advises, except in tests.
var retryDelays = client.NewService("").RetryDelays

// defaultServer is the address that serve listens on by default.
const defaultServer = "http://127.0.0.1:8080"

// profileFlags choose the service that a command calls.
type profileFlags struct {
	Profile string `help:"Profile to use (see dropyard login). Default: DROPYARD_KEY and DROPYARD_SECRET, or DROPYARD_OPERATOR_TOKEN, from the environment, or else the profile in use." env:"DROPYARD_PROFILE" placeholder:"NAME" group:"Connection"`
	Server  string `help:"Address of the service. Default: that of the profile, or else http://127.0.0.1:8080." env:"DROPYARD_URL" placeholder:"URL" group:"Connection"`
}

// partnerFlags are the flags of the commands that call a service as a partner. Secrets
// have no flags, because other users of the machine can see those.
type partnerFlags struct {
	profileFlags
	Signature client.SignatureVersion `help:"Version of the requests' signatures: v1 or v2." enum:"v1,v2" default:"v1" group:"Connection"`
}

// operatorFlags are the flags of the commands that call a service as an operator.
type operatorFlags struct{ profileFlags }

// profiles returns all profiles and the path of their file.
func profiles() (all *profile.Profiles, path string, err error) {
	if path, err = profile.Path(); err != nil {
		return nil, "", usageError{err}
	}
	if all, err = profile.Load(path); err != nil {
		return nil, "", usageError{err}
	}
	return all, path, nil
}

// chosen returns the profile to use and its name. The profile is nil if there is none
// and none was asked for.
func (f *profileFlags) chosen() (name string, chosen *profile.Profile, err error) {
	all, _, err := profiles()
	switch {
	case errors.Is(err, profile.ErrNoHome) && f.Profile == "": // such as a service without a home
		return profile.Default, nil, nil
	case err != nil:
		return "", nil, err
	}
	name = cmp.Or(f.Profile, all.InUse())
	chosen = all.Profiles[name]
	if chosen == nil && f.Profile != "" {
		return "", nil,
			usageError{fmt.Errorf("--profile: there is no profile %q; run dropyard login --profile %s", f.Profile, f.Profile)}
	}
	return name, chosen, nil
}

// service returns the service for a call without credentials.
func (f *profileFlags) service() (*client.Service, error) {
	if f.Server == "" {
		_, chosen, err := f.chosen()
		if err != nil {
			return nil, err
		}
		if chosen != nil {
			f.Server = chosen.Server
		}
	}
	f.Server = cmp.Or(f.Server, defaultServer)
	return client.NewService(f.Server), checkServer(f.Server)
}

// withProfile sets the server to that of the chosen profile. Another one in the flags is
// refused, so that credentials reach no server but their own.
func (f *profileFlags) withProfile(name string, chosen *profile.Profile) error {
	own := strings.TrimSuffix(chosen.Server, "/")
	if f.Server != "" && strings.TrimSuffix(f.Server, "/") != own {
		return usageError{fmt.Errorf("--server, DROPYARD_URL: %s is not the server of profile %q, %s", f.Server, name, own)}
	}
	f.Server = own
	return checkServer(own)
}

// fromEnvironment sets the server for credentials from the environment.
func (f *profileFlags) fromEnvironment() error {
	f.Server = cmp.Or(f.Server, defaultServer)
	return checkServer(f.Server)
}

func checkServer(text string) error {
	if err := checkURL("--server", text); err != nil {
		return usageError{err}
	}
	return nil
}

// client returns a client with the API key of the profile or the environment.
func (f *partnerFlags) client() (*client.Client, error) {
	key, secret := os.Getenv("DROPYARD_KEY"), os.Getenv("DROPYARD_SECRET")
	switch {
	case f.Profile == "" && (key == "") != (secret == ""):
		return nil, usageError{errors.New("DROPYARD_KEY and DROPYARD_SECRET must be set together")}
	case f.Profile == "" && key != "":
		if err := f.fromEnvironment(); err != nil {
			return nil, err
		}
	default:
		name, chosen, err := f.chosen()
		if err != nil {
			return nil, err
		}
		if chosen == nil || chosen.Partner == nil {
			return nil, usageError{
				fmt.Errorf("profile %q has no API key: run dropyard login, or set DROPYARD_KEY and DROPYARD_SECRET", name),
			}
		}
		if err := f.withProfile(name, chosen); err != nil {
			return nil, err
		}
		key, secret = chosen.Partner.PublicKey, chosen.Partner.SecretKey
	}
	c := client.New(f.Server, key, secret)
	c.Signatures, c.RetryDelays = f.Signature, retryDelays
	return c, nil
}

// testKeyPrefix begins the public keys of test mode.
const testKeyPrefix = "pk_test_"

// inTest reports whether a client has a test key.
func inTest(c *client.Client) bool { return strings.HasPrefix(c.PublicKey, testKeyPrefix) }

// operator returns a client with the operator's token of the profile or the environment.
func (f *profileFlags) operator() (*client.Operator, error) {
	token := os.Getenv("DROPYARD_OPERATOR_TOKEN")
	if f.Profile == "" && token != "" {
		return newOperator(cmp.Or(f.Server, defaultServer), token), f.fromEnvironment()
	}
	name, chosen, err := f.chosen()
	if err != nil {
		return nil, err
	}
	if chosen == nil || chosen.Operator == nil {
		return nil, usageError{
			fmt.Errorf("profile %q has no operator: run dropyard login --operator, or set DROPYARD_OPERATOR_TOKEN", name),
		}
	}
	if err := f.withProfile(name, chosen); err != nil {
		return nil, err
	}
	return newOperator(f.Server, chosen.Operator.Token), nil
}

func newOperator(server, token string) *client.Operator {
	o := client.NewOperator(server, token)
	o.RetryDelays = retryDelays
	return o
}
