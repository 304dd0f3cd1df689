package app

import (
	"context"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

// openAccounts creates the services of partners and operators, and of what their people
// sign in with.
func (a *App) openAccounts() {
	factors := &signin.Factors{Sealer: a.sealer, Now: a.machine}
	devices := signin.Devices{Post: a.Post}
	a.partners = partner.NewService(partner.Config{
		Store: a.store.Partners(), Now: a.Now, MachineNow: a.machine, Aged: a.trust.Now, Random: a.Random, Hasher: a.Hasher, Sealer: a.sealer, Log: a.Log,
		Registration: partner.Registration(a.config.Registration), BaseURL: a.URL, Post: a.Post, Cleaner: a.cleaner,
		Admit:   a.refuseStrangers,
		Factors: factors, Devices: devices, SignIns: a.store.SignIns(), Observer: a.watchLogins("partner"),
		SeedTest: func(ctx context.Context, testAccount string) error { return a.stock.Seed(ctx, testAccount) },
	})
	a.atClose(a.partners.Close)
	a.operators = newOperators(a.store, a.Surroundings, a.trust.Now, factors, devices, a.watchLogins("operator"), a.unreadable("audit"))
	a.atClose(a.operators.Close)
	a.rules = &signin.Rules{
		Store: a.store.OperatorSignIns(), Now: a.Now, Random: a.Random,
		Roles: map[signin.Kind][]string{signin.Operators: texts(operator.Roles), signin.Users: texts(partner.Roles)},
	}
	config := signin.Config{
		Hasher: a.Hasher, Factors: factors, Rules: a.rules, Post: a.Post, Now: a.Now, Random: a.Random, Log: a.Log,
	}
	config.Kind, config.Store, config.Gate, config.MinPassword = signin.Users, a.store.UserSignIns(), a.partners.Gate(), credential.MinUserPassword
	config.Uses = a.partners.Uses()
	config.BaseURL = func() string { return a.URL() + "/portal" }
	a.userSignIns = signin.NewService(config)
	a.atClose(ending(a.userSignIns.Close))
	config.Kind, config.Store, config.Gate, config.MinPassword = signin.Operators, a.store.OperatorSignIns(), a.operators.Gate(), credential.MinOperatorPassword
	config.Uses = a.operators.Uses()
	config.BaseURL = func() string { return a.URL() + "/console" }
	a.operatorSignIns = signin.NewService(config)
	a.atClose(ending(a.operatorSignIns.Close))
}

// texts returns words as texts.
func texts[T ~string](words []T) []string {
	all := make([]string, len(words))
	for i, word := range words {
		all[i] = string(word)
	}
	return all
}

// watchLogins returns an observer that counts logins to one kind of account, and writes
// those that fail as security events.
func (a *App) watchLogins(accounts string) credential.GateObserver {
	return loginWatch{a.metrics.Logins(accounts), a.security, accounts}
}

type loginWatch struct {
	credential.GateObserver
	security *securitylog.Log
	accounts string
}

// LoggedIn never writes the name that was typed: it may be a password in the wrong field.
func (w loginWatch) LoggedIn(outcome credential.LoginOutcome, attempt credential.Attempt) {
	w.GateObserver.LoggedIn(outcome, attempt)
	var event securitylog.Event
	switch {
	case outcome == credential.LoginThrottled:
		event = securitylog.SignInThrottled
	case outcome != credential.LoginFailed:
		return
	case attempt.WrongCode:
		event = securitylog.CodeRefused
	default:
		event = securitylog.SignInFailed
	}
	w.security.Report(context.Background(), event, "address", attempt.Address, "accounts", w.accounts, "person_id", attempt.PersonID)
}
