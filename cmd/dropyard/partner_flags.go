package main

import "github.com/dropyard/dropyard/client"

// partnerFlags are the flags of the commands that call a service as a partner.
type partnerFlags struct {
	Key    string `help:"Public key (pk_…; pk_test_… for test mode)." env:"DROPYARD_KEY" required:"" placeholder:"PK"`
	Secret string `help:"Secret key (sk_…)." env:"DROPYARD_SECRET" required:"" placeholder:"SK"`
	URL    string `help:"Address of the service." default:"http://127.0.0.1:8080" env:"DROPYARD_URL"`

	Signature client.SignatureVersion `help:"Version of the requests' signatures: v1 or v2." enum:"v1,v2" default:"v1"`
}

func (f *partnerFlags) client() *client.Client {
	c := client.New(f.URL, f.Key, f.Secret)
	c.Signatures = f.Signature
	return c
}
