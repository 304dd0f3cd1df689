package identifier_test

import (
	"bytes"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

func TestNew(t *testing.T) {
	t.Parallel()
	id, err := identifier.New(strings.NewReader("1234567890"), "key_")
	if want := "key_64s36d1n6rvkge9g"; err != nil || id != want {
		t.Errorf("got %q, %v, want %q", id, err, want)
	}
	if id, err := identifier.New(strings.NewReader("123456789"), "key_"); err == nil {
		t.Errorf("with 9 random bytes: got %q, want an error", id)
	}
}

// TestEncodingSorts checks that encoded identifiers sort like their bytes.
func TestEncodingSorts(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		content := rapid.SliceOfN(rapid.Byte(), 10, 10)
		a, b := content.Draw(t, "a"), content.Draw(t, "b")
		encode := identifier.Encoding.EncodeToString
		if got, want := strings.Compare(encode(a), encode(b)), bytes.Compare(a, b); got != want {
			t.Errorf("%x and %x: got %d, want %d", a, b, got, want)
		}
	})
}

func TestUUIDs(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		at := time.UnixMilli(rapid.Int64Range(0, 4_000_000_000_000).Draw(t, "time"))
		random := rapid.SliceOfN(rapid.SampledFrom([]byte{0, 1, 0x7f, 0xff}), 10, 10).Draw(t, "random")
		id, err := identifier.NewUUID(bytes.NewReader(random), at)
		if err != nil {
			t.Fatal(err)
		}
		if got, ok := identifier.UUIDTime(id); !ok || !got.Equal(at) {
			t.Errorf("UUIDTime(%s): got %v, %t, want %v", id, got, ok, at)
		}
		if first := identifier.FirstUUID(at); first > id {
			t.Errorf("FirstUUID(%v): got %s, want at most %s", at, first, id)
		}
		if next := identifier.FirstUUID(at.Add(time.Millisecond)); next <= id {
			t.Errorf("FirstUUID of the next millisecond: got %s, want more than %s", next, id)
		}
	})
}

func TestUUIDNeedsRandomness(t *testing.T) {
	t.Parallel()
	if id, err := identifier.NewUUID(strings.NewReader("123456789"), time.Unix(1, 0)); err == nil {
		t.Errorf("with 9 random bytes: got %s, want an error", id)
	}
}

func TestUUIDTimeRefuses(t *testing.T) {
	t.Parallel()
	good, err := identifier.NewUUID(repeatable.Reader(t), time.Unix(1_767_225_600, 0))
	if err != nil {
		t.Fatal(err)
	}
	for _, id := range []string{
		"", good[1:], good + "0", good + "\n", strings.ToUpper(good[:35]) + "A", strings.ReplaceAll(good, "-", ""),
		good[:14] + "4" + good[15:], good[:19] + "c" + good[20:],
	} {
		if at, ok := identifier.UUIDTime(id); ok {
			t.Errorf("UUIDTime(%q): got %v, want a refusal", id, at)
		}
	}
}

func TestNextUUID(t *testing.T) {
	t.Parallel()
	for id, want := range map[string]string{
		"019caef5-ac70-7d02-9a6b-21f4c8e05b93": "019caef5-ac70-7d02-9a6b-21f4c8e05b94",
		"019caef5-ac70-7d02-9a6b-21f4c8e0ffff": "019caef5-ac70-7d02-9a6b-21f4c8e10000",
		"019caef5-ac70-7d02-bfff-ffffffffffff": "019caef5-ac70-7d03-8000-000000000000",
		"019caef5-ac70-7fff-bfff-ffffffffffff": "019caef5-ac71-7000-8000-000000000000",
		"not a UUID":                           "not a UUID",
	} {
		if got := identifier.NextUUID(id); got != want {
			t.Errorf("%s: got %s, want %s", id, got, want)
		}
	}
}
