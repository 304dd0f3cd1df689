package app_test

import "testing"

// TestGuessesAtAnUnconfirmedApp guesses the code of an authenticator app that waits to be
// confirmed, in a stolen session: a right guess would be answered with recovery codes.
// Wrong ones count as failed logins.
func TestGuessesAtAnUnconfirmedApp(t *testing.T) {
	forPeople(t, func(t *testing.T, p *person) {
		stolen := p.cookie(t)
		p.in(t, stolen, "POST", "/totp", `{"password":"`+p.password+`"}`).Must(t, 200)
		got := map[int]int{}
		for range 12 {
			got[p.in(t, stolen, "POST", "/totp/confirm", `{"code":"none"}`).Status]++
		}
		if got[422] != 10 || got[429] != 2 {
			t.Errorf("12 wrong codes: got %v, want 422 for 10 and 429 for 2", got)
		}
	})
}
