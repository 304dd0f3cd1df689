package credential_test

import (
	"bytes"
	"encoding/base32"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"github.com/pquerna/otp/totp"
)

// TestTOTPVectors checks codes of RFC 6238, appendix B, cut to 6 digits.
func TestTOTPVectors(t *testing.T) {
	t.Parallel()
	secret := base32.StdEncoding.EncodeToString([]byte("12345678901234567890"))
	for at, code := range map[int64]string{
		59: "287082", 1111111109: "081804", 1111111111: "050471", 1234567890: "005924", 2000000000: "279037",
		20000000000: "353130",
	} {
		if step, right := credential.TOTPStep(secret, code, time.Unix(at, 0), 0); !right || step != at/30 {
			t.Errorf("code %s at %d: got step %d, %t, want %d", code, at, step, right, at/30)
		}
	}
}

func TestTOTPStep(t *testing.T) {
	t.Parallel()
	secret, uri, err := credential.NewTOTP(repeatable.Reader(t), "Dropyard", "a b@example.com")
	if err != nil || len(secret) != 32 || !strings.HasPrefix(uri, "otpauth://totp/Dropyard:a%20b@example.com?") {
		t.Fatalf("got secret %q and URI %q, %v, want 32 characters and one for Dropyard", secret, uri, err)
	}
	const now = 60_000_000 // a step of time
	code := codeAt(t, secret, now)
	for _, c := range []struct {
		step, last int64
		want       bool
	}{
		{now, 0, true}, {now - 1, 0, true}, {now + 1, 0, true}, {now - 2, 0, false}, {now + 2, 0, false},
		{now, now - 1, true}, {now, now, false}, {now, now + 1, false}, {now + 1, now, false},
	} {
		if step, right := credential.TOTPStep(secret, code, time.Unix(c.step*30+29, 0), c.last); right != c.want ||
			right && step != now {
			t.Errorf("%+v: got step %d, %t, want %d", c, step, right, int64(now))
		}
	}
	for _, wrong := range []string{"", "12345", "1234567", "abcdef", " " + code} {
		if _, right := credential.TOTPStep(secret, wrong, time.Unix(now*30, 0), 0); right &&
			strings.TrimSpace(wrong) != code {
			t.Errorf("code %q: got it accepted", wrong)
		}
	}
}

// codeAt returns the code of a step of time.
func codeAt(t *testing.T, secret string, step int64) string {
	t.Helper()
	code, err := totp.GenerateCode(secret, time.Unix(step*30, 0))
	if err != nil {
		t.Fatal(err)
	}
	return code
}

func TestRecoveryCodes(t *testing.T) {
	t.Parallel()
	codes, hashes, err := credential.NewRecoveryCodes(repeatable.Reader(t))
	if err != nil || len(codes) != 10 || len(hashes) != 10 {
		t.Fatalf("got %d codes and %d hashes, %v, want 10", len(codes), len(hashes), err)
	}
	seen := map[string]bool{}
	for i, code := range codes {
		if len(code) != 19 || seen[code] {
			t.Errorf("got code %q, want 16 characters in groups of 4, and no code twice", code)
		}
		seen[code] = true
		for _, same := range []string{code, strings.ToUpper(code), strings.ReplaceAll(code, "-",
			" "), strings.ReplaceAll(code, "-", "")} {
			if !bytes.Equal(credential.HashRecoveryCode(same), hashes[i]) {
				t.Errorf("code %q: got another hash than for %q", same, code)
			}
		}
	}
	if _, _, err := credential.NewRecoveryCodes(strings.NewReader("too short")); err == nil {
		t.Error("with 9 random bytes: got no error")
	}
}

func TestNewLink(t *testing.T) {
	t.Parallel()
	now := time.Unix(1_767_225_600, 0)
	for kind, want := range map[credential.LinkKind]struct {
		prefix string
		life   time.Duration
	}{
		credential.LinkInvitation: {
			"inv_", 7 * 24 * time.Hour,
		}, credential.LinkReset: {"rst_", time.Hour}, credential.LinkEmail: {"eml_", 24 * time.Hour},
	} {
		token, link, err := credential.NewLink(repeatable.Reader(t, string(kind)), kind, now)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(link.TokenHash, credential.HashToken(token)) || !strings.HasPrefix(link.LinkID, want.prefix) ||
			link.Kind != kind ||
			!link.CreatedAt.Equal(now) || link.ExpiresAt.Sub(now) != want.life {
			t.Errorf("%s: got %+v, want an id %s… and %v", kind, link, want.prefix, want.life)
		}
	}
}

func TestNewOrigin(t *testing.T) {
	t.Parallel()
	for agent, want := range map[string]string{
		"Firefox": "Firefox", "a\x00b": "ab", "a\xffb": "ab", strings.Repeat("é", 300): strings.Repeat("é", 200),
	} {
		if got := credential.NewOrigin("203.0.113.7", agent); got.Agent != want || got.Address != "203.0.113.7" {
			t.Errorf("User-Agent %q: got %+v, want %q", agent, got, want)
		}
	}
}
