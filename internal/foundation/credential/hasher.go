package credential

import (
	"context"
	"crypto/subtle"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/dropyard/dropyard/internal/foundation/pace"
	"golang.org/x/crypto/argon2"
)

// Cost is the amount of work for one password hash.
type Cost struct {
	Memory uint32 // KiB
	Passes uint32
	Lanes  uint8 // the algorithm's parallelism
}

// DefaultCost is what OWASP recommends for argon2id as of 2025: about 25 ms on a
// server of that time. Tests use less.
var DefaultCost = Cost{Memory: 19 << 10, Passes: 2, Lanes: 1}

const (
	saltBytes   = 16
	digestBytes = 32
)

// Hasher hashes and verifies passwords with argon2id. It takes at most half of the
// processors, with pauses (see pacer), or has a worker; further calls wait for their
// turn or for the end of their context. If too many wait already, a call is refused
// with unavailable. It may be used by many goroutines.
type Hasher struct {
	cost   Cost
	random io.Reader
	pacer  *pacer
	worker *pace.Worker // nil if there is none
	decoy  string
}

// NewHasher returns a hasher. It also verifies hashes of another cost, so that the
// cost may be changed. random must be safe for concurrent use, as
// crypto/rand.Reader is.
func NewHasher(cost Cost, random io.Reader) *Hasher {
	// Finding a password with this digest would mean breaking the algorithm.
	decoy := phc{cost: cost, salt: make([]byte, saltBytes), digest: make([]byte, digestBytes)}
	return &Hasher{cost: cost, random: random, pacer: newPacer(), decoy: decoy.String()}
}

// NewHasherWith returns a hasher whose hashing is done by a worker, which calls
// Digest: so that it delays others by little. If the worker fails, the hasher works
// without it.
func NewHasherWith(w *pace.Worker, cost Cost, random io.Reader) *Hasher {
	h := NewHasher(cost, random)
	h.worker = w
	return h
}

// Hurry makes refusals return at once, instead of a second later, and returns the hasher.
// It is for tests, whose attempts are no attack, and comes before the first use.
func (h *Hasher) Hurry() *Hasher {
	h.pacer.hurries = true
	return h
}

// Hash returns the PHC string to store of a password.
func (h *Hasher) Hash(ctx context.Context, password string) (string, error) {
	salt := make([]byte, saltBytes)
	if _, err := io.ReadFull(h.random, salt); err != nil {
		return "", fmt.Errorf("read random bytes for a salt: %w", err)
	}
	release, err := h.pacer.take(ctx, maxStrangers)
	if err != nil {
		return "", err
	}
	defer release()
	return phc{
		cost: h.cost, salt: salt, digest: h.digest(digestRequest{[]byte(password), salt, h.cost, digestBytes}),
	}.String(), nil
}

// Verify reports whether the hash was made from the password. It fails if the text
// is not an argon2id hash, or if ctx ends while the call waits for its turn.
func (h *Hasher) Verify(ctx context.Context, hash, password string) (bool, error) {
	release, err := h.pacer.take(ctx, maxWaiting)
	if err != nil {
		return false, err
	}
	defer release()
	return h.verify(hash, password)
}

func (h *Hasher) verify(hash, password string) (bool, error) {
	want, err := parsePHC(hash)
	if err != nil {
		return false, err
	}
	got := h.digest(digestRequest{[]byte(password), want.salt, want.cost, len(want.digest)})
	return subtle.ConstantTimeCompare(got, want.digest) == 1, nil
}

// Decoy returns a hash that no password has. Verifying it takes as long as
// verifying any other, which hides that an account does not exist.
func (h *Hasher) Decoy() string { return h.decoy }

// digestRequest is what a digest is computed from. Size is in bytes. The password is
// not text, because JSON would change what is not UTF-8.
type digestRequest struct {
	Password, Salt []byte
	Cost           Cost
	Size           int
}

func (r digestRequest) digest() []byte {
	return argon2.IDKey(r.Password, r.Salt, r.Cost.Passes, r.Cost.Memory, r.Cost.Lanes, uint32(r.Size))
}

func (h *Hasher) digest(r digestRequest) []byte {
	digest := h.askWorker(r)
	h.pacer.restless.Store(digest != nil)
	if digest == nil {
		digest = r.digest()
	}
	return digest
}

// askWorker returns nil if there is no worker, or it has failed.
func (h *Hasher) askWorker(r digestRequest) []byte {
	if h.worker == nil {
		return nil
	}
	request, err := json.Marshal(r)
	if err != nil {
		return nil
	}
	digest, err := h.worker.Do(request)
	if err != nil || len(digest) != r.Size {
		return nil
	}
	return digest
}

// Digest computes what a hasher asks its worker for. It returns nothing for a
// request that it cannot read.
func Digest(request []byte) []byte {
	var r digestRequest
	if json.Unmarshal(request, &r) != nil {
		return nil
	}
	return r.digest()
}

// phc is a hash in the format of the Password Hashing Competition:
// $argon2id$v=19$m=19456,t=2,p=1$salt$digest, with salt and digest in base64
// without padding.
type phc struct {
	cost         Cost
	salt, digest []byte
}

func (p phc) String() string {
	encode := base64.RawStdEncoding.EncodeToString
	return fmt.Sprintf("$argon2id$v=%d$m=%d,t=%d,p=%d$%s$%s",
		argon2.Version, p.cost.Memory, p.cost.Passes, p.cost.Lanes, encode(p.salt), encode(p.digest))
}

// errNoHash does not contain the text, which may be a password in the wrong place.
var errNoHash = errors.New("the stored text is not an argon2id hash")

// maxMemory and maxPasses bound what a stored hash may ask for, so that a damaged
// one cannot take all memory.
const (
	maxMemory = 1 << 20 // KiB
	maxPasses = 100
)

func parsePHC(text string) (p phc, err error) {
	parts := strings.Split(text, "$")
	if len(parts) != 6 || parts[0] != "" || parts[1] != "argon2id" || parts[2] != fmt.Sprintf("v=%d", argon2.Version) {
		return phc{}, errNoHash
	}
	if _, err := fmt.Sscanf(parts[3], "m=%d,t=%d,p=%d", &p.cost.Memory, &p.cost.Passes, &p.cost.Lanes); err != nil {
		return phc{}, errNoHash
	}
	if c := p.cost; c.Memory > maxMemory || c.Passes == 0 || c.Passes > maxPasses || c.Lanes == 0 {
		return phc{}, errNoHash
	}
	salt, saltErr := base64.RawStdEncoding.DecodeString(parts[4])
	sum, sumErr := base64.RawStdEncoding.DecodeString(parts[5])
	if saltErr != nil || sumErr != nil || len(sum) < 16 {
		return phc{}, errNoHash
	}
	p.salt, p.digest = salt, sum
	if p.String() != text { // Sscanf ignores trailing text
		return phc{}, errNoHash
	}
	return p, nil
}
