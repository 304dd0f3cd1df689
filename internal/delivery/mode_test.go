package delivery_test

import (
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/dropyard/dropyard/internal/delivery"
	"github.com/dropyard/dropyard/internal/foundation/identifier"
	"github.com/dropyard/dropyard/internal/testkit/repeatable"
	"pgregory.net/rapid"
)

// TestAccountsOfPartner checks that the accounts of a partner differ in the highest of
// their 40 bits, and that an order shows the mode of its account.
func TestAccountsOfPartner(t *testing.T) {
	t.Parallel()
	repeatable.Check(t, func(t *rapid.T) {
		live, err := delivery.NewPartnerID(drawBytes(t, 5))
		if err != nil {
			t.Fatal(err)
		}
		test := delivery.TestAccount(live)
		before, _ := identifier.Encoding.DecodeString(live[4:])
		after, err := identifier.Encoding.DecodeString(test[4:])
		if want := slices.Concat([]byte{before[0] | 0x80}, before[1:]); err != nil || before[0] >= 0x80 ||
			!slices.Equal(after, want) {
			t.Fatalf("got bytes %x of %s and %x of %s, want them to differ in the highest bit", before, live, after, test)
		}
		for account, want := range map[string]delivery.Mode{live: delivery.ModeLive, test: delivery.ModeTest} {
			orderID, err := delivery.NewOrderID(drawBytes(t, 9), account, drawTime(t, "time"))
			if err != nil {
				t.Fatal(err)
			}
			isTest := want == delivery.ModeTest
			if got := delivery.ModeOf(account); got != want || delivery.IsTest(account) != isTest ||
				delivery.IsTestOrder(orderID) != isTest {
				t.Fatalf("%s and its order %s: got mode %s, %t, %t, want %s", account, orderID, got, delivery.IsTest(account),
					delivery.IsTestOrder(orderID), want)
			}
			if got := delivery.LiveAccount(account); got != live {
				t.Fatalf("LiveAccount(%s): got %s, want %s", account, got, live)
			}
			if got := delivery.TestAccount(account); got != test {
				t.Fatalf("TestAccount(%s): got %s, want %s", account, got, test)
			}
			if got := delivery.Account(account, want); got != account {
				t.Fatalf("Account(%s, %s): got %s, want the same", account, want, got)
			}
			if isTest != (account >= delivery.FirstTestID) {
				t.Fatalf("%s compared with FirstTestID: got %t, want %t", account, !isTest, isTest)
			}
		}
	})
}

func TestModeOfOtherTexts(t *testing.T) {
	t.Parallel()
	for _, text := range []string{"", "par_", "par_z", "par_zzzzzzzz0", "par_uuuuuuuu"[:11], strings.Repeat("z", 35)} {
		if delivery.IsTest(text) || delivery.IsTestOrder(text) || delivery.TestAccount(text) != text ||
			delivery.LiveAccount(text) != text {
			t.Errorf("%q: got an account or an order, want neither", text)
		}
	}
	if first, err := delivery.FirstOrderID("par_g0000000", time.Unix(0, 0)); err != nil || !delivery.IsTestOrder(first) {
		t.Errorf("the first order of the first test account: got %s, %v, want a test order", first, err)
	}
}
