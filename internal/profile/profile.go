// Package profile keeps the profiles of the command line: for each a server, and the
// credentials to call it with. They are in a file that only its owner can read.
package profile

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"slices"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/durable"
	"github.com/gofrs/flock"
)

// Default is the name of the profile that is used if none is chosen.
const Default = "default"

// Profile is a server and the credentials for it.
type Profile struct {
	Server   string    `json:"server"` // base URL
	Partner  *Partner  `json:"partner,omitempty"`
	Operator *Operator `json:"operator,omitempty"`
}

// Partner is an API key of a partner.
type Partner struct {
	Email     string `json:"email"` // of the person who logged in
	Name      string `json:"name"`  // of the partner
	Mode      string `json:"mode"`  // live or test
	KeyID     string `json:"key_id"`
	PublicKey string `json:"public_key"`
	SecretKey string `json:"secret_key"`
}

// Operator is a token of an operator.
type Operator struct {
	Email     string    `json:"email"`
	Role      string    `json:"role"`
	TokenID   string    `json:"token_id"`
	Token     string    `json:"token"`
	ExpiresAt time.Time `json:"expires_at"`
}

// Profiles is the content of the file.
type Profiles struct {
	Current  string              `json:"current"` // name of the profile in use; empty for [Default]
	Profiles map[string]*Profile `json:"profiles"`
}

// InUse returns the name of the profile that is used if none is chosen.
func (p *Profiles) InUse() string {
	if p.Current == "" {
		return Default
	}
	return p.Current
}

// Names returns the names of all profiles, sorted.
func (p *Profiles) Names() []string { return slices.Sorted(maps.Keys(p.Profiles)) }

var validName = regexp.MustCompile(`^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$`)

// CheckName returns an error if a profile cannot have the name.
func CheckName(name string) error {
	if !validName.MatchString(name) {
		return fmt.Errorf("%q is not a name of 1 to 64 letters, digits, dots, hyphens and underscores", name)
	}
	return nil
}

// ErrNoHome means that the user has no directory for configuration.
var ErrNoHome = errors.New("there is no directory for profiles")

// Path returns the path of the file: dropyard/profiles.json in the user's directory for
// configuration, which is $XDG_CONFIG_HOME or ~/.config on Linux. The error is [ErrNoHome].
func Path() (string, error) {
	dir, err := os.UserConfigDir()
	if err != nil {
		return "", fmt.Errorf("%w: %w", ErrNoHome, err)
	}
	return filepath.Join(dir, "dropyard", "profiles.json"), nil
}

// Load reads the file at path. A file that does not exist has no profiles. A file that
// other users can read or write is refused, as ssh refuses a private key.
func Load(path string) (*Profiles, error) {
	found := &Profiles{Profiles: map[string]*Profile{}}
	file, err := os.Open(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return found, nil
	case err != nil:
		return nil, err
	}
	defer func() { _ = file.Close() }()
	if err := checkPrivate(file); err != nil {
		return nil, err
	}
	var content bytes.Buffer
	if _, err := content.ReadFrom(file); err != nil {
		return nil, err
	}
	if err := json.Unmarshal(content.Bytes(), found); err != nil {
		return nil, fmt.Errorf("%s is not a file of profiles: %w", path, err)
	}
	for name, p := range found.Profiles {
		if p == nil {
			return nil, fmt.Errorf("%s is not a file of profiles: the profile %q is null", path, name)
		}
	}
	return found, nil
}

// checkPrivate returns an error if other users have any permission for the file. Windows
// has no such permissions; there the user's directory is private.
func checkPrivate(file *os.File) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	info, err := file.Stat()
	if err != nil {
		return err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return fmt.Errorf("%s holds secrets, but other users may use it (mode %04o): run chmod 600 on it, and revoke its keys if others may have read them", file.Name(), mode)
	}
	return nil
}

// Check returns the error that Update would have at path, as far as that can be known
// before: a caller that is about to receive a secret must be able to keep it.
func Check(path string) error {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	if err := durable.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	probe, err := os.CreateTemp(filepath.Dir(path), "probe-*")
	if err != nil {
		return err
	}
	return errors.Join(probe.Close(), os.Remove(probe.Name()))
}

// Update changes the profiles in the file at path, which need not exist. Programs that do
// so at the same time take turns, and change reads what those before have written. The
// file and the directory that it creates are private.
func Update(path string, change func(*Profiles)) (err error) {
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target // a link remains one
	}
	if err := durable.MakeFolder(filepath.Dir(path)); err != nil {
		return err
	}
	turn := flock.New(path+".lock", flock.SetPermissions(0o600))
	if err := turn.Lock(); err != nil {
		return fmt.Errorf("lock the profiles: %w", err)
	}
	defer func() { err = errors.Join(err, turn.Close()) }()
	all, err := Load(path)
	if err != nil {
		return err
	}
	change(all)
	text, err := json.MarshalIndent(all, "", "  ")
	if err != nil {
		return err
	}
	return durable.Replace(path, append(text, '\n'))
}

// Remove removes a profile. If it was in use, no other takes its place.
func (p *Profiles) Remove(name string) {
	delete(p.Profiles, name)
	if p.Current == name {
		p.Current = ""
	}
}
