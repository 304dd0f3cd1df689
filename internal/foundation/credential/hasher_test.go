package credential_test

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
)

// cheap is a cost that keeps tests fast.
var cheap = credential.Cost{Memory: 8, Passes: 1, Lanes: 1}

func TestHashAndVerify(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, repeatable.Reader(t))
	for _, password := range []string{"maple-harbour-42", "épée à deux mains", "nul\x00inside", strings.Repeat("x", 128)} {
		hash, err := h.Hash(t.Context(), password)
		if err != nil {
			t.Fatal(err)
		}
		if !strings.HasPrefix(hash, "$argon2id$v=19$m=8,t=1,p=1$") {
			t.Errorf("got hash %s, want argon2id with the given cost", hash)
		}
		again, _ := h.Hash(t.Context(), password)
		if again == hash {
			t.Errorf("second hash of one password: got %s again, want another salt", again)
		}
		for guess, want := range map[string]bool{
			password: true, password + " ": false, strings.ToUpper(password): false, "": false,
		} {
			if got, err := h.Verify(t.Context(), hash, guess); err != nil || got != want {
				t.Errorf("Verify(hash of %q, %q): got %t, %v, want %t", password, guess, got, err, want)
			}
		}
	}
}

// TestVerifyReadsReferenceHash uses a hash by the reference implementation
// (phc-winner-argon2).
func TestVerifyReadsReferenceHash(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, repeatable.Reader(t))
	const foreign = "$argon2id$v=19$m=256,t=2,p=1$c29tZXNhbHQ$nf65EOgLrQMR/uIPnA4rEsF5h7TKyQwu9U1bMCHGi/4"
	if got, err := h.Verify(t.Context(), foreign, "password"); err != nil || !got {
		t.Errorf("got %t, %v, want true", got, err)
	}
}

func TestVerifyRefusesMalformedHash(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, repeatable.Reader(t))
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
		got, err := h.Verify(t.Context(), text, "")
		if err == nil || got {
			t.Errorf("%q: got %t, %v, want an error", text, got, err)
		}
		if err != nil && strings.Contains(err.Error(), "maple") {
			t.Errorf("got error %v, want one without the stored text", err)
		}
	}
}

func TestDecoyHasNoPassword(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, repeatable.Reader(t))
	if got, err := h.Verify(t.Context(), h.Decoy(), ""); err != nil || got {
		t.Errorf("got %t, %v, want false", got, err)
	}
}

func TestDefaultCost(t *testing.T) {
	t.Parallel()
	decoy := credential.NewHasher(credential.DefaultCost, repeatable.Reader(t)).Decoy()
	if !strings.HasPrefix(decoy, "$argon2id$v=19$m=19456,t=2,p=1$") {
		t.Errorf("got %s, want the cost that OWASP recommends", decoy)
	}
}

func TestHasherHonoursContext(t *testing.T) {
	t.Parallel()
	h := credential.NewHasher(cheap, repeatable.Reader(t))
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := h.Hash(ctx, "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Hash: got %v, want context.Canceled", err)
	}
	if _, err := h.Verify(ctx, h.Decoy(), "x"); !errors.Is(err, context.Canceled) {
		t.Errorf("Verify: got %v, want context.Canceled", err)
	}
}

func TestPasswordRules(t *testing.T) {
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
		"DropYard":                    false,
		"dropyard1":                   false,
		"Dropyard2026!":               false,
		"dropyard 42":                 false,
		"dropyard4 2 1 8 1":           true,
		"dropyard to the moon":        true,
		"Metro Bakery":                false,
		"metro bakery.":               true,
		"ORDERS@metro.example":        false,
		"orders@metro.exampl":         true,
	} {
		if got := credential.NewPasswordRule(credential.MinUserPassword, "Metro Bakery",
			"orders@metro.example").Allows(password); got != want {
			t.Errorf("new password %.20q: got allowed %t, want %t", password, got, want)
		}
	}
	for password, want := range map[string]bool{"eleven char": false, "twelve chars": true} {
		if got := credential.NewPasswordRule(credential.MinOperatorPassword).Allows(password); got != want {
			t.Errorf("new password of an operator %q: got allowed %t, want %t", password, got, want)
		}
	}
	for password, want := range map[string]bool{"password": true, "x": true, "": false, strings.Repeat("x", 129): false} {
		if got := credential.KnownPasswordRule.Allows(password); got != want {
			t.Errorf("known password %.20q: got allowed %t, want %t", password, got, want)
		}
	}
}

func TestToken(t *testing.T) {
	t.Parallel()
	random := repeatable.Reader(t)
	first, err := credential.Token(random, "sk_")
	if err != nil {
		t.Fatal(err)
	}
	second, _ := credential.Token(random, "sk_")
	if len(first) != 3+43 || !strings.HasPrefix(first, "sk_") || first == second {
		t.Errorf("got %q and %q, want two tokens of sk_ and 43 characters", first, second)
	}
	if _, err := credential.Token(strings.NewReader("too short"), ""); err == nil {
		t.Error("with 9 random bytes: got no error")
	}
	if a, b := credential.HashToken(first), credential.HashToken(second); len(a) != 32 || bytes.Equal(a, b) {
		t.Errorf("got hashes %x and %x, want two of 32 bytes", a, b)
	}
}

func BenchmarkHashDefault(b *testing.B) {
	h := credential.NewHasher(credential.DefaultCost, repeatable.Reader(b))
	for b.Loop() {
		if _, err := h.Hash(b.Context(), "maple-harbour-42"); err != nil {
			b.Fatal(err)
		}
	}
}
