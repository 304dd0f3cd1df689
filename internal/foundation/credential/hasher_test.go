package credential_test

import (
	"context"
	"crypto/rand"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
)

// cheap keeps tests fast.
var cheap = credential.Cost{Memory: 8, Passes: 1, Lanes: 1}

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, rand.Reader)
	for _, password := range []string{"maple-harbour-42", "épée à deux mains", "nul\x00inside", strings.Repeat("x", 128)} {
		hash, err := h.Hash(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=8,t=1,p=1$") {
			t.Errorf("the hash is %s", hash)
		}
		again, _ := h.Hash(t.Context(), password)
		if again == hash {
			t.Error("two hashes of one password are equal: there is no salt")
		}
		for guess, want := range map[string]bool{password: true, password + " ": false, strings.ToUpper(password): false, "": false} {
			if got, err := h.Verify(t.Context(), hash, guess); err != nil || got != want {
				t.Errorf("Verify of %q with %q: %v, %v", password, guess, got, err)
			}
		}
	}
}

// The reference implementation (phc-winner-argon2) made this one.
func TestVerifyReadsForeignHashes(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, rand.Reader)
	const foreign = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	if fits, err := h.Verify(t.Context(), foreign, "password"); err != nil || !fits {
		t.Errorf("got %v, %v", fits, err)
	}
}

func TestVerifyRefusesWhatIsNoHash(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, rand.Reader)
	for _, text := range []string{
		"",
		"maple-harbour-42",
		"$argon2i$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=16$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=0,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=1,p=0$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=99999999,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=1,p=1,x=1$AAAAAAAAAAAAAAAAAAAAAA$AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
		"$argon2id$v=19$m=8,t=1,p=1$AAAAAAAAAAAAAAAAAAAAAA$",
		"$argon2id$v=19$m=8,t=1,p=1$AAAA",
	} {
		fits, err := h.Verify(t.Context(), text, "")
		if err == nil || fits {
			t.Errorf("%q: got %v, %v", text, fits, err)
		}
		if err != nil && strings.Contains(err.Error(), "maple") {
			t.Errorf("the error tells what was stored: %v", err)
		}
	}
}

func TestNoPasswordFitsTheDecoy(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, rand.Reader)
	if fits, err := h.Verify(t.Context(), h.Decoy(), ""); err != nil || fits {
		t.Errorf("got %v, %v", fits, err)
	}
}

func TestDefaultCost(t *testing.T) {
	t.Parallel()
	decoy := credential.NewHasher(credential.DefaultCost, rand.Reader).Decoy()
	if !strings.HasPrefix(decoy, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("the cost is below what OWASP recommends: %s", decoy)
	}
}

func TestHashingEndsWithItsContext(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, rand.Reader)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash: %v", err)
	}
	if _, err := h.Verify(ctx, h.Decoy(), "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify: %v", err)
	}
}

func TestGoodPassword(t *testing.T) {
	t.Parallel()
	for password, want := range map[string]bool{
		"maple-harbour-42":            true,
		"pássw≠örd✓":                  true,
		"        ":                    true,
		"nul\x00inside":               true,
		strings.Repeat("é", 128):      true,
		strings.Repeat("é", 129):      false,
		strings.Repeat("x", 1<<20):    false,
		"":                            false,
		"7 chars":                     false,
		"éééé":                        false, // 8 bytes, but 4 characters
		"password":                    false,
		"PassWord1":                   false,
		"12345678":                    false,
		"qwertyuiop":                  false,
		"correct horse battery 12345": true,
	} {
		if got := credential.NewPasswordRule.Allows(password); got != want {
			t.Errorf("GoodPassword(%.20q…) is %v", password, got)
		}
	}
	if !credential.KnownPasswordRule.Allows("password") || credential.KnownPasswordRule.Allows("") || credential.KnownPasswordRule.Allows(strings.Repeat("x", 129)) {
		t.Error("the rule for known passwords goes by more than the length")
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	first, err := credential.Token(rand.Reader, "sk_")
	if err != nil {
		t.Fatal(err)
	}
	second, _ := credential.Token(rand.Reader, "sk_")
	if len(first) != 3+43 || !strings.HasPrefix(first, "sk_") || first == second {
		t.Errorf("got %q and %q", first, second)
	}
	if _, err := credential.Token(strings.NewReader("too short"), ""); err == nil {
		t.Error("made a token of too little randomness")
	}
	if len(credential.HashToken(first)) != 32 || string(credential.HashToken(first)) == string(credential.HashToken(second)) {
		t.Error("hashes do not tell tokens apart")
	}
}

func BenchmarkHashDefault(b *testing.B) {
	h := credential.NewHasher(credential.DefaultCost, rand.Reader)
	for b.Loop() {
		if _, err := h.Hash(b.Context(), "maple-harbour-42"); err != nil {
			b.Fatal(err)
		}
	}
}

func fixedClock() time.Time { return time.Unix(1_767_225_600, 0) }
