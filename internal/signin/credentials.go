package signin

import (
	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/form"
)

// Credentials are what a person signs in with.
type Credentials struct {
	Email, Password string
	Code            string // of the second factor; empty if none was given
}

// ReadCredentials reads what a person signs in with.
func ReadCredentials(f *form.Form) Credentials {
	return Credentials{
		Email:    f.Text("email", form.Required, delivery.EmailRule),
		Password: f.Secret("password", form.Required, credential.KnownPasswordRule),
		Code:     f.Secret("code", form.Optional, credential.CodeRule),
	}
}

// Confirmation is the password of an account, by which its person confirms a change.
type Confirmation struct {
	form.Faults
	Password string
}

// ReadConfirmation reads a password that confirms a change.
func ReadConfirmation(f *form.Form) Confirmation {
	return Confirmation{Password: f.Secret("password", form.Required, credential.KnownPasswordRule)}
}
