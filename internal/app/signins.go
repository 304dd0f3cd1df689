package app

import (
	"context"

	"github.com/dropyard/dropyard/internal/foundation/credential"
	"github.com/dropyard/dropyard/internal/foundation/openid"
	"github.com/dropyard/dropyard/internal/foundation/securitylog"
	"github.com/dropyard/dropyard/internal/operator"
	"github.com/dropyard/dropyard/internal/partner"
	"github.com/dropyard/dropyard/internal/signin"
)

// openAccounts creates the services of partners and operators, and of how their people sign
// in.
func (a *App) openAccounts() {
	a.rules = &signin.Rules{
		Store: a.store.OperatorSignIns(), Now: a.Now, Random: a.Random,
		Roles: map[signin.Kind][]string{signin.Operators: texts(operator.Roles), signin.Users: texts(partner.Roles)},
	}
	config := signin.Config{
		Hasher: a.Hasher, Factors: &signin.Factors{Sealer: a.sealer, Now: a.machine}, Rules: a.rules,
		Counts: a.store.SignIns(), BaseURL: a.URL, Post: a.Post, Now: a.Now, Aged: a.trust.Now, Random: a.Random, Log: a.Log,
	}
	users, operators := config, config
	users.Kind, users.Store, users.Observer = signin.Users, a.store.UserSignIns(), a.watchLogins("partner")
	users.MayUse = func(ctx context.Context, partnerID string) error { return a.partners.MayUse(ctx, partnerID) }
	a.userSignIns = signin.NewService(users)
	a.atClose(a.userSignIns.Close)
	operators.Kind, operators.Store, operators.Observer = signin.Operators, a.store.OperatorSignIns(),
		a.watchLogins("operator")
	a.operatorSignIns = signin.NewService(operators)
	a.atClose(a.operatorSignIns.Close)
	a.partners = partner.NewService(a.partnerConfig())
	a.atClose(a.partners.Close)
	a.operators = operator.NewService(a.operatorConfig())
}

func (a *App) partnerConfig() partner.Config {
	return partner.Config{
		Store: a.store.Partners(), Now: a.Now, MachineNow: a.machine, Aged: a.trust.Now, Random: a.Random, Hasher: a.Hasher,
		Sealer: a.sealer, Log: a.Log, Registration: partner.Registration(a.config.Registration), BaseURL: a.URL,
		Post: a.Post, Cleaner: a.cleaner, Admit: a.refuseStrangers,
		SeedTest:    func(ctx context.Context, testAccount string) error { return a.stock.Seed(ctx, testAccount) },
		TidySignIns: a.userSignIns.Tidy, SignIns: a.userSignIns, Provider: a.providerOf, Resolver: a.Resolver,
		AddressKeys: a.masterKey.DeriveAll("removed addresses"),
		CheckURL:    func(url string) error { return a.outbound.CheckURL(url) },
	}
}

// providerOf returns the client of a partner's OpenID Connect provider, which reaches what
// webhooks may reach: partners choose the addresses of both.
func (a *App) providerOf(config openid.Config) *openid.Client {
	config.Transport = a.outbound
	return openid.New(config)
}

func (a *App) operatorConfig() operator.Config {
	return operator.Config{
		Store: a.store.Operators(), SignIns: a.operatorSignIns, Now: a.Now, Aged: a.trust.Now, Random: a.Random,
		Hasher: a.Hasher, Log: a.Log, Unreadable: a.unreadable("audit"),
		Admits: func(ctx context.Context, role operator.Role) error { return a.nodes.admits(ctx, role) },
	}
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
	w.security.Report(context.Background(), event, "address", attempt.Address, "accounts", w.accounts, "person_id",
		attempt.PersonID)
}
