// Package repeatable keeps tests independent of chance and of the speed of the machine:
// it holds the seed of everything that tests draw, and the one deadline after which
// something counts as hanging. It imports no package of this module, so that the tests
// of every package can use it.
package repeatable

import (
	"flag"
	"hash/fnv"
	"io"
	"math/rand/v2"
	"os"
	"strconv"
	"sync"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// SeedVariable holds the seed, an unsigned number. .ci/long draws one; without it, every
// run tries the same.
const SeedVariable = "DROPYARD_SEED"

// defaultSeed is the seed of runs that set none.
const defaultSeed = 20261125

// Hang is how long a test waits for something that happens within moments. A test that
// waits as long fails: what it waits for does not happen. It is no measure of speed, and
// nothing may pass because of it.
const Hang = 2 * time.Minute

// Poll is the pause between two looks at something that gives no signal.
const Poll = 5 * time.Millisecond

// Seed returns the seed of this run.
var Seed = sync.OnceValue(func() uint64 {
	text := os.Getenv(SeedVariable)
	if text == "" {
		return defaultSeed
	}
	seed, err := strconv.ParseUint(text, 10, 64)
	if err != nil || seed == 0 { // rapid takes 0 for a random one
		panic(SeedVariable + ": " + strconv.Quote(text) + " is not a positive number")
	}
	return seed
})

func init() {
	if err := flag.Set("rapid.seed", strconv.FormatUint(Seed(), 10)); err != nil {
		panic(err)
	}
}

// Check is rapid.Check with the seed of this run. Tests call it instead of rapid.Check.
func Check(t rapid.TB, property func(*rapid.T)) {
	t.Helper()
	if t, ok := t.(testing.TB); ok {
		name(t)
	}
	rapid.Check(t, property)
}

// Rand returns a source of random numbers that depends on the seed of this run and on
// the name of the test. Each call returns a source that begins from the start; for
// several sources in one test, name them. It is not safe for concurrent use.
func Rand(t testing.TB, names ...string) *rand.Rand {
	t.Helper()
	name(t)
	return rand.New(rand.NewChaCha8(key(t, names))) //nolint:gosec // repeatable on purpose
}

// Reader returns a source of random bytes as Rand returns one of numbers. It is safe for
// concurrent use.
func Reader(t testing.TB, names ...string) io.Reader {
	t.Helper()
	name(t)
	return &reader{source: rand.NewChaCha8(key(t, names))}
}

// name makes a test that fails print how to run it again.
func name(t testing.TB) {
	// go test notes which variables a test reads, but only from when tests run, which is
	// after init: without this, it would return cached results of another seed.
	_ = os.Getenv(SeedVariable)
	t.Cleanup(func() {
		if t.Failed() {
			t.Logf("to repeat: %s=%d", SeedVariable, Seed())
		}
	})
}

// key returns what a source of a test is seeded with.
func key(t testing.TB, names []string) (key [32]byte) {
	hash := fnv.New128a()
	_, _ = io.WriteString(hash, t.Name())
	for _, name := range names {
		_, _ = io.WriteString(hash, "\x00"+name)
	}
	copy(key[:], strconv.FormatUint(Seed(), 36))
	hash.Sum(key[16:16])
	return key
}

type reader struct {
	mu     sync.Mutex
	source *rand.ChaCha8 // guarded by mu
}

func (r *reader) Read(p []byte) (int, error) {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.source.Read(p)
}
